"""Advice for the authors of bots: what to do about each kind of fault.

Each kind of fault in the words of the guide: what authors read, and the usual cause.

`advice.what_to_do` says what to do about it, on the page of a match as in the guide.
"""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from pentathlon_engines.languages import LANGUAGES
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
_MISSING_MODULE: Final = re.compile(r"ModuleNotFoundError: No module named '([^']+)'")
PACKAGES: Final = (
    'Bots in "python" can import the standard library and pentathlon_engines; those in '
    f'"python-numpy" also {" and ".join(LANGUAGES["python-numpy"].packages)}.'
)
"""What Python bots can import."""
_END_OF_LOG: Final = 2000
_PROMPT: Final = "(Pdb)"
_DEBUGGED: Final = (
    "A debugger has stopped it, and reads the protocol as its commands. `pentathlon play GAME BOT "
    "BOT --debug` gives it your terminal."
)


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
    if _PROMPT in log[-_END_OF_LOG:]:
        return _DEBUGGED
    advice = _ADVICE[kind].replace("{again}", again)
    if kind in _UNEXPLAINED and (cause := _likely_cause(log[-_END_OF_LOG:], limits or {})):
        return f"{cause} {advice}"
    return advice


def _likely_cause(log: str, limits: Mapping[str, float]) -> str | None:
    if missing := _MISSING_MODULE.findall(log):
        return (
            f"Its log says that there is no module {missing[-1]!r}. {PACKAGES} What is plain "
            "Python may lie in the bot's own folder. At your desk, pip installs the packages."
        )
    for name, (allowed, *signs) in _REFUSALS.items():
        for sign in signs:
            if sign in log and name in limits:
                bound = allowed.format(f"{limits[name]:g}")
                return (
                    f"Its log says “{sign}”. The likely cause is its limit `{name}`: {bound}"
                    " are allowed, and more are refused."
                )
    return None


class FaultWords(NamedTuple):
    """The description of a kind of fault; `examples` are details as records have them."""

    meaning: str
    examples: tuple[str, ...]
    cause: str
    at_desk: str
    """How the author can see the fault at home."""


FAULT_WORDS: Final[dict[FaultKind, FaultWords]] = {
    FaultKind.STARTUP: FaultWords(
        "The bot was not ready in time, or ended before it was.",
        (
            "the process ended with exit status 1",
            "the process ended with exit status 1; its program cannot be started here",
            "used 5.003 s of CPU time without a ready line; 5 s are allowed",
        ),
        "A missing file, a failed import, a program built for another system, or too much "
        "loading before the first answer.",
        "`pentathlon check` states the start-up time and prints the end of the log.",
    ),
    FaultKind.CRASH: FaultWords(
        "The process ended, or closed its output, while the match went on.",
        ("the process ended with exit status 1", "the process was ended by SIGSEGV"),
        "An uncaught exception, often in a rare position.",
        "`pentathlon repro` brings the bot to the same request; the log is on your terminal.",
    ),
    FaultKind.WALL_TIME: FaultWords(
        "It slept too long in an action, or in the match.",
        (
            "slept 3.004 s of 3.150 s, with 0.146 s of CPU time; 3 s are allowed for one action",
            "slept 60.010 s in the match; 60 s are allowed",
        ),
        "It waits for input that does not come, or wrote its answer without flushing it.",
        "`pentathlon play` sets the same limits; a bot that hangs there hangs here.",
    ),
    FaultKind.CPU_TIME: FaultWords(
        "It used more CPU time than an action or the match may.",
        (
            "used 1.004 s of CPU time for one action, 1 s are allowed",
            "used 20.013 s of CPU time in the match, 20 s are allowed",
        ),
        "A search that looks at its clock too rarely, or a garbage collection at the end.",
        "`pentathlon check` names the slowest action beside the limit; `pentathlon repro` shows "
        "that action.",
    ),
    FaultKind.MEMORY: FaultWords(
        "It held more memory than allowed.",
        ("held 258 MiB of memory; 256 MiB are allowed", "used up its memory; 256 MiB are allowed"),
        "A table of positions that only grows, or a heap that is larger than the limit.",
        "`pentathlon check` states the peak; play a long match and look again.",
    ),
    FaultKind.OUTPUT: FaultWords(
        "A line, all its answers, or its log grew past the limit.",
        ("one line grew past 65536 bytes", "standard error grew past 1048576 bytes"),
        "Logging in the inner loop, or a debug print on standard output.",
        "`pentathlon play` has the same limits and names the same fault.",
    ),
    FaultKind.SCRATCH: FaultWords(
        "It wrote more to its scratch folder than allowed.",
        (
            "wrote more than 16 MiB to its scratch folder",
            "made more than 1024 files in its scratch folder",
        ),
        "A cache or a log in `/tmp`.",
        "`pentathlon play --sandbox`, with the platform installed, has the same folder.",
    ),
    FaultKind.PROCESSES: FaultWords(
        "It ran more threads and processes than allowed.",
        ("ran 17 threads; 16 are allowed", "wanted more than 16 threads and processes, and ended"),
        "A library for numbers that starts a thread for each core.",
        "`pentathlon play --sandbox`, with the platform installed, has the same limit.",
    ),
    FaultKind.PROTOCOL: FaultWords(
        "It wrote a line that is not a message of the protocol, or wrote at the wrong time.",
        ("wrote more than the one line that was asked for", "wrote something before it was asked"),
        "A print for debugging on standard output, or two answers to one request.",
        "`pentathlon check` sends odd input and prints what the bot wrote and what was expected.",
    ),
    FaultKind.ILLEGAL_ACTION: FaultWords(
        "Its answer was well-formed, but not among the legal actions.",
        ("the action is not among the legal ones",),
        "An action that the bot composed instead of choosing from `legal`, or a stale one.",
        "`pentathlon repro` stops at the request and prints what was legal.",
    ),
    FaultKind.OUT_OF_TURN: FaultWords(
        "It ran while other seats were to act.",
        ("ran for 0.061 s of CPU time while other seats were to act, 0.05 s are allowed",),
        "A thread that keeps thinking, a timer, or memory that is given back after the answer.",
        "Your desk does not stop bots between turns; look for work after the answer.",
    ),
    FaultKind.SECURITY: FaultWords(
        "It made a system call that no honest bot makes.",
        ("a forbidden system call",),
        "A library that opens a socket or starts a program when it is loaded.",
        "`pentathlon play --sandbox`, with the platform installed, has the same rules.",
    ),
}
