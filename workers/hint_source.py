"""Sources of hints for a worker without Celery: the web server, or the queue in Redis."""

from __future__ import annotations

from typing import Final, Protocol, cast

from redis import Redis, RedisError
from redis.backoff import NoBackoff
from redis.retry import Retry

from pentathlon.fleet.hints import FRIENDLIES, QUEUES, Hint, read_hint
from workers.port import PlatformAway
from workers.remote.adapter import RemotePlatform

_CONNECT_S: Final = 3.0
_SLACK_S: Final = 5.0


class HintSource(Protocol):
    """Waits for hints of work; with `only_friendlies`, only for hints about friendlies.

    It leaves all other hints in the queue.
    """

    def wait(self, wait_s: float, *, only_friendlies: bool = False) -> Hint:
        """Wait for a hint and return it, or an empty one in the end; raise `PlatformAway`."""


class LongPoll:
    """Asks the web server, which reads the queue."""

    def __init__(self, platform: RemotePlatform) -> None:
        self._platform = platform

    def wait(self, wait_s: float, *, only_friendlies: bool = False) -> Hint:
        """Wait for a hint and return it, or an empty one in the end; raise `PlatformAway`."""
        return self._platform.wait_for_hint(wait_s, only_friendlies=only_friendlies)


class QueueReader:
    """Reads the queue in Redis, as a user who may do nothing else there."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._client: Redis | None = None

    def wait(self, wait_s: float, *, only_friendlies: bool = False) -> Hint:
        """Wait for a hint and return it, or an empty one in the end; raise `PlatformAway`."""
        if self._client is None:
            # Connect only now: the process that waits is not the one that made this object.
            self._client = Redis.from_url(
                self._url,
                socket_connect_timeout=_CONNECT_S,
                socket_timeout=wait_s + _SLACK_S,
                retry=Retry(NoBackoff(), 0),
            )
        queues = [FRIENDLIES] if only_friendlies else list(QUEUES)
        try:
            found = self._client.brpop(queues, timeout=max(0.01, wait_s))
        except (RedisError, OSError) as error:
            raise PlatformAway(f"the queue: {error}") from error
        return Hint() if found is None else read_hint(cast(list[bytes], found)[1])
