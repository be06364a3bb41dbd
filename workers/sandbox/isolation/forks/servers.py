"""The fork servers of one worker: one for each thread and runtime, started at its first bot."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from threading import Thread, current_thread
from typing import Final
from weakref import WeakKeyDictionary

from pentathlon_engines.languages import LANGUAGES
from pentathlon_engines.match.launcher import LaunchFailed
from workers.sandbox.files.memory import MemoryFiles
from workers.sandbox.files.runtime import Runtime, library_path
from workers.sandbox.isolation.bubblewrap import BOT_AT, bot_environment
from workers.sandbox.isolation.forks.server import MOST_FORKS, ForkServer, ServerGone
from workers.sandbox.isolation.launch import LaunchRequest
from workers.sandbox.process import SandboxedBot
from workers.sandbox.profiles import Profile

_COMMAND: Final = LANGUAGES["python"].argv[:-1]
_OWN: Final = ("", ".py")
"""The ends of names by which a bot has a package of its own in the place of ours."""


class ForkServers:
    """Starts Python bots of one process as forks; bubblewrap starts all others.

    A fork that becomes another program costs as much as bubblewrap, which is one.
    """

    def __init__(self, *, bwrap: Path, memory: MemoryFiles, call_filter: bytes, uid: int) -> None:
        self.refusal = ""
        """Why this host can have no fork server; empty until that is known."""
        self._bwrap = bwrap
        self._memory = memory
        self._uid = uid
        self._filter = call_filter
        # A server dies with its thread.
        self._servers: WeakKeyDictionary[Thread, dict[Runtime, ForkServer]] = WeakKeyDictionary()

    @property
    def are_used(self) -> bool:
        """Whether bots of this thread are forks."""
        return bool(self._own)

    def can_start(self, request: LaunchRequest) -> bool:
        """Return whether a bot runs a file with the kit's Python command, and nothing else.

        One with children has a folder for shared memory, which others have not.
        """
        command, at = request.command, len(_COMMAND)
        # A Python reads variables when it starts, and files of other kinds in ways of its own.
        is_plain = tuple(command.argv[:at]) == _COMMAND and not command.env
        own = [
            request.folder / f"{name}{end}" for name in request.profile.packages for end in _OWN
        ]
        return (
            is_plain
            and command.argv[at].endswith(".py")
            and not (self.refusal or request.children or any(path.exists() for path in own))
            and request.folder.is_relative_to(self._memory.parent)
        )

    def start(self, request: LaunchRequest, runtime: Runtime) -> SandboxedBot | None:
        """Start a bot; return None if this host turns out to have no fork server.

        Raises:
            LaunchFailed: the host is to blame. The server is started again for the next bot.
        """
        try:
            return self._fork(request, runtime)
        except (LaunchFailed, OSError) as error:
            server = self._own.pop(runtime, None)
            if server is not None:
                server.retire()
            if server is not None and server.forks > 1:
                raise
            self.refusal = str(error)
            return None

    def cpu_s(self) -> float:
        """Return the CPU seconds of the servers and their bots, to a clock tick each."""
        return sum(server.cpu_s() for server in self._all())

    def close(self) -> None:
        """End all servers, each as soon as its last bot has been stopped."""
        for server in self._all():
            server.retire()
        self._servers.clear()

    def _all(self) -> Iterator[ForkServer]:
        return chain(*map(dict.values, self._servers.values()))

    @property
    def _own(self) -> dict[Runtime, ForkServer]:
        return self._servers.setdefault(current_thread(), {})

    def _fork(self, request: LaunchRequest, runtime: Runtime) -> SandboxedBot:
        place = request.folder.relative_to(self._memory.parent)
        words = request.arguments(python=runtime.python, bot=BOT_AT)[len(_COMMAND) :]
        reason = ""
        for _ in range(2):
            server = self._server(request.profile, runtime, place.parts[0])
            try:
                return server.start(request, folder=str(place), words=words)
            except ServerGone as error:
                self._own.pop(runtime).retire()
                reason = str(error)
        raise LaunchFailed(reason)

    def _server(self, profile: Profile, runtime: Runtime, top: str) -> ForkServer:
        """Return the server of a runtime that sees the folder `top`."""
        server = self._own.get(runtime)
        if server is not None and (top not in server.folders or server.forks >= MOST_FORKS):
            self._own.pop(runtime).retire()
        elif server is not None:
            return server
        # Nothing that is mounted later arrives in the server's root, so it gets both at once.
        known = {top, *(server.folders if server is not None else ())}
        folders = {name: self._memory.parent / name for name in sorted(known)}
        self._own[runtime] = ForkServer(
            bwrap=self._bwrap,
            runtime=runtime,
            folders={name: path for name, path in folders.items() if path.exists()},
            environment=bot_environment()
            | library_path(Path(runtime.python))
            | profile.variables(),
            packages=profile.packages,
            call_filter=self._filter,
            uid=self._uid,
        )
        return self._own[runtime]
