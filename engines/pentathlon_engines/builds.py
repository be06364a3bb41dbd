"""Which build of the engines runs here: the sources, or one that was compiled from them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from pentathlon_engines.contract.bits import IS_COMPILED
from pentathlon_engines.version import __version__

_NOTE: Final = Path(__file__).with_name("compiled.txt")
"""The file that `build_compiled.py` writes: a digest of the sources and of their Python."""
_COMPILED: Final = "+compiled"


@cache
def build_name() -> str:
    """Return the name of this build: `1.0.0`, or `1.0.0+compiled.` and a digest of its sources."""
    if not IS_COMPILED:
        return __version__
    digest = _NOTE.read_text().strip() if _NOTE.exists() else ""
    return ".".join(filter(None, (f"{__version__}{_COMPILED}", digest)))


def is_compiled_build(name: str) -> bool:
    """Return whether this is the name of a compiled build."""
    return _COMPILED in name


def source_name(name: str) -> str:
    """Return the name of the sources that a build was made from."""
    return name.partition("+")[0]
