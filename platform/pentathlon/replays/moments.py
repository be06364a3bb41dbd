"""Moments of stored records: what happened at a ply in words, the points, and the hands."""

from __future__ import annotations

from dataclasses import dataclass

from pentathlon.replays.boards import states_of
from pentathlon_engines.record.commentary import see, tell_outcome, tell_plies, tell_ply
from pentathlon_engines.record.shape import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """One ply of a replay as its viewer sees it."""

    said: str
    """What happened, without a full stop."""
    ending: str
    """How the match ended; empty before its last ply."""
    points: list[int] | None
    """What each seat would score now; None in games without points."""
    hands: list[list[str]] | None
    """The cards of each hand as far as the viewer sees them; None in games without."""


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
    )


def tell_events(record: Record, *, first: int, last: int, seat: int | None) -> list[str]:
    """Return in words what happened at each ply from `first` to `last`, counted from 1."""
    return list(tell_plies(record, states_of(record), first=first, last=last, viewer=seat))
