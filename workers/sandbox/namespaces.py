"""The first sandbox level: bubblewrap with every namespace, a filter and limits."""

from __future__ import annotations

import json
import os
import subprocess
from contextlib import ExitStack
from pathlib import Path
from typing import IO

from pentathlon_engines.match.launcher import LaunchFailed
from workers.sandbox.bubblewrap import BOT_AT, bot_environment, command_line, find_bwrap
from workers.sandbox.burden import MountedScratch
from workers.sandbox.filters import filter_path
from workers.sandbox.leftovers import end_leftovers
from workers.sandbox.policy import Variant
from workers.sandbox.process import SandboxedBot
from workers.sandbox.profiles import BUILD
from workers.sandbox.rlimits import MEBIBYTE, Rlimits, prlimit_prefix
from workers.sandbox.runtime import Runtime, library_path
from workers.sandbox.spawning import (
    Order,
    complaint,
    confined,
    pipe,
    prefer_to_kill,
    read_until,
    spawn,
)
from workers.sandbox.staging import Staging


class NamespacesLevel:
    """Starts bots with bubblewrap."""

    def __init__(self, runtime: Runtime, staging: Staging, *, uid: int) -> None:
        end_leftovers()
        self._runtime = runtime
        self._filters = {variant: filter_path(variant) for variant in Variant}
        self._bwrap = find_bwrap(staging, uid=uid)

    def start(self, order: Order) -> SandboxedBot:
        """Start a bot: it runs nothing of its own before the worker has taken hold of it."""
        with ExitStack() as pipes:
            info, info_end = pipe(pipes)
            seccomp = self._filters[_variant(order)]
            passed = (info_end, pipes.enter_context(seccomp.open("rb")))
            words = [*_cpu_limit(order), *self._arguments(order, passed)]
            child = spawn(words, order, passed=passed, environment={})
            bot = self._take_hold(order, child, read_until(info, b"}"))
            os.write(bot.stdin, b"\n")
            return bot

    def _take_hold(
        self, order: Order, child: subprocess.Popen[bytes], answer: bytes
    ) -> SandboxedBot:
        """Return the bot, mounted and waiting; what goes wrong before is the host's fault."""
        try:
            pid = int(json.loads(answer)["child-pid"])
            # Takes as long as the mounting that goes on meanwhile.
            order.admit(pid)
            scratch = MountedScratch(pid, size_bytes=_scratch_bytes(order))
        except (OSError, ValueError) as error:
            raise LaunchFailed(complaint(child)) from error
        order.undo.callback(scratch.close)
        prefer_to_kill(pid)
        return SandboxedBot(
            child=child,
            body=order.body(pid, scratch),
            limits=order.limits,
            group=order.group,
            seat=order.seat,
        )

    def _arguments(self, order: Order, passed: tuple[IO[bytes], IO[bytes]]) -> list[str]:
        return command_line(
            self._program(order),
            bwrap=self._bwrap,
            runtime=self._runtime,
            folder=order.folder,
            environment=bot_environment()
            | library_path(Path(self._runtime.python))
            | order.profile.surroundings()
            | order.command.env,
            readable=order.profile.extra_paths(),
            children=order.children,
            scratch_bytes=_scratch_bytes(order),
            passed=passed,
        )

    def _program(self, order: Order) -> list[str]:
        program = order.arguments(python=self._runtime.python, bot=BOT_AT)
        wanted = _inner_limits(order)
        prefix = prlimit_prefix(wanted)
        if prefix is None:
            return confined(self._runtime.python, {"rlimits": dict(wanted)}, program)
        return [*prefix, *program]


def _variant(order: Order) -> Variant:
    if order.profile is BUILD:
        return Variant.BUILD
    return Variant.PROCESSES if order.children else Variant.NAMESPACES


def _cpu_limit(order: Order) -> list[str]:
    """Return what sets the limit that a bot may not touch; without it, the watchdog has to do."""
    return prlimit_prefix({"cpu": order.rlimits()["cpu"]}) or []


def _inner_limits(order: Order) -> Rlimits:
    """Return the limits that are set behind the filter, which refuses that of CPU time."""
    return {name: limit for name, limit in order.rlimits().items() if name != "cpu"}


def _scratch_bytes(order: Order) -> int:
    return order.limits.scratch_mb * MEBIBYTE
