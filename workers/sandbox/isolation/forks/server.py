"""One fork server, seen from its worker: its start in walls of its own, and the forks of it."""

from __future__ import annotations

import json
import marshal
import os
import resource
import signal
import socket
import struct
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Final

from pentathlon_engines.match.launcher import LaunchFailed
from workers.sandbox.files.runtime import Runtime
from workers.sandbox.files.staging import close_at_end
from workers.sandbox.isolation.bubblewrap import server_line
from workers.sandbox.isolation.forks import program
from workers.sandbox.isolation.forks.program import ARRIVED, ENDED, READY
from workers.sandbox.isolation.launch import (
    CONFINE,
    MARSHAL_FORMAT,
    START_TIMEOUT_S,
    LaunchRequest,
    end_failed,
    output_so_far,
    pipe,
    read_until,
    spawn,
)
from workers.sandbox.process import SandboxedBot
from workers.sandbox.resources.procfs import threads_and_bytes, tree_cpu_s
from workers.sandbox.resources.rlimits import MEBIBYTE, number_of
from workers.sandbox.resources.scratch import MountedScratch
from workers.sandbox.starters import Pipes, Reaped
from workers.sandbox.system_calls.filters import syscall_numbers
from workers.sandbox.uids import UIDS_PER_RANGE

MOST_FORKS: Final = 500
"""After so many bots a server is renewed: until then they share addresses and the random words
that guard the stack. A start of the server costs as much as ten of its bots, so 2 %."""

_SOURCES: Final = {
    "workers.sandbox.isolation.confine": CONFINE,
    "workers.sandbox.isolation.forks.program": Path(program.__file__).read_text(),
}
_BOOT: Final = Path(__file__).with_name("boot.py").read_text()
_PRELOAD: Final = ("json", "random", "pentathlon_engines.bot")
_OUTSIDE: Final = 65534
_LONGEST_MESSAGE = 4096
_LONGEST_END_S: Final = 5.0
_UNUSED_FIELDS: Final = 13
"""How many fields of a `struct_rusage` come after the peak of memory."""
_CREDENTIALS: Final = struct.Struct("3i")


class ServerGone(Exception):
    """The fork server has ended; a new one may work."""

    code = "fork_server_gone"

    def __init__(self, reason: str = "") -> None:
        super().__init__(f"fork server: it has ended. {reason}")


