"""Boards of stored records, ply by ply."""

from __future__ import annotations

import json
from functools import lru_cache

from pentathlon.core.errors import NotFound
from pentathlon_engines import State
from pentathlon_engines.record.record import canonical, positions
from pentathlon_engines.record.shape import Record

_MATCHES_KEPT = 16


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
