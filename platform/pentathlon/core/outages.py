"""Whether an error is an outage: a server that we need cannot serve just now."""

from __future__ import annotations

from typing import Final

from django.db import InterfaceError, InternalError, OperationalError, ProgrammingError

from pentathlon.core.errors import Unavailable

_AWAY: Final = (InterfaceError, InternalError, OperationalError, Unavailable)
"""`InternalError` is what PostgreSQL answers while it is read-only, as a standby is."""
_NO_TABLE: Final = "42P01"
"""The SQLSTATE of a missing table: while a backup is being restored, tables come one by one."""


def is_outage(error: BaseException | None) -> bool:
    """Whether a needed server was away, hung, was read-only, or was busy for too long."""
    if isinstance(error, ProgrammingError):
        return getattr(error.__cause__, "sqlstate", None) == _NO_TABLE
    return isinstance(error, _AWAY)
