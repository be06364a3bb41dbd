"""Makes a backup while everything runs, and restores it to an empty place.

Rows are read through the models in one transaction that sees one moment, rather than by the tools
of each database: none has to be installed, one file fits both databases, and restored rows can be
compared bit by bit. Price: slower than a copy of files, and only for the same release.

A release that was rolled back to backs up what it knows of newer tables, and names the rest: its
own restore brings that back, and the newer release goes on from there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Final

from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command
from django.core.management.base import OutputWrapper
from django.core.management.color import no_style
from django.db import DatabaseError, connection, connections, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Min, Model
from django.db.models.functions import Now
from django.utils.crypto import salted_hmac
from psycopg import IsolationLevel

from pentathlon.core.models import Leadership
from pentathlon.core.schema import applied_migrations, known_migrations, missing_migrations
from pentathlon.matches.transparency.services import continue_log
from pentathlon.operations.backup_files import (
    BackupReader,
    BackupWriter,
    BadBackup,
    Manifest,
    NotEmpty,
    NotKept,
    OtherSchema,
    PackedTable,
    RowDigest,
    TableEntry,
    new_backup,
    open_backup,
    stored_models,
)
from pentathlon.secret import holds_key, replace_key
from pentathlon_engines.commentary.words import count

Tell = Callable[[str, int], object]
"""A callback that is told the table, and how many of its rows are done."""

_SNAPSHOT: Final = "snapshot"
_HERE: Final = "default"
_AT_ONCE: Final = 500
_NOTED: Final = "backup"
_MADE_BY_MIGRATING: Final = (Permission, ContentType)
"""Models whose rows migrations make, in the order in which they can be deleted."""
_EVERY_S: Final = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Figures of a backup or a restore."""

    rows: int
    tables: int
    has_secret_key: bool
    is_same_key: bool = True
    """Whether this installation signs with the key that the backup was made with."""
    left_out: tuple[str, ...] = ()
    """Tables and columns of a newer release that are not in the backup."""


def make_backup(path: Path, *, tell: Tell = lambda *_: None) -> Summary:
    """Write all important rows, as they were at one moment, while others go on writing.

    Raise `OtherSchema` if the tables are older than this code, `NotEmpty` if the file exists,
    and `NotKept` if it cannot be written; then nothing is left of it.
    """
    _demand_tables()
    with new_backup(path) as writer, _snapshot():
        tables = {
            model._meta.db_table: _write_table(PackedTable(model), writer, tell=tell)
            for model in stored_models()
        }
        # A key that comes from outside is backed up by whoever keeps it.
        has_key = holds_key(settings.DATA_FOLDER, settings.SECRET_KEY)
        if has_key:
            writer.keep_secret_key(settings.SECRET_KEY)
        writer.finish(
            Manifest(
                made_at=datetime.now(UTC).isoformat(timespec="seconds"),
                database=connection.vendor,
                migrations=list(known_migrations()),
                key_check=_key_check(),
                tables=tables,
            )
        )
    rows = sum(table.rows for table in tables.values())
    return Summary(
        rows=rows, tables=len(tables), has_secret_key=has_key, left_out=tuple(_unknown_here())
    )


def note_backup() -> None:
    """Store that a backup was made just now, so that monitoring misses the next one."""
    Leadership.objects.update_or_create(name=_NOTED, defaults={"holder": _NOTED, "until": Now()})


def last_backup() -> datetime:
    """Return the time of the last backup; if there was none, that of the first migration."""
    noted = Leadership.objects.filter(name=_NOTED).values_list("until", flat=True).first()
    applied = MigrationRecorder.Migration.objects.aggregate(first=Min("applied"))
    return noted or applied["first"]


def restore_backup(path: Path, *, tell: Tell = lambda *_: None) -> Summary:
    """Restore everything into an empty database of either kind, or nothing at all.

    Raise `BadBackup` if the file is damaged, `OtherSchema` if it belongs to another release,
    `NotEmpty` if there is anything in the database, and `NotKept` if the database fails, or
    afterwards holds something other than what was backed up.
    """
    with open_backup(path) as reader:
        _demand_known_schema(reader.manifest)
        _demand_empty_database()
        reader.check()
        if missing_migrations():
            call_command("migrate", verbosity=0, interactive=False)
        # One transaction, however long: nobody else uses an empty database.
        try:
            with transaction.atomic():
                _fill(reader, tell=tell)
                continue_log()
        except DatabaseError as error:
            reason = str(error).strip().partition("\n")[0]
            raise NotKept(f"The database failed: {reason}. Nothing was restored.") from error
        return _adopt_key(reader)


def rows_of(path: Path, model: type[Model]) -> Iterator[Model]:
    """Yield the rows of one table of a backup, which are not stored.

    Raise what `restore_backup` does where the file is no good.
    """
    with open_backup(path) as reader:
        _demand_known_schema(reader.manifest)
        reader.check()
        table = PackedTable(model)
        yield from map(table.row, reader.rows(table.name))


def _write_table(table: PackedTable, writer: BackupWriter, *, tell: Tell) -> TableEntry:
    found = RowDigest()
    tell(table.name, 0)
    with writer.table(table.name) as (write, sha256):
        for row in table.read(_SNAPSHOT):
            write(row)
            found.add(row)
            tell(table.name, found.rows)
    return TableEntry(rows=found.rows, digest=found.digest, sha256=sha256())


