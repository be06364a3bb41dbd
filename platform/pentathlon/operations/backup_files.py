"""The file of a backup: a zip of one packed stream of rows for each table, and a manifest.

Any zip tool lists its contents. The manifest comes last, so a file that was cut off has none.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import IO, Any, Final
from uuid import UUID
from zipfile import ZIP_STORED, BadZipFile, ZipFile

import msgspec
import zstandard
from django.apps import apps
from django.db import connections
from django.db.models import BinaryField, Field, JSONField, Model

from pentathlon.accounts.models import BrowserSession
from pentathlon.core.errors import Conflict, InvalidInput
from pentathlon.matches.replays.models import Replay
from pentathlon.matches.replays.store import as_in_database

FORMAT: Final = 1
_MANIFEST: Final = "manifest.json"
_KEY_FILE: Final = "secret_key"
_LENGTH: Final = struct.Struct(">I")
# Whoever has a copy of a session could act as the person who signed in.
LEFT_OUT: Final[tuple[type[Model], ...]] = (BrowserSession,)
_AT_ONCE: Final = 500
_BLOBS_AT_ONCE: Final = 16
"""Rows with binary data in memory at a time; an uploaded archive has up to 16 MB."""
_BITS: Final = 128
_MADE_WHOLE: Final[Mapping[type[Model], Callable[[dict[str, Any]], dict[str, Any]]]] = {
    Replay: as_in_database
}
"""How to fetch data that rows keep elsewhere, so that a backup is complete by itself."""


class BadBackup(InvalidInput):
    """A file that is no backup, or was damaged since it was made."""

    code = "bad_backup"


class OtherSchema(Conflict):
    """The tables are those of another release."""

    code = "other_schema"


class NotEmpty(Conflict):
    """The place where a backup should go has something in it."""

    code = "not_empty"


class NotKept(Conflict):
    """The disk or the database has refused to keep what was written."""

    code = "not_kept"


class TableEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A table in the manifest."""

    rows: int
    digest: str
    """A digest of the rows, whatever their order; the restored table must have the same."""
    sha256: str
    """The SHA-256 of the packed stream in the file."""


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """The contents and the origin of a backup."""

    format: int = FORMAT
    made_at: str
    database: str
    migrations: list[str]
    """The version of the schema: all migrations that had been applied to the database."""
    key_check: str
    """A digest that shows whether a secret key is the same, and nothing else about it."""
    tables: dict[str, TableEntry]


class BackupWriter:
    """Writes the parts of a backup, the manifest last."""

    def __init__(self, archive: ZipFile) -> None:
        self._archive = archive

    @contextmanager
    def table(self, name: str) -> Iterator[tuple[Callable[[bytes], object], Callable[[], str]]]:
        """Yield a function that takes packed rows, and one that returns the hash afterwards."""
        with self._archive.open(_entry(name), "w", force_zip64=True) as entry:
            hashing = _HashingFile(entry)
            with zstandard.ZstdCompressor(level=3).stream_writer(
                hashing,  # type: ignore[arg-type]  # needs `write` alone
                closefd=False,
            ) as packed:
                yield lambda row: packed.write(_LENGTH.pack(len(row)) + row), hashing.hexdigest

    def keep_secret_key(self, key: str) -> None:
        """Add the secret key of a local installation."""
        self._archive.writestr(_KEY_FILE, key)

    def finish(self, manifest: Manifest) -> None:
        """Write the manifest."""
        text = msgspec.json.format(msgspec.json.encode(manifest))
        self._archive.writestr(_MANIFEST, text)


