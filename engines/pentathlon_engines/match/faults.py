"""The faults of bots, and exit statuses in words."""

import signal
from enum import StrEnum
from typing import Final, TypedDict

_OF_SHELLS: Final = {
    126: "in a shell: program cannot be executed",
    127: "in a shell: program not found",
}


class FaultKind(StrEnum):
    """All kinds of faults; records, the API and pages carry the values."""

    STARTUP = "startup"
    """No `ready` line within the start-up limits, or the process ended before it."""
    CRASH = "crash"
    """The process ended, or closed its output, while the match went on."""
    WALL_TIME = "wall_time"
    """It slept longer than the wall clock allows: in one action, or in the match."""
    CPU_TIME = "cpu_time"
    """An action, or the whole match, used more CPU time than allowed."""
    MEMORY = "memory"
    """The bot used more memory than allowed."""
    OUTPUT = "output"
    """A line, standard output or standard error grew past its limit."""
    SCRATCH = "scratch"
    """The scratch folder holds more files or bytes than allowed."""
    PROCESSES = "processes"
    """The bot had more threads and processes than allowed."""
    PROTOCOL = "protocol"
    """A line that is not a message of the protocol, or one at the wrong time."""
    ILLEGAL_ACTION = "illegal_action"
    """A well-formed answer whose action is not legal here."""
    OUT_OF_TURN = "out_of_turn"
    """It ran in the turn of another seat, when bots are paused."""
    SECURITY = "security"
    """It made a system call that no honest bot makes."""


HAPPEN_AT_ANY_PLY: Final = frozenset({FaultKind.OUT_OF_TURN})
"""Faults that a seat can commit while another one must act."""


class RecordedFault(TypedDict):
    """A fault as records and pages carry it."""

    seat: int
    kind: str
    ply: int
    detail: str


class Fault:
    """One fault of one seat: what, when, and the facts that explain it.

    `ply` is the index of the requested action (0 before the first). `detail` is a public sentence
    with figures and units, which never quotes the output of the bot.
    """

    __slots__ = ("detail", "kind", "ply", "seat")

    def __init__(self, kind: FaultKind, *, seat: int, ply: int, detail: str) -> None:
        self.kind = kind
        self.seat = seat
        self.ply = ply
        self.detail = detail

    def to_json(self) -> RecordedFault:
        """Return the fault as records and pages carry it."""
        kind, detail = self.kind.value, self.detail
        return {"seat": self.seat, "kind": kind, "ply": self.ply, "detail": detail}

    def __repr__(self) -> str:
        return f"Fault({self.kind.value!r}, seat={self.seat}, ply={self.ply}, {self.detail!r})"


def manner_of_end(exit_status: int) -> str:
    """Describe how a process ended by itself; a signal is negative, as in `subprocess`.

    >>> manner_of_end(3)
    'ended with exit status 3'
    >>> manner_of_end(-11)
    'was ended by SIGSEGV'
    >>> manner_of_end(127)
    'ended with exit status 127 (in a shell: program not found)'
    """
    if exit_status in _OF_SHELLS:
        return f"ended with exit status {exit_status} ({_OF_SHELLS[exit_status]})"
    if exit_status >= 0:
        return f"ended with exit status {exit_status}"
    try:
        name = signal.Signals(-exit_status).name
    except ValueError:
        name = f"signal {-exit_status}"
    if name == "SIGKILL":
        return "was killed, or closed its output"
    return f"was ended by {name}"
