"""A record told in words, ply by ply."""

from collections.abc import Iterator, Sequence
from typing import Any

from pentathlon_engines.commentary.words import name_seat, tell_ranks
from pentathlon_engines.contract.game import State
from pentathlon_engines.contract.presentation import Change
from pentathlon_engines.match.events import Event
from pentathlon_engines.record.record import resigned_seat
from pentathlon_engines.record.shape import Record

Viewer = int | None
"""The seat that looks, or None for somebody who may see everything because the match is over."""


def see(state: State, viewer: Viewer) -> dict[str, Any]:
    """Return what a viewer of a replay sees of a position."""
    return state.to_json() if viewer is None else state.observation(viewer)


def tell_plies(
    record: Record, states: Sequence[State], *, first: int, last: int, viewer: Viewer
) -> Iterator[str]:
    """Yield what happened at each ply from `first` to `last`, counted from 1.

    `states` are the positions of the record from ply 0 on.
    """
    commentary = states[0].game.commentary()
    before = see(states[first - 1], viewer) if first <= last else {}
    for ply in range(first, last + 1):
        event = Event.of(record["events"][ply - 1])
        text = event.text
        if viewer is not None:
            text = states[ply - 1].event_for(viewer, text)
        after = see(states[ply], viewer)
        yield commentary.tell(Change(before, event.seat, text, after))
        before = after


def tell_ply(record: Record, states: Sequence[State], ply: int, *, viewer: Viewer = None) -> str:
    """Return in words the event that led to position `ply`."""
    if ply == 0:
        return "The match begins"
    return next(tell_plies(record, states, first=ply, last=ply, viewer=viewer))


def tell_outcome(record: Record, last: State) -> str:
    """Return how the match ended: by the rules, or because bots failed."""
    if last.outcome is not None:
        return last.game.commentary().tell_end(last.to_json())
    outcome = record["outcome"]
    failed = sorted({fault["seat"] for fault in record["faults"]})
    names = " and ".join(name_seat(seat) for seat in failed)
    if outcome["reason"] == "resigned" and (resigned := resigned_seat(record)) is not None:
        return f"{name_seat(resigned)} resigned: {tell_ranks(outcome['ranks'])}"
    reason = f"{names} could not go on" if names else outcome["reason"].replace("_", " ")
    return f"{reason[0].upper()}{reason[1:]}: {tell_ranks(outcome['ranks'])}"
