"""Advice for the authors of bots: what to do about each kind of fault."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pentathlon_engines.match.faults import FaultKind
from pentathlon_engines.match.unstartable import WHY

_ADVICE: Final[dict[str, str]] = {
    "startup": (
        'Answer the first line with {"type": "ready"} and flush it. If the program did not even '
        "get there, its log says why: a missing file, a failed import, a program made for another "
        "system. Load large files after that answer if time is short."
    ),
    "crash": (
        "Read the end of the log: it usually holds the error with its line. {again} brings your "
        "bot to the same request at your desk."
    ),
    "wall_time": (
        "It slept, waited for something that never came, or did not flush its answer; what it "
        "waited for a busy host is not counted. Flush after every line, and never wait for input "
        "other than the next line."
    ),
    "cpu_time": (
        "Look at the clock in each request and stop thinking at 80 % of cpu_left_ms. All threads "
        "count together, and so does work that goes on after the answer."
    ),
    "memory": (
        "Bound what it keeps (tables, caches, search trees) well below the limit, and leave room "
        "for the language itself."
    ),
    "output": (
        "Write one short line for each request and log less: the size of a line, of all answers "
        "and of the log is bounded."
    ),
    "scratch": "Write less to /tmp, and remove files that it needs no longer.",
    "processes": (
        "Start fewer threads, and no programs. Libraries for numbers often start a thread for "
        "each core, and have a setting for how many."
    ),
    "protocol": (
        "Compare the last lines with the protocol page: one JSON object for each request, "
        "nothing before it and nothing after it. Prints for debugging belong on standard error; "
        "bots that `pentathlon init` writes send them there."
    ),
    "illegal_action": (
        "Answer with a text of the request's legal list, letter for letter. {again} brings your "
        "bot to the same request at your desk."
    ),
    "out_of_turn": (
        "It is stopped during the turns of others, but kept running. Let it send no signals "
        "to itself and set no timers, and give back large memory before the answer, not after it."
    ),
    "security": (
        "It made a system call that no bot needs, such as opening a socket or starting a program. "
        "Look for a library that does so when it is loaded."
    ),
}


_UNEXPLAINED: Final = frozenset({FaultKind.CRASH, FaultKind.STARTUP})
_REFUSALS: Final = {
    "tasks": (
        "{} threads and processes",
        "can't start new thread", "unable to create native thread", "pthread_create failed",
        "thread constructor failed", "Resource temporarily unavailable",
    ),
    "open_files": ("{} open files", "Too many open files"),
    "scratch_mb": ("{} MiB in its scratch folder", "No space left on device", "File too large"),
    "memory_mb": (
        "{} MiB of memory",
        "MemoryError", "Cannot allocate memory", "OutOfMemoryError", "heap out of memory",
        "std::bad_alloc",
    ),
}  # fmt: skip
"""For each limit, the bound in words and the messages of programs that have reached it."""
_END_OF_LOG: Final = 2000


def what_to_do(
    kind: str,
    *,
    log: str = "",
    limits: Mapping[str, float] | None = None,
    again: str = "The match’s bundle",
) -> str:
    """Return advice for the author of a bot with this kind of fault.

    For a crash, the end of the log may show which limit is the likely cause; for a program that
    cannot be started, it has the reason. `again` is what
    repeats the match: its bundle, if a server has played it.

    >>> what_to_do("crash", log="RuntimeError: can't start new thread", limits={"tasks": 16})[:76]
    "Its log says “can't start new thread”. The likely cause is its limit `tasks`"
    """
    if kind == FaultKind.STARTUP and WHY in log:
        return WHY + log.rpartition(WHY)[2].partition("\n")[0]
    advice = _ADVICE[kind].replace("{again}", again)
    if kind in _UNEXPLAINED and (cause := _likely_cause(log[-_END_OF_LOG:], limits or {})):
        return f"{cause} {advice}"
    return advice


def _likely_cause(log: str, limits: Mapping[str, float]) -> str | None:
    for name, (allowed, *signs) in _REFUSALS.items():
        for sign in signs:
            if sign in log and name in limits:
                bound = allowed.format(f"{limits[name]:g}")
                return (
                    f"Its log says “{sign}”. The likely cause is its limit `{name}`: {bound}"
                    " are allowed, and more are refused."
                )
    return None
