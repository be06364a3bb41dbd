"""Recomputes a pool's ratings from its results while new results are applied.

A recompute reads and writes a part of the ledger at a time, each in a short transaction of its
own. Results that were applied meanwhile come last, under the pool's lock, together with the
ratings.

The target is 120 s for 1,000,000 results when every change is written again, which is 120 µs for
each result: a third goes into the arithmetic, the rest into rows. `bench recompute` measures it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any, Final, NamedTuple

from django.db import connection, transaction

from pentathlon.core.arithmetic import fingerprint
from pentathlon.core.bulkheads import Bulkheads
from pentathlon.core.errors import Conflict
from pentathlon.core.statements import store_rows
from pentathlon.matches.models import MatchSeat
from pentathlon.ratings.book import Book, Change, is_landmark
from pentathlon.ratings.models import (
    LedgerReason,
    LedgerRow,
    LedgerState,
    Pool,
    Rating,
    RatingChange,
)
from pentathlon.ratings.skill import ALGORITHM_VERSION, Result

FIELDS: Final = (
    "row_id",
    "seat",
    "version_id",
    "rank",
    "mu_before",
    "sigma_before",
    "mu_after",
    "sigma_after",
    "nth",
)
_WHOSE: Final = 4
"""The number of columns that identify a change; the others are its numbers."""
_ARRAYS: Final = "%s::bigint[]" + 4 * ", %s::float8[]" + ", %s::integer[]"

ChangeRow = tuple[int, int, int, int, float, float, float, float, int | None]
"""One change: the columns of `FIELDS`."""
StoredChange = tuple[int, ChangeRow]
"""A change with the id that it is stored under."""
SMALL: Final = 1000
"""A pool with at most this many results is recomputed immediately."""
_MOST_RESULTS: Final = 500
"""The most results of one part."""
_MOST_SEATS: Final = 1000
"""The most seats of one part, because each seat is a row in its transaction."""
_outdated = Bulkheads[int]("ratings of pool")
_SEAT_FIELDS: Final = (
    "match__ledger_rows__seq",
    "match__ledger_rows",
    "match__ledger_rows__reason",
    "version_id",
    "rank",
)
_LINE_FIELDS: Final = ("mu", "sigma", "matches", "wins", "draws", "losses", "last_seq")


def change_row(row_id: int, change: Change) -> ChangeRow:
    """Return the line that a change of a ledger row is stored as."""
    before, after = change.before, change.after
    return (
        row_id,
        change.seat,
        change.version_id,
        change.rank,
        before.mu,
        before.sigma,
        after.mu,
        after.sigma,
        change.nth if is_landmark(change.nth) else None,
    )


def stored_changes(pool: Pool, *, first: int, last: int) -> list[StoredChange]:
    """Return (id, change) for ledger rows with these sequence numbers, in order of the seats."""
    changes = RatingChange.objects.filter(row__pool=pool, row__seq__range=(first, last))
    in_order = changes.order_by("row__seq", "seat")
    return [(line[0], line[1:]) for line in in_order.values_list("pk", *FIELDS)]


def replace_changes(
    pool: Pool,
    *,
    first: int,
    last: int,
    stored: Sequence[StoredChange],
    lines: Sequence[ChangeRow],
) -> None:
    """Replace all changes of a range of ledger rows of a locked pool with these.

    Most often, old and new changes differ in numbers only. Then they are updated in place, which
    costs a seventh of deleting and inserting on SQLite, and less than two thirds on PostgreSQL.
    """
    if [line[:_WHOSE] for _, line in stored] == [line[:_WHOSE] for line in lines]:
        differing = [
            (pk, *line[_WHOSE:])
            for (pk, old), line in zip(stored, lines, strict=True)
            if old != line
        ]
        if _update(differing) == len(differing):
            return
        # Another recompute has replaced the changes since they were read.
    RatingChange.objects.filter(row__pool=pool, row__seq__range=(first, last)).delete()
    insert_rows(lines)


def _update(lines: Sequence[tuple[Any, ...]]) -> int:  # Any: an id and its columns
    """Write new numbers into stored changes; return how many changes were found."""
    table, columns = RatingChange._meta.db_table, FIELDS[_WHOSE:]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            pairs = ", ".join(f"{name} = new.{name}" for name in columns)
            statement = (
                f"UPDATE {table} SET {pairs} FROM unnest({_ARRAYS}) "  # noqa: S608  our names
                f"AS new(id, {', '.join(columns)}) WHERE {table}.id = new.id"
            )
            cursor.execute(statement, [_literal(column) for column in zip(*lines, strict=True)])
        else:
            pairs = ", ".join(f"{name} = %s" for name in columns)
            statement = f"UPDATE {table} SET {pairs} WHERE id = %s"  # noqa: S608  our names
            cursor.executemany(statement, [(*line[1:], line[0]) for line in lines])
        return int(cursor.rowcount)


def _literal(column: Sequence[float | None]) -> str:
    """Write an array as PostgreSQL reads it: several times as fast as the driver adapts a list."""
    return "{" + ",".join("NULL" if each is None else repr(each) for each in column) + "}"


def insert_rows(lines: Iterable[ChangeRow]) -> None:
    """Store changes, in the way of the database that costs least."""
    table, columns = RatingChange._meta.db_table, ", ".join(FIELDS)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            _copy(cursor, f"COPY {table} ({columns}) FROM STDIN", lines)
        else:
            marks = ", ".join(["%s"] * len(FIELDS))
            insert = f"INSERT INTO {table} ({columns}) VALUES ({marks})"  # noqa: S608  our names
            cursor.executemany(insert, list(lines))


def _copy(cursor: Any, statement: str, lines: Iterable[ChangeRow]) -> None:  # Any: psycopg's own
    with cursor.copy(statement) as copy:
        for line in lines:
            copy.write_row(line)


class LedgerResult(NamedTuple):
    """A result with its row in the ledger."""

    seq: int
    row_id: int
    reason: str
    """Why it changes no rating, as the row says; otherwise empty."""
    result: Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A part of a pool's ledger that fits into memory."""

    first: int
    last: int
    results: list[LedgerResult]
    """The results in order, without those that were taken back."""

    def lines(self, book: Book) -> list[ChangeRow]:
        """Enter the results into a book; return the changes as stored, seat by seat."""
        return [
            change_row(row_id, change)
            for seq, row_id, _, result in self.results
            for change in book.enter(seq, result)
        ]


