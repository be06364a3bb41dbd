"""The win-chance curve of a record, with its blunders and turning points.

A short match is measured at every ply. Of a longer one we measure before and after some decisions
of each seat, spread evenly; then, as long as the budget lasts, between those measured plies where
the chances differ most. The curve is straight between measured plies.

Each measurement has a generator of its own, made of the record's chain, so the same record gives
the same curve, and a curve that was interrupted goes on with what was measured before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Any, Final, NamedTuple

from pentathlon_engines.analysis import judgement
from pentathlon_engines.analysis.playouts import (
    LARGEST_ERROR,
    MOST_PLAYOUTS,
    Estimate,
    estimate_chances,
    truth_of,
)
from pentathlon_engines.contract.game import Outcome, State
from pentathlon_engines.match.events import Event
from pentathlon_engines.record.record import positions
from pentathlon_engines.record.shape import Record

METHOD: Final = 2
"""The version of the method: raised whenever the same record may get another curve."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Limits on the computation for one match."""

    plies: int = 56
    """The most plies that are measured."""
    decisions: int = 18
    """In a longer match: how many decisions the first pass measures at least, before and after
    each."""
    playouts: int = MOST_PLAYOUTS
    largest_error: float = LARGEST_ERROR
    confirmed: int = judgement.MOST_CONFIRMED
    """The most events that are measured again."""


class Measurement(NamedTuple):
    """Results of the playouts from one ply."""

    ply: int
    again: bool
    """Whether this is a second measurement, made because much happens there."""
    estimate: Estimate

    def to_json(self) -> list[Any]:  # Any: JSON
        """Return the measurement as a row, exact to the last bit."""
        return [self.ply, int(self.again), *self.estimate]

    @classmethod
    def of(cls, row: list[Any]) -> Measurement:  # Any: JSON
        """Return what `to_json` has written."""
        ply, again, *estimate = row
        return cls(ply, bool(again), Estimate(*estimate))


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """The chances at each ply of a match, for somebody who knows how it went on."""

    plies: int
    points: dict[int, Estimate]
    """The estimate at each measured ply; the first and the last ply are always among them."""
    marks: list[judgement.Mark]
    accuracies: list[judgement.Accuracy]
    """The accuracy of each seat."""
    playouts: int
    """The total number of playouts."""

    def to_json(self) -> dict[str, Any]:  # Any: JSON
        """Return the curve compactly, with chances in thousandths."""
        return {
            "method": METHOD,
            "plies": self.plies,
            "points": [
                [ply, point.playouts, *map(_thousandths, point[1:])]
                for ply, point in sorted(self.points.items())
            ],
            "marks": [mark.to_json() for mark in self.marks],
            "accuracies": [accuracy.to_json() for accuracy in self.accuracies],
            "playouts": self.playouts,
        }


def draw_curve(
    record: Record,
    *,
    budget: Budget | None = None,
    known: Iterable[Measurement] = (),
    on_point: Callable[[Measurement], None] | None = None,
) -> Curve:
    """Compute the curve of a verified record; call `on_point` with each measurement.

    The measurements in `known`, from an earlier try, are not made again: the curve is the same.

    Raises:
        BadRecord: it was made with other rules, or an event of it is not legal.
    """
    return _Drawing(record, budget or Budget(), known, on_point).draw()


