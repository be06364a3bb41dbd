"""The second sandbox level: Landlock, the filter and limits, for hosts that refuse namespaces."""

from __future__ import annotations

import ctypes
import os
import shutil
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pentathlon_engines.match.launcher import LaunchFailed
from workers.sandbox.errors import HostDiskFull, LayerMissing
from workers.sandbox.files.runtime import Runtime, library_path
from workers.sandbox.files.staging import Staging
from workers.sandbox.isolation.bubblewrap import bot_environment
from workers.sandbox.isolation.confine import CONFINED
from workers.sandbox.isolation.launch import (
    LaunchRequest,
    confined_command,
    end_failed,
    mark_for_oom_killer,
    pipe,
    read_until,
    spawn,
)
from workers.sandbox.process import SandboxedBot
from workers.sandbox.resources.rlimits import MEBIBYTE
from workers.sandbox.resources.scratch import FolderScratch
from workers.sandbox.starters import SpawnedStarter
from workers.sandbox.system_calls.filters import filter_path
from workers.sandbox.system_calls.policy import OWN_CLOCK, OWN_PID, Variant

OLDEST_ABI = 6
"""The first version that keeps a bot from signalling other processes of its user."""

_CREATE_RULESET, _VERSION_FLAG = 444, 1
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_FOLDER = 1, 2, 4, 8
_ALL_FILES = (1 << 16) - 1
_ALL_NETWORK, _ALL_SCOPES = 3, 3
_DEVICE_CALLS, _SPECIAL_FILES = 1 << 15, 1 << 6 | 1 << 11
_READ = _EXECUTE | _READ_FILE | _READ_FOLDER
_SCRATCH = _ALL_FILES & ~(_EXECUTE | _DEVICE_CALLS | _SPECIAL_FILES)
_FILE_ACCESS = _EXECUTE | _WRITE_FILE | _READ_FILE
_DEVICES = ("null", "full", "random", "urandom")


def landlock_abi() -> int:
    """Return the version of Landlock here; 0 or less where there is none."""
    if sys.platform != "linux":
        return 0
    return int(ctypes.CDLL(None).syscall(_CREATE_RULESET, None, 0, _VERSION_FLAG))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Files:
    """The files of the host that a bot may read."""

    engines: Path
    """A folder of links to the engines, for the bot's PYTHONPATH."""
    others: tuple[Path, ...]

    @classmethod
    def of(cls, runtime: Runtime, staging: Staging) -> _Files:
        engines = staging.new_folder()
        engines.chmod(0o755)
        for path in runtime.engines:
            (engines / path.name).symlink_to(path)
        return cls(engines=engines, others=tuple(bind.source for bind in runtime.binds))


class LandlockLevel:
    """Starts bots through a program that confines itself, then becomes the bot."""

    def __init__(self, runtime: Runtime, staging: Staging, *, uid: int) -> None:
        abi = landlock_abi()
        if abi < OLDEST_ABI:
            raise LayerMissing(
                "filesystem",
                reason=f"Landlock version {max(abi, 0)} is here, {OLDEST_ABI} is needed",
                remedy="Use Linux 6.12 or newer, or a host that allows user namespaces.",
            )
        self._python = runtime.on_host(runtime.python)
        self._staging = staging
        self._files = _Files.of(runtime, staging)
        compiled = runtime.with_compiled()
        self._with_compiled = self._files if compiled is runtime else _Files.of(compiled, staging)
        self._filter = filter_path(Variant.LANDLOCK).read_bytes()

    forks = None
    """Nothing is shared by several bots here."""

    def close(self) -> None:
        """Do nothing, as each bot stands alone."""

    @property
    def shows_compiled(self) -> bool:
        """Whether a bot can be shown compiled engines here."""
        return self._with_compiled is not self._files

    def start(self, request: LaunchRequest) -> SandboxedBot:
        """Start a bot and wait until it is confined."""
        scratch = self._scratch(request)
        most_bytes = request.limits.scratch_mb * MEBIBYTE
        meter = FolderScratch(
            scratch, most_files=request.limits.scratch_files, most_bytes=most_bytes
        )
        if meter.lacks(most_bytes):
            raise HostDiskFull(promised_mb=request.limits.scratch_mb)
        with ExitStack() as pipes:
            status, status_end = pipe(pipes)
            child = spawn(
                self._arguments(request, scratch, status_end.fileno()),
                uid=request.uid,
                undo=request.undo,
                passed=(status_end,),
                folder=str(request.folder),
                environment=self._environment(request, scratch)
                | request.profile.variables()
                | request.command.env,
            )
            request.admit(child.pid)
            mark_for_oom_killer(child.pid)
            answer = read_until(status, b"")
            if answer != CONFINED:
                raise LaunchFailed(answer.decode(errors="replace") or end_failed(child))
        meter.watch(child.pid)
        return SandboxedBot(
            starter=SpawnedStarter(child, pid=child.pid),
            process_tree=request.process_tree(child.pid),
            scratch=meter,
            limits=request.limits,
            group=request.group,
            seat=request.seat,
        )

    def _environment(self, request: LaunchRequest, scratch: Path) -> dict[str, str]:
        engines = str(self._files_for(request).engines)
        return bot_environment(engines, str(scratch)) | library_path(self._python)

    def _files_for(self, request: LaunchRequest) -> _Files:
        return self._with_compiled if request.command.compiled else self._files

    def _scratch(self, request: LaunchRequest) -> Path:
        folder = self._staging.new_folder(request.undo) / "scratch"
        folder.mkdir(mode=0o700)
        if request.uid != os.geteuid():
            shutil.chown(folder, request.uid, request.uid)
        return folder

    def _arguments(self, request: LaunchRequest, scratch: Path, status: int) -> list[str]:
        wanted = {
            "parent": os.getpid(),
            "status": status,
            "rlimits": self._rlimits(request),
            "landlock": self._rules(request, scratch),
            "filter": self._filter,
            "own": {"pid": OWN_PID, "clock": OWN_CLOCK},
        }
        program = request.arguments(python=str(self._python), bot=str(request.folder))
        return confined_command(str(self._python), wanted, program)

    def _rlimits(self, request: LaunchRequest) -> dict[str, tuple[int, int]]:
        """Return the limits; under our own uid none on tasks, as our tasks would count, too."""
        wanted = dict(request.rlimits())
        if request.uid == os.geteuid():
            del wanted["nproc"]
        return wanted

    def _rules(
        self, request: LaunchRequest, scratch: Path
    ) -> dict[str, Any]:  # Any: a table of facts
        files = self._files_for(request)
        readable = [request.folder, files.engines, *files.others, *request.profile.extra_paths()]
        paths = {str(path): _READ if path.is_dir() else _READ & _FILE_ACCESS for path in readable}
        paths |= {f"/dev/{name}": _WRITE_FILE | _READ_FILE for name in _DEVICES}
        paths[str(scratch)] = _SCRATCH
        return {
            "files": _ALL_FILES,
            "network": _ALL_NETWORK,
            "scoped": _ALL_SCOPES,
            "paths": paths,
        }
