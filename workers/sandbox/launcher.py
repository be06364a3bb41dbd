"""Starts bots in the sandbox: one launcher for each worker, one process for each bot."""

from __future__ import annotations

from contextlib import ExitStack
from subprocess import SubprocessError

from pentathlon_engines.launcher import BotCommand, LaunchFailed, SandboxLevel
from pentathlon_engines.limits import Limits
from workers.sandbox.errors import LayerMissing
from workers.sandbox.identity import Identities
from workers.sandbox.landlock import LandlockLevel
from workers.sandbox.namespaces import NamespacesLevel
from workers.sandbox.process import SandboxedBot
from workers.sandbox.runtime import find_runtime
from workers.sandbox.spawning import Order
from workers.sandbox.staging import Staging, copy_tree, is_readable_by

_LEVELS: dict[SandboxLevel, type[NamespacesLevel | LandlockLevel]] = {
    SandboxLevel.NAMESPACES: NamespacesLevel,
    SandboxLevel.LANDLOCK: LandlockLevel,
}


class SandboxLauncher:
    """Starts bots at one sandbox level; making it raises `LayerMissing` where that cannot work.

    A bot dies with the thread that started it, so start it from the thread that plays its match.
    It inherits the worker's processor affinity and cannot change it.
    """

    def __init__(
        self, level: SandboxLevel = SandboxLevel.NAMESPACES, *, system_python: bool = True
    ) -> None:
        self.level = level
        with ExitStack() as undo:
            self._identities = Identities()
            undo.callback(self._identities.close)
            self.staging = Staging()
            undo.callback(self.staging.close)
            uid = self._identities.first
            runtime = find_runtime(self.staging, uid=uid, system_python=system_python)
            self._level = _LEVELS[level](runtime, self.staging, uid=uid)
            self._undo = undo.pop_all()

    def start(self, command: BotCommand, *, seat: int, limits: Limits) -> SandboxedBot:
        """Start a bot; raise `LaunchFailed` when the host is to blame."""
        with ExitStack() as undo:
            try:
                bot = self._level.start(self._order(command, limits, undo))
            except (OSError, ValueError, SubprocessError, LayerMissing) as error:
                message = f"the bot of seat {seat} could not be started: {error}"
                raise LaunchFailed(message) from error
            bot.when_stopped(undo.pop_all())
            return bot

    def close(self) -> None:
        """Give back the uids and remove the staged files; bots must have been stopped."""
        self._undo.close()

    def _order(self, command: BotCommand, limits: Limits, undo: ExitStack) -> Order:
        uid = self._identities.take()
        undo.callback(self._identities.give_back, uid)
        folder = command.folder.resolve(strict=True)
        if not is_readable_by(folder, uid):
            copy = self.staging.new_folder(undo) / "bot"
            copy_tree(folder, copy)
            folder = copy
        return Order(command=command, folder=folder, uid=uid, limits=limits, undo=undo)