class _Drawing:
    """The curve of one record while it is computed."""

    def __init__(
        self,
        record: Record,
        budget: Budget,
        known: Iterable[Measurement],
        on_point: Callable[[Measurement], None] | None,
    ) -> None:
        self._record = record
        self._budget = budget
        self._known = {(each.ply, each.again): each.estimate for each in known}
        self._on_point = on_point
        self._states: list[State] = list(positions(record))
        self._events = [Event.of(row) for row in record["events"]]
        self._last = len(self._events)
        self._points: dict[int, Estimate] = {}
        self._playouts = 0

    def draw(self) -> Curve:
        for ply in self._first_plies():
            self._points[ply] = self._measure(ply)
        # Plies that are measured because much happens there would count too much.
        accuracies = judgement.judge_accuracy(self._swings(), seats=self._record["seats"])
        while len(self._points) < self._budget.plies:
            middle = self._widest_gap()
            if middle is None:
                break
            self._points[middle] = self._measure(middle)
        again = self._confirm()
        swings = [each for each in self._swings() if {each.ply - 1, each.ply} <= again]
        return Curve(
            plies=self._last,
            points=self._points,
            marks=judgement.judge_swings(swings),
            accuracies=accuracies,
            playouts=self._playouts,
        )

    def _first_plies(self) -> list[int]:
        """Return the plies that are measured in any case."""
        if self._last < self._budget.plies:
            return list(range(self._last + 1))
        seats = self._record["seats"]
        wanted = self._budget.decisions
        each = max(wanted // seats, min(wanted, judgement.FEWEST_DECISIONS))
        chosen = {0, self._last}
        for seat in range(seats):
            decisions = [ply for ply in range(1, self._last + 1) if self._decided(ply) == seat]
            for ply in _spread(decisions, each):
                chosen |= {ply - 1, ply}
        return sorted(chosen)

    def _decided(self, ply: int) -> int | None:
        """Return the seat whose choice led to a ply; None if there was no choice."""
        event = self._events[ply - 1]
        if not event.is_by_bot or len(self._states[ply - 1].legal_actions()) == 1:
            return None
        return event.seat

    def _widest_gap(self) -> int | None:
        """Return the middle of the unmeasured gap across which the chances differ most."""
        gaps = [
            (_distance(self._points[left], self._points[right]), -left, right)
            for left, right in pairwise(sorted(self._points))
            if right - left > 1
        ]
        if not gaps:
            return None
        most, left, right = max(gaps)
        return (right - left) // 2 if most >= judgement.CANDIDATE else None

    def _swings(self) -> list[judgement.Swing]:
        """Return all events that were measured before and after."""
        return [
            judgement.Swing(
                ply=right,
                seat=None if self._events[left].is_chance else self._events[left].seat,
                is_decision=self._decided(right) is not None,
                failed=tuple(
                    fault["seat"]
                    for fault in self._record["faults"]
                    if fault["ply"] in ((left, right) if right == self._last else (left,))
                ),
                before=self._points[left],
                after=self._points[right],
            )
            for left, right in pairwise(sorted(self._points))
            if right - left == 1
        ]

    def _confirm(self) -> set[int]:
        """Measure the plies around the largest swings again, and return them.

        Of many noisy differences the largest are partly luck; fresh playouts are not chosen.
        """
        swings = [swing for swing in self._swings() if swing.size >= judgement.CANDIDATE]
        swings.sort(key=lambda swing: (-swing.size, swing.ply))
        largest = swings[: self._budget.confirmed]
        plies = {ply for swing in largest for ply in (swing.ply - 1, swing.ply)}
        self._points.update({ply: self._measure(ply, again=True) for ply in sorted(plies)})
        return plies

    def _measure(self, ply: int, *, again: bool = False) -> Estimate:
        point = self._known.get((ply, again))
        if point is None:
            point = self._estimate(ply, again=again)
            if self._on_point is not None:
                self._on_point(Measurement(ply, again, point))
        self._playouts += point.playouts
        return point

    def _estimate(self, ply: int, *, again: bool) -> Estimate:
        if ply == self._last:
            outcome = self._record["outcome"]
            return truth_of(Outcome(tuple(outcome["ranks"]), outcome["reason"]))
        return estimate_chances(
            self._states[ply],
            rng=Random(f"{METHOD}:{self._record['chain']}:{ply}:{int(again)}"),
            expelled=[fault["seat"] for fault in self._record["faults"] if fault["ply"] < ply],
            most=self._budget.playouts * 3 // 2 if again else self._budget.playouts,
            largest_error=0 if again else self._budget.largest_error,
        )


def _spread(plies: list[int], number: int) -> list[int]:
    """Return `number` of the plies, evenly spread from the first to the last."""
    if len(plies) <= number:
        return plies
    return [plies[index * (len(plies) - 1) // max(1, number - 1)] for index in range(number)]


def _distance(left: Estimate, right: Estimate) -> float:
    return max(abs(a - b) for a, b in zip(left.chances, right.chances, strict=True))


def _thousandths(values: list[float]) -> list[int]:
    return [round(1000 * value) for value in values]
