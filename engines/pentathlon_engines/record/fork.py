"""Forks: matches that are played on from a ply of another record, by any bots.

Seats, options, seed and the events up to the ply stay, so chance draws what it drew there.
"""

from __future__ import annotations

from typing import NamedTuple

from pentathlon_engines.errors import BadRecord
from pentathlon_engines.match.events import Event
from pentathlon_engines.record.record import position
from pentathlon_engines.record.shape import ForkPoint, Record


class Fork(NamedTuple):
    """The ply at which a match leaves another one."""

    point: ForkPoint
    events: tuple[Event, ...]
    """The first events of the match, which come from the other one."""


def fork_at(record: Record, ply: int) -> Fork:
    """Return the fork after `ply` events of a verified record.

    Raises:
        BadRecord: there is no such ply, or nothing is left to play there.
    """
    if position(record, ply).outcome is not None:
        raise BadRecord(f"ply {ply} is the end of the match: fork it before")
    events = tuple(map(Event.of, record["events"][:ply]))
    return Fork({"chain": record["chain"], "ply": ply}, events)