class ForkServer:
    """A warm Python with the engines, of which bots are forks.

    It dies with the thread that started it, and takes all its bots along.
    """

    def __init__(
        self,
        *,
        bwrap: Path,
        runtime: Runtime,
        folders: Mapping[str, Path],
        environment: Mapping[str, str],
        packages: Sequence[str],
        call_filter: bytes,
        uid: int,
    ) -> None:
        """Start it as a user; raise `LaunchFailed` or `OSError` where that is impossible."""
        self.folders = folders
        self.forks = self._bots = self._inherited_bytes = 0
        self._is_retired = False
        self._ends: dict[int, bytes] = {}
        """What the server has told of bots that nobody has stopped yet, by process id."""
        with ExitStack() as undo:
            self._requests, requests = _sockets(undo, timeout_s=START_TIMEOUT_S)
            self._reaper, ends = _sockets(undo, timeout_s=_LONGEST_END_S)
            proc = os.open("/proc", os.O_PATH)
            undo.callback(os.close, proc)
            facts = {
                "requests": requests.fileno(),
                "ends": ends.fileno(),
                "proc": proc,
                "filter": call_filter,
                "clone": syscall_numbers(os.uname().machine)["clone"],
                "preload": (*_PRELOAD, *packages),
                "packages": packages,
                "sources": _SOURCES,
            }
            info, info_end = pipe(undo)
            mapped, mapped_end = pipe(undo)
            words = server_line(
                [runtime.python, "-s", "-S", "-B", "-u", "-c", _BOOT],
                bwrap=bwrap,
                runtime=runtime,
                folders=folders,
                environment=environment,
                passed=(info_end, mapped),
            )
            passed = info_end, mapped, requests, ends
            self._child = spawn(
                words, uid=uid, undo=undo, passed=passed, shared=[proc], environment={}
            )
            try:
                pid = int(json.loads(read_until(info, b"}"))["child-pid"])
                undo.callback(_end, self._child, os.pidfd_open(pid))
                _map_users(pid, uid)
                mapped_end.write(b"\n")
                self._preloaded = self._begin(facts)
            except (OSError, ValueError, EOFError) as error:
                raise LaunchFailed(f"fork server: {end_failed(self._child)}") from error
            for file in (mapped_end, info):
                file.close()
            kept = undo.pop_all()
        self.close = close_at_end(self, kept.close)
        """Kill it with all its bots."""

    def start(self, request: LaunchRequest, *, folder: str, words: Sequence[str]) -> SandboxedBot:
        """Fork a bot in a folder; `words` are the file that it runs and its arguments.

        None of its code runs before the worker holds its process and scratch.

        Raises:
            ServerGone: nothing of the bot has run.
            LaunchFailed: the host is to blame.
        """
        self.forks += 1
        pipes, theirs = _pipes(request.undo)
        talk, their_talk = _sockets(request.undo, timeout_s=START_TIMEOUT_S)
        asked = self._describe(request, folder=folder, words=words)
        try:
            socket.send_fds(self._requests, [asked], [*theirs, their_talk.fileno()])
        except OSError as error:
            raise ServerGone(output_so_far(self._child)) from error
        finally:
            their_talk.close()
            for descriptor in (theirs[0], theirs[2]):
                os.close(descriptor)
        output = request.undo.enter_context(ExitStack())
        output.callback(os.close, theirs[1])
        self._bots += 1
        request.undo.callback(self._note_end)
        try:
            with talk:
                return self._take_hold(request, pipes, output, talk)
        except ServerGone as error:
            raise ServerGone(output_so_far(self._child)) from error
        except (OSError, ValueError) as error:
            # It hangs or has ended half way, so no bot of it can be trusted to go on.
            self.retire()
            reason = f"fork server: {error}; {end_failed(self._child)}"
            self.close()
            raise LaunchFailed(reason) from error

    def _describe(self, request: LaunchRequest, *, folder: str, words: Sequence[str]) -> bytes:
        """Return the request as `_become_bot` takes it apart."""
        is_own = request.uid == os.geteuid()
        uid = _OUTSIDE if is_own else request.uid
        size = request.limits.scratch_mb * MEBIBYTE
        asked = (
            list(words),
            not self._preloaded.isdisjoint(_names_below(request.folder)),
            f"{program.BOTS_AT}/{folder}".encode(),
            request.group is not None,
            [(name, number_of(name), limit) for name, limit in request.rlimits().items()],
            f"size={size},mode=0700,uid={uid},gid={uid}".encode(),
            0 if is_own else uid,
        )
        return marshal.dumps(asked, MARSHAL_FORMAT)

    def retire(self) -> None:
        """End it as soon as its last bot has been stopped."""
        self._is_retired = True
        if not self._bots:
            self.close()

    def cpu_s(self) -> float:
        """Return the CPU seconds that it and its bots have used, to a clock tick."""
        return tree_cpu_s(self._child.pid)

    def _take_hold(
        self, request: LaunchRequest, pipes: Pipes, output: ExitStack, talk: socket.socket
    ) -> SandboxedBot:
        if request.group is not None:
            request.admit(_hear(talk, ARRIVED))
            talk.send(b".")
        pid = _hear(talk, READY)
        scratch = MountedScratch(pid, size_bytes=request.limits.scratch_mb * MEBIBYTE)
        request.undo.callback(scratch.close)
        if not self._inherited_bytes:
            _, self._inherited_bytes = threads_and_bytes(pid)
        bot = SandboxedBot(
            starter=ForkedStarter(
                pipes,
                output,
                reap=partial(self._reap, pid),
                inherited_bytes=self._inherited_bytes,
            ),
            process_tree=request.process_tree(pid),
            scratch=scratch,
            limits=request.limits,
            group=request.group,
            seat=request.seat,
        )
        # Nobody has reaped the bot since it had this id, so the handle and the clock are its own.
        talk.send(b".")
        return bot

    def _reap(self, pid: int) -> Reaped:
        """Wait for the end of a bot; without it, something outside has ended the server."""
        with suppress(OSError):
            while pid not in self._ends:
                self._reaper.send(b".")
                ended = _hear(self._reaper, ENDED)
                self._ends[ended] = self._reaper.recv(_LONGEST_MESSAGE)
        if not (told := self._ends.pop(pid, b"")):
            nothing = resource.struct_rusage([0] * (_UNUSED_FIELDS + 3))
            return Reaped(status=-signal.SIGKILL, used=nothing, was_ended=True)
        raw, user_s, system_s, peak_kb = marshal.loads(told)  # noqa: S302  # from our own program
        used = resource.struct_rusage((user_s, system_s, peak_kb, *[0] * _UNUSED_FIELDS))
        return Reaped(status=os.waitstatus_to_exitcode(raw), used=used)

    def _note_end(self) -> None:
        self._bots -= 1
        if self._is_retired and not self._bots:
            self.close()

    def _begin(self, facts: dict[str, Any]) -> set[str]:  # Any: a table of facts
        """Let it load what bots need; return the names under which its modules may be found."""
        if self._child.stdin is not None:
            self._child.stdin.write(b"\n" + marshal.dumps(facts, MARSHAL_FORMAT))
            self._child.stdin.close()
        told = self._requests.recv(_LONGEST_MESSAGE)
        return {name.partition(".")[0] for name in marshal.loads(told)}  # noqa: S302  # from our own program


