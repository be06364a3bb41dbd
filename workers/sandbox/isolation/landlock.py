"""The second sandbox level: Landlock, the filter and limits, for hosts that refuse namespaces."""

from __future__ import annotations

import ctypes
import os
import shutil
import sys
from contextlib import ExitStack
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


class LandlockLevel:
    """Starts bots through a program that confines itself, then becomes the bot."""

    def __init__(self, staging: Staging) -> None:
        abi = landlock_abi()
        if abi < OLDEST_ABI:
            raise LayerMissing(
                "filesystem",
                reason=f"Landlock version {max(abi, 0)} is here, {OLDEST_ABI} is needed",
                remedy="Use Linux 6.12 or newer, or a host that allows user namespaces.",
            )
        self._staging = staging
        self._filter = filter_path(Variant.LANDLOCK).read_bytes()

    forks = None
    """Nothing is shared by several bots here."""

    def close(self) -> None:
        """Do nothing, as each bot stands alone."""

    def start(self, request: LaunchRequest) -> SandboxedBot:
        """Start a bot and wait until it is confined."""
        folder = self._staging.new_folder(request.undo)
        scratch, importable = _scratch(folder, request.uid), _links(folder, request.runtime)
        python = str(request.runtime.on_host(request.runtime.python))
        wanted = {
            "parent": os.getpid(),
            "rlimits": _rlimits(request),
            "landlock": _rules(request, scratch, importable),
            "filter": self._filter,
            "own": {"pid": OWN_PID, "clock": OWN_CLOCK},
        }
        program = request.arguments(python=python, bot=str(request.folder))
        most_bytes = request.limits.scratch_mb * MEBIBYTE
        meter = FolderScratch(
            scratch, most_files=request.limits.scratch_files, most_bytes=most_bytes
        )
        if meter.lacks(most_bytes):
            raise HostDiskFull(promised_mb=request.limits.scratch_mb)
        with ExitStack() as pipes:
            status, status_end = pipe(pipes)
            child = spawn(
                confined_command(python, {**wanted, "status": status_end.fileno()}, program),
                uid=request.uid,
                undo=request.undo,
                passed=(status_end,),
                folder=str(request.folder),
                environment=bot_environment(str(importable), str(scratch))
                | library_path(Path(python))
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


def _scratch(parent: Path, uid: int) -> Path:
    folder = parent / "scratch"
    folder.mkdir(mode=0o700)
    if uid != os.geteuid():
        shutil.chown(folder, uid, uid)
    return folder


def _links(parent: Path, runtime: Runtime) -> Path:
    """Return a folder of links to all that a bot can import, for its PYTHONPATH."""
    folder = parent / "importable"
    folder.mkdir(mode=0o755)
    for path in (*runtime.engines, *runtime.packages):
        (folder / path.name).symlink_to(path)
    return folder


def _rlimits(request: LaunchRequest) -> dict[str, tuple[int, int]]:
    """Return the limits; under our own uid none on tasks, as our tasks would count, too."""
    wanted = dict(request.rlimits())
    if request.uid == os.geteuid():
        del wanted["nproc"]
    return wanted


def _rules(
    request: LaunchRequest, scratch: Path, importable: Path
) -> dict[str, Any]:  # Any: a table of facts
    shown = (bind.source for bind in request.runtime.binds)
    readable = [request.folder, importable, *shown, *request.profile.extra_paths()]
    paths = {str(path): _READ if path.is_dir() else _READ & _FILE_ACCESS for path in readable}
    paths |= {f"/dev/{name}": _WRITE_FILE | _READ_FILE for name in _DEVICES}
    paths[str(scratch)] = _SCRATCH
    return {
        "files": _ALL_FILES,
        "network": _ALL_NETWORK,
        "scoped": _ALL_SCOPES,
        "paths": paths,
    }
