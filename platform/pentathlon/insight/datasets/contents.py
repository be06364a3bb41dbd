"""Reads of datasets, by a constant number of queries."""

from __future__ import annotations

import bisect
import gzip
import io
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.db import models
from django.db.models import Q
from django.db.models.functions import Length

from pentathlon.core.errors import InvalidInput, NotFound
from pentathlon.insight.datasets.models import Dataset, DatasetPart, DatasetQuerySet
from pentathlon.tournaments.models import TournamentMatch
from pentathlon_engines.dataset.folder import part_name
from pentathlon_engines.dataset.rows import MATCHES, TABLES

LICENCE: Final = "CC0-1.0"
_MOST: Final = 100
_MOST_BYTES: Final = 500_000
"""The most packed bytes in one stretch of a game's history, which unpack in some 15 ms."""
CURSOR: Final = r"[0-9]{1,18}(\.[0-9]{1,9})?"
"""A cursor: the id of a match, or a dataset and the part with which a stretch ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Consecutive rows of the history of a game."""

    lines: bytes
    after: str
    """The cursor behind these rows; empty at the end of the history."""


def read_history(game: str, *, after: str | None = None) -> Stretch:
    """Return the next stretch of a game's matches in all datasets, after a cursor if there is one.

    Raises:
        InvalidInput: `after` is no cursor.
        NotFound: the history does not have the match.
    """
    newest = Dataset.objects.listed().filter(game=game, is_newest=True)
    parts = DatasetPart.objects.filter(dataset__in=newest.values("pk"), table=MATCHES)
    rest = b""
    if after is not None:
        dataset, number, rest = _read_cursor(after, newest)
        later = Q(dataset=dataset, number__gt=number) | Q(dataset__gt=dataset)
        parts = parts.filter(later)
    sizes = parts.annotate(size=Length("data")).order_by("dataset", "number")
    chosen: list[int] = []
    total, place = 0, ""
    for pk, dataset, number, size in sizes.values_list("pk", "dataset", "number", "size")[:_MOST]:
        if chosen and total + size > _MOST_BYTES:
            return Stretch(lines=rest + _read_lines(chosen), after=place)
        chosen.append(pk)
        total, place = total + size, f"{dataset}.{number}"
    return Stretch(lines=rest + _read_lines(chosen), after=place if len(chosen) == _MOST else "")


def _read_lines(parts: Sequence[int]) -> bytes:
    rows = DatasetPart.objects.filter(pk__in=parts).order_by("dataset", "number")
    return b"".join(gzip.decompress(data) for data in rows.values_list("data", flat=True))


def _read_cursor(after: str, datasets: DatasetQuerySet) -> tuple[int, int, bytes]:
    """Return the dataset and part of a cursor, and the rows of that part behind the cursor."""
    if not re.fullmatch(CURSOR, after):
        raise InvalidInput(
            "`after` is the number of a match; leave it out to begin.",
            code="bad_cursor",
            field="after",
        )
    dataset, dot, number = after.partition(".")
    return (int(dataset), int(number), b"") if dot else _rest_behind(int(after), datasets)


def _rest_behind(match: int, datasets: DatasetQuerySet) -> tuple[int, int, bytes]:
    """Find a match in its dataset by bisection: parts are in the order of the schedule."""
    place = TournamentMatch.objects.filter(match=match).first()
    if place is None:
        raise _not_there(match)
    dataset = datasets.filter(tournament=place.tournament_id).first()
    if dataset is None:
        raise _not_there(match)
    rows = dataset.part_rows.filter(table=MATCHES)

    def first_index(number: int) -> int:
        """Return the index of a part's first match, or of the part before if this one is empty."""
        data = rows.values_list("data", flat=True).get(number=number)
        with gzip.open(io.BytesIO(data)) as lines:
            first = lines.readline()
        if first:
            return TournamentMatch.objects.get(match=json.loads(first)["match"]).index
        return first_index(number - 1) if number > 1 else -1

    number = bisect.bisect_right(range(1, dataset.parts + 1), place.index, key=first_index)
    while number >= 1:
        lines = gzip.decompress(rows.values_list("data", flat=True).get(number=number))
        found = lines.splitlines(keepends=True)
        for at, line in enumerate(found, start=1):
            if json.loads(line)["match"] == match:
                return dataset.pk, number, b"".join(found[at:])
        number = 0 if found else number - 1
    raise _not_there(match)


def _not_there(match: int) -> NotFound:
    return NotFound(
        f"This history has no match {match}; leave `after` out to begin.", field="after"
    )


def find_part(dataset: Dataset, table: str, number: int) -> DatasetPart:
    """Return a part of a dataset.

    Raises:
        NotFound: it has no such part.
    """
    return _find(dataset, dataset.part_rows.defer("parquet"), table, number)


def find_parquet(dataset: Dataset, table: str, number: int) -> DatasetPart:
    """Return a part with its Parquet, if the dataset has it.

    Raises:
        NotFound: it has no such part, or no Parquet.
    """
    if dataset.parquet_bytes is None:
        raise NotFound(
            f"Dataset {dataset.pk} was made without Parquet: the reconciler needed the extra "
            f"`parquet` (requirements/parquet.txt). `pentathlon dataset {dataset.game} --parquet` "
            "makes it on your machine.",
            code="no_parquet",
        )
    return _find(dataset, dataset.part_rows.defer("data"), table, number)


def _find(
    dataset: Dataset, parts: models.QuerySet[DatasetPart], table: str, number: int
) -> DatasetPart:
    found = parts.filter(table=table, number=number).first()
    if found is None or table not in TABLES:
        raise NotFound(
            f"Dataset {dataset.pk} has the tables {' and '.join(TABLES)} with the parts 1 to "
            f"{dataset.parts}, not {table} {number}."
        )
    return found


def part_names(dataset: Dataset) -> Sequence[tuple[str, int, str]]:
    """Return the table, number and file name of each part, decisions first."""
    numbers = range(1, dataset.parts + 1)
    return [(table, number, part_name(table, number)) for table in TABLES for number in numbers]
