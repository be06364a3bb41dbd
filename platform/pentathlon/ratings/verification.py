"""Compares stored ratings with what the results say.

Floats are compared bit by bit if the ratings were computed with the arithmetic of this process,
otherwise to 1e-9.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q

from pentathlon.core.arithmetic import fingerprint, is_equal
from pentathlon.matches.models import COMPETITIONS, Match, MatchQuerySet, MatchSeat, MatchState
from pentathlon.ratings.book import Book
from pentathlon.ratings.models import (
    LedgerReason,
    LedgerRow,
    LedgerState,
    Pool,
    live_key,
    tournament_of_key,
)
from pentathlon.ratings.recompute import (
    ChangeRow,
    Chunk,
    book_facts,
    ledger_chunks,
    rating_facts,
    stored_changes,
)
from pentathlon.ratings.scopes import UNRATED_SANDBOX, among_own, rows_without_sandbox
from pentathlon.ratings.scores import scores_differ
from pentathlon.ratings.skill import ALGORITHM_VERSION

_MOST_SHOWN = 20
_UNSETTLED = (LedgerState.WAITING, LedgerState.READY)
_LAST = 500
"""The most results that are compared while new ones wait."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One place where the stored ratings differ from a recompute."""

    pool: str
    place: str
    stored: object
    computed: object

    def __str__(self) -> str:
        return f"{self.pool}, {self.place}: stored {self.stored}, recomputed {self.computed}"


def verify_pool(*, pool_id: int) -> list[Difference]:
    """Return the first differences between a pool and its recompute; none means equal.

    Floats are equal to the last bit if `is_exact(pool)`, otherwise to 1e-9.

    New results go on being applied: they wait only while the last few are compared.
    """
    while True:
        before = Pool.objects.get(pk=pool_id)
        found = list(islice(_differences(before), _MOST_SHOWN))
        after = Pool.objects.get(pk=pool_id)
        if (after.recomputes, after.ledger_version) == (before.recomputes, before.ledger_version):
            return found


def is_exact(pool: Pool) -> bool:
    """Return whether all ratings of a pool were computed with the arithmetic of this process."""
    return pool.fingerprint == fingerprint()


def facts_are_equal(stored: object, computed: object, *, exactly: bool) -> bool:
    """Return whether two rows of facts are the same, their floats to the last bit or to 1e-9."""
    if exactly or not isinstance(stored, tuple) or not isinstance(computed, tuple):
        return stored == computed
    return len(stored) == len(computed) and all(
        is_equal(kept, made, exactly=False)
        if isinstance(kept, float) and isinstance(made, float)
        else facts_are_equal(kept, made, exactly=False)
        for kept, made in zip(stored, computed, strict=True)
    )


def _differences(pool: Pool) -> Iterator[Difference]:
    yield from _in_cursor(pool)
    yield from _in_rows(pool)
    yield from _in_repeats(pool)
    yield from _without_rows(pool)
    yield from _in_scores(pool)
    book, seq = pool.book(), 0
    while pool.applied_seq - seq > _LAST:
        for chunk in ledger_chunks(pool, after=seq):
            yield from _in_chunk(pool, chunk, book)
            seq = chunk.last
        pool = Pool.objects.get(pk=pool.pk)
    yield from _at_the_end(pool.pk, book, seq)


@transaction.atomic
def _at_the_end(pool_id: int, book: Book, seq: int) -> list[Difference]:
    """Compare the last results that were applied, and the ratings that follow from all results."""
    pool = Pool.objects.select_for_update().get(pk=pool_id)
    found: list[Difference] = []
    for chunk in ledger_chunks(pool, after=seq):
        found += _in_chunk(pool, chunk, book)
    return [*found, *_in_ratings(pool, book)]


def _in_chunk(pool: Pool, chunk: Chunk, book: Book) -> Iterator[Difference]:
    stored = stored_changes(pool, first=chunk.first, last=chunk.last)
    kept: dict[tuple[int, ...], ChangeRow] = {line[:2]: line for _, line in stored}
    yield from _in_changes(pool, chunk.lines(book), kept)


def _in_scores(pool: Pool) -> Iterator[Difference]:
    """Compare the counts that tables are made of, unless they change at this moment."""
    if pool.seat_scores is None or not scores_differ(pool):
        return
    again = Pool.objects.get(pk=pool.pk)
    if (again.done, again.void) == (pool.done, pool.void):
        yield Difference(
            pool=pool.key, place="scores of its tables", stored="other counts", computed="counts"
        )


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
    # Read in one statement, because both change together while results are applied.
    numbered = Count("rows", filter=Q(rows__seq__isnull=False))
    counted = Pool.objects.filter(pk=pool.pk).annotate(numbered=numbered)
    for stored, rows in counted.values_list("applied_seq", "numbered"):
        if stored != rows:
            yield Difference(pool=pool.key, place="applied rows", stored=stored, computed=rows)