@contextmanager
def new_backup(path: Path) -> Iterator[BackupWriter]:
    """Write to a file that only its owner may read, and that appears when it is whole."""
    if path.exists():
        raise NotEmpty(f"{path} exists. Name another file; a backup replaces nothing.")
    draft = path.with_name(f"{path.name}.part")
    try:
        draft.unlink(missing_ok=True)
        with os.fdopen(os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+b") as file:
            with ZipFile(file, "w", ZIP_STORED) as archive:
                yield BackupWriter(archive)
            file.flush()
            os.fsync(file.fileno())
        draft.rename(path)
    except OSError as error:
        raise NotKept(f"{path} cannot be written: {error.strerror}. Nothing was kept.") from error
    finally:
        draft.unlink(missing_ok=True)


class BackupReader:
    """Reads a backup; `check` finds out whether its bytes are those that were written."""

    def __init__(self, archive: ZipFile) -> None:
        self._archive = archive
        self.manifest = self._read_manifest()

    def check(self) -> None:
        """Compare every part with its hash in the manifest."""
        for name, table in self.manifest.tables.items():
            try:
                with self._archive.open(_entry(name)) as entry:
                    found = hashlib.file_digest(entry, "sha256").hexdigest()  # type: ignore[arg-type]  # a file as any
            except (KeyError, OSError, EOFError, BadZipFile) as error:
                raise BadBackup(f"It is damaged: table {name} cannot be read.") from error
            if found != table.sha256:
                raise BadBackup(f"It is damaged: table {name} differs from what was written.")

    def rows(self, name: str) -> Iterator[bytes]:
        """Yield the packed rows of a table."""
        with (
            self._archive.open(_entry(name)) as entry,
            zstandard.ZstdDecompressor().stream_reader(entry) as plain,
        ):
            while head := _read(plain, _LENGTH.size):
                yield _read(plain, _LENGTH.unpack(head)[0])

    @property
    def secret_key(self) -> str | None:
        """The secret key of a local installation; None if the backup has none."""
        names = self._archive.namelist()
        return self._archive.read(_KEY_FILE).decode() if _KEY_FILE in names else None

    def _read_manifest(self) -> Manifest:
        try:
            text = self._archive.read(_MANIFEST)
            manifest = msgspec.json.decode(text, type=Manifest)
        except (KeyError, OSError, BadZipFile, msgspec.MsgspecError) as error:
            raise BadBackup(
                "It has no readable manifest: it is not a backup, or it was cut off."
            ) from error
        if manifest.format != FORMAT:
            raise BadBackup(
                f"It has format {manifest.format}; this release reads format {FORMAT}. Restore it "
                "with the release that made it."
            )
        return manifest


@contextmanager
def open_backup(path: Path) -> Iterator[BackupReader]:
    """Open the backup in a file and read its manifest, but nothing else."""
    try:
        with ZipFile(path) as archive:
            yield BackupReader(archive)
    except FileNotFoundError as error:
        raise BadBackup(f"There is no file {path}.") from error
    except BadZipFile as error:
        raise BadBackup(f"{path} is not a backup, or it was cut off.") from error


class _HashingFile:
    """Writes to another file and hashes what it writes."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._sha256 = hashlib.sha256()

    def write(self, data: bytes) -> int:
        self._sha256.update(data)
        return self._file.write(data)

    def hexdigest(self) -> str:
        return self._sha256.hexdigest()


def _entry(table: str) -> str:
    return f"tables/{table}.rows.zst"


def _read(stream: zstandard.ZstdDecompressionReader, count: int) -> bytes:
    """Return this many bytes, or none at the end."""
    parts = []
    while count and (part := stream.read(count)):
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def stored_models() -> list[type[Model]]:
    """Return the models of all tables that belong in a backup, by the names of their tables."""
    found = apps.get_models(include_auto_created=True)
    own = {model._meta.db_table: model for model in found if _is_stored(model)}
    return [own[name] for name in sorted(own)]


@dataclass(slots=True)
class RowDigest:
    """A number of rows, and a checksum that does not depend on their order.

    Text sorts differently in different databases.
    """

    rows: int = 0
    _sum: int = 0

    def add(self, row: bytes) -> None:
        """Count a packed row."""
        digest = hashlib.blake2b(row, digest_size=_BITS // 8).digest()
        self._sum = (self._sum + int.from_bytes(digest)) % (1 << _BITS)
        self.rows += 1

    @property
    def digest(self) -> str:
        """The checksum, in hexadecimal."""
        return f"{self._sum:0{_BITS // 4}x}"


class PackedTable:
    """Turns the rows of one table into bytes, and back."""

    def __init__(self, model: type[Model]) -> None:
        self.model = model
        self.name = model._meta.db_table
        # The database computes generated columns again.
        self._fields = [field for field in model._meta.concrete_fields if not field.generated]
        self._encode = msgspec.msgpack.Encoder().encode
        self._decode = msgspec.msgpack.Decoder(list).decode
        self._packers = [_packer(field) for field in self._fields]
        self._unpackers = [_unpacker(field) for field in self._fields]

    @property
    def columns(self) -> list[str]:
        """The names of the columns, in the order of the values of a row."""
        return [str(field.column) for field in self._fields]

    def read(self, using: str) -> Iterator[bytes]:
        """Yield all rows, packed; a few at a time are in memory."""
        names = [field.attname for field in self._fields]
        found = self.model._base_manager.using(using).order_by("pk").values_list(*names)
        blobs = any(isinstance(field, BinaryField) for field in self._fields)
        for values in found.iterator(chunk_size=_BLOBS_AT_ONCE if blobs else _AT_ONCE):
            pairs = zip(self._packers, self._whole(names, values), strict=True)
            yield self._encode([None if value is None else pack(value) for pack, value in pairs])

    def _whole(self, names: list[str], values: Sequence[Any]) -> Sequence[Any]:
        make_whole = _MADE_WHOLE.get(self.model)
        if make_whole is None:
            return values
        return list(make_whole(dict(zip(names, values, strict=True))).values())

    def write(self, rows: Sequence[bytes], *, using: str) -> None:
        """Insert packed rows with the ids that they had."""
        connection = connections[using]
        quote = connection.ops.quote_name
        columns = ", ".join(map(quote, self.columns))
        places = ", ".join(["%s"] * len(self._fields))
        with connection.cursor() as cursor:
            cursor.executemany(
                f"INSERT INTO {quote(self.name)} ({columns}) VALUES ({places})",  # noqa: S608  names of models
                [self._values(row, using) for row in rows],
            )

    def row(self, packed: bytes) -> Model:
        """Return a packed row as an instance that is not stored."""
        found = zip(self._fields, self._unpackers, self._decode(packed), strict=True)
        return self.model(
            **{
                field.attname: None if value is None else unpack(value)
                for field, unpack, value in found
            }
        )

    def _values(self, row: bytes, using: str) -> list[Any]:  # Any: what columns hold
        connection = connections[using]
        found = zip(self._fields, self._unpackers, self._decode(row), strict=True)
        return [
            field.get_db_prep_save(None if value is None else unpack(value), connection)
            for field, unpack, value in found
        ]


def _is_stored(model: type[Model]) -> bool:
    return model._meta.managed and not model._meta.proxy and model not in LEFT_OUT


def _packer(field: Field[Any, Any]) -> Callable[[Any], Any]:  # Any: a column's value
    if isinstance(field, JSONField):
        # Databases disagree on the order of keys.
        return _canonical_json
    return bytes if isinstance(field, BinaryField) else _plain


def _unpacker(field: Field[Any, Any]) -> Callable[[Any], Any]:  # Any: a column's value
    return json.loads if isinstance(field, JSONField) else field.to_python


def _canonical_json(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _plain(value: object) -> object:
    if isinstance(value, UUID):
        return value.hex
    return value.isoformat() if isinstance(value, datetime | date) else value
