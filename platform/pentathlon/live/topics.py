"""Topics: what one process knows of each thing that is followed."""

from __future__ import annotations

from typing import Any, Final, Protocol

from pentathlon.live.frames import (
    LOOK,
    Frame,
    friendly_channel,
    lane_channel,
    match_channel,
    unpack,
)
from pentathlon.live.messages import StreamEvent, message
from pentathlon.live.snapshots import MatchNow, PageKind, PageNow, View

_MOST_MESSAGES: Final = 16
"""The most packed messages kept of one frame: one for each ply and view that listeners are at."""


class Cursor(Protocol):
    """What one listener knows of one topic."""

    def take(self) -> list[StreamEvent]:
        """Return the messages that are new to the listener, who knows them from now on."""

    @property
    def is_over(self) -> bool:
        """Whether no more messages will come."""


class MatchTopic:
    """A match that is followed: its state, and its latest frame."""

    def __init__(self, match_id: int) -> None:
        self.match_id = match_id
        self.channel = match_channel(match_id)
        self.now: MatchNow | None = None
        self._frame: Frame | None = None
        self._messages: dict[tuple[View, int], StreamEvent] = {}

    def hear(self, data: bytes) -> bool:
        """Take data from the broker; return whether the database must be read."""
        if data == LOOK:
            return True
        frame = unpack(data)
        if self._frame is None or _place(frame) > _place(self._frame):
            # If two workers report the same match, the later attempt counts.
            self._frame = frame
            self._messages.clear()
        return self.now is not None and self._attempt() > self.now.attempt

    def note(self, now: MatchNow) -> bool:
        """Take the state that the database has; return whether it is new."""
        is_new = now != self.now
        self.now = now
        return is_new

    def frame(self) -> Frame | None:
        """Return the latest frame, unless another attempt has begun since."""
        if self._frame is None or self.now is None or self.now.is_over:
            return None
        return self._frame if self._attempt() >= self.now.attempt else None

    def plies(self, frame: Frame, *, view: View, since: int) -> StreamEvent:
        """Return the message with all events since a ply."""
        key = (view, since)
        if key not in self._messages:
            if len(self._messages) >= _MOST_MESSAGES:
                self._messages.clear()
            self._messages[key] = _plies(self.match_id, frame, view, since)
        return self._messages[key]

    def _attempt(self) -> int:
        return 0 if self._frame is None else self._frame.attempt


class MatchCursor:
    """What one listener knows of a match."""

    def __init__(
        self,
        topic: MatchTopic,
        *,
        view: View,
        seen: tuple[int, int] = (0, 0),
        is_private: bool = False,
    ) -> None:
        self._topic = topic
        self._view = view
        self._seen = seen
        self._is_private = is_private
        self._is_shown = False
        self._told: MatchNow | None = None

    @property
    def is_over(self) -> bool:
        """Whether no more messages will come."""
        return self._told is not None and self._told.is_over

    @property
    def mark(self) -> str:
        """The match, and the listener's place in it; empty before the first ply."""
        attempt, ply = self._seen
        return f"{self._topic.match_id}:{attempt}-{ply}" if self._seen > (0, 0) else ""

    def take(self) -> list[StreamEvent]:
        """Return what the listener does not know yet."""
        now, new = self._now(), []
        if now is not None and not self.is_over and self._is_news(now):
            self._told = now
            new.append(now.message())
        frame = None if self._is_private else self._topic.frame()
        if frame is not None and not self.is_over:
            attempt, ply = self._seen
            since = min(ply, frame.ply) if attempt == frame.attempt else 0
            # The position is new to a listener who has just come, even if its plies are not.
            if not self._is_shown or (attempt, ply) < _place(frame):
                new.append(self._topic.plies(frame, view=self._view, since=since))
                self._seen, self._is_shown = _place(frame), True
        return new

    def _now(self) -> MatchNow | None:
        now = self._topic.now
        return None if now is None else now.shown(is_private=self._is_private)

    def _is_news(self, now: MatchNow) -> bool:
        told = self._told
        if told is None or (told.state, told.attempt) != (now.state, now.attempt):
            return True
        # Frames hold the ply themselves.
        return now.ply != told.ply and (self._is_private or self._topic.frame() is None)


class PageTopic:
    """A tournament or a friendly that is followed."""

    def __init__(self, kind: PageKind, pk: int) -> None:
        self.kind = kind
        self.pk = pk
        self.channel = _CHANNELS[kind](pk)
        self.now: PageNow | None = None

    def hear(self, data: bytes) -> bool:
        """Take a hint; return True, because only the database knows what has changed."""
        return True

    def note(self, now: PageNow) -> bool:
        """Take the state that the database has; return whether it is new."""
        is_new = now != self.now
        self.now = now
        return is_new


class PageCursor:
    """What one listener knows of a tournament or a friendly."""

    def __init__(self, topic: PageTopic, *, seen: str) -> None:
        self._topic = topic
        self._seen = seen
        self._is_over = False

    @property
    def is_over(self) -> bool:
        """Whether no more messages will come."""
        return self._is_over

    def take(self) -> list[StreamEvent]:
        """Report that something has changed, once for any number of changes."""
        now = self._topic.now
        if now is None or now.mark == self._seen:
            return []
        self._seen, self._is_over = now.mark, now.is_over
        return [now.message()]


_CHANNELS: Final = {PageKind.TOURNAMENT: lane_channel, PageKind.FRIENDLY: friendly_channel}


def _place(frame: Frame) -> tuple[int, int]:
    return frame.attempt, frame.ply


def _plies(match_id: int, frame: Frame, view: View, since: int) -> StreamEvent:
    data: dict[str, Any] = {  # Any: JSON
        "match": match_id,
        "attempt": frame.attempt,
        "ply": frame.ply,
        "to_move": frame.to_move,
        "cpu_ms": frame.cpu_ms,
        "limit_ms": frame.limit_ms,
        "first": since,
        "events": frame.events[since:],
        "said": frame.said[since:],
        view.value: getattr(frame, view.value),
    }
    return message("plies", data, event_id=f"{frame.attempt}-{frame.ply}")
