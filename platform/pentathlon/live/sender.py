"""Sends frames and hints to the broker, from processes where matches run or are reported."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from pentathlon.live.frames import KEPT_S, LOOK, Frame, frame_key, match_channel

ANSWER_S: Final = 0.5
"""Seconds after which a broker that has not answered counts as away."""
AWAY_S: Final = 5.0
"""Seconds for which it is then left alone."""
WATCHED_S: Final = 0.25
"""Seconds between two frames of a match that somebody watches. Drawing one takes about 2 ms."""

IDLE_S: Final = 0.9
"""Seconds between two frames of a match that nobody watches, for those who come now."""


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
