"""Shows running matches to spectators. A match never waits for this, nor fails because of it.

The thread that plays notes the events now and then; another thread gives them to an audience: the
broker, or the site. While the audience hangs or is away, nothing is drawn and nothing is kept.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import structlog
from redis import RedisError

from pentathlon.core.errors import DomainError
from pentathlon.live.frames import AWAY_S, WATCHED_S
from pentathlon.matches.jobs import Job
from pentathlon_engines.match.events import Event
from pentathlon_engines.match.referee import Referee
from workers.port import Platform, PlatformAway, Play

FIRST_S: Final = 0.5
"""The time before the first shot; nobody could watch a match that is over sooner."""
_MOST_WAITING: Final = 32

_log = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """A running match, and all that has happened in it."""

    job: Job
    events: list[Event]


class Broadcast:
    """Gives shots and ends of matches to an audience, from a thread that begins with the first."""

    def __init__(self, platform: Platform | None) -> None:
        self._audience = platform if platform is not None and platform.has_audience else None
        self._posts: queue.Queue[Shot | Play] = queue.Queue(_MOST_WAITING)
        self._thread: threading.Thread | None = None
        self._is_showing = False
        self._away_until = 0.0
        self.pace_s = WATCHED_S
        """The time between two shots."""

    def watch(self, job: Job) -> Callable[[Referee], None] | None:
        """Return a function that sees the positions of a match; None if nobody may watch it."""
        if self._audience is None or not job.is_public:
            return None
        return _Camera(job, self).see

    def note_change(self, jobs: Iterable[Play]) -> None:
        """Notify everybody who watches these matches and friendlies to read the database."""
        for job in jobs:
            if not isinstance(job, Job) or job.is_public:
                self._post(job)

    def shows(self, shot: Shot) -> bool:
        """Take a shot, unless the previous one is not shown yet; return whether it was taken."""
        if self._is_showing:
            return False
        self._is_showing = True
        if not self._post(shot):
            self._is_showing = False
        return self._is_showing

    def _post(self, what: Shot | Play) -> bool:
        if self._audience is None or time.monotonic() < self._away_until:
            return False
        try:
            self._posts.put_nowait(what)
        except queue.Full:
            return False
        if self._thread is None:
            # Start only now: the slot was forked from the process that made this object.
            run = partial(self._run, self._audience)
            self._thread = threading.Thread(target=run, name="broadcast", daemon=True)
            self._thread.start()
        return True

    def _run(self, audience: Platform) -> None:
        while True:
            posts = [self._posts.get()]
            while not self._posts.empty():
                posts.append(self._posts.get())
            try:
                self._tell(audience, posts)
            except (RedisError, OSError, PlatformAway, DomainError) as error:
                self._away_until = time.monotonic() + AWAY_S
                _log.warning("spectators not served", reason=str(error))
            except Exception:
                _log.exception("position not shown")
            finally:
                self._is_showing = False

    def _tell(self, audience: Platform, posts: Sequence[Shot | Play]) -> None:
        if changed := [post for post in posts if not isinstance(post, Shot)]:
            audience.note_changes(changed)
        for shot in posts:
            if isinstance(shot, Shot):
                self.pace_s = audience.show(shot.job, shot.events)


class _Camera:
    """Looks at one match, and takes a shot of it when one is due."""

    def __init__(self, job: Job, broadcast: Broadcast) -> None:
        self._job = job
        self._broadcast = broadcast
        self._due = time.monotonic() + FIRST_S
        self._ply = -1

    def see(self, referee: Referee) -> None:
        """Take a shot if one is due and something has happened since the last one."""
        if referee.ply == self._ply or (now := time.monotonic()) < self._due:
            return
        # The next shot is due later even if the audience is away and takes none.
        self._due = now + self._broadcast.pace_s
        if self._broadcast.shows(Shot(job=self._job, events=list(referee.events))):
            self._ply = referee.ply
