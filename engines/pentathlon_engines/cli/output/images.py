"""Whether boards are shown as images: the user's choice, and the terminal's support."""

from __future__ import annotations

import sys
from enum import StrEnum
from importlib import import_module
from importlib.util import find_spec
from typing import Annotated, Final, Protocol

import typer

from pentathlon_engines.cli.failure import CommandFailed
from pentathlon_engines.cli.output.image_protocol import ask_terminal

CLEAR: Final = "\x1b[H\x1b[2J"
"""The control sequence that clears the terminal, images included."""

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
    protocol = ask_terminal()
    if protocol is None:
        raise CommandFailed(
            "This terminal does not report that it can show images.", try_next=as_text
        )
    module = import_module("pentathlon_engines.cli.output.image_screen")  # slow, and rarely needed
    screen: ImageScreen = module.TerminalScreen(protocol)
    return screen
