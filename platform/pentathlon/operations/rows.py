"""Rows of all tables as bytes that are the same whichever database they are in.

Numbers keep every bit: a backup of SQLite can be restored to PostgreSQL, and the other way round.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final
from uuid import UUID

import msgspec
from django.apps import apps
from django.db import connections
from django.db.models import BinaryField, Field, JSONField, Model

from pentathlon.accounts.models import BrowserSession
from pentathlon.matches.replays.models import Replay
from pentathlon.matches.replays.store import as_in_database

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
