"""Frames: what spectators see of a running match, on its way from its worker to web processes.

A frame is complete by itself: a lost frame does no harm, and the latest one is all that a
latecomer needs. The broker keeps the latest for a while, and has a channel for each match.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Final

from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry

KEPT_S: Final = 120
"""Seconds that the broker keeps the latest frame of an attempt."""
LOOK: Final = b""
"""A message without a frame: the database has something new about this match."""
_LEVEL: Final = 1
ANSWER_S: Final = 0.5
"""Seconds after which a broker that has not answered counts as away."""
AWAY_S: Final = 5.0
"""Seconds for which it is then left alone."""
WATCHED_S: Final = 0.25
"""Seconds between two frames of a match that somebody watches. Drawing one takes about 2 ms."""
IDLE_S: Final = 0.9
"""Seconds between two frames of a match that nobody watches, for those who come now."""


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


class FrameSender:
    """A connection to the broker; threads may share it."""

    def __init__(self, url: str, *, answer_s: float = ANSWER_S) -> None:
        self._client = Redis.from_url(
            url,
            socket_timeout=answer_s,
            socket_connect_timeout=answer_s,
            retry=Retry(NoBackoff(), 0),
        )

    def send(
        self, *, looks: Iterable[str] = (), frame: Frame | None = None, match_id: int = 0
    ) -> bool:
        """Notify the listeners of channels to read the database, and publish a frame of a match.

        Returns whether somebody watches that match.

        Raises:
            RedisError, OSError: the broker does not answer.
        """
        with self._client.pipeline(transaction=False) as steps:
            for channel in looks:
                steps.publish(channel, LOOK)
            if frame is not None:
                data = frame.pack()
                steps.set(frame_key(match_id, frame.attempt), data, ex=KEPT_S)
                steps.publish(match_channel(match_id), data)
            answers = steps.execute()
        return frame is not None and bool(answers[-1])