def _in_rows(pool: Pool) -> Iterator[Difference]:
    """Find rows that were not settled as their matches ended."""
    settled = pool.rows.exclude(state__in=_UNSETTLED).order_by("pk")
    counted = _counting(pool)
    own = Q(reason=LedgerReason.SAME_OWNER, match__in=Match.objects.filter(among_own()))
    lost = settled.exclude(state=LedgerState.APPLIED).filter(match__in=counted).exclude(own)
    if not pool.is_live:  # they were settled when such matches counted in no pool
        lost = lost.exclude(pk__in=rows_without_sandbox(pool))
    wrong = settled.filter(state=LedgerState.APPLIED).exclude(match__in=counted)
    for row in lost[:_MOST_SHOWN]:
        yield _row_difference(row, computed="counts")
    for row in wrong[:_MOST_SHOWN]:
        yield _row_difference(row, computed="does not count")


def _in_repeats(pool: Pool) -> Iterator[Difference]:
    """Find repeated matches where some other than just the first one counts."""
    applied = pool.rows.filter(state=LedgerState.APPLIED)
    counted = Exists(applied.filter(course=OuterRef("course"), reason="", seq__lt=OuterRef("seq")))
    lost = applied.filter(~counted, reason=LedgerReason.REPEAT).order_by("seq")
    twice = applied.filter(counted, reason="", course__isnull=False).order_by("seq")
    for row in lost[:_MOST_SHOWN]:
        yield _row_difference(row, computed="counts")
    for row in twice[:_MOST_SHOWN]:
        yield _row_difference(row, computed="a repeat")


def _row_difference(row: LedgerRow, *, computed: str) -> Difference:
    place = f"ledger row {row.pk} of match {row.match_id}"
    stored = row.reason or row.state
    return Difference(pool=row.pool.key, place=place, stored=stored, computed=computed)


def _without_rows(pool: Pool) -> Iterator[Difference]:
    """Find results that count in this pool and were never entered into its ledger.

    Results that are in none of the game's leaderboards are reported for the standard one.
    """
    number, live = tournament_of_key(pool.key), Pool.objects.live()
    counted = _counting(pool).filter(kind__in=COMPETITIONS)
    rows = LedgerRow.objects.filter(match=OuterRef("pk"))
    if number is not None:
        # The lane of a match is the number of its tournament.
        scope, rows = counted.filter(lane=number), rows.filter(pool=pool)
    elif pool.key == live_key(pool.game):
        scope = counted.filter(rated=True)
        # A result that has not been applied may still wait in a past epoch, to be handed over.
        rows = rows.filter(Q(pool__in=live.order_by()) | Q(state__in=_UNSETTLED))
    else:
        return
    missing = scope.filter(~Exists(rows), game=pool.game).order_by("pk")
    for pk in missing.values_list("pk", flat=True)[:_MOST_SHOWN]:
        yield Difference(pool=pool.key, place=f"match {pk}", stored="no row", computed="counts")


def _counting(pool: Pool) -> MatchQuerySet:
    """Return the matches whose results may count in a pool: those of different bot versions."""
    again = MatchSeat.objects.filter(
        match=OuterRef("match"), version=OuterRef("version"), seat__gt=OuterRef("seat")
    )
    seats = MatchSeat.objects.filter(match=OuterRef("pk"))
    finished = Match.objects.filter(state=MatchState.DONE, is_revoked=False)
    if pool.is_live:
        finished = finished.exclude(sandbox=UNRATED_SANDBOX)
    return finished.filter(~Exists(seats.filter(Exists(again))))


def _in_changes(
    pool: Pool,
    computed: list[ChangeRow],
    stored: dict[tuple[int, ...], ChangeRow],
) -> Iterator[Difference]:
    exactly = is_exact(pool)
    for line in computed:
        kept = stored.pop(line[:2], None)
        # Whether charts need a change is no fact about the ratings.
        same = kept is not None and facts_are_equal(kept[:-1], line[:-1], exactly=exactly)
        if not same:
            place = f"ledger row {line[0]}, seat {line[1]}"
            yield Difference(pool=pool.key, place=place, stored=kept, computed=line)
    for kept in stored.values():
        place = f"ledger row {kept[0]}, seat {kept[1]}"
        yield Difference(pool=pool.key, place=place, stored=kept, computed=None)


def _in_ratings(pool: Pool, book: Book) -> Iterator[Difference]:
    stored, computed = rating_facts(pool), book_facts(book)
    exactly = is_exact(pool)
    for version_id in sorted(stored.keys() | computed.keys()):
        kept, made = stored.get(version_id), computed.get(version_id)
        if not facts_are_equal(kept, made, exactly=exactly):
            yield Difference(
                pool=pool.key,
                place=f"rating of version {version_id}",
                stored=kept,
                computed=made,
            )
