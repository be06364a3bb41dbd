"""Moves the bots of friendlies, one stretch at a time. Knows no queue."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from typing import Final, Protocol
from uuid import UUID

import msgspec
import structlog

from pentathlon.fleet.announcements import Announcement
from pentathlon.friendlies.jobs import LEASE_S, FriendlyStretch, StretchResult
from pentathlon_engines.manifest import bot_command
from pentathlon_engines.match.friendly import play_bots
from pentathlon_engines.match.launcher import BotCommand, Launcher
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.referee import Referee
from pentathlon_engines.runner import MatchAbandoned
from workers.drain import Drain, Drained
from workers.slots.bot_files import BotFiles

RENEW_S: Final = LEASE_S / 3

_log = structlog.stdlib.get_logger(__name__)


class Friendlies(Protocol):
    """The friendlies of the platform, as a worker sees them."""

    def claim(
        self, friendly_ids: Sequence[int], *, slot: str, announcement: Announcement
    ) -> list[FriendlyStretch]:
        """Claim those of these friendlies in which a bot is to move that this worker can play."""

    def publish_again(self, friendly_ids: Collection[int]) -> None:
        """Leave these friendlies to other workers."""

    def renew(self, friendly_id: int, token: UUID, *, ply: int) -> bool:
        """Renew the lease of a friendly; return whether it is still this worker's."""

    def finish(self, friendly_id: int, token: UUID, *, result: StretchResult) -> bool:
        """Hand in the bots' actions; return False if this worker had lost the friendly."""

    def fail(self, friendly_id: int, token: UUID, *, reason: str, counts: bool) -> bool:
        """Give a friendly back; `counts` says whether this host failed."""


def play_stretch(
    stretch: FriendlyStretch,
    *,
    friendlies: Friendlies,
    launcher: Launcher,
    files: BotFiles,
    drain: Drain | None = None,
) -> bool:
    """Move the bots until the person is to move; return whether this host was able to.

    A stretch that this host cannot play is given back. Any other exception counts as a failure of
    the host, never as a bot's loss.
    """
    log = _log.bind(friendly=stretch.friendly_id)
    held = stretch.friendly_id, stretch.token
    keeper = _Keeper(stretch, friendlies, drain or Drain(grace_s=0))
    try:
        referee = _play(stretch, launcher=launcher, files=files, keeper=keeper)
        result = StretchResult(
            events=tuple(referee.events),
            faults=tuple(fault.to_json() for fault in referee.faults),
            sandbox=launcher.level.value,
            layers=tuple(launcher.layers),
        )
        if not friendlies.finish(*held, result=result):
            log.info("stretch not wanted")
    except Drained as error:
        friendlies.fail(*held, reason=str(error), counts=False)
    except MatchAbandoned:
        log.info("stretch not wanted")
    except Exception as error:
        log.exception("stretch failed")
        friendlies.fail(*held, reason=type(error).__name__, counts=True)
        return False
    finally:
        files.make_room()
    return True


class _Keeper:
    """Renews the lease while the bots think, and stops them when the lease is lost."""

    def __init__(self, stretch: FriendlyStretch, friendlies: Friendlies, drain: Drain) -> None:
        self._stretch = stretch
        self._friendlies = friendlies
        self._drain = drain
        self._due = time.monotonic() + RENEW_S

    def tick(self, ply: int) -> None:
        self._drain.check()
        if time.monotonic() < self._due:
            return
        self._due = time.monotonic() + RENEW_S
        if not self._friendlies.renew(self._stretch.friendly_id, self._stretch.token, ply=ply):
            raise MatchAbandoned("another worker has it")


def _play(
    stretch: FriendlyStretch, *, launcher: Launcher, files: BotFiles, keeper: _Keeper
) -> Referee:
    commands: dict[int, BotCommand] = {
        bot.seat: bot_command(files.folder(bot.files_hash), bot.manifest) for bot in stretch.bots
    }
    referee = play_bots(
        stretch.course,
        commands=commands,
        limits=Limits(),
        launcher=launcher,
        codec=msgspec.json.encode,
        match=stretch.told_name,
        on_tick=keeper.tick,
    )
    if len(referee.faults) > len(stretch.course.faults):
        folders = [command.folder for command in commands.values()]
        files.check(folders, launcher)
    return referee
