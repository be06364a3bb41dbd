"""Looking back at a friendly that is over: up to three moments that decided it, for its person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from pentathlon.matches.replays.moments import score_line, states_of
from pentathlon_engines import State
from pentathlon_engines.commentary.second_person import speak_to
from pentathlon_engines.commentary.words import count
from pentathlon_engines.contract.presentation import Change
from pentathlon_engines.record.commentary import tell_ply
from pentathlon_engines.record.shape import Record

_MOST: Final = 3
_MOST_TRIED: Final = 80
"""With more legal actions, nobody looks for one that would have won."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """An event that decided much, and the own decision from which one may try again."""

    ply: int
    """The ply after the event."""
    said: str
    again: int
    """The ply before the person's last decision up to the event."""


def look_back(record: Record, *, seat: int) -> list[Turn]:
    """Return the moments by ply: wins that were missed, or the largest swings of the points."""
    line = score_line(record)
    if line is None:
        return [_turn(record, seat, ply, more) for ply, more in _missed_wins(record, seat)][
            -_MOST:
        ]
    leads = [points[seat] - max(_without(points, seat)) for points in line]
    swings = [
        (abs(after - before), ply, after - before, after)
        for ply, (before, after) in enumerate(pairwise(leads), 1)
        if after != before and _decision_before(record, seat, ply) is not None
    ]
    largest = sorted(sorted(swings, reverse=True)[:_MOST], key=lambda swing: swing[1])
    return [_turn(record, seat, ply, _tell_lead(lead)) for _, ply, _, lead in largest]


def _without(points: Sequence[int], seat: int) -> list[int]:
    return [*points[:seat], *points[seat + 1 :]]


def _tell_lead(lead: int) -> str:
    if not lead:
        return "You are level"
    return f"You are {count(abs(lead), 'point')} {'ahead' if lead > 0 else 'behind'}"


def _turn(record: Record, seat: int, ply: int, more: str) -> Turn:
    said = speak_to(seat, tell_ply(record, states_of(record), ply, viewer=seat))
    again = _decision_before(record, seat, ply)
    return Turn(ply=ply, said=f"{said}. {more}", again=0 if again is None else again)


def _decision_before(record: Record, seat: int, ply: int) -> int | None:
    """Return the last position up to an event in which the person had to decide."""
    events = enumerate(record["events"][:ply])
    return max((at for at, row in events if row[0] == seat), default=None)


def _missed_wins(record: Record, seat: int) -> Iterator[tuple[int, str]]:
    """Yield the plies after decisions that could have won at once, and how."""
    for at, row in enumerate(record["events"]):
        state, after = states_of(record)[at : at + 2]
        if row[0] != seat or after.outcome is not None:
            continue
        won = _winning(state, seat)
        if won:
            yield at + 1, f"You could have won at once: {won}"


def _winning(state: State, seat: int) -> str:
    """Return in words an action that ends the match with a win of the seat; empty if none does."""
    actions = state.legal_actions()
    for action in actions if len(actions) <= _MOST_TRIED else ():
        after = state.copy()
        after.apply_unchecked(action)
        if after.outcome is not None and after.outcome.ranks[seat] == 0:
            change = Change(
                state.observation(seat), seat, state.text(action), after.observation(seat)
            )
            said = speak_to(seat, state.game.commentary().tell(change)).removeprefix("You ")
            return said[:1].lower() + said[1:]
    return ""
