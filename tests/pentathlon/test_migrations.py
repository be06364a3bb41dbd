"""Migrations run while processes of the previous release still work with the same tables."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.apps import apps
from django.db import migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.migration import Migration
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ModelState, ProjectState
from django.db.models import NOT_PROVIDED

from pentathlon.core.indexes import AddIndexOnline, RemoveIndexOnline

_NEVER_LOCKS = (
    migrations.AlterModelManagers,
    migrations.AlterModelOptions,
    migrations.CreateModel,
    AddIndexOnline,
    RemoveIndexOnline,
)
_ONLINE = (AddIndexOnline, RemoveIndexOnline)


def faults_of(migration: Migration, before: ProjectState) -> Iterator[str]:
    """Yield what in a migration would stop or break processes of the release before.

    What is meant to take a lock for long says why in the attribute `why_it_may_lock`.
    """
    online = [isinstance(op, _ONLINE) for op in migration.operations]
    if any(online) and (migration.atomic or not all(online)):
        yield "operations online stand alone in a migration with atomic = False"
    why = getattr(migration, "why_it_may_lock", "")
    made: set[str] = set()
    state = before
    for operation in migration.operations:
        after = state.clone()
        operation.state_forwards(migration.app_label, after)
        if isinstance(operation, migrations.CreateModel):
            made.add(operation.name_lower)
        if getattr(operation, "model_name_lower", "") not in made:
            fault = _fault(operation, migration.app_label, state, after)
            if fault and (isinstance(operation, migrations.AddField) or not why):
                yield f"{operation.describe()}: {fault}"
        state = after


def _fault(operation: Operation, label: str, before: ProjectState, after: ProjectState) -> str:
    if isinstance(operation, migrations.SeparateDatabaseAndState):
        return _SAY_WHY if operation.database_operations else ""
    if isinstance(operation, _NEVER_LOCKS):
        return ""
    if isinstance(operation, migrations.AddField):
        return "" if _may_be_left_out(operation.field) else "NOT NULL needs a db_default"
    if isinstance(operation, migrations.AlterField):
        then = before.models[label, operation.model_name_lower].get_field(operation.name)
        return "" if _column(then) == _column(operation.field) else _SAY_WHY
    if isinstance(operation, migrations.AddIndex | migrations.RemoveIndex):
        return f"use {type(operation).__name__}Online of pentathlon.core.indexes"
    return _SAY_WHY


_SAY_WHY = "takes a lock or takes something away; say in why_it_may_lock why that does no harm"


# Defaults change in the catalogue alone, the other attributes in Python.
_NO_COLUMN = {*models.Field.non_db_attrs, "db_default", "default", "auto_now_add", "auto_now"} - {
    "db_column"
}


def _may_be_left_out(field: models.Field[object, object]) -> bool:
    return field.null or field.many_to_many or field.db_default is not NOT_PROVIDED


def _column(field: models.Field[object, object]) -> tuple[object, ...]:
    _, path, args, kwargs = field.deconstruct()
    told = {key: value for key, value in kwargs.items() if key not in _NO_COLUMN}
    return path, args, sorted(told.items())


def _is_ours(label: str) -> bool:
    return "pentathlon." in apps.get_app_config(label).name


def _migrations() -> Iterator[tuple[Migration, ProjectState]]:
    """Yield all of ours after the first of each app, each with the state that it begins with."""
    loader = MigrationLoader(None, replace_migrations=False)
    for key, migration in sorted(loader.disk_migrations.items()):
        # What replaces several is for new databases, in which nobody works yet.
        if _is_ours(key[0]) and not migration.initial and not migration.replaces:
            yield migration, loader.project_state(key, at_end=False)


def test_no_migration_stops_the_release_before() -> None:
    faults = [
        f"{migration}: {fault}"
        for migration, before in _migrations()
        for fault in faults_of(migration, before)
    ]

    assert faults == []


_INDEX = models.Index(fields=["name"], name="core_by_name")
_TABLE = ProjectState()
_TABLE.add_model(
    ModelState(
        "core",
        "Shelf",
        [
            ("id", models.BigAutoField(primary_key=True)),
            ("name", models.CharField(max_length=9)),
        ],
    )
)


def _migration(*operations: Operation, atomic: bool = True, why: str = "") -> Migration:
    facts = {"operations": operations, "atomic": atomic, "why_it_may_lock": why}
    migration: Migration = type("Migration", (Migration,), facts)("0002_next", "core")
    return migration


class TestRule:
    @pytest.mark.parametrize(
        "operation",
        [
            migrations.AddField("shelf", "rows", models.IntegerField(default=0)),
            migrations.AddIndex("shelf", _INDEX),
            migrations.AlterField("shelf", "name", models.TextField()),
            migrations.RemoveField("shelf", "name"),
            migrations.RenameField("shelf", "name", "title"),
            migrations.DeleteModel("Shelf"),
            migrations.RunPython(migrations.RunPython.noop),
            migrations.RunSQL("VACUUM"),
            migrations.AddConstraint(
                "shelf", models.UniqueConstraint(fields=["name"], name="core_one_name")
            ),
            AddIndexOnline("shelf", _INDEX),
        ],
    )
    def test_what_stops_or_breaks_others_is_found(self, operation: Operation) -> None:
        assert len(list(faults_of(_migration(operation), _TABLE))) == 1

    @pytest.mark.parametrize(
        "operation",
        [
            migrations.AddField("shelf", "rows", models.IntegerField(db_default=0)),
            migrations.AddField("shelf", "rows", models.IntegerField(null=True)),
            migrations.AlterField("shelf", "name", models.CharField(max_length=9, db_default="")),
            migrations.CreateModel("Box", [("id", models.BigAutoField(primary_key=True))]),
        ],
    )
    def test_what_harms_nobody_passes(self, operation: Operation) -> None:
        assert list(faults_of(_migration(operation), _TABLE)) == []

    def test_index_online_stands_alone(self) -> None:
        online = AddIndexOnline("shelf", _INDEX)
        column = migrations.AddField("shelf", "rows", models.IntegerField(null=True))

        assert list(faults_of(_migration(online, atomic=False), _TABLE)) == []
        assert len(list(faults_of(_migration(column, online, atomic=False), _TABLE))) == 1

    def test_reason_lets_a_lock_pass_but_no_column_without_default(self) -> None:
        unique = migrations.AddConstraint(
            "shelf", models.UniqueConstraint(fields=["name"], name="core_one_name")
        )
        column = migrations.AddField("shelf", "rows", models.IntegerField())

        assert list(faults_of(_migration(unique, why="a small table"), _TABLE)) == []
        assert len(list(faults_of(_migration(column, why="a small table"), _TABLE))) == 1