@contextmanager
def _snapshot() -> Iterator[None]:
    """Open a connection that sees one moment throughout and blocks no writer."""
    own = connection.copy(_SNAPSHOT)
    is_sqlite = own.vendor == "sqlite"
    own.settings_dict["OPTIONS"] |= (
        {"transaction_mode": "DEFERRED"}
        if is_sqlite
        else {"isolation_level": IsolationLevel.REPEATABLE_READ}
    )
    connections[_SNAPSHOT] = own
    try:
        with transaction.atomic(using=_SNAPSHOT):
            if not is_sqlite:
                with own.cursor() as cursor:
                    cursor.execute("SET TRANSACTION READ ONLY")
            # PostgreSQL and SQLite take the snapshot at the first read.
            ContentType.objects.using(_SNAPSHOT).exists()
            yield
    finally:
        own.close()
        del connections[_SNAPSHOT]


def _fill(reader: BackupReader, *, tell: Tell) -> None:
    for model in _MADE_BY_MIGRATING:
        # Migrating gave these rows other ids than they have in the backup, whose rows refer to
        # them.
        found = model._base_manager.all()
        found._raw_delete(found.db)
    ContentType.objects.clear_cache()
    models = stored_models()
    for table in map(PackedTable, models):
        rows, done = reader.rows(table.name), 0
        tell(table.name, 0)
        while batch := list(islice(rows, _AT_ONCE)):
            table.write(batch, using=_HERE)
            done += len(batch)
            tell(table.name, done)
    for table in map(PackedTable, models):
        _compare(table, reader.manifest.tables[table.name])
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), models):
            cursor.execute(statement)


def _compare(table: PackedTable, expected: TableEntry) -> None:
    found = RowDigest()
    for row in table.read(_HERE):
        found.add(row)
    if (found.rows, found.digest) != (expected.rows, expected.digest):
        raise NotKept(
            f"Table {table.name} would have {found.rows} rows that differ from the "
            f"{expected.rows} of the backup. Nothing was restored."
        )


def _demand_tables() -> None:
    if missing := missing_migrations():
        raise OtherSchema(f"The database waits for `manage.py migrate`: it lacks {missing[0]}.")


def _unknown_here() -> Iterator[str]:
    """Yield tables and columns that a newer release has made."""
    if not applied_migrations() - set(known_migrations()):
        return
    models = {model._meta.db_table: model for model in apps.get_models(include_auto_created=True)}
    with connection.cursor() as cursor:
        for table in sorted(connection.introspection.table_names(cursor)):
            if table in models:
                known = {field.column for field in models[table]._meta.concrete_fields}
                columns = connection.introspection.get_table_description(cursor, table)
                yield from (f"{table}.{each.name}" for each in columns if each.name not in known)
            elif table != MigrationRecorder.Migration._meta.db_table:
                yield table


def _demand_known_schema(manifest: Manifest) -> None:
    theirs, ours = set(manifest.migrations), set(known_migrations())
    if theirs - ours:
        raise OtherSchema(
            f"A newer release has made it: this one does not know {min(theirs - ours)}. Restore "
            "it with that release."
        )
    if ours - theirs:
        raise OtherSchema(
            f"An older release has made it: it lacks {min(ours - theirs)}. Restore it with that "
            "release, then run `manage.py migrate` of this one."
        )
    missing = {model._meta.db_table for model in stored_models()} - manifest.tables.keys()
    if missing:
        raise BadBackup(f"It is damaged: there is no table {min(missing)}.")


def _demand_empty_database() -> None:
    made = {model._meta.db_table for model in _MADE_BY_MIGRATING} | {"django_migrations"}
    names = set(connection.introspection.table_names()) - made
    quote = connection.ops.quote_name
    with connection.cursor() as cursor:
        for name in sorted(names):
            cursor.execute(f"SELECT 1 FROM {quote(name)} LIMIT 1")  # noqa: S608  from the catalogue
            if cursor.fetchone():
                raise NotEmpty(
                    f"The database is not empty: table {name} has rows. Restore to a new one "
                    "(DATABASE_URL, or PENTATHLON_DATA for SQLite)."
                )


def _adopt_key(reader: BackupReader) -> Summary:
    key, tables = reader.secret_key, reader.manifest.tables.values()
    is_same = reader.manifest.key_check == _key_check()
    if key is not None and holds_key(settings.DATA_FOLDER, settings.SECRET_KEY):
        replace_key(settings.DATA_FOLDER, key)
        is_same = True
    return Summary(
        rows=sum(table.rows for table in tables),
        tables=len(tables),
        has_secret_key=key is not None,
        is_same_key=is_same,
    )


def _key_check() -> str:
    return salted_hmac("pentathlon.operations.backups", "key", algorithm="sha256").hexdigest()[:16]


class ProgressLine:
    """Writes a line every two seconds."""

    def __init__(self, target: OutputWrapper) -> None:
        self._target = target
        self._next = time.monotonic() + _EVERY_S

    def __call__(self, table: str, rows: int) -> None:
        """Print the progress, unless it was printed a moment ago."""
        if time.monotonic() >= self._next:
            self._target.write(f"{table}: {count(rows, 'row')}", style_func=str)
            self._next = time.monotonic() + _EVERY_S
