"""What the optional compiler (mypyc) is told; in plain Python nothing of it happens.

`i64` is a number that fits into a machine word. It is named where only types are read.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mypy_extensions import i64, mypyc_attr
else:
    i64 = int

    def mypyc_attr(**promises):
        """Return the class as it is; the compiler reads the promises and calls nothing."""
        return lambda cls: cls


def is_compiled(function: object) -> bool:
    """Say whether a function was compiled; a module that asks so for one of its own knows."""
    return not hasattr(function, "__code__")


__all__ = ["i64", "is_compiled", "mypyc_attr"]
