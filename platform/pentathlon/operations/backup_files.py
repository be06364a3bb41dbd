"""The file of a backup: a zip of one packed stream of rows for each table, and a manifest.

Any zip tool lists its contents. The manifest comes last, so a file that was cut off has none.
"""

from __future__ import annotations

import hashlib
import os
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final
from zipfile import ZIP_STORED, BadZipFile, ZipFile

import msgspec
import zstandard

from pentathlon.operations.errors import BadBackup, NotEmpty, NotKept

FORMAT: Final = 1

_MANIFEST: Final = "manifest.json"
_KEY_FILE: Final = "secret_key"
_LENGTH: Final = struct.Struct(">I")


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
