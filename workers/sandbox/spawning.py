"""What both sandbox levels share when they start a process."""

from __future__ import annotations

import marshal
import os
import select
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
from workers.sandbox.bodies import Body, Family, ManyProcesses, OneProcess
from workers.sandbox.burden import ScratchMeter
from workers.sandbox.cgroups import Group
from workers.sandbox.identity import become
from workers.sandbox.profiles import Profile
from workers.sandbox.rlimits import Rlimits, rlimits, with_one_more_task

START_TIMEOUT_S = 10.0
_MARSHAL_FORMAT = 4
"""Every Python that a bot may have reads this one."""
_CONFINE = Path(__file__).with_name("confine.py").read_text()


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """One bot to start; `undo` collects what must happen when it has ended."""

    command: BotCommand
    folder: Path
    """The bot's folder, reachable for its uid."""
    uid: int
    profile: Profile
    limits: Limits
    """With what the profile adds to them."""
    children: bool
    """Whether it may start processes."""
    group: Group | None
    """Its control group; only a build may start processes without one."""
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

    def body(self, pid: int, scratch: ScratchMeter) -> Body:
        """Return what is measured, stopped and killed as this bot."""
        if not self.children:
            return OneProcess(pid, scratch)
        if self.group is None:
            return Family(pid, scratch)
        return ManyProcesses(pid, scratch, self.group)


def confined(
    python: str,
    wanted: dict[str, Any],  # Any: a table of facts
    program: Sequence[str],
) -> list[str]:
    """Return the command that confines itself as `wanted` says and becomes the program."""
    order = marshal.dumps(wanted, _MARSHAL_FORMAT).hex()
    return [python, "-I", "-S", "-c", _CONFINE, order, *program]


def pipe(undo: ExitStack) -> tuple[IO[bytes], IO[bytes]]:
    """Return the reading and the writing end of a pipe that `undo` closes."""
    reading, writing = os.pipe()
    return (
        undo.enter_context(os.fdopen(reading, "rb", buffering=0)),
        undo.enter_context(os.fdopen(writing, "wb", buffering=0)),
    )


def spawn(
    arguments: Sequence[str],
    order: Order,
    *,
    passed: Sequence[IO[bytes]],
    folder: str = "/",
    environment: Mapping[str, str],
) -> subprocess.Popen[bytes]:
    """Start a child as the bot's user, which gets the files in `passed`.

    The order's `undo` kills and reaps it if it is still there then.
    """
    words, identity = become(order.uid)
    child = subprocess.Popen(
        [*words, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        cwd=folder,
        env=dict(environment),
        umask=0o077,
        start_new_session=True,
        pass_fds=[file.fileno() for file in passed],
        **identity,
    )
    order.undo.callback(_abandon, child)
    for file in passed:
        file.close()
    return child


def read_until(file: IO[bytes], end: bytes) -> bytes:
    """Read until `end` has come, or to the end of the file; `TimeoutError` if neither comes."""
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


def complaint(child: subprocess.Popen[bytes]) -> str:
    """End a child that failed to start a bot; return what it has written to its error output."""
    child.kill()
    child.wait(START_TIMEOUT_S)
    if child.stderr is None or not select.select([child.stderr], [], [], 0)[0]:
        return f"it ended with status {child.returncode}"
    return os.read(child.stderr.fileno(), 4096).decode(errors="replace").strip()


def prefer_to_kill(pid: int) -> None:
    """Have the kernel end this process before any other when the host's memory is used up."""
    with suppress(OSError):
        Path(f"/proc/{pid}/oom_score_adj").write_text("1000")


def _abandon(child: subprocess.Popen[bytes]) -> None:
    """Kill and reap a child that has not been; never wait for what it may have started."""
    for end in (child.stdin, child.stdout, child.stderr):
        if end is not None:
            end.close()
    if child.returncode is None:
        child.kill()
        child.wait(START_TIMEOUT_S)