def ledger_chunks(pool: Pool, *, after: int = 0) -> Iterator[Chunk]:
    """Yield the applied rows of a pool's ledger behind a sequence number, in order."""
    while after < pool.applied_seq:
        chunk = _read_chunk(pool, after)
        yield chunk
        after = chunk.last


def _read_chunk(pool: Pool, after: int) -> Chunk:
    """Read the next part: fewer results if the tables have many seats."""
    last = min(after + _MOST_RESULTS, pool.applied_seq)
    seats = MatchSeat.objects.filter(
        match__ledger_rows__pool=pool,
        match__ledger_rows__seq__range=(after + 1, last),
        match__ledger_rows__state=LedgerState.APPLIED,
    )
    in_order = seats.order_by("match__ledger_rows__seq", "seat")
    read = list(in_order.values_list(*_SEAT_FIELDS)[: _MOST_SEATS + 1])
    if len(read) > _MOST_SEATS:
        last = read[-1][0] - 1  # some seats of the last match may be missing
    results = []
    for (seq, row_id, reason), part in groupby(read, key=itemgetter(0, 1, 2)):
        if seq <= last:
            *_, players, ranks = zip(*part, strict=True)
            results.append(
                LedgerResult(
                    seq, row_id, reason, Result(players, ranks, reason == LedgerReason.REPEAT)
                )
            )
    return Chunk(first=after + 1, last=last, results=results)


def recompute_pool(*, pool_id: int) -> int:
    """Write a pool's ratings again from its results in ledger order; return how many results.

    Changes that are stored correctly are left alone; most often, all of them are. A recompute that
    is cut off leaves the pool marked as stale, so that another one follows.

    Raises:
        Conflict: a newer release has computed it.
    """
    while True:
        pool = Pool.objects.get(pk=pool_id)
        if pool.is_newer:
            raise Conflict(
                f"{pool.key} was computed by version {pool.algorithm_version} of the rating rule; "
                f"this release knows version {ALGORITHM_VERSION}. Use the newer release.",
                code="newer_ratings",
            )
        results = _Recompute(pool).run()
        if results is not None:
            return results


def recompute_outdated() -> int:
    """Recompute every pool that is outdated; return how many."""
    pools = list(Pool.objects.outdated().order_by("pk").values_list("pk", flat=True))
    return len(list(_outdated.each(pools, lambda pk: recompute_pool(pool_id=pk))))


