"""Plays matches as a worker of this machine does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pentathlon.matches.jobs import Job
from workers import play
from workers.bot_files import BotFiles
from workers.direct import DirectPlatform

DIRECT = DirectPlatform()


def play_jobs(jobs: Sequence[Job], **rest: Any) -> int:  # Any: what `play.play_jobs` takes
    """Play claimed matches, with the database as the platform."""
    return play.play_jobs(jobs, platform=DIRECT, **rest)


def bot_files(*, most: int = 64) -> BotFiles:
    """Return the bot files of a slot of this machine."""
    return BotFiles(DIRECT.archive, most=most)
