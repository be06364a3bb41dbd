"""Asks the terminal by which protocol it shows images."""

from __future__ import annotations

import os
import re
import select
import sys
import time
from enum import StrEnum
from importlib import import_module
from typing import Final

_LONGEST_ANSWER_S: Final = 1.0
"""How long to wait: a local terminal answers within milliseconds, one on a slow line within
this."""
_QUESTION: Final = b"\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[c"
"""Asks for kitty's protocol, which only terminals that have it answer, then for the abilities,
which all answer: so there is always an end to wait for, and nothing stays in the input."""
_ABILITIES: Final = re.compile(rb"\x1b\[\?([0-9;]*)c")
_SIXEL: Final = b"4"
_KITTY: Final = b"_Gi=31;OK"
_WITHOUT_ANSWERS: Final = ("", "dumb", "linux")


class ImageProtocol(StrEnum):
    """Protocols by which terminals show images."""

    SIXEL = "sixel"
    KITTY = "kitty"


def ask_terminal(longest_s: float = _LONGEST_ANSWER_S) -> ImageProtocol | None:
    """Ask the terminal for its image protocol; None if it has none or does not answer in time."""
    if os.environ.get("TERM", "") in _WITHOUT_ANSWERS or os.name != "posix":
        return None
    answer = _converse(_QUESTION, _ABILITIES, longest_s)
    found = _ABILITIES.search(answer)
    if found is not None and _SIXEL in found[1].split(b";"):
        return ImageProtocol.SIXEL
    return ImageProtocol.KITTY if _KITTY in answer else None


def _converse(question: bytes, end: re.Pattern[bytes], longest_s: float) -> bytes:
    """Write to the terminal and return its answer up to `end`, or up to the time limit."""
    tty, termios = import_module("tty"), import_module("termios")  # not on Windows
    keyboard, screen = sys.stdin.fileno(), sys.stdout.fileno()
    before = termios.tcgetattr(keyboard)
    answer = b""
    try:
        tty.setcbreak(keyboard, termios.TCSANOW)
        sys.stdout.flush()
        os.write(screen, question)
        deadline = time.monotonic() + longest_s
        while end.search(answer) is None:
            # Read an answer that has come even if this program was too busy to see it in time.
            left_s = max(0.0, deadline - time.monotonic())
            if not select.select([keyboard], [], [], left_s)[0]:
                break
            answer += os.read(keyboard, 1024)
    finally:
        termios.tcsetattr(keyboard, termios.TCSANOW, before)
    return answer
