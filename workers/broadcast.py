"""Shows running matches to spectators. A match never waits for this, and never fails by it.

The thread that plays takes a copy of the position now and then; a thread of its own draws it and
gives it to the broker. While that hangs or is away, nothing is drawn and nothing is kept.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

import structlog
from redis import Redis, RedisError
from redis.backoff import NoBackoff
from redis.retry import Retry

from pentathlon.live.frames import (
    KEPT_S,
    LOOK,
    Frame,
    frame_key,
    friendly_channel,
    lane_channel,
    match_channel,
)
from pentathlon.matches.jobs import Job
from pentathlon_engines import State
from pentathlon_engines.commentary.plain import Change
from pentathlon_engines.match.events import Event, apply_event_unchecked
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.protocol import SeenEvent
from pentathlon_engines.match.referee import Referee

FIRST_S: Final = 0.5
"""A match that is over sooner is not shown: nobody could watch it."""
WATCHED_S: Final = 0.25
"""Between two frames of a match that somebody watches. To draw one takes about 2 ms."""
IDLE_S: Final = 0.9
"""Between two frames of a match that nobody watches, for who comes now."""
ANSWER_S: Final = 0.5
"""A broker that takes longer is away."""
AWAY_S: Final = 5.0
"""How long it is left alone then."""
_MOST_WAITING: Final = 32

_log = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shot:
    """A position that is to be drawn, with what led to it."""

    job: Job
    state: State
    seen: list[SeenEvent]
    events: list[Event]


class Broadcast:
    """Gives frames and ends of matches to the broker, from a thread that begins with the first."""

    def __init__(self, url: str | None, *, answer_s: float = ANSWER_S) -> None:
        self._url = url
        self._answer_s = answer_s
        self._posts: queue.Queue[_Shot | Job | int] = queue.Queue(_MOST_WAITING)
        self._thread: threading.Thread | None = None
        self._is_drawing = False
        self._away_until = 0.0
        self._teller: _Teller | None = None
        self.pace_s = IDLE_S
        """The wait between two frames, by whether somebody watches."""

    def watch(self, job: Job) -> Callable[[Referee], None] | None:
        """Return what looks at the positions of a match; None if nobody may watch it."""
        if self._url is None or not job.is_public:
            return None
        return _Camera(job, self).see

    def note_end(self, jobs: Iterable[Job]) -> None:
        """Have everybody who watches these matches look at what the database says now."""
        if self._url is not None:
            for job in jobs:
                if job.is_public:
                    self._post(job)

    def note_move(self, friendly_id: int) -> None:
        """Have the person of a friendly look at what the database says now."""
        if self._url is not None:
            self._post(friendly_id)

    def shows(self, shot: _Shot) -> bool:
        """Take a position to be drawn, unless the one before is not done yet."""
        if self._is_drawing:
            return False
        self._is_drawing = True
        if not self._post(shot):
            self._is_drawing = False
        return self._is_drawing

    def _post(self, what: _Shot | Job | int) -> bool:
        if time.monotonic() < self._away_until:
            return False
        try:
            self._posts.put_nowait(what)
        except queue.Full:
            return False
        if self._thread is None:
            # Not before: a slot is forked from the process that made this.
            self._thread = threading.Thread(target=self._run, name="broadcast", daemon=True)
            self._thread.start()
        return True

    def _run(self) -> None:
        client = Redis.from_url(
            str(self._url),
            socket_timeout=self._answer_s,
            socket_connect_timeout=self._answer_s,
            retry=Retry(NoBackoff(), 0),
        )
        while True:
            posts = [self._posts.get()]
            while not self._posts.empty():
                posts.append(self._posts.get())
            try:
                self._send(client, posts)
            except (RedisError, OSError) as error:
                self._away_until = time.monotonic() + AWAY_S
                _log.warning("spectators not served", reason=str(error))
            except Exception:
                _log.exception("position not shown")
            finally:
                self._is_drawing = False

    def _tell(self, shot: _Shot) -> list[str]:
        if self._teller is None or self._teller.place != (shot.job.match_id, shot.job.attempt):
            self._teller = _Teller(shot)
        return self._teller.tell(shot)

    def _send(self, client: Redis, posts: list[_Shot | Job | int]) -> None:
        shots = [post for post in posts if isinstance(post, _Shot)]
        with client.pipeline(transaction=False) as steps:
            for post in posts:
                if isinstance(post, Job):
                    steps.publish(match_channel(post.match_id), LOOK)
                    if post.lane:
                        steps.publish(lane_channel(post.lane), LOOK)
                elif isinstance(post, int):
                    steps.publish(friendly_channel(post), LOOK)
            for shot in shots:
                data = _draw(shot, said=self._tell(shot)).pack()
                steps.set(frame_key(shot.job.match_id, shot.job.attempt), data, ex=KEPT_S)
                steps.publish(match_channel(shot.job.match_id), data)
            answers = steps.execute()
        if shots:
            self.pace_s = WATCHED_S if answers[-1] else IDLE_S


class _Teller:
    """Tells the events of one attempt in words, as spectators may see them, each of them once."""

    def __init__(self, shot: _Shot) -> None:
        self.place = shot.job.match_id, shot.job.attempt
        self._state = shot.state.game.start(shot.state.seats, shot.job.options)
        self._seen = self._state.observation(None)
        self._said: list[str] = []

    def tell(self, shot: _Shot) -> list[str]:
        """Return all events so far in words."""
        commentary = self._state.game.commentary()
        first = len(self._said)
        for event, (_, text) in zip(shot.events[first:], shot.seen[first:], strict=True):
            apply_event_unchecked(self._state, event)
            before, self._seen = self._seen, self._state.observation(None)
            self._said.append(commentary.tell(Change(before, event.seat, text, self._seen)))
        return list(self._said)


class _Camera:
    """Looks at one match, and takes a copy of a new position when it is time for one."""

    def __init__(self, job: Job, broadcast: Broadcast) -> None:
        self._job = job
        self._broadcast = broadcast
        self._due = time.monotonic() + FIRST_S
        self._ply = -1

    def see(self, referee: Referee) -> None:
        """Take the position if it is new and time for it."""
        if referee.ply == self._ply or (now := time.monotonic()) < self._due:
            return
        shot = _Shot(
            job=self._job,
            state=referee.state.copy(),
            seen=referee.public_events(0),
            events=list(referee.events),
        )
        # While the broker is away, there is nothing to take pictures for either.
        self._due = now + self._broadcast.pace_s
        if self._broadcast.shows(shot):
            self._ply = referee.ply


def _draw(shot: _Shot, *, said: list[str]) -> Frame:
    state = shot.state
    used = [0] * state.seats
    for event in shot.events:
        if not event.is_chance:
            used[event.seat] += event.cpu_ms
    return Frame(
        attempt=shot.job.attempt,
        ply=len(shot.events),
        to_move=state.to_move,
        cpu_ms=used,
        limit_ms=round(1000 * Limits.from_json(shot.job.limits).match_cpu_s),
        events=[
            [seat, text, event.cpu_ms]
            for (seat, text), event in zip(shot.seen, shot.events, strict=True)
        ],
        position=state.observation(None),
        svg=state.svg(),
        text=str(state),
        said=said,
    )
