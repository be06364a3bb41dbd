"""The floating-point arithmetic of this process.

`exp`, `log`, `pow` and their kin are the C library's, which has variants by processor: with and
without fused multiply-add the last bit of a rating differs. So equal bits are promised only where
the fingerprints are equal; elsewhere, equality to 1e-9.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from statistics import NormalDist
from typing import Final

MIXED: Final = "mixed"
"""Replaces the fingerprint if processes with different arithmetic have applied results."""
TOLERANCE: Final = 1e-9

_VALUES: Final = 4096
_NORMAL: Final = NormalDist()


@cache
def fingerprint() -> str:
    """Return a digest of 4,096 values of each function that ratings are computed with."""
    digest = sha256()
    for number in range(_VALUES):
        digest.update(struct.pack("<7d", *_values((number + 0.5) / _VALUES)))
    return digest.hexdigest()


def fingerprint_after(stored: str, *, is_first: bool) -> str:
    """Return the fingerprint of ratings after this process has changed some of them."""
    return fingerprint() if is_first or stored == fingerprint() else MIXED


def is_equal(stored: float, computed: float, *, exactly: bool) -> bool:
    """Return whether two numbers are the same, to the last bit or to 1e-9."""
    if exactly:
        return stored == computed
    return math.isclose(stored, computed, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def _values(share: float) -> Iterator[float]:
    """Yield the value of each function at a point; `share` is between 0 and 1."""
    x = 38 * share
    yield math.exp(-x * x / 2)
    yield math.log(x)
    yield x**-2
    yield x**2
    yield math.sqrt(x)
    yield math.erfc(x / 8)
    yield _NORMAL.inv_cdf(share)
