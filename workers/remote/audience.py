"""Spectators, served by the site; the worker reports what has happened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pentathlon.matches.jobs import Job
from workers.remote.adapter import RemotePlatform
from workers.slots.broadcast import Shot

ANSWER_S: Final = 2.0
"""How long to wait: a site that takes longer has more important work."""


class RemoteAudience:
    """Reports to the site, which draws what spectators may see."""

    def __init__(self, platform: RemotePlatform) -> None:
        self._platform = platform

    def show(self, shot: Shot) -> float:
        """Show where a match stands; return how many seconds later the next shot is wanted."""
        told = {
            "match_id": shot.job.match_id,
            "token": str(shot.job.token),
            "events": [event.to_row() for event in shot.events],
        }
        answer = self._platform.post("frames", told, answer_s=ANSWER_S)
        return float(answer["wanted_after_s"])

    def note_changes(self, ended: Sequence[Job], moved: Sequence[int]) -> None:
        """Do nothing, as the site knows the results that it was handed."""
