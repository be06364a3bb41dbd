"""The one clock that times are compared by: the database's. Hosts may disagree about the time."""

from datetime import UTC, datetime

from django.db import connection


def database_now() -> datetime:
    """Return the time by the database's clock."""
    if connection.vendor == "sqlite":
        return datetime.now(UTC)  # one host alone
    with connection.cursor() as cursor:
        cursor.execute("SELECT STATEMENT_TIMESTAMP()")
        told: datetime = cursor.fetchone()[0]
        return told
