"""The pipes of one running bot: they carry lines in both directions, and its log.

Reads and writes never block; what does not fit waits for the next call. This module enforces the
limits on sizes; `seat` enforces those on time.
"""

import os
import select
from codecs import BOM_UTF8
from collections.abc import Callable
from contextlib import suppress

from pentathlon_engines.match import traces
from pentathlon_engines.match.faults import FaultKind
from pentathlon_engines.match.launcher import BotProcess
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.protocol import problem_of

_CHUNK = 64 * 1024
_SPACE = ord(" ")
_PRINTED = "standard output, where `ready` was expected: "
_MOST_PRINTS = 100
"""Lines before `ready`. Each takes the referee's time, not the bot's: a flood took it 12 s."""
_SEVERAL_LINES = "wrote more than the one line that was asked for"


class BotFailed(Exception):
    """A bot broke a rule; the table makes a `Fault` of it."""

    def __init__(self, kind: FaultKind, detail: str) -> None:
        super().__init__(detail)
        self.kind = kind
        self.detail = detail


class BotEnded(Exception):
    """A bot closed its output, most often because it ended."""


class Pipes:
    """Standard input, output and error of one bot, seen from the runner."""

    __slots__ = (
        "_is_first",
        "_limits",
        "_line",
        "_poller",
        "_prints",
        "_stderr",
        "_stdin",
        "_stdout",
        "_tape",
        "_unsent",
        "log",
        "on_log",
        "open",
        "stderr_bytes",
        "stdout_bytes",
    )

    def __init__(self, process: BotProcess, limits: Limits) -> None:
        self._stdin = process.stdin
        self._stdout = process.stdout
        self._stderr = process.stderr
        self._limits = limits
        self._unsent = b""
        self._line = bytearray()
        self._is_first = True
        self._prints = 0
        self._tape = traces.Tape()
        self._poller = select.poll()
        self.stdout_bytes = 0
        self.stderr_bytes = 0
        self.log = bytearray()
        self.on_log: Callable[[bytes], None] | None = None
        """Called with what the bot writes to standard error, as it comes."""
        self.open: dict[int, int] = {}
        """The poll events to watch for, by descriptor."""
        self._watch(self._stdout, select.POLLIN)
        self._watch(self._stderr, select.POLLIN)

    def send(self, line: bytes) -> None:
        """Write as much of a line as the pipe takes; `wait` writes the rest."""
        self._tape.append((traces.TO_BOT, line))
        self._unsent = line
        self._write()
        if self._unsent:
            self._watch(self._stdin, select.POLLOUT)

    def wait(self, timeout_ms: int) -> None:
        """Wait until a pipe is ready, then read or write it."""
        for descriptor, _ in self._poller.poll(timeout_ms):
            if descriptor == self._stdout:
                self._read_answer()
            else:
                self.handle(descriptor)

    def handle(self, descriptor: int) -> None:
        """Read from or write to a descriptor that is ready; raise `BotFailed` or `BotEnded`."""
        if descriptor == self._stdout:
            self._read_answer()
        elif descriptor == self._stderr:
            self._read_log()
        else:
            self._write()
            if not self._unsent:
                self._unwatch(descriptor)

    def take_line(self) -> bytes | None:
        """Return the line from the bot without its end, or None while it is incomplete.

        Blank lines are skipped. Whatever stands before the first object is a line of the log.
        """
        received = self._line
        end = received.find(b"\n")
        if end < 0:
            return None
        if self._is_first or received[0] <= _SPACE:
            self._skip_blank()
            if self._is_first:
                self._move_prints()
            end = received.find(b"\n")
            if end < 0:
                return None
            self._is_first = False
        if end + 1 < len(received) and not received[end:].isspace():
            # A banner is the same fault whether it comes with the answer or ahead of it.
            problem = problem_of(bytes(received[:end]))
            raise BotFailed(FaultKind.PROTOCOL, problem or _SEVERAL_LINES)
        if self._unsent:
            raise BotFailed(FaultKind.PROTOCOL, "answered before it had read the request")
        line = bytes(received[:end])
        received.clear()
        self._tape.append((traces.FROM_BOT, line))
        return line

    def last_lines(self) -> list[traces.TraceLine]:
        """Return the last lines in both directions, and output that is no complete line."""
        return self._tape.read(bytes(self._line))

    def refuse_early_output(self) -> None:
        """Raise `BotFailed` if the bot has written something before the request."""
        for descriptor, _ in self._poller.poll(0):
            self.handle(descriptor)
        if self._line and not self._line.isspace():
            raise BotFailed(FaultKind.PROTOCOL, "wrote something before it was asked")

    def note(self, line: str) -> None:
        """Add a line of our own to the log, for the author."""
        if self.log and not self.log.endswith(b"\n"):
            self.log += b"\n"
        self.log += f"{line}\n".encode()
        del self.log[: max(0, len(self.log) - self._limits.stderr_keep_bytes)]

    def _skip_blank(self) -> None:
        received = self._line
        if self._is_first and received.startswith(BOM_UTF8):
            del received[: len(BOM_UTF8)]
        del received[: len(received) - len(received.lstrip())]

    def _move_prints(self) -> None:
        # A library may greet the world while it is loaded, before any helper keeps the output.
        received = self._line
        while received and not received.startswith(b"{") and (end := received.find(b"\n")) >= 0:
            self._prints += 1
            if self._prints > _MOST_PRINTS:
                reason = f"printed more than {_MOST_PRINTS} lines before `ready`"
                raise BotFailed(FaultKind.OUTPUT, reason)
            text = received[: min(end, traces.LINE_BYTES_KEPT)].decode(errors="backslashreplace")
            self.note(f"{_PRINTED}{traces.printable(text)}")
            del received[: end + 1]
            self._skip_blank()

    def drain_log(self) -> None:
        """Read the rest of the log from the pipe, without a fault if it is too long."""
        while self._stderr in self.open and self.stderr_bytes <= self._limits.stderr_bytes:
            before = self.stderr_bytes
            with suppress(BotFailed):
                self._read_log()
            if self.stderr_bytes == before:
                return

    def _read_answer(self) -> None:
        try:
            data = os.read(self._stdout, _CHUNK)
        except BlockingIOError:
            return
        if not data:
            raise BotEnded
        self.stdout_bytes += len(data)
        self._line += data
        if self.stdout_bytes > self._limits.stdout_bytes:
            raise _too_much("standard output", self._limits.stdout_bytes)
        if len(self._line) > self._limits.line_bytes:
            raise _too_much("one line", self._limits.line_bytes)

    def _read_log(self) -> None:
        try:
            data = os.read(self._stderr, _CHUNK)
        except BlockingIOError:
            return
        if not data:
            self._unwatch(self._stderr)
            return
        self.stderr_bytes += len(data)
        self.log += data
        if self.on_log is not None:
            self.on_log(data)
        del self.log[: max(0, len(self.log) - self._limits.stderr_keep_bytes)]
        if self.stderr_bytes > self._limits.stderr_bytes:
            raise _too_much("standard error", self._limits.stderr_bytes)

    def _write(self) -> None:
        try:
            self._unsent = self._unsent[os.write(self._stdin, self._unsent) :]
        except BlockingIOError:
            return
        except BrokenPipeError:
            # The bot does not read any more: we learn from its output whether it ended.
            self._unsent = b""

    def _watch(self, descriptor: int, events: int) -> None:
        self.open[descriptor] = events
        self._poller.register(descriptor, events)

    def _unwatch(self, descriptor: int) -> None:
        del self.open[descriptor]
        self._poller.unregister(descriptor)


def _too_much(what: str, limit: int) -> BotFailed:
    return BotFailed(FaultKind.OUTPUT, f"{what} grew past {limit} bytes")
