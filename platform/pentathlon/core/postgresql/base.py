"""Django's PostgreSQL, for servers that may hang. Django finds this module by its name."""

from __future__ import annotations

from typing import Any, Final

from django.db.backends.postgresql import base
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


_ANSWER: Final = "answer_s"
"""The option that limits how long any answer may take; the others are the driver's own."""


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection that notices when the server has stopped answering."""

    Database = driver

    def get_connection_params(self) -> dict[str, Any]:  # Any: the driver's own parameters
        """Return the parameters that the driver takes."""
        parameters: dict[str, Any] = super().get_connection_params()
        parameters.pop(_ANSWER, None)
        return parameters

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:  # Any: Django's signature
        """Connect; a connection of another class, from a pool, is returned as it is."""
        connection = super().get_new_connection(conn_params)
        self._limit(connection, self.settings_dict["OPTIONS"].get(_ANSWER))
        return connection

    def is_usable(self) -> bool:
        """Ask for a sign of life, for no longer than a new connection may take."""
        options = self.settings_dict["OPTIONS"]
        self._limit(self.connection, options.get("connect_timeout"))
        try:
            return bool(super().is_usable())
        finally:
            self._limit(self.connection, options.get(_ANSWER))

    @staticmethod
    def _limit(connection: object, answer_s: float | None) -> None:
        if isinstance(connection, PatientConnection):
            connection.answer_s = answer_s or None
