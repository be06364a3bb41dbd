"""Spectators, served through the broker; the worker draws what they see."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from pentathlon.live.frames import friendly_channel, lane_channel, match_channel
from pentathlon.live.sender import ANSWER_S, IDLE_S, WATCHED_S, FrameSender
from pentathlon.live.watched_matches import WatchedMatch, WatchedMatches
from pentathlon.matches.jobs import Job
from pentathlon_engines.match.limits import Limits
from workers.slots.broadcast import Shot


class DirectAudience:
    """Draws frames and gives them to the broker."""

    def __init__(self, url: str, *, answer_s: float = ANSWER_S) -> None:
        self._sender = FrameSender(url, answer_s=answer_s)
        self._watched = WatchedMatches(most=1)

    def show(self, shot: Shot) -> float:
        """Show where a match stands; return how many seconds later the next shot is wanted."""
        job = shot.job
        frame = self._watched.frame(job.token, shot.events, begin=partial(_begin, job))
        is_watched = self._sender.send(frame=frame, match_id=job.match_id)
        return WATCHED_S if is_watched else IDLE_S

    def note_changes(self, ended: Sequence[Job], moved: Sequence[int]) -> None:
        """Notify the watchers of these matches and friendlies to read the database."""
        self._sender.send(looks=(*_channels(ended), *map(friendly_channel, moved)))


def _begin(job: Job) -> WatchedMatch:
    return WatchedMatch(
        game=job.game,
        seats=len(job.seats),
        options=job.options,
        limits=Limits.from_json(job.limits),
        attempt=job.attempt,
        is_trusted=True,  # the referee has applied these events
    )


def _channels(jobs: Sequence[Job]) -> Iterator[str]:
    for job in jobs:
        yield match_channel(job.match_id)
        if job.lane:
            yield lane_channel(job.lane)
