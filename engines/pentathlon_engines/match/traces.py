"""The last lines between the runner and a bot, which explain a fault to its author."""

import json
from collections import deque
from typing import Final, NamedTuple

LINES_KEPT: Final = 20
LINE_BYTES_KEPT: Final = 2048

TO_BOT: Final = ">"
FROM_BOT: Final = "<"


class TraceLine(NamedTuple):
    """One line of the protocol, or a part of one."""

    way: str
    """The direction: `TO_BOT` or `FROM_BOT`."""
    text: str
    """The first `LINE_BYTES_KEPT` bytes of the line, with unprintable characters escaped."""
    size: int
    """The length of the line in bytes, without the line end."""
    is_whole: bool = True
    """False for output that is not exactly one line."""


class Trace(NamedTuple):
    """The last lines of a bot, and the times of its last request."""

    lines: list[TraceLine]
    requests: int
    """How many requests the bot got."""
    cpu_ms: int
    """The CPU time of the last request."""
    wall_ms: int
    stdout_bytes: int
    stderr_bytes: int
    ended: bool
    """Whether the bot ended, or closed its output, before we stopped it."""


class Tape(deque[tuple[str, bytes]]):
    """Keeps the last lines in both directions: append the direction and the line.

    It is the deque itself: two more calls in each turn would cost more than their work.
    """

    def __init__(self) -> None:
        super().__init__(maxlen=LINES_KEPT)

    def read(self, rest: bytes) -> list[TraceLine]:
        """Return the lines, and after them output that is no complete line."""
        lines = [_line(way, line.removesuffix(b"\n")) for way, line in self]
        if rest:
            lines.append(_line(FROM_BOT, rest)._replace(is_whole=False))
        return lines[-LINES_KEPT:]


def _decoded(data: bytes) -> str:
    return data.removesuffix(b"\n").decode(errors="backslashreplace")


def _line(way: str, data: bytes) -> TraceLine:
    return TraceLine(way, printable(_decoded(data[:LINE_BYTES_KEPT])), len(data))


def printable(text: str) -> str:
    """Return a text in which nothing moves a cursor, colours a terminal or turns the order of
    letters: such characters are escaped, as JSON escapes them. Lines and tabs stay.
    """
    if text.isprintable():
        return text
    return "".join(
        sign if sign.isprintable() or sign in "\n\t" else json.dumps(sign)[1:-1] for sign in text
    )