class ForkedStarter:
    """The first process of a fork server, for one bot: it reaps the bot and tells us of its end.

    We hold the bot's output open, as bubblewrap does: a bot that closes it has not ended.
    """

    cpu_s = 0.0
    least_peak_kb = 0

    def __init__(
        self, pipes: Pipes, output: ExitStack, *, reap: Callable[[], Reaped], inherited_bytes: int
    ) -> None:
        self.pipes = pipes
        self.inherited_bytes = inherited_bytes
        self.reap = reap
        self._output = output
        self.hides_end = True

    def hold(self) -> None:
        """Do nothing: no pause wakes it."""

    def release(self) -> None:
        """Let go of the output."""
        self.hides_end = False
        self._output.close()


def _end(child: subprocess.Popen[bytes], first: int) -> None:
    """Kill the first process, of which `first` is a handle, and with it all others.

    Its parent reaps it, so the kernel charges us for what they all have used.
    """
    with suppress(ProcessLookupError):
        signal.pidfd_send_signal(first, signal.SIGKILL)
    os.close(first)
    with suppress(subprocess.TimeoutExpired):
        child.wait(START_TIMEOUT_S)


def _map_users(pid: int, uid: int) -> None:
    """Give the server's namespace our own user or, under root, the range of uids of bots."""
    own = uid == os.geteuid()
    users = f"{_OUTSIDE} {uid} 1" if own else f"{uid} {uid} {UIDS_PER_RANGE}"
    groups = f"{_OUTSIDE} {os.getegid()} 1" if own else users
    folder = Path(f"/proc/{pid}")
    if own:
        (folder / "setgroups").write_text("deny")
    (folder / "uid_map").write_text(users)
    (folder / "gid_map").write_text(groups)


def _pipes(undo: ExitStack) -> tuple[Pipes, list[int]]:
    """Return our ends of input, output and log, and the descriptors of a bot's ends."""
    (in_end, stdin), (stdout, out_end), (stderr, log_end) = os.pipe(), os.pipe(), os.pipe()
    ours = (
        undo.enter_context(os.fdopen(stdin, "wb", buffering=0)),
        undo.enter_context(os.fdopen(stdout, "rb", buffering=0)),
        undo.enter_context(os.fdopen(stderr, "rb", buffering=0)),
    )
    return ours, [in_end, out_end, log_end]


@lru_cache(maxsize=1024)
def _names_below(folder: Path) -> frozenset[str]:
    """Return under which names a bot could import what lies in its folder.

    Nobody changes that folder, and its path never comes again.
    """
    names = (name for _, folders, files in os.walk(folder) for name in (*folders, *files))
    return frozenset(name.partition(".")[0] for name in names)


def _sockets(undo: ExitStack, *, timeout_s: float) -> tuple[socket.socket, socket.socket]:
    """Return our end and theirs of a pair that tells us which process has sent a message."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    undo.callback(ours.close)
    undo.callback(theirs.close)
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
    ours.settimeout(timeout_s)
    return ours, theirs


def _hear(talk: socket.socket, kind: bytes) -> int:
    """Wait for a message of this kind; return the process id of its sender, as we see it.

    Raises:
        ServerGone: nobody is left who could send one.
        OSError: another message came, or none in time.
    """
    text, attached, _, _ = talk.recvmsg(_LONGEST_MESSAGE, socket.CMSG_SPACE(_CREDENTIALS.size))
    if not text:
        raise ServerGone
    if text[:1] != kind:
        raise ChildProcessError(text[1:].decode(errors="replace"))
    for _, _, data in attached:
        pid, _, _ = _CREDENTIALS.unpack(data)
        return int(pid)
    raise ChildProcessError("the kernel named no sender")
