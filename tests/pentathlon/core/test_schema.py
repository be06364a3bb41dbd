from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from structlog.testing import capture_logs

from pentathlon.core import schema

pytestmark = pytest.mark.django_db(transaction=True)

NEWEST = ("matches", "0001_initial")


@contextmanager
def _older() -> Iterator[None]:
    """Let the database lack a migration."""
    MigrationRecorder(connection).record_unapplied(*NEWEST)
    try:
        yield
    finally:
        MigrationRecorder(connection).record_applied(*NEWEST)


def test_database_that_lacks_a_migration_is_older() -> None:
    with _older():
        assert schema.missing_migrations() == [".".join(NEWEST)]

    assert schema.missing_migrations() == []


def test_process_waits_for_a_migration_and_says_so_once() -> None:
    looks = iter([False, False, False, True])

    with _older(), capture_logs() as logs:
        schema.wait_for_schema(is_stopping=lambda: next(looks), pause_s=0)

    assert [line["event"] for line in logs] == ["waiting for the database"]
    assert "1 migrations wait for `manage.py migrate`" in logs[0]["reason"]


def test_process_waits_for_a_database_that_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter([OperationalError("connection refused"), None])
    applied = MigrationRecorder.applied_migrations

    def fail_once(recorder: MigrationRecorder) -> object:
        error = next(answers)
        if error is not None:
            raise error
        return applied(recorder)

    monkeypatch.setattr(MigrationRecorder, "applied_migrations", fail_once)

    with capture_logs() as logs:
        schema.wait_for_schema(pause_s=0)

    assert [line["reason"] for line in logs] == ["connection refused"]


def test_database_without_tables_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "applied_migrations", set)

    reason = schema.explain_failure(OperationalError("no such table"))

    assert reason is not None
    assert reason.startswith("no_tables: ")
    assert "`python3 manage.py migrate`" in reason
