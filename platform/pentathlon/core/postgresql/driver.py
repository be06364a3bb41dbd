"""The driver as Django sees it: psycopg, with connections that do not wait forever.

The server cancels a statement that takes too long, but not if the server itself hangs (a stopped
machine, a network that swallows packets behind a proxy that still answers).
"""

from __future__ import annotations

from typing import Any, Final

from psycopg import (
    Binary,
    Connection,
    DatabaseError,
    DataError,
    Error,
    IntegrityError,
    InterfaceError,
    InternalError,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
)
from psycopg.abc import RV, PQGen
from psycopg.errors import IdleInTransactionSessionTimeout
from psycopg.rows import TupleRow

__all__ = [
    "Binary",
    "DataError",
    "DatabaseError",
    "Error",
    "IntegrityError",
    "InterfaceError",
    "InternalError",
    "NotSupportedError",
    "OperationalError",
    "PatientConnection",
    "ProgrammingError",
    "connect",
]

_INTERVAL_S: Final = 0.1


class PatientConnection(Connection[TupleRow]):
    """A connection that is closed when the server gives no answer for `answer_s` seconds."""

    answer_s: float | None = None

    def wait(
        self, gen: PQGen[RV], interval: float = _INTERVAL_S, timeout: float | None = None
    ) -> RV:
        """Wait for an answer; raise `OperationalError` when there is none in time."""
        if timeout is None:
            timeout = self.answer_s
        try:
            return super().wait(gen, interval, timeout)
        except IdleInTransactionSessionTimeout as error:
            # The driver calls this an internal error; for us, it is a lost connection like others.
            raise OperationalError(str(error)) from None
        except OperationalError as error:
            # The driver's own exception for this is private. The statement may still be executed,
            # so the connection is of no more use.
            if type(error).__name__ != "_WaitTimeout" or timeout is None:
                raise
            self.close()
            raise OperationalError(f"the database gave no answer for {timeout:g} s") from None


def connect(*args: Any, **kwargs: Any) -> PatientConnection:  # Any: the driver's own signature
    """Return a new connection."""
    return PatientConnection.connect(*args, **kwargs)