def store_ratings(pool: Pool, book: Book, *, only: set[int] | None = None) -> None:
    """Store the lines of a book, or some of them, as the ratings of a locked pool."""
    ratings = [
        Rating(
            pool=pool,
            version_id=version_id,
            mu=line.skill.mu,
            sigma=line.skill.sigma,
            matches=line.matches,
            wins=line.wins,
            draws=line.draws,
            losses=line.losses,
            last_seq=line.last_seq,
        )
        for version_id, line in sorted(book.lines.items())
        if only is None or version_id in only
    ]
    store_rows(ratings, unique=("pool", "version"), update=_LINE_FIELDS)


def rating_facts(pool: Pool) -> dict[int, tuple[float, ...]]:
    """Return the stored ratings of a pool by bot version, in the shape of `book_facts`."""
    stored = pool.ratings.values_list("version", *_LINE_FIELDS)
    return {version_id: tuple(facts) for version_id, *facts in stored}


def book_facts(book: Book) -> dict[int, tuple[float, ...]]:
    """Return the ratings of a book by bot version, as plain numbers."""
    return {
        version_id: (
            line.skill.mu,
            line.skill.sigma,
            line.matches,
            line.wins,
            line.draws,
            line.losses,
            line.last_seq,
        )
        for version_id, line in book.lines.items()
    }


class _Recompute:
    """One walk through the ledger of a pool."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._ledger_version = pool.ledger_version
        self._book = pool.book()
        self._seq = 0
        self._results = 0

    def run(self) -> int | None:
        """Return how many results there are; None if some were taken back on the way."""
        while self._pool.applied_seq - self._seq > _MOST_RESULTS:
            for chunk in ledger_chunks(self._pool, after=self._seq):
                self._enter(chunk)
            self._pool.refresh_from_db()
        with transaction.atomic():
            self._pool = Pool.objects.select_for_update().get(pk=self._pool.pk)
            if self._pool.ledger_version != self._ledger_version:
                return None
            for chunk in ledger_chunks(self._pool, after=self._seq):
                self._enter(chunk)
            self._switch()
        return self._results

    def _enter(self, chunk: Chunk) -> None:
        lines = chunk.lines(self._book)
        stored = stored_changes(self._pool, first=chunk.first, last=chunk.last)
        if [line for _, line in stored] != lines:
            self._replace(chunk, stored, lines)
        unnoted = [
            row_id
            for _, row_id, reason, result in chunk.results
            if not result.has_winner and reason != LedgerReason.ALL_FAILED
        ]
        if unnoted:
            LedgerRow.objects.filter(pk__in=unnoted).update(reason=LedgerReason.ALL_FAILED)
        self._seq = chunk.last
        self._results += len(chunk.results)

    @transaction.atomic
    def _replace(self, chunk: Chunk, stored: list[StoredChange], lines: list[ChangeRow]) -> None:
        _let_commits_be_late()
        # The lock makes two recomputes of one pool write its changes one after the other.
        pool = Pool.objects.select_for_update().get(pk=self._pool.pk)
        if not pool.is_stale:
            pool.is_stale = True
            pool.save(update_fields=("is_stale",))
        replace_changes(pool, first=chunk.first, last=chunk.last, stored=stored, lines=lines)

    def _switch(self) -> None:
        """Write the book's ratings."""
        stored, computed = rating_facts(self._pool), book_facts(self._book)
        gone = stored.keys() - computed.keys()
        self._pool.ratings.filter(version__in=gone).delete()
        changed = {key for key, facts in computed.items() if stored.get(key) != facts}
        store_ratings(self._pool, self._book, only=changed)
        self._pool.algorithm_version, self._pool.is_stale = ALGORITHM_VERSION, False
        self._pool.fingerprint = fingerprint()
        self._pool.recomputes += 1
        fields = ("algorithm_version", "is_stale", "fingerprint", "recomputes")
        self._pool.save(update_fields=fields)


def _let_commits_be_late() -> None:
    """Let this transaction not wait for the disk, because the last one waits for it anyway.

    PostgreSQL loses late commits from the last one backwards. So if the switch is on the disk, all
    parts are; and if any part is, so is the mark that the pool is stale.
    """
    if connection.vendor == "postgresql" and not connection.savepoint_ids:
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL synchronous_commit TO OFF")
