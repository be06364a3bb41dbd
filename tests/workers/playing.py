"""Plays matches as a worker of this machine does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import pytest

from pentathlon.bots.archives import read_archive
from pentathlon.bots.models import BotVersion
from pentathlon.bots.services import store_version
from tests.factories import make_user, next_number, zip_files
from workers.direct import DirectPlatform
from workers.port import Platform, Play
from workers.slots import play
from workers.slots.bot_files import BotFiles
from workers.slots.lease import LeaseKeeper

DIRECT = DirectPlatform()

NEVER_S: Final = 3600.0

_SLEEPER = """
import time
from pentathlon_engines.bot import Turn, play


def choose(turn: Turn) -> str:
    time.sleep({seconds})
    return turn.rng.choice(turn.legal)


play(choose)
"""


def play_jobs(
    jobs: Sequence[Play],
    *,
    platform: Platform = DIRECT,
    **rest: Any,  # Any: what `play.play_jobs` takes
) -> int:
    """Play claimed matches, with the database as the platform unless there is another.

    Leases are not renewed: the thread that does it sees no match of a test's own transaction, so
    it would give up whatever takes longer than 10 seconds, such as a build on a busy machine.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LeaseKeeper.__init__, "__kwdefaults__", {"every_s": NEVER_S})
        return play.play_jobs(jobs, platform=platform, **rest)


def bot_files(*, most: int = 64) -> BotFiles:
    """Return the bot files of a slot of this machine."""
    return BotFiles(DIRECT.archive, most=most)


def make_sleeper(seconds: float) -> BotVersion:
    """Store a bot that sleeps over every action and then plays at random."""
    name = f"sleeper-{next_number()}"
    manifest = f'name = "{name}"\ngames = ["tuned"]\nlanguage = "python"\n'
    files = {"bot.toml": manifest, "main.py": _SLEEPER.format(seconds=seconds)}
    return store_version(actor=make_user(), archive=read_archive(zip_files(files)))
