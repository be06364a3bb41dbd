"""Hints for the optional compiler (mypyc); in plain Python they do nothing.

`i64` is an integer that fits into a machine word. Only annotations use it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mypy_extensions import i64, mypyc_attr
else:
    i64 = int

    def mypyc_attr(**promises):
        """Return the class unchanged; the compiler reads the promises instead of calling this."""
        return lambda cls: cls


def is_compiled(function: object) -> bool:
    """Return whether a function, and so its whole module, was compiled."""
    return not hasattr(function, "__code__")


__all__ = ["i64", "is_compiled", "mypyc_attr"]
