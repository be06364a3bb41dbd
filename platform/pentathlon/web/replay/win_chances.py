"""The line over the slider of a replay, of win chances or of points: a drawing, words, a table.

The line would give the end away. So it is shown up to the ply at which the replay is open, until
the reader has reached the end or asks for all of it.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from pentathlon_engines.analysis.judgement import FEWEST_DECISIONS
from pentathlon_engines.commentary.words import name_seat
from pentathlon_engines.strength.best import Z_95

_WIDTH: Final = 1000
_MOST_POINTS: Final = 300
"""About the most plies of a line of points that are drawn."""
_MOST_ROWS: Final = 30
"""About the most of them in a table."""
WIDEST_ACCURACY: Final = 30
"""The widest interval with which an accuracy still means something."""
_PERCENT: Final = 10
"""Thousandths in one percent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChanceLine:
    """The chances of one seat, in a box of 1,000 by 100."""

    seat: int
    points: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatChance:
    """The chance of a seat at a ply, in words; in a line of points, its points."""

    seat: int
    percent: int
    spread: int
    """How far its 95 % interval reaches to each side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChanceMark:
    """A blunder or a turning point."""

    ply: int
    is_blunder: bool
    x: str
    y: str
    """The position in the box, in percent."""
    words: str
    is_shown: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ChanceRow:
    """One measured ply in the table."""

    ply: int
    seats: list[SeatChance]

    def to_json(self) -> list[Any]:  # Any: JSON
        """Return the ply, the chances and the spreads."""
        percents = [seat.percent for seat in self.seats]
        return [self.ply, percents, [seat.spread for seat in self.seats]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatAccuracy:
    """The accuracy of a seat."""

    value: float
    low: float
    """The lower end of the 95 % interval, 0 or more."""
    high: float
    """The upper end of the 95 % interval, 100 or less."""
    decisions: int

    @property
    def is_sure(self) -> bool:
        """Whether the interval is narrow enough for a figure to mean something."""
        return self.decisions >= FEWEST_DECISIONS and self.high - self.low <= WIDEST_ACCURACY


@dataclass(frozen=True, slots=True, kw_only=True)
class ChanceChart:
    """A curve as a page shows it at one ply."""

    lines: list[ChanceLine]
    marks: list[ChanceMark]
    now: list[SeatChance]
    rows: list[ChanceRow]
    accuracies: dict[int, SeatAccuracy]
    ply: int
    here: str
    """The position of the ply in a box 1,000 wide."""
    left: str
    """The width of the curtain, from `here` to the right edge."""
    is_whole: bool
    even: str
    """The height at which all chances are equal."""
    unit: str = " %"
    """What follows a figure; nothing after points."""
    facts: str
    """JSON for the script: measured plies with chances and intervals in percent."""

    @property
    def next_mark(self) -> ChanceMark | None:
        """The next blunder or turning point."""
        return next((mark for mark in self.marks if mark.ply > self.ply), None)

    @property
    def earlier_mark(self) -> ChanceMark | None:
        """The previous blunder or turning point."""
        return next((mark for mark in reversed(self.marks) if mark.ply < self.ply), None)


def chance_chart(
    curve: dict[str, Any],  # Any: JSON
    *,
    ply: int,
    is_whole: bool,
) -> ChanceChart:
    """Draw a stored curve for a replay that is open at a ply."""
    points, last = curve["points"], max(1, curve["plies"])
    seats = len(points[0][2])
    is_whole = is_whole or ply >= curve["plies"]
    rows = [ChanceRow(ply=point[0], seats=_seats_of(point[2], point[3])) for point in points]
    return ChanceChart(
        lines=[
            ChanceLine(
                seat=seat,
                points=" ".join(
                    f"{_WIDTH * point[0] / last:.1f},{100 - point[2][seat] / _PERCENT:.1f}"
                    for point in points
                ),
            )
            for seat in range(seats)
        ],
        marks=[
            _mark_of(mark, last=last, is_shown=is_whole or mark["ply"] <= ply)
            for mark in curve["marks"]
        ],
        now=_chances_at(points, ply),
        rows=rows,
        accuracies=dict(enumerate(map(_accuracy_of, curve["accuracies"]))),
        ply=ply,
        here=f"{_WIDTH * ply / last:.1f}",
        left=f"{_WIDTH - _WIDTH * ply / last:.1f}",
        is_whole=is_whole,
        even=f"{100 - 100 / seats:.1f}",
        facts=json.dumps([row.to_json() for row in rows]),
    )


def score_chart(line: Sequence[Sequence[int]], *, ply: int, is_whole: bool) -> ChanceChart:
    """Draw the points of each seat at every ply, for a replay that is open at one."""
    last, seats = max(1, len(line) - 1), len(line[0])
    most, step = max(1, *map(max, line)), 1 + len(line) // _MOST_POINTS
    shown = [at for at in range(len(line)) if at % step == 0 or at == len(line) - 1]
    rows = [ChanceRow(ply=at, seats=_points_of(line[at])) for at in shown]
    return ChanceChart(
        lines=[
            ChanceLine(
                seat=seat,
                points=" ".join(
                    f"{_WIDTH * at / last:.1f},{100 - 100 * line[at][seat] / most:.1f}"
                    for at in shown
                ),
            )
            for seat in range(seats)
        ],
        marks=[],
        now=_points_of(line[min(ply, last, len(line) - 1)]),
        rows=[*rows[:: 1 + len(rows) // _MOST_ROWS], rows[-1]],
        accuracies={},
        ply=ply,
        here=f"{_WIDTH * ply / last:.1f}",
        left=f"{_WIDTH - _WIDTH * ply / last:.1f}",
        is_whole=is_whole or ply >= last,
        even="100",
        facts=json.dumps([row.to_json() for row in rows]),
        unit="",
    )


def _points_of(points: Sequence[int]) -> list[SeatChance]:
    return [SeatChance(seat=seat, percent=own, spread=0) for seat, own in enumerate(points)]


def _accuracy_of(stored: dict[str, Any]) -> SeatAccuracy:  # Any: JSON
    value, spread = stored["value"] or 0, Z_95 * stored["error"]
    return SeatAccuracy(
        value=value,
        low=max(0, value - spread),
        high=min(100, value + spread),
        decisions=stored["decisions"],
    )


def _mark_of(mark: dict[str, Any], *, last: int, is_shown: bool) -> ChanceMark:  # Any: JSON
    changes = [after - before for before, after in zip(mark["before"], mark["after"], strict=True)]
    largest = max(range(len(changes)), key=lambda seat: abs(changes[seat]))
    seat = mark["seat"]
    is_blunder = mark["kind"] == "blunder"
    subject = largest if seat is None else seat
    who = "Chance" if seat is None else name_seat(seat)
    if is_blunder:
        what = f"blunder of {who}"
    elif mark["cause"] == "fault":
        what = f"turning point, {who}’s bot failed"
    elif seat is None:
        what = "turning point by chance"
    else:
        what = f"turning point, by {who}"
    before, after = (round(side[subject] / _PERCENT) for side in (mark["before"], mark["after"]))
    return ChanceMark(
        ply=mark["ply"],
        is_blunder=is_blunder,
        x=f"{100 * mark['ply'] / last:.2f}",
        y=f"{100 - mark['after'][subject] / _PERCENT:.1f}",
        words=f"Ply {mark['ply']}, {what}: {name_seat(subject)} from {before} % to {after} %",
        is_shown=is_shown,
    )


def _chances_at(points: list[list[Any]], ply: int) -> list[SeatChance]:
    """Return the chances at a ply; between two measured plies the curve is straight."""
    right = bisect_right([point[0] for point in points], ply)
    if right == len(points) or points[right - 1][0] == ply:
        return _seats_of(points[right - 1][2], points[right - 1][3])
    before, after = points[right - 1], points[right]
    part = (ply - before[0]) / (after[0] - before[0])
    chances, errors = (
        [left + part * (other - left) for left, other in zip(before[at], after[at], strict=True)]
        for at in (2, 3)
    )
    return _seats_of(chances, errors)


def _seats_of(chances: list[float], errors: list[float]) -> list[SeatChance]:
    return [
        SeatChance(
            seat=seat, percent=round(chance / _PERCENT), spread=round(Z_95 * error / _PERCENT)
        )
        for seat, (chance, error) in enumerate(zip(chances, errors, strict=True))
    ]
