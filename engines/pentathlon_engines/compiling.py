"""What the optional compiler (mypyc) is told about a class; in plain Python nothing happens."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mypy_extensions import mypyc_attr
else:

    def mypyc_attr(**promises):
        """Return the class as it is; the compiler reads the promises and calls nothing."""
        return lambda cls: cls


__all__ = ["mypyc_attr"]
