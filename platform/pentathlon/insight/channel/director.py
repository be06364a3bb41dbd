"""The director of Channel Pentathlon: which matches are shown, in which order, how fast.

Pure functions of matches, their points or chances and a span of time: whoever asks at any moment
gets the same programme.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from pentathlon.insight.stories import Line, lead_changes

OPENING_S: Final = 4.0
"""How long the first position stands."""
RESULT_S: Final = 8.0
"""How long the card with the result stands."""
_USUAL_S: Final = 60.0
"""About how long the plies of a match take."""
_FASTEST_S, _SLOWEST_S = 0.4, 2.0
"""How long a dull ply stands, at least and at most."""
_TURN: Final = 3.0
"""How much longer than a dull ply the greatest turn stands."""
_MOST_S: Final = 4.0
_MOST_FRAMES: Final = 140
_HOT: Final = 0.6
"""The heat from which on a ply is never skipped."""
_FLOOR: Final = 0.1
"""What a quality is worth that is missing, so that one alone never decides."""
_SAME_BOT, _SAME_GAME = 0.4, 0.7
"""What a match is worth after one with the same bot, or of the same game."""
_UNKNOWN: Final = 0.4
"""How exciting a match is of which only the end is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A match that may be shown; its qualities are between 0 and 1."""

    source: str
    """The number of a match, or the key of a game for its exhibition."""
    game: str
    bots: frozenset[str]
    strength: float
    swings: float
    closeness: float
    novelty: float

    @property
    def worth(self) -> float:
        """Return how much it deserves to be shown: all of its qualities count."""
        product = 1.0
        for quality in (self.strength, self.swings, self.closeness, self.novelty):
            product *= _FLOOR + (1 - _FLOOR) * quality
        return product


@dataclass(frozen=True, slots=True, kw_only=True)
class Take:
    """A match with its pace: pairs of a ply and the second at which it appears."""

    candidate: Candidate
    frames: Sequence[tuple[int, float]]
    plies_s: float
    """When the last ply has stood for long enough."""

    @property
    def length_s(self) -> float:
        """Return how long it is on, with the card of its result."""
        return self.plies_s + RESULT_S


@dataclass(frozen=True, slots=True, kw_only=True)
class Showing:
    """A match in the programme; times are seconds since the epoch, those of frames since
    `starts`."""

    source: str
    game: str
    worth: float
    starts: float
    frames: Sequence[tuple[int, float]]
    result_at: float
    ends: float

    @property
    def length_s(self) -> float:
        """Return how long it is on."""
        return self.ends - self.starts

    @property
    def last(self) -> int:
        """Return the last ply of the match."""
        return self.frames[-1][0]


def swings_of(line: Line | None) -> float:
    """Return how much a match went to and fro, by its points or chances at every ply."""
    if line is None:
        return _UNKNOWN
    return min(1.0, lead_changes(line) / 5 + max(0.0, sum(heat_of(line)) / 12))


def closeness_of(scores: Sequence[int | None]) -> float:
    """Return how close the two best came."""
    known = sorted((score for score in scores if score is not None), reverse=True)
    if len(known) < 2:  # noqa: PLR2004  two are compared
        return _UNKNOWN
    return max(0.0, 1 - (known[0] - known[1]) / max(1, known[0]))


def heat_of(line: Line | None, *, plies: int = 0) -> list[float]:
    """Return for each ply from 1 on how much it changed who is ahead, the most being 1.

    Without a line nobody knows, so only the last plies are worth a longer look.
    """
    if line is None:
        return [max(0.0, 1 - (plies - ply) / 3) for ply in range(1, plies + 1)]
    changes = [
        max(abs((b - max_b) - (a - max_a)) for a, b in zip(before, after, strict=True))
        for before, after in pairwise(line)
        for max_a, max_b in [(max(before), max(after))]
    ]
    most = max(changes, default=0)
    return [change / most if most else 0.0 for change in changes]


def pace(heat: Sequence[float]) -> Sequence[tuple[int, float]]:
    """Return the plies to show and how long each stands, in seconds: turns stand longer."""
    stride = 1 + len(heat) // _MOST_FRAMES
    last = len(heat)
    shown = [
        ply
        for ply in range(1, last + 1)
        if ply % stride == 0 or heat[ply - 1] >= _HOT or ply == last
    ]
    dull_s = min(_SLOWEST_S, max(_FASTEST_S, _USUAL_S / max(1, len(shown))))
    standing = [(0, OPENING_S)]
    before = 0
    for ply in shown:
        hottest = max(heat[before:ply])
        standing.append((ply, min(_MOST_S, dull_s * (1 + (_TURN - 1) * hottest))))
        before = ply
    return standing


def take(candidate: Candidate, heat: Sequence[float]) -> Take:
    """Return a match with its pace."""
    frames, at = [], 0.0
    for ply, stands_s in pace(heat):
        frames.append((ply, at))
        at += stands_s
    return Take(candidate=candidate, frames=frames, plies_s=at)


def in_order(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return the best first; the same bots and the same game do not follow each other for long."""
    left, ordered = list(candidates), []
    bots, games = Counter[str](), Counter[str]()
    while left:
        best = max(
            left,
            key=lambda each: (
                each.worth
                * _SAME_BOT ** max((bots[bot] for bot in each.bots), default=0)
                * _SAME_GAME ** games[each.game],
                each.source,
            ),
        )
        left.remove(best)
        ordered.append(best)
        bots.update(best.bots)
        games[best.game] += 1
    return ordered


def lay_out(takes: Sequence[Take], *, starts: float, ends: float) -> list[Showing]:
    """Fill a span of time with these matches in this order, over again if they are too few.

    The pace is stretched a little, so that the last match ends with the span.
    """
    if not takes:
        return []
    chosen, length = [takes[0]], takes[0].length_s
    while (following := takes[len(chosen) % len(takes)]).length_s / 2 < ends - starts - length:
        chosen.append(following)
        length += following.length_s
    slots, at, stretch = [], starts, (ends - starts) / length
    for each in chosen:
        slots.append(
            Showing(
                source=each.candidate.source,
                game=each.candidate.game,
                worth=each.candidate.worth,
                starts=at,
                frames=[(ply, second * stretch) for ply, second in each.frames],
                result_at=each.plies_s * stretch,
                ends=at + each.length_s * stretch,
            )
        )
        at = slots[-1].ends
    return slots
