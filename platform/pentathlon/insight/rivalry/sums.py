"""The sums of meetings: what a meeting adds to each, and how they are stored.

Every sum is a sum over meetings, in whole numbers. So the order of counting leaves no trace, a
meeting that is taken back is subtracted, and counting anew gives the same sums.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from django.db import connection, models

from pentathlon.insight.rivalry.expectations import MILLION
from pentathlon.insight.rivalry.models import Meeting, OpponentSum, PairSum, SeatSum
from pentathlon.matches.models import MatchKind
from pentathlon_engines.strength.block_scores import WIN

Key = tuple[Any, ...]  # Any: what columns hold
Counts = tuple[int, ...]
Sums = dict[Key, list[int]]

_COUNTS: Final = ("meetings", "counted", "wins", "draws", "losses")
_EXPECTED: Final = ("rated", "rated_half_points", "expected", "variance")
KEYS: Final[Mapping[type[models.Model], tuple[str, ...]]] = {
    PairSum: (
        *("first_bot_id", "second_bot_id", "first_id", "second_id", "game"),
        *("kind", "lane", "seats", "first_seat", "second_seat"),
    ),
    OpponentSum: ("bot_id", "game", "other_id"),
    SeatSum: ("bot_id", "game", "seats", "seat", "length"),
}
"""The columns that identify a sum, by table."""
COUNTS: Final[Mapping[type[models.Model], tuple[str, ...]]] = {
    PairSum: (*_COUNTS, *_EXPECTED, "both_failed", "second_rated_half_points"),
    OpponentSum: (*_COUNTS, *_EXPECTED),
    SeatSum: _COUNTS,
}
"""The columns that are added up, by table."""
_AT_ONCE: Final = 200

Ledger = dict[type[models.Model], Sums]


def new_ledger() -> Ledger:
    """Return empty sums in memory."""
    return {table: {} for table in KEYS}


def add(ledger: Ledger, meeting: Meeting, times: int = 1) -> None:
    """Count a meeting in every sum that it belongs to; -1 times takes it back."""
    for table, key, counts in _parts(meeting):
        sums = ledger[table].setdefault(key, [0] * len(counts))
        for place, count in enumerate(counts):
            sums[place] += times * count


def store(ledger: Ledger) -> None:
    """Add sums in memory to the stored ones, in an order in which two writers cannot deadlock."""
    for table, sums in ledger.items():
        changed = sorted((key, counts) for key, counts in sums.items() if any(counts))
        for start in range(0, len(changed), _AT_ONCE):
            _add_rows(table, changed[start : start + _AT_ONCE])


def _parts(meeting: Meeting) -> Iterator[tuple[type[models.Model], Key, Counts]]:
    own, theirs = meeting.first_half_points, meeting.second_half_points
    first, second = _expectations(meeting)
    is_counted = not meeting.is_repeat
    yield (
        PairSum,
        _pair_key(meeting),
        (*_results(own, is_counted), *first, is_counted and own == theirs == 0, second[1]),
    )
    if meeting.first_bot_id == meeting.second_bot_id:
        return
    length = meeting.plies.bit_length()
    both = (
        (meeting.first_bot_id, meeting.second_bot_id, meeting.first_seat, own, first),
        (meeting.second_bot_id, meeting.first_bot_id, meeting.second_seat, theirs, second),
    )
    for bot, other, seat, points, expected in both:
        results = _results(points, is_counted)
        yield OpponentSum, (bot, meeting.game, other), (*results, *expected)
        yield SeatSum, (bot, meeting.game, meeting.seats, seat, length), results


def _pair_key(meeting: Meeting) -> Key:
    # A pair may have played thousands of challenges, so all of them share one row.
    lane = 0 if meeting.kind == MatchKind.CHALLENGE else meeting.lane
    return (
        *(meeting.first_bot_id, meeting.second_bot_id, meeting.first_id, meeting.second_id),
        *(meeting.game, str(meeting.kind), lane),
        *(meeting.seats, meeting.first_seat, meeting.second_seat),
    )


def _results(points: int, is_counted: bool) -> Counts:
    won, level = points == WIN, points == 1
    counts = (True, won, level, not (won or level)) if is_counted else (False,) * 4
    return (1, *map(int, counts))


def _expectations(meeting: Meeting) -> tuple[Counts, Counts]:
    """Return what was expected of both sides; repeats are not rated."""
    if meeting.expected is None or meeting.variance is None or meeting.is_repeat:
        return (0, 0, 0, 0), (0, 0, 0, 0)
    variance = meeting.variance
    return (
        (1, meeting.first_half_points, meeting.expected, variance),
        (1, meeting.second_half_points, MILLION - meeting.expected, variance),
    )


def _add_rows(table: type[models.Model], rows: Iterable[tuple[Key, list[int]]]) -> None:
    """Add counts to rows; insert missing rows."""
    values = [(*key, *map(int, counts)) for key, counts in rows]
    keys, counts = KEYS[table], COUNTS[table]
    name = table._meta.db_table
    columns = ", ".join((*keys, *counts))
    row = f"({', '.join(['%s'] * (len(keys) + len(counts)))})"
    added = ", ".join(f"{each} = {name}.{each} + excluded.{each}" for each in counts)
    statement = (
        f"INSERT INTO {name} ({columns}) VALUES {', '.join([row] * len(values))} "  # noqa: S608  our own names
        f"ON CONFLICT ({', '.join(keys)}) DO UPDATE SET {added}"
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, [value for each in values for value in each])
