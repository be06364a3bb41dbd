"""Django's PostgreSQL, for servers that may hang. Django finds this module by its name."""

from __future__ import annotations

from typing import Any, Final

from django.db.backends.postgresql import base

from pentathlon.core.postgresql import driver

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
        if isinstance(connection, driver.PatientConnection):
            connection.answer_s = answer_s or None
