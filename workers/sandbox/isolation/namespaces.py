"""The first sandbox level: bubblewrap with every namespace, a filter and limits."""

from __future__ import annotations

import json
import os
import subprocess
from contextlib import ExitStack
from functools import lru_cache
from pathlib import Path
from typing import IO

from pentathlon_engines.match.launcher import LaunchFailed
from workers.sandbox.files.memory import MemoryFiles
from workers.sandbox.files.runtime import Runtime, library_path
from workers.sandbox.files.staging import Staging
from workers.sandbox.isolation.bubblewrap import BOT_AT, bot_environment, command_line, find_bwrap
from workers.sandbox.isolation.forks.servers import ForkServers
from workers.sandbox.isolation.launch import (
    LaunchRequest,
    end_failed,
    mark_for_oom_killer,
    pipe,
    read_until,
    spawn,
)
from workers.sandbox.isolation.orphans import kill_orphans
from workers.sandbox.process import SandboxedBot
from workers.sandbox.profiles import BUILD
from workers.sandbox.resources.rlimits import MEBIBYTE, set_rlimits
from workers.sandbox.resources.scratch import MountedScratch
from workers.sandbox.starters import SpawnedStarter
from workers.sandbox.system_calls.filters import filter_path
from workers.sandbox.system_calls.policy import Variant


class NamespacesLevel:
    """Starts bots with bubblewrap."""

    def __init__(
        self,
        staging: Staging,
        *,
        uid: int,
        memory: MemoryFiles | None,
        forks: bool = True,
    ) -> None:
        kill_orphans()
        self._memory = memory
        self._filters = {variant: filter_path(variant) for variant in Variant}
        self._bwrap = find_bwrap(staging, uid=uid)
        self.forks: ForkServers | None = None
        """The servers of which bots are forks, where there may be some."""
        if forks and memory is not None:
            self.forks = ForkServers(
                bwrap=self._bwrap,
                memory=memory,
                call_filter=self._filters[Variant.NAMESPACES].read_bytes(),
                uid=uid,
            )

    def start(self, request: LaunchRequest) -> SandboxedBot:
        """Start a bot; none of its code runs before the worker holds its process and scratch."""
        files = self._files(request)
        # Bots mount their scratch folder over /tmp, which would hide a Python there.
        if self.forks and not _is_below_tmp(files) and self.forks.can_start(request):
            forked = self.forks.start(request, files)
            if forked is not None:
                return forked
        with ExitStack() as pipes:
            info, info_end = pipe(pipes)
            seccomp = self._filters[_variant(request)]
            passed = (info_end, pipes.enter_context(seccomp.open("rb")))
            words = self._arguments(request, files, passed)
            child = spawn(words, uid=request.uid, undo=request.undo, passed=passed, environment={})
            bot = self._take_hold(request, child, read_until(info, b"}"))
            set_rlimits(bot.pid, request.rlimits(), uid=request.uid)
            os.write(bot.stdin, b"\n")
            return bot

    def close(self) -> None:
        """End what serves several bots, as soon as they have been stopped."""
        if self.forks is not None:
            self.forks.close()

    def _take_hold(
        self, request: LaunchRequest, child: subprocess.Popen[bytes], answer: bytes
    ) -> SandboxedBot:
        """Return the bot, mounted and waiting; blame the host for any failure before that."""
        try:
            pid = int(json.loads(answer)["child-pid"])
            # bubblewrap mounts meanwhile, which takes just as long.
            request.admit(pid)
            scratch = MountedScratch(pid, size_bytes=_scratch_bytes(request))
        except (OSError, ValueError) as error:
            raise LaunchFailed(end_failed(child)) from error
        request.undo.callback(scratch.close)
        mark_for_oom_killer(pid)
        return SandboxedBot(
            starter=SpawnedStarter(child, pid=pid),
            process_tree=request.process_tree(pid),
            scratch=scratch,
            limits=request.limits,
            group=request.group,
            seat=request.seat,
        )

    def _arguments(
        self, request: LaunchRequest, files: Runtime, passed: tuple[IO[bytes], IO[bytes]]
    ) -> list[str]:
        return command_line(
            request.arguments(python=files.python, bot=BOT_AT),
            bwrap=self._bwrap,
            runtime=files,
            folder=request.folder,
            environment=bot_environment()
            | library_path(Path(files.python))
            | request.profile.variables()
            | request.command.env,
            links=request.profile.links(),
            children=request.children,
            scratch_bytes=_scratch_bytes(request),
            passed=passed,
        )

    def _files(self, request: LaunchRequest) -> Runtime:
        """Return the files that this bot sees; a build, which meets nobody, sees the host's."""
        if self._memory is None or request.profile.name == BUILD.name:
            return request.runtime.with_paths(request.profile.extra_paths())
        return self._memory.copy_of(request.runtime, request.profile)


@lru_cache
def _is_below_tmp(runtime: Runtime) -> bool:
    return any(Path(bind.target).is_relative_to("/tmp") for bind in runtime.binds)  # noqa: S108  # the bot's own


def _variant(request: LaunchRequest) -> Variant:
    if request.profile.name == BUILD.name:
        return Variant.BUILD
    return Variant.PROCESSES if request.children else Variant.NAMESPACES


def _scratch_bytes(request: LaunchRequest) -> int:
    return request.limits.scratch_mb * MEBIBYTE
