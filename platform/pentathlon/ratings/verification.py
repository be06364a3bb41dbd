"""Compares stored ratings with what the results say: every float, bit by bit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from django.db import transaction
from django.db.models import Exists, OuterRef

from pentathlon.matches.models import Match, MatchKind, MatchQuerySet, MatchSeat, MatchState
from pentathlon.ratings.book import Book
from pentathlon.ratings.lines import ChangeLine, stored_lines
from pentathlon.ratings.models import LedgerRow, LedgerState, Pool
from pentathlon.ratings.results import UNRATED_SANDBOX
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
    yield from _in_rows(pool)
    yield from _without_rows(pool)
    for chunk in ledger_chunks(pool):
        stored = stored_lines(pool, first=chunk.first, last=chunk.last)
        yield from _in_changes(pool, chunk.lines(book), stored)
    yield from _in_ratings(pool, book)


def _in_cursor(pool: Pool) -> Iterator[Difference]:
    if pool.algorithm_version != ALGORITHM_VERSION:
        yield Difference(
            pool=pool.key,
            place="algorithm version",
            stored=pool.algorithm_version,
            computed=ALGORITHM_VERSION,
        )
    if pool.is_stale:
        yield Difference(
            pool=pool.key, place="recompute", stored="still to be done", computed="done"
        )
    rows = pool.rows.filter(seq__isnull=False).count()
    if rows != pool.applied_seq:
        yield Difference(
            pool=pool.key, place="applied rows", stored=pool.applied_seq, computed=rows
        )


def _in_rows(pool: Pool) -> Iterator[Difference]:
    """Find rows that were settled otherwise than their matches ended."""
    settled = pool.rows.exclude(state=LedgerState.WAITING).order_by("pk")
    counted = _counting()
    lost = settled.exclude(state=LedgerState.APPLIED).filter(match__in=counted)
    wrong = settled.filter(state=LedgerState.APPLIED).exclude(match__in=counted)
    for row in lost[:_MOST_SHOWN]:
        yield _row_difference(row, computed="counts")
    for row in wrong[:_MOST_SHOWN]:
        yield _row_difference(row, computed="does not count")


def _row_difference(row: LedgerRow, *, computed: str) -> Difference:
    place = f"ledger row {row.pk} of match {row.match_id}"
    return Difference(pool=row.pool.key, place=place, stored=row.state, computed=computed)


def _without_rows(pool: Pool) -> Iterator[Difference]:
    """Find results that count in this pool and were never entered into its ledger."""
    kind, _, name = pool.key.partition(":")
    counted = _counting().filter(kind=MatchKind.TOURNAMENT)
    # The lane of a match is the number of its tournament.
    scope = counted.filter(lane=int(name)) if kind == "tournament" else counted.filter(rated=True)
    rows = LedgerRow.objects.filter(pool=pool, match=OuterRef("pk"))
    missing = scope.filter(~Exists(rows), game=pool.game).order_by("pk")
    for pk in missing.values_list("pk", flat=True)[:_MOST_SHOWN]:
        yield Difference(pool=pool.key, place=f"match {pk}", stored="no row", computed="counts")


def _counting() -> MatchQuerySet:
    """Return the matches whose results count: those of different bot versions."""
    again = MatchSeat.objects.filter(
        match=OuterRef("match"), version=OuterRef("version"), seat__gt=OuterRef("seat")
    )
    seats = MatchSeat.objects.filter(match=OuterRef("pk"))
    finished = Match.objects.filter(state=MatchState.DONE, is_revoked=False)
    sandboxed = finished.exclude(sandbox=UNRATED_SANDBOX)
    return sandboxed.filter(~Exists(seats.filter(Exists(again))))


def _in_changes(
    pool: Pool,
    computed: dict[tuple[int, ...], ChangeLine],
    stored: dict[tuple[int, ...], ChangeLine],
) -> Iterator[Difference]:
    for line in computed.values():
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
