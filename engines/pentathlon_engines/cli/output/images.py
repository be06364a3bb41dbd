"""Whether boards are shown as images: the user's choice, and the terminal's support."""

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
"""Empties the terminal, images included."""

_PACKAGES: Final = {
    "textual_image": "textual-image",
    "resvg_py": "resvg-py",
    "font_manrope": "font-manrope",
}
_LONGEST_ANSWER_S: Final = 1.0
"""A terminal at hand answers within milliseconds, one behind a slow line within this."""
_QUESTION: Final = b"\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[c"
"""Whether it draws as kitty does, which only those answer that do; then which abilities it has,
which all answer: so there is always an end to wait for, and nothing stays in the input."""
_ABILITIES: Final = re.compile(rb"\x1b\[\?([0-9;]*)c")
_SIXEL: Final = b"4"
_KITTY: Final = b"_Gi=31;OK"
_WITHOUT_ANSWERS: Final = ("", "dumb", "linux")


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


class ImageProtocol(StrEnum):
    """Protocols by which terminals show images."""

    SIXEL = "sixel"
    KITTY = "kitty"


class ImageScreen(Protocol):
    """The terminal as something to show boards on."""

    def draw(self, svg: str, *, lines: int = 0) -> str:
        """Return the terminal output of a board, as large as fits beside this many lines of text.

        That takes some tenths of a second: draw first, then clear what stands there.
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
    protocol = ask_terminal()
    if protocol is None:
        raise CommandFailed("This terminal does not say that it draws images.", try_next=as_text)
    module = import_module("pentathlon_engines.cli.output.image_screen")  # slow, and rarely needed
    screen: ImageScreen = module.TerminalScreen(protocol)
    return screen


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
    """Write to the terminal and return what it answers until the end, or until time is up."""
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
            # What has come is read, even if this program was too busy to see it in time.
            left_s = max(0.0, deadline - time.monotonic())
            if not select.select([keyboard], [], [], left_s)[0]:
                break
            answer += os.read(keyboard, 1024)
    finally:
        termios.tcsetattr(keyboard, termios.TCSANOW, before)
    return answer
