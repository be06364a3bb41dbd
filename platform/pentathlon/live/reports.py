"""Passes reports of workers without keys about running matches to their watchers."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, Final
from uuid import UUID

import structlog
from django.conf import settings
from redis import RedisError

from pentathlon.core.errors import Conflict, InvalidInput
from pentathlon.fleet.announcements import ANALYSE_MATCH, PLAY_MATCHES
from pentathlon.fleet.models import WorkerToken
from pentathlon.live.frames import (
    AWAY_S,
    IDLE_S,
    WATCHED_S,
    Frame,
    FrameSender,
    friendly_channel,
    lane_channel,
    match_channel,
)
from pentathlon.matches.models import Attempt, AttemptState, Match
from pentathlon_engines import GAMES
from pentathlon_engines.contract.presentation import Change
from pentathlon_engines.errors import EngineError
from pentathlon_engines.match.events import Event, apply_event_unchecked
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.record.record import apply_recorded
from pentathlon_engines.record.shape import read_events

NEVER_S: Final = 3600.0
"""Seconds until the next report of a match that nobody may watch, or without a broker."""
_MOST_WATCHED: Final = 64
_log = structlog.stdlib.get_logger(__name__)


class WatchedMatch:
    """One attempt at a match."""

    def __init__(
        self,
        *,
        game: str,
        seats: int,
        options: Mapping[str, Any],  # Any: the game checks the values
        limits: Limits,
        attempt: int,
        is_trusted: bool = False,
    ) -> None:
        """Begin an attempt; if it `is_trusted`, its events are not checked."""
        self.state = GAMES[game].start(seats, options)
        self._limits = limits
        self._attempt = attempt
        self._is_trusted = is_trusted
        self._events: list[Event] = []
        self._shown: list[list[Any]] = []  # Any: seat, text, CPU milliseconds
        self._said: list[str] = []
        self._seen = self.state.observation(None)
        self._used_ms = [0] * seats

    def leads_to(self, events: Sequence[Event]) -> bool:
        """Return whether these events begin with all that have happened here."""
        return list(events[: len(self._events)]) == self._events

    def follow(self, events: Sequence[Event]) -> None:
        """Apply the events that have not happened here yet.

        Raises:
            EngineError: one of them cannot happen.
        """
        commentary = self.state.game.commentary()
        for ply, event in enumerate(events[len(self._events) :], len(self._events)):
            unchanged = self.state.copy()
            if self._is_trusted:
                apply_event_unchecked(self.state, event)
            else:
                apply_recorded(self.state, ply, event)
            # A game knows what a spectator sees only of events that can happen.
            text = unchanged.event_for(None, event.text)
            before, self._seen = self._seen, self.state.observation(None)
            self._said.append(commentary.tell(Change(before, event.seat, text, self._seen)))
            self._shown.append([event.seat, text, event.cpu_ms])
            self._events.append(event)
            if not event.is_chance:
                self._used_ms[event.seat] += event.cpu_ms

    def frame(self) -> Frame:
        """Return a frame of what spectators see now."""
        return Frame(
            attempt=self._attempt,
            ply=len(self._events),
            to_move=self.state.to_move,
            cpu_ms=list(self._used_ms),
            limit_ms=round(1000 * self._limits.match_cpu_s),
            events=list(self._shown),
            position=self._seen,
            svg=self.state.svg(ply=len(self._events)),
            text=str(self.state),
            said=list(self._said),
        )


class WatchedMatches:
    """The matches that were drawn last, so that their events need not be applied again.

    Several threads may ask; a match that one of them is using, another begins anew.
    """

    def __init__(self, *, most: int) -> None:
        self._most = most
        self._kept: dict[Hashable, WatchedMatch] = {}

    def frame(
        self, key: Hashable, events: Sequence[Event], *, begin: Callable[[], WatchedMatch]
    ) -> Frame:
        """Return the frame of a match after these events.

        Raises:
            EngineError: one of them cannot happen.
        """
        watched = self._kept.pop(key, None)
        if watched is None or not watched.leads_to(events):
            watched = begin()
        watched.follow(events)
        frame = watched.frame()
        self._kept[key] = watched
        while len(self._kept) > self._most:
            self._kept.pop(next(iter(self._kept)), None)
        return frame


_watched = WatchedMatches(most=_MOST_WATCHED)


def show_events(
    *, worker_token: WorkerToken, match_id: int, token: UUID, events: Sequence[object]
) -> float:
    """Show where a match stands after all its events so far, given as rows of a record.

    Returns how many seconds later the next report is wanted. Only the worker that plays the match
    may report, and only events that the rules allow.

    Raises:
        Conflict: this worker does not play the match now.
        InvalidInput: one of the events cannot happen.
    """
    match = _played_by(worker_token, match_id, token)
    if match is None:
        raise Conflict("This worker does not play the match now.", code="stale_token")
    if not match.may_be_watched or settings.REDIS_URL is None:
        return NEVER_S
    seats = match.seats.count()
    try:
        happened = read_events(events, seats=seats)
        frame = _watched.frame(token, happened, begin=partial(_begin, match, seats))
    except EngineError as error:
        raise InvalidInput(f"This cannot have happened: {error}", field="events") from error
    is_watched = _sender(settings.REDIS_URL).send(frame=frame, match_id=match_id)
    return WATCHED_S if is_watched else IDLE_S


def note_changes(ids: Collection[int], *, task: str = PLAY_MATCHES) -> None:
    """Notify everybody who watches these matches or friendlies to read the database."""
    if settings.REDIS_URL is None or not ids or task == ANALYSE_MATCH:
        return
    looks = _channels(ids) if task == PLAY_MATCHES else map(friendly_channel, ids)
    _sender(settings.REDIS_URL).send(looks=looks)


class _PatientSender:
    """Leaves a silent broker alone for a while, so that not every report waits for it."""

    def __init__(self, url: str) -> None:
        self._sender = FrameSender(url)
        self._away_until = 0.0

    def send(self, **what: Any) -> bool:  # Any: what `FrameSender.send` takes
        """Send a frame or hints; return whether somebody is known to watch."""
        if time.monotonic() < self._away_until:
            return False
        try:
            return self._sender.send(**what)
        except (RedisError, OSError) as error:
            self._away_until = time.monotonic() + AWAY_S
            _log.warning("spectators not served", reason=str(error))
            return False


@lru_cache(maxsize=4)
def _sender(url: str) -> _PatientSender:
    return _PatientSender(url)


def _played_by(worker_token: WorkerToken, match_id: int, token: UUID) -> Match | None:
    held = Attempt.objects.filter(
        worker_token=worker_token.pk, match=match_id, token=token, state=AttemptState.RUNNING
    )
    found = Match.objects.filter(pk=match_id, attempts__in=held).with_openness()
    return found.first()


def _begin(match: Match, seats: int) -> WatchedMatch:
    return WatchedMatch(
        game=match.game,
        seats=seats,
        options=match.options,
        limits=Limits.from_json(match.limits),
        attempt=match.attempts_made,
    )


def _channels(match_ids: Collection[int]) -> Iterator[str]:
    watched = Match.objects.filter(pk__in=match_ids).watchable()
    for match_id, lane in watched.values_list("pk", "lane"):
        yield match_channel(match_id)
        if lane:
            yield lane_channel(lane)
