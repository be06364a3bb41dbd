"""Compares stored ratings with what the results say: every float, bit by bit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from django.db import transaction

from pentathlon.ratings.book import Book
from pentathlon.ratings.lines import ChangeLine, line_of, stored_lines
from pentathlon.ratings.models import LedgerState, Pool
from pentathlon.ratings.services import ledger_chunks
from pentathlon.ratings.skill import ALGORITHM_VERSION, Skill

_MOST_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One place where the stored ratings are not what a recompute gives."""

    pool: str
    place: str
    stored: object
    computed: object

    def __str__(self) -> str:
        return f"{self.pool}, {self.place}: stored {self.stored}, recomputed {self.computed}"


@transaction.atomic
def verify_pool(*, pool_id: int) -> list[Difference]:
    """Return the first differences between a pool and its recompute; none means equal bits."""
    pool = Pool.objects.select_for_update().get(pk=pool_id)
    return list(islice(_differences(pool), _MOST_SHOWN))


def _differences(pool: Pool) -> Iterator[Difference]:
    book = Book(draw_probability=pool.draw_probability)
    yield from _in_cursor(pool)
    first = 1
    for chunk in ledger_chunks(pool):
        computed = [
            line_of(row_id, change)
            for seq, (row_id, result) in enumerate(chunk, start=first)
            for change in book.enter(seq, result)
        ]
        last = first + len(chunk) - 1
        yield from _in_changes(pool, computed, stored_lines(pool, first=first, last=last))
        first = last + 1
    yield from _in_ratings(pool, book)


def _in_cursor(pool: Pool) -> Iterator[Difference]:
    if pool.algorithm_version != ALGORITHM_VERSION:
        yield Difference(
            pool=pool.key,
            place="algorithm version",
            stored=pool.algorithm_version,
            computed=ALGORITHM_VERSION,
        )
    rows = pool.rows.filter(state=LedgerState.APPLIED).count()
    if rows != pool.applied_seq:
        yield Difference(
            pool=pool.key, place="applied rows", stored=pool.applied_seq, computed=rows
        )


def _in_changes(
    pool: Pool, computed: list[ChangeLine], stored: dict[tuple[int, ...], ChangeLine]
) -> Iterator[Difference]:
    for line in computed:
        kept = stored.pop(line[:2], None)
        if kept != line:
            place = f"ledger row {line[0]}, seat {line[1]}"
            yield Difference(pool=pool.key, place=place, stored=kept, computed=line)
    for kept in stored.values():
        place = f"ledger row {kept[0]}, seat {kept[1]}"
        yield Difference(pool=pool.key, place=place, stored=kept, computed=None)


def _in_ratings(pool: Pool, book: Book) -> Iterator[Difference]:
    stored = {
        rating.version_id: (
            rating.skill,
            (rating.matches, rating.wins, rating.draws, rating.losses, rating.last_seq),
        )
        for rating in pool.ratings.all()
    }
    computed: dict[int, tuple[Skill, tuple[int, ...]]] = {
        version_id: (line.skill, (line.matches, line.wins, line.draws, line.losses, line.last_seq))
        for version_id, line in book.lines.items()
    }
    for version_id in sorted(stored.keys() | computed.keys()):
        if stored.get(version_id) != computed.get(version_id):
            yield Difference(
                pool=pool.key,
                place=f"rating of version {version_id}",
                stored=stored.get(version_id),
                computed=computed.get(version_id),
            )
