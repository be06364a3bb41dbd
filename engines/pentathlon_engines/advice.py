"""What the author of a bot can do about a fault, in a sentence or two for each kind."""

from __future__ import annotations

from typing import Final

_ADVICE: Final[dict[str, str]] = {
    "startup": (
        'Answer the first line with {"type": "ready"} and flush it. If the program did not even '
        "get there, its log says why: a missing file, a failed import, a program made for another "
        "system. Load large files after that answer if time is short."
    ),
    "crash": (
        "Read the end of the log: it usually holds the error with its line. The bundle of the "
        "match brings your bot to the same request at your desk."
    ),
    "wall_time": (
        "It slept, waited for something that never came, or did not flush its answer. Flush after "
        "every line, and never wait for input other than the next line."
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
        "nothing before it and nothing after it. Prints for debugging belong on standard error."
    ),
    "illegal_action": (
        "Answer with a text of the request's legal list, letter for letter. The match’s bundle "
        "brings your bot to the same position."
    ),
    "security": (
        "It made a system call that no bot needs, such as opening a socket or starting a program. "
        "Look for a library that does so when it is loaded."
    ),
}


def what_to_do(kind: str) -> str:
    """Say what the author of a bot can do about a fault of this kind."""
    return _ADVICE[kind]
