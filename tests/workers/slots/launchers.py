"""Launchers on hosts that bots cannot start on."""

from pentathlon_engines.match.launcher import (
    BotCommand,
    BotProcess,
    Launcher,
    LaunchFailed,
    SandboxLevel,
)
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.plain_launcher import PlainLauncher


class BrokenHost(Launcher):
    """A launcher on a host without memory."""

    level = SandboxLevel.PROCESS
    layers: tuple[str, ...] = ()

    def start(self, command: BotCommand, *, seat: int, limits: Limits) -> BotProcess:
        raise LaunchFailed("out of memory")


class Cleaner(Launcher):
    """A launcher on a host where somebody removes the bots' files while they are started."""

    level = SandboxLevel.PROCESS
    layers: tuple[str, ...] = ()

    def start(self, command: BotCommand, *, seat: int, limits: Limits) -> BotProcess:
        command.folder.chmod(0o700)
        (command.folder / "main.py").unlink()
        return PlainLauncher().start(command, seat=seat, limits=limits)
