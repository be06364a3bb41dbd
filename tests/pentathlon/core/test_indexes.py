"""Indexes that are added and removed while others write."""

import pytest
from django.apps import apps
from django.db import connection, transaction
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState
from django.db.models import Index
from django.db.utils import NotSupportedError
from django.test.utils import CaptureQueriesContext

from pentathlon.core.indexes import AddIndexOnline, RemoveIndexOnline
from pentathlon.core.models import Leadership

pytestmark = pytest.mark.django_db(transaction=True)

_NAME = "core_by_holder"
_ADD = AddIndexOnline("leadership", Index(fields=["holder"], name=_NAME))
_REMOVE = RemoveIndexOnline("leadership", _NAME)


def _run(operation: Operation, *, has_index: bool, backwards: bool = False) -> list[str]:
    """Carry an operation out as a migration does; return the commands."""
    before = ProjectState.from_apps(apps)
    if has_index:
        _ADD.state_forwards("core", before)
    after = before.clone()
    operation.state_forwards("core", after)
    states = (after, before) if backwards else (before, after)
    carry_out = operation.database_backwards if backwards else operation.database_forwards
    with (
        CaptureQueriesContext(connection) as commands,
        connection.schema_editor(atomic=False) as editor,
    ):
        carry_out("core", editor, *states)
    return [command["sql"] for command in commands]


def _indexes() -> set[str]:
    with connection.cursor() as cursor:
        return set(connection.introspection.get_constraints(cursor, Leadership._meta.db_table))


def test_index_is_added_and_removed_again() -> None:
    commands = _run(_ADD, has_index=False)
    assert _NAME in _indexes()
    if connection.vendor == "postgresql":
        assert any("CREATE INDEX CONCURRENTLY" in command for command in commands)

    commands = _run(_REMOVE, has_index=True)
    assert _NAME not in _indexes()
    if connection.vendor == "postgresql":
        assert any("DROP INDEX CONCURRENTLY" in command for command in commands)


def test_both_go_backwards() -> None:
    _run(_REMOVE, has_index=True, backwards=True)
    assert _NAME in _indexes()

    _run(_ADD, has_index=False, backwards=True)
    assert _NAME not in _indexes()


def test_run_that_was_cut_off_is_repeated() -> None:
    if connection.vendor != "postgresql":
        return  # SQLite makes an index or none
    _run(_ADD, has_index=False)
    try:
        assert not any("CREATE" in command for command in _run(_ADD, has_index=False))
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE pg_index SET indisvalid = false WHERE indexrelid = %s::regclass", [_NAME]
            )

        assert any("CREATE" in command for command in _run(_ADD, has_index=False))

        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT indisvalid FROM pg_index WHERE indexrelid = %s::regclass", [_NAME]
            )
            assert cursor.fetchone() == (True,)
    finally:
        _run(_REMOVE, has_index=True)


def test_index_online_in_a_transaction_is_refused() -> None:
    if connection.vendor != "postgresql":
        return  # there it is an ordinary index
    with pytest.raises(NotSupportedError, match="atomic = False"), transaction.atomic():
        _run(_ADD, has_index=False)
