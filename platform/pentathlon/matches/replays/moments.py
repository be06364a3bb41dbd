"""Moments of stored records: a ply in words, the points, and the hands."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from pentathlon.core.errors import NotFound
from pentathlon_engines import CHANCE, State
from pentathlon_engines.match.events import Event
from pentathlon_engines.record.commentary import see, tell_outcome, tell_plies, tell_ply
from pentathlon_engines.record.record import canonical, positions
from pentathlon_engines.record.shape import Record

_MATCHES_KEPT = 16
_LINES_KEPT = 64


def board_svg(record: Record, ply: int, seat: int | None = None) -> str:
    """Draw the position after `ply` events, as a seat or a spectator (None) may see it."""
    last, seats = len(record["events"]), record["seats"]
    if not 0 <= ply <= last:
        raise NotFound(f"This match has the plies 0 to {last}, not {ply}.")
    if seat is not None and not 0 <= seat < seats:
        raise NotFound(f"This match has the seats 0 to {seats - 1}, not {seat}.")
    return states_of(record)[ply].svg(seat, ply=ply)


def states_of(record: Record) -> tuple[State, ...]:
    """Return the positions of a record from ply 0 on; those of the latest matches are kept."""
    return _states(canonical(record))


@lru_cache(maxsize=_MATCHES_KEPT)
def _states(record: bytes) -> tuple[State, ...]:
    # A reader who steps through a replay asks for one ply after the other.
    return tuple(positions(json.loads(record)))


def score_line(record: Record) -> Sequence[Sequence[int]] | None:
    """Return the points of each seat at every ply from 0 on; None in games without points."""
    return _score_line(canonical(record))


@lru_cache(maxsize=_LINES_KEPT)
def _score_line(record: bytes) -> Sequence[Sequence[int]] | None:
    states = _states(record)
    commentary = states[0].game.commentary()
    # A match that has not been laid out yet has no points.
    line = [commentary.points(state.to_json()) for state in states]
    if line[-1] is None:
        return None
    return [points or [0] * len(line[-1]) for points in line]


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """One ply of a replay as its viewer sees it."""

    said: str
    """The event in words, without a full stop."""
    ending: str
    """How the match ended; empty before its last ply."""
    points: list[int] | None
    """What each seat would score now; None in games without points."""
    hands: list[list[str]] | None
    """The cards of each hand as far as the viewer sees them; None in games without hands."""
    used_ms: list[int]
    """CPU time that each seat's actions have taken so far."""


def moment_of(record: Record, ply: int, seat: int | None) -> Moment:
    """Return the moment after `ply` events; with no seat everything is open."""
    states = states_of(record)
    commentary = states[0].game.commentary()
    seen = see(states[ply], seat)
    return Moment(
        said=tell_ply(record, states, ply, viewer=seat),
        ending=tell_outcome(record, states[-1]) if ply == len(record["events"]) else "",
        points=commentary.points(seen),
        hands=commentary.hands(seen),
        used_ms=_add_up_time(record, ply),
    )


def _add_up_time(record: Record, ply: int) -> list[int]:
    used = [0] * record["seats"]
    for row in record["events"][:ply]:
        event = Event.of(row)
        if event.seat != CHANCE:
            used[event.seat] += event.cpu_ms
    return used


class SeenEvent(NamedTuple):
    """An event as its viewer sees it."""

    text: str
    """The text as in the rules, without hidden information."""
    said: str
    """What happened in words, without a full stop."""


def tell_events(record: Record, *, first: int, last: int, seat: int | None) -> list[SeenEvent]:
    """Return what happened at each ply from `first` to `last`, counted from 1."""
    states = states_of(record)
    said = tell_plies(record, states, first=first, last=last, viewer=seat)
    texts = (row[1] for row in record["events"][first - 1 : last])
    return [
        SeenEvent(text if seat is None else states[ply].event_for(seat, text), words)
        for ply, (text, words) in enumerate(zip(texts, said, strict=True), first - 1)
    ]
