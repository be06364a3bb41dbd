"""Builds a bot: runs its own command once in the sandbox, on a copy of its files."""

from __future__ import annotations

import io
import os
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from pentathlon_engines.manifest import Manifest
from pentathlon_engines.match.faults import FaultKind, manner_of_end
from pentathlon_engines.match.launcher import BotCommand, Breach, BuildProcess, Launcher
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.unstartable import WHY, why_unstartable
from workers.sandbox.profiles import BUILD_LIMITS
from workers.sandbox.resources.rlimits import MEBIBYTE

_IN = "build"
# The command runs in the scratch folder and gets no input.
_COPY = f'cp -R {{bot}} "$TMPDIR/{_IN}" && cd "$TMPDIR/{_IN}" || exit 1'
_SCRIPT = ("/bin/sh", "-c", f'{_COPY}; exec "$@" </dev/null', "sh")
_TICK_S = 0.01
_DEEPEST = 16
_MOST_READS = 16
"""The maximum number of reads from each output per tick."""
_MOST_OUTPUT_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltBot:
    """The result of a build."""

    archive: bytes
    """A zip of the sources and the files that were added, not yet checked like an upload."""
    log: str
    """The end of what the command wrote to stdout and stderr."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildFailed:
    """Why a build failed, through the bot's own fault."""

    reason: str
    log: str


def build(
    folder: Path,
    manifest: Manifest,
    *,
    launcher: Launcher,
    limits: Limits = BUILD_LIMITS,
    on_tick: Callable[[str], None] | None = None,
) -> BuiltBot | BuildFailed:
    """Run the build command of a bot and return the files in its folder.

    `on_tick` is called about 100 times a second, with the log so far; an exception from it ends
    the build.

    Raises:
        LaunchFailed: the host cannot build; the bot is not at fault.
    """
    with ExitStack() as undo:
        argv = [*_SCRIPT, *manifest.build]
        command = BotCommand(folder=folder, argv=argv, language="command")
        bot = launcher.start_build(command, tool=manifest.build[0], limits=limits)
        undo.callback(bot.stop)
        scratch = bot.keep_scratch()
        undo.callback(os.close, scratch)
        breach, log = _watch(bot, limits, on_tick)
        usage = bot.stop()
        breach = breach or bot.verdict(usage)
        if breach is not None:
            return BuildFailed(reason=f"build: {breach.detail}", log=log)
        if usage.exit_status != 0:
            reason = f"build: the command {manner_of_end(usage.exit_status)}"
            return BuildFailed(reason=reason, log=_explained(log, folder, manifest.build))
        return _pack(scratch, log)


def _explained(log: str, sources: Path, command: Sequence[str]) -> str:
    """Return the log with the reason why the build did not even start, if its file shows one."""
    why = why_unstartable(sources, command)
    return log if why is None else f"{log.rstrip()}\n{WHY}{why}\n".lstrip()


def _watch(
    bot: BuildProcess, limits: Limits, on_tick: Callable[[str], None] | None
) -> tuple[Breach | None, str]:
    """Watch a build to its end; return the limit that it broke, if any, and the end of its log."""
    log = _Log(limits.stderr_keep_bytes)
    deadline = time.monotonic() + limits.action_wall_s
    while True:
        ended = bot.wait(_TICK_S)
        log.read(bot)
        breach = bot.breach()
        if breach is None and time.monotonic() > deadline:
            detail = f"took longer than {limits.action_wall_s:g} s"
            breach = Breach(kind=FaultKind.WALL_TIME, detail=detail)
        if ended or breach is not None:
            return breach, str(log)
        if on_tick is not None:
            on_tick(str(log))


class _Log:
    """The end of the output of two pipes."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._text = b""

    def read(self, bot: BuildProcess) -> None:
        """Read what has arrived; never wait for more, and stop even if the output never ends."""
        for pipe in (bot.stdout, bot.stderr):
            for _ in range(_MOST_READS):
                if not (part := _read_some(pipe)):
                    break
                self._text = (self._text + part)[-self._most_bytes :]

    def __str__(self) -> str:
        return self._text.decode(errors="replace")


def _read_some(pipe: int) -> bytes:
    try:
        return os.read(pipe, 65536)
    except BlockingIOError:
        return b""


def _pack(scratch: int, log: str) -> BuiltBot | BuildFailed:
    """Pack the folder of a build whose processes have all ended."""
    packed, bytes_left = io.BytesIO(), _MOST_OUTPUT_BYTES
    try:
        with ZipFile(packed, "w", ZIP_STORED) as archive:
            for name, file in _files(scratch, _IN):
                if not _is_utf8(name):
                    return BuildFailed(reason=f"build: the name {name!r} is not UTF-8", log=log)
                if file is None:
                    archive.writestr(_entry(name, stat.S_IFDIR | 0o755), b"")
                    continue
                with os.fdopen(file, "rb") as opened:
                    data = opened.read(bytes_left + 1)
                    mode = os.fstat(file).st_mode
                bytes_left -= len(data)
                if bytes_left < 0:
                    mebibytes = _MOST_OUTPUT_BYTES // MEBIBYTE
                    return BuildFailed(reason=f"build: it left more than {mebibytes} MiB", log=log)
                archive.writestr(_entry(name, stat.S_IFREG | 0o644 | mode & 0o100), data)
    except OSError as error:
        return BuildFailed(reason=f"build: its files cannot be read: {error.strerror}", log=log)
    return BuiltBot(archive=packed.getvalue(), log=log)


def _is_utf8(name: str) -> bool:
    """Return whether a name decodes without surrogates."""
    return not any("\ud800" <= sign <= "\udfff" for sign in name)


def _entry(name: str, mode: int) -> ZipInfo:
    info = ZipInfo(name)
    info.create_system = 3  # Unix
    info.external_attr = mode << 16
    return info


def _files(parent: int, folder: str, prefix: str = "") -> Iterator[tuple[str, int | None]]:
    """Yield name and descriptor of each file, None with an empty folder; skip what is neither."""
    inner = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=parent)
    try:
        with os.scandir(inner) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
        if prefix and not found:
            yield prefix, None
        for entry in found:
            if entry.is_file(follow_symlinks=False):
                flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
                yield prefix + entry.name, os.open(entry.name, flags, dir_fd=inner)
            elif entry.is_dir(follow_symlinks=False) and prefix.count("/") < _DEEPEST:
                yield from _files(inner, entry.name, f"{prefix}{entry.name}/")
    finally:
        os.close(inner)
