"""Indexes on tables in use: added and removed without a lock that stops writers.

A migration with these operations sets `atomic = False` and holds nothing else. If it is cut off,
the indexes made so far stay, and it can run again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.backends.postgresql.schema import DatabaseSchemaEditor as PostgresqlEditor
from django.db.migrations.operations import AddIndex, RemoveIndex
from django.db.migrations.state import ProjectState, StateApps
from django.db.models import Index, Model
from django.db.utils import NotSupportedError

_IS_VALID = """
    SELECT pg_index.indisvalid FROM pg_index
    JOIN pg_class ON pg_class.oid = pg_index.indexrelid
    WHERE pg_class.relname = %s AND pg_table_is_visible(pg_class.oid)
"""


class AddIndexOnline(AddIndex):
    """Add an index while others write to its table; elsewhere, do what `AddIndex` does."""

    atomic = False

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """Make the index; on PostgreSQL, replace one that an earlier run left unfinished."""
        if not isinstance(schema_editor, PostgresqlEditor):
            super().database_forwards(app_label, schema_editor, from_state, to_state)
        elif model := _model_to_change(self, schema_editor, to_state.apps, app_label):
            _add(schema_editor, model, self.index)

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """Drop the index."""
        if not isinstance(schema_editor, PostgresqlEditor):
            super().database_backwards(app_label, schema_editor, from_state, to_state)
        elif model := _model_to_change(self, schema_editor, from_state.apps, app_label):
            _remove(schema_editor, model, self.index)


class RemoveIndexOnline(RemoveIndex):
    """Remove an index while others use its table; elsewhere, do what `RemoveIndex` does."""

    atomic = False

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """Drop the index."""
        if not isinstance(schema_editor, PostgresqlEditor):
            super().database_forwards(app_label, schema_editor, from_state, to_state)
        elif model := _model_to_change(self, schema_editor, from_state.apps, app_label):
            state = from_state.models[app_label, self.model_name_lower]
            _remove(schema_editor, model, state.get_index_by_name(self.name))

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """Make the index again."""
        if not isinstance(schema_editor, PostgresqlEditor):
            super().database_backwards(app_label, schema_editor, from_state, to_state)
        elif model := _model_to_change(self, schema_editor, to_state.apps, app_label):
            state = to_state.models[app_label, self.model_name_lower]
            _add(schema_editor, model, state.get_index_by_name(self.name))


def _model_to_change(
    operation: AddIndexOnline | RemoveIndexOnline,
    editor: BaseDatabaseSchemaEditor,
    models: StateApps,
    app_label: str,
) -> type[Model] | None:
    """Return the model of an operation; None if its table is not in this database."""
    model = models.get_model(app_label, operation.model_name)
    is_here = operation.allow_migrate_model(editor.connection.alias, model)
    return model if is_here else None


def _add(editor: PostgresqlEditor, model: type[Model], index: Index) -> None:
    with _patience(editor):
        with editor.connection.cursor() as cursor:
            cursor.execute(_IS_VALID, [index.name])
            found = cursor.fetchone()
        if found == (True,):
            return
        if found is not None:
            # The index was cut off half-way: PostgreSQL keeps it up to date, but never uses it.
            editor.remove_index(model, index, concurrently=True)
        editor.add_index(model, index, concurrently=True)


def _remove(editor: PostgresqlEditor, model: type[Model], index: Index) -> None:
    with _patience(editor):
        editor.remove_index(model, index, concurrently=True)


@contextmanager
def _patience(editor: PostgresqlEditor) -> Iterator[None]:
    """Wait for running transactions without a limit, because nobody waits for us meanwhile."""
    if editor.connection.in_atomic_block:
        raise NotSupportedError("Set atomic = False on a migration that uses indexes online.")
    with editor.connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = 0")
        cursor.execute("SET statement_timeout = 0")
        try:
            yield
        finally:
            cursor.execute("RESET lock_timeout")
            cursor.execute("RESET statement_timeout")
