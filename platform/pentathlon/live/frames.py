"""Frames: what spectators see of a running match, on its way from its worker to web processes.

A frame is complete by itself: a lost frame does no harm, and the latest one is all that a
latecomer needs. The broker keeps the latest for a while, and has a channel for each match.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import asdict, dataclass
from typing import Any, Final

KEPT_S: Final = 120
"""Seconds that the broker keeps the latest frame of an attempt."""
LOOK: Final = b""
"""A message without a frame: the database has something new about this match."""
_LEVEL: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One position of a running match, as spectators may see it."""

    attempt: int
    ply: int
    to_move: int | None
    """The seat to move, as `State.to_move` has it."""
    cpu_ms: list[int]
    """The CPU time that each seat has used."""
    limit_ms: int
    """The CPU time that each seat has for the whole match."""
    events: list[list[Any]]  # Any: seat, text, CPU milliseconds
    """All events so far; seat -1 means chance."""
    position: dict[str, Any]  # Any: the JSON of a game
    """The observation of a spectator."""
    svg: str
    text: str
    said: list[str]
    """All events in words."""

    def pack(self) -> bytes:
        """Return the frame as the broker carries it."""
        return zlib.compress(json.dumps(asdict(self)).encode(), _LEVEL)


def unpack(data: bytes) -> Frame:
    """Read what `Frame.pack` made."""
    return Frame(**json.loads(zlib.decompress(data)))


def match_channel(match_id: int) -> str:
    """Return the channel with the frames of a match."""
    return f"pentathlon:live:match:{match_id}"


def lane_channel(lane: int) -> str:
    """Return the channel that says when a match of a lane has ended."""
    return f"pentathlon:live:lane:{lane}"


def friendly_channel(friendly_id: int) -> str:
    """Return the channel that says when a bot has begun or ended a move in a friendly."""
    return f"pentathlon:live:friendly:{friendly_id}"


def frame_key(match_id: int, attempt: int) -> str:
    """Return the key under which the broker keeps the latest frame of an attempt."""
    return f"pentathlon:live:frame:{match_id}:{attempt}"
