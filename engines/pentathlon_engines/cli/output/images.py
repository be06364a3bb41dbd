"""Whether boards are shown as images: the user's choice, and the terminal's support of sixels."""

from __future__ import annotations

import os
import re
import select
import sys
import time
from enum import StrEnum
from importlib import import_module
from importlib.util import find_spec
from typing import Annotated, Final, Protocol

import typer

from pentathlon_engines.cli.failure import CommandFailed

CLEAR: Final = "\x1b[H\x1b[2J"
"""The control sequence that clears the terminal, images included."""

_LONGEST_ANSWER_S: Final = 1.0
"""How long to wait: a local terminal answers within milliseconds, one on a slow line within
this."""
_QUESTION: Final = b"\x1b[c"
"""Asks for the abilities, which all terminals answer, so nothing stays in the input."""
_ABILITIES: Final = re.compile(rb"\x1b\[\?([0-9;]*)c")
_SIXEL: Final = b"4"
_WITHOUT_ANSWERS: Final = ("", "dumb", "linux")

_PACKAGES: Final = {
    "textual_image": "textual-image",
    "resvg_py": "resvg-py",
    "font_manrope": "font-manrope",
}


class BoardStyle(StrEnum):
    """Styles in which a command shows a board."""

    AUTO = "auto"
    IMAGE = "image"
    TEXT = "text"


BoardOption = Annotated[
    BoardStyle,
    typer.Option(
        "--board", help="How to draw the board; auto uses images if the terminal supports them."
    ),
]


class ImageScreen(Protocol):
    """A terminal that can show boards as images."""

    def draw(self, svg: str, *, lines: int = 0) -> str:
        """Return the terminal output of a board, as large as fits beside this many lines of text.

        Drawing takes some tenths of a second: draw first, then clear the old board.
        """


def find_screen(style: BoardStyle) -> ImageScreen | None:
    """Return the screen on which to draw boards; None if they are to be shown as text.

    Raises:
        CommandFailed: if somebody demands images where none can be shown.
    """
    if style == BoardStyle.TEXT:
        return None
    try:
        return _open_screen()
    except CommandFailed:
        if style == BoardStyle.IMAGE:
            raise
        return None


def _open_screen() -> ImageScreen:
    as_text = "the same command with --board text"
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise CommandFailed("Images are drawn on a terminal only.", try_next=as_text)
    missing = [package for module, package in _PACKAGES.items() if find_spec(module) is None]
    if missing:
        raise CommandFailed(
            f"Images need the extra `images`: {', '.join(missing)} is not installed.",
            try_next=f"pip install {' '.join(missing)}",
        )
    if not has_sixels():
        raise CommandFailed(
            "This terminal does not report that it can show images.", try_next=as_text
        )
    module = import_module("pentathlon_engines.cli.output.image_screen")  # slow, and rarely needed
    screen: ImageScreen = module.TerminalScreen()
    return screen


def has_sixels(longest_s: float = _LONGEST_ANSWER_S) -> bool:
    """Ask the terminal whether it draws sixels; it does not if it does not answer in time."""
    if os.environ.get("TERM", "") in _WITHOUT_ANSWERS or os.name != "posix":
        return False
    abilities = _ABILITIES.search(_converse(_QUESTION, _ABILITIES, longest_s))
    return abilities is not None and _SIXEL in abilities[1].split(b";")


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
