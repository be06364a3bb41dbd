"""Ratings say with which arithmetic they were computed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pentathlon.core.arithmetic import MIXED, fingerprint, fingerprint_after, is_equal
from pentathlon.env import IMPORT_PATH

_OTHER_LIBRARY = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2,-AVX2_Usable,-FMA_Usable"}


def told_by_a_process(**surroundings: str) -> str:
    program = "from pentathlon.core.arithmetic import fingerprint; print(fingerprint())"
    return subprocess.run(
        [sys.executable, "-c", program],
        env={"PATH": os.defpath, "PYTHONPATH": IMPORT_PATH, **surroundings},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()


def test_fingerprint_is_that_of_the_machine() -> None:
    assert told_by_a_process() == fingerprint()


def test_other_functions_of_the_library_have_another_fingerprint() -> None:
    other = told_by_a_process(**_OTHER_LIBRARY)

    assert len(other) == 64
    if _has_fused_multiply_add():
        assert other != fingerprint()


def _has_fused_multiply_add() -> bool:
    with Path("/proc/cpuinfo").open() as facts:
        return any(line.startswith("flags") and " fma " in line for line in facts)


@pytest.mark.parametrize(
    ("stored", "is_first", "expected"),
    [
        ("", True, fingerprint()),
        ("of another machine", True, fingerprint()),
        (fingerprint(), False, fingerprint()),
        ("of another machine", False, MIXED),
        ("", False, MIXED),
        (MIXED, False, MIXED),
    ],
)
def test_ratings_of_two_machines_are_mixed(stored: str, is_first: bool, expected: str) -> None:
    assert fingerprint_after(stored, is_first=is_first) == expected


def test_numbers_are_compared_to_the_last_bit_or_nearly() -> None:
    assert not is_equal(25.0, 25.000000000000004, exactly=True)
    assert is_equal(25.0, 25.000000000000004, exactly=False)
    assert not is_equal(25.0, 25.0000001, exactly=False)
