"""The clock by which all times are compared: the database's, because hosts may disagree."""

from datetime import UTC, datetime

from django.db import connection


def database_now() -> datetime:
    """Return the time by the database's clock."""
    if connection.vendor == "sqlite":
        return datetime.now(UTC)  # SQLite serves one host alone
    with connection.cursor() as cursor:
        cursor.execute("SELECT STATEMENT_TIMESTAMP()")
        told: datetime = cursor.fetchone()[0]
        return told
