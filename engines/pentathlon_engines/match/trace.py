"""What passed between the referee and one bot: the facts that explain a fault to its author."""

from __future__ import annotations

from collections import deque
from typing import Final, NamedTuple

LINES_KEPT: Final = 20
LINE_BYTES_KEPT: Final = 2048

TO_BOT: Final = ">"
FROM_BOT: Final = "<"


class TraceLine(NamedTuple):
    """One line of the protocol, or what there was of it."""

    way: str
    """`TO_BOT` or `FROM_BOT`."""
    text: str
    """Its first `LINE_BYTES_KEPT` bytes; what cannot be printed stands as an escape."""
    size: int
    """All its bytes, its end not counted."""
    is_whole: bool = True
    """False for output that was no single line: half a line, or several at once."""


class Trace(NamedTuple):
    """The end of a bot's talk with the referee, and what its last request took."""

    lines: list[TraceLine]
    requests: int
    """How many requests the bot was given."""
    cpu_ms: int
    """CPU time of the request that the bot was given last."""
    wall_ms: int
    stdout_bytes: int
    stderr_bytes: int
    ended: bool
    """It ended, or closed its output, before it was stopped."""


class Tape(deque[tuple[str, bytes]]):
    """Remembers the last lines in both directions; `append` way and line, with or without its end.

    It is the list itself: two calls a turn would cost more than what they do.
    """

    def __init__(self) -> None:
        super().__init__(maxlen=LINES_KEPT)

    def read(self, rest: bytes) -> list[TraceLine]:
        """Return what was remembered, and at last the output that never became an answer."""
        lines = [_line(way, line.removesuffix(b"\n")) for way, line in self]
        if rest:
            lines.append(_line(FROM_BOT, rest)._replace(is_whole=False))
        return lines[-LINES_KEPT:]


def _line(way: str, data: bytes) -> TraceLine:
    return TraceLine(way, _printable(data[:LINE_BYTES_KEPT].removesuffix(b"\n")), len(data))


def _printable(data: bytes) -> str:
    text = data.decode(errors="backslashreplace")
    if text.isprintable():
        return text
    return "".join(
        sign if sign.isprintable() or sign == "\n" else sign.encode("unicode_escape").decode()
        for sign in text
    )
