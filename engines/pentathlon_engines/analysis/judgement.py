"""Judges events and seats by a curve: blunders, turning points, accuracy.

Chances are estimates, so each rule accounts for their noise:

- A *swing* is an event that changed the chance of a seat by `LARGE` or more. First it is seen in
  the curve; then both of its plies are measured again with fresh playouts, and only if those show
  it too, by two standard errors at least, it counts.
- A *blunder* is a swing by a decision that cost the seat that made it `LARGE` or more.
- A *turning point* is any other swing: luck, a fault, or an action better than the others thought.
- The *accuracy* of a seat follows lichess's formula for one move, `103.1668 exp(-0.04354 L) -
  3.1669`, where L is the loss in points of a hundred (https://lichess.org/page/accuracy). lichess
  averages it over moves; with noisy losses that would count noise as mistakes, since a loss below
  zero counts as none. So here L is the mean of what the seat's decisions lost and
  won, in which noise cancels out. 100 means: as good as the player of the playouts, or better.
"""

from collections.abc import Sequence
from math import exp, hypot
from typing import Any, Final, NamedTuple

from pentathlon_engines.analysis.playouts import Estimate

LARGE: Final = 0.2
"""The smallest change of a chance that makes an event a swing."""
CANDIDATE: Final = 0.15
"""The smallest change of a chance that is worth another measurement."""
MOST_CONFIRMED: Final = 8
CONFIDENCE: Final = 2.0
"""How many standard errors a swing must amount to, at least."""
FEWEST_DECISIONS: Final = 5
"""With fewer measured decisions than this, a seat has no accuracy."""
_SCALE: Final = 103.1668
_STEEPNESS: Final = 4.354
"""lichess's constant, scaled for chances from 0 to 1 instead of 0 to 100."""
_SHIFT: Final = 3.1669
BLUNDER: Final = "blunder"
TURNING_POINT: Final = "turning_point"


class Swing(NamedTuple):
    """One event with the chances before and after it."""

    ply: int
    """The ply of the position after the event."""
    seat: int | None
    """The seat that acted; None for chance."""
    is_decision: bool
    """Whether the event is an action that a bot chose among several."""
    failed: tuple[int, ...]
    """The seats whose bots were expelled at this event."""
    before: Estimate
    after: Estimate

    @property
    def changes(self) -> list[float]:
        """By how much each seat's chance grew."""
        pairs = zip(self.before.chances, self.after.chances, strict=True)
        return [after - before for before, after in pairs]

    @property
    def size(self) -> float:
        """The largest of the changes, up or down."""
        return max(map(abs, self.changes))

    @property
    def mover(self) -> int | None:
        """The seat that decided."""
        return self.seat if self.is_decision else None

    def error(self, seat: int) -> float:
        """Return the standard error of a seat's change."""
        return hypot(self.before.errors[seat], self.after.errors[seat])


class Mark(NamedTuple):
    """A blunder or a turning point."""

    ply: int
    kind: str
    cause: str
    """What brought it about: `action`, `chance` or `fault`."""
    seat: int | None
    """The seat that acted or failed; None for chance."""
    before: list[float]
    after: list[float]

    def to_json(self) -> dict[str, Any]:  # Any: JSON
        """Return the mark with chances in thousandths."""
        before, after = ([round(1000 * each) for each in side] for side in self[-2:])
        return {**self._asdict(), "before": before, "after": after}


class Accuracy(NamedTuple):
    """The loss of chances that a seat's decisions cost it."""

    value: float | None
    """The accuracy from 0 to 100; None with too few decisions."""
    decisions: int
    """The number of measured decisions."""
    loss: float
    """The chance that a decision lost on average; below 0 if the decisions gained."""
    error: float
    """The standard error of `value`."""

    def to_json(self) -> dict[str, Any]:  # Any: JSON
        """Return the accuracy, rounded."""
        value = None if self.value is None else round(self.value, 1)
        return {
            "value": value,
            "error": round(self.error, 1),
            "decisions": self.decisions,
            "loss": round(self.loss, 4),
        }


def judge_swings(swings: Sequence[Swing]) -> list[Mark]:
    """Return the blunders and turning points among events that were measured again."""
    return [mark for mark in map(_mark_of, swings) if mark is not None]


def judge_accuracy(swings: Sequence[Swing], *, seats: int) -> list[Accuracy]:
    """Return the accuracy of each seat."""
    return [
        _accuracy([swing for swing in swings if swing.mover == seat], seat)
        for seat in range(seats)
    ]


def accuracy_of(loss: float) -> float:
    """Return the accuracy for a mean loss, a chance from 0 to 1.

    >>> round(accuracy_of(0.0)), round(accuracy_of(0.1)), round(accuracy_of(1.0))
    (100, 64, 0)
    """
    return min(100.0, max(0.0, _SCALE * exp(-_STEEPNESS * loss) - _SHIFT))


def _accuracy(decisions: Sequence[Swing], seat: int) -> Accuracy:
    number = len(decisions)
    if number < FEWEST_DECISIONS:
        return Accuracy(None, number, 0.0, 0.0)
    loss = -sum(swing.changes[seat] for swing in decisions) / number
    noise = hypot(*(swing.error(seat) for swing in decisions)) / number
    slope = _STEEPNESS * _SCALE * exp(-_STEEPNESS * max(0.0, loss))
    return Accuracy(accuracy_of(loss), number, loss, slope * noise)


def _mark_of(swing: Swing) -> Mark | None:
    changes = swing.changes
    is_large = [
        abs(change) >= LARGE and abs(change) >= CONFIDENCE * swing.error(seat)
        for seat, change in enumerate(changes)
    ]
    if not any(is_large):
        return None
    mover = swing.mover
    kind, cause, seat = TURNING_POINT, "action", swing.seat
    if swing.failed:
        cause, seat = "fault", swing.failed[0]
    elif swing.seat is None:
        cause = "chance"
    elif mover is not None and is_large[mover] and changes[mover] < 0:
        kind = BLUNDER
    return Mark(swing.ply, kind, cause, seat, swing.before.chances, swing.after.chances)
