"""Running matches as spectators see them, followed from event to event. Free of Django."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from pentathlon.live.frames import Frame
from pentathlon_engines import GAMES
from pentathlon_engines.contract.presentation import Change
from pentathlon_engines.match.events import Event, apply_event_unchecked
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.record.record import apply_recorded


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
