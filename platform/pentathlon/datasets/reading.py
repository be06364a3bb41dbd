"""Reads of datasets, by a constant number of queries."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import Q
from django.db.models.functions import Length

from pentathlon.common.errors import InvalidInput, NotFound
from pentathlon.datasets.models import Dataset, DatasetPart
from pentathlon_engines.dataset.folder import pack_lines, part_name
from pentathlon_engines.dataset.schema import MATCHES, TABLES

LICENCE: Final = "CC0-1.0"
_MOST: Final = 100
_MOST_BYTES: Final = 2_000_000
"""Packed, of one answer with the history of a game; unpacked in some 50 ms."""
CURSOR: Final = r"([0-9]{1,18})\.([0-9]{1,9})"
"""Dataset and part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Consecutive parts of the history of a game."""

    packed: bytes
    """The parts one after the other: packed content again."""
    after: str
    """The cursor behind it; empty if it is the end."""


def read_history(game: str, *, after: str | None = None) -> Stretch:
    """Return the matches of a game in all datasets, from a cursor on, as far as one answer goes.

    Raises:
        InvalidInput: this is no cursor of an earlier answer.
    """
    newest = Dataset.objects.listed().filter(game=game, is_newest=True)
    parts = DatasetPart.objects.filter(dataset__in=newest.values("pk"), table=MATCHES)
    if after is not None:
        dataset, number = _read_cursor(after)
        later = Q(dataset=dataset, number__gt=number) | Q(dataset__gt=dataset)
        parts = parts.filter(later)
    sizes = parts.annotate(size=Length("data")).order_by("dataset", "number")
    chosen: list[int] = []
    total, place = 0, ""
    for pk, dataset, number, size in sizes.values_list("pk", "dataset", "number", "size")[:_MOST]:
        if chosen and total + size > _MOST_BYTES:
            return Stretch(packed=_read_data(chosen), after=place)
        chosen.append(pk)
        total, place = total + size, f"{dataset}.{number}"
    return Stretch(packed=_read_data(chosen), after=place if len(chosen) == _MOST else "")


def _read_data(parts: Sequence[int]) -> bytes:
    rows = DatasetPart.objects.filter(pk__in=parts).order_by("dataset", "number")
    # A packed file without lines is packed content, too; no bytes at all are none.
    return b"".join(bytes(data) for data in rows.values_list("data", flat=True)) or pack_lines(b"")


def _read_cursor(after: str) -> tuple[int, int]:
    found = re.fullmatch(CURSOR, after)
    if found is None:
        raise InvalidInput(
            "`after` is the cursor in the Link header of an answer; leave it out to begin.",
            code="bad_cursor",
            field="after",
        )
    return int(found[1]), int(found[2])


def find_part(dataset: Dataset, table: str, number: int) -> DatasetPart:
    """Return a part of a dataset.

    Raises:
        NotFound: it has no such part.
    """
    found = dataset.part_rows.filter(table=table, number=number).first()
    if found is None or table not in TABLES:
        raise NotFound(
            f"Dataset {dataset.pk} has the tables {' and '.join(TABLES)} with the parts 1 to "
            f"{dataset.parts}, not {table} {number}."
        )
    return found


def part_names(dataset: Dataset) -> Sequence[tuple[str, int, str]]:
    """Return table, number and file name of all parts, decisions first."""
    numbers = range(1, dataset.parts + 1)
    return [(table, number, part_name(table, number)) for table in TABLES for number in numbers]
