"""The request to start a bot, and the steps that both sandbox levels share in doing it."""

from __future__ import annotations

import marshal
import os
import select
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from pentathlon_engines.languages import heap_mb
from pentathlon_engines.match.launcher import BotCommand
from pentathlon_engines.match.limits import Limits
from workers.sandbox.files.runtime import Runtime
from workers.sandbox.profiles import Profile
from workers.sandbox.resources.cgroups import Group
from workers.sandbox.resources.process_tree import (
    CgroupTree,
    PolledTree,
    ProcessTree,
    SingleProcess,
)
from workers.sandbox.resources.rlimits import Rlimits, rlimits, with_one_more_task
from workers.sandbox.uids import identity

START_TIMEOUT_S = 10.0
MARSHAL_FORMAT = 4
"""A marshal version that every Python a bot may have can read."""
CONFINE = Path(__file__).with_name("confine.py").read_text()


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchRequest:
    """One bot to start; `undo` collects the clean-up for its end."""

    command: BotCommand
    folder: Path
    """The bot's folder, accessible to its uid."""
    uid: int
    profile: Profile
    runtime: Runtime
    """The files of the host that the bot sees."""
    limits: Limits
    """The limits of the match plus the profile's additions."""
    children: bool
    """Whether the bot may start processes."""
    group: Group | None
    """The bot's control group, if any; with `children`, only a build may lack one."""
    undo: ExitStack
    seat: int = 0

    def arguments(self, *, python: str, bot: str) -> list[str]:
        """Return the bot's argument list as the bot sees it."""
        heap = str(heap_mb(self.limits.memory_mb))
        return [
            argument.replace("{python}", python).replace("{bot}", bot).replace("{heap_mb}", heap)
            for argument in self.command.argv
        ]

    def rlimits(self) -> Rlimits:
        """Return the kernel's limits for each process of the bot."""
        wanted = rlimits(self.limits, reserved_mb=self.profile.reserved_mb)
        return wanted if self.group is None else with_one_more_task(wanted)

    def admit(self, pid: int) -> None:
        """Put the bot's process into its control group, if it has one."""
        if self.group is not None:
            self.group.admit(pid)

    def process_tree(self, pid: int) -> ProcessTree:
        """Return the tree through which this bot is measured, paused and killed."""
        if not self.children:
            return SingleProcess(pid)
        if self.group is None:
            return PolledTree(pid)
        return CgroupTree(pid, self.group)


def confined_command(
    python: str,
    wanted: dict[str, Any],  # Any: a table of facts
    program: Sequence[str],
) -> list[str]:
    """Return a command that confines itself as `wanted` says, then becomes the program."""
    encoded = marshal.dumps(wanted, MARSHAL_FORMAT).hex()
    return [python, "-I", "-S", "-c", CONFINE, encoded, *program]


def pipe(undo: ExitStack) -> tuple[IO[bytes], IO[bytes]]:
    """Make a pipe that `undo` closes; return its reading and its writing end."""
    reading, writing = os.pipe()
    return (
        undo.enter_context(os.fdopen(reading, "rb", buffering=0)),
        undo.enter_context(os.fdopen(writing, "wb", buffering=0)),
    )


def spawn(
    arguments: Sequence[str],
    *,
    uid: int,
    undo: ExitStack,
    passed: Sequence[IO[bytes] | socket.socket],
    shared: Sequence[int] = (),
    folder: str = "/",
    environment: Mapping[str, str],
) -> subprocess.Popen[bytes]:
    """Start a child as a bot's user and pass it the files in `passed`, which are closed here.

    It gets the descriptors in `shared` as well.
    `undo` kills and reaps the child if that has not happened by then.
    """
    with identity(uid):
        child = subprocess.Popen(
            arguments,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=folder,
            env=dict(environment),
            umask=0o077,
            start_new_session=True,
            pass_fds=[*(file.fileno() for file in passed), *shared],
        )
    undo.callback(_abandon, child)
    for file in passed:
        file.close()
    return child


def read_until(file: IO[bytes], end: bytes) -> bytes:
    """Read until `end` or the end of the file; raise `TimeoutError` if neither comes."""
    deadline = time.monotonic() + START_TIMEOUT_S
    text = b""
    while not (end and end in text):
        left = max(0.0, deadline - time.monotonic())
        if not select.select([file], [], [], left)[0]:
            raise TimeoutError(f"no answer from the sandbox within {START_TIMEOUT_S:g} s")
        part = os.read(file.fileno(), 4096)
        if not part:
            break
        text += part
    return text


def end_failed(child: subprocess.Popen[bytes]) -> str:
    """Kill a child that failed to start a bot; return its error output, else its status."""
    child.kill()
    child.wait(START_TIMEOUT_S)
    return output_so_far(child) or f"it ended with status {child.returncode}"


def output_so_far(child: subprocess.Popen[bytes]) -> str:
    """Return the error output of a child, without waiting: another process may hold the pipe."""
    if child.stderr is None or not select.select([child.stderr], [], [], 0)[0]:
        return ""
    return os.read(child.stderr.fileno(), 4096).decode(errors="replace").strip()


def mark_for_oom_killer(pid: int) -> None:
    """Make the kernel kill this process first when the host runs out of memory."""
    with suppress(OSError):
        Path(f"/proc/{pid}/oom_score_adj").write_text("1000")


def _abandon(child: subprocess.Popen[bytes]) -> None:
    """Kill and reap a child unless that has happened; never wait for its children."""
    for end in (child.stdin, child.stdout, child.stderr):
        if end is not None:
            end.close()
    if child.returncode is None:
        child.kill()
        child.wait(START_TIMEOUT_S)
