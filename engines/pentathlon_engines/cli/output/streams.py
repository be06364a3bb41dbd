"""Print results to standard output, and everything else to standard error.

This module does not use rich, whose import takes longer than most commands; `tables.py` does.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from typing import Final, TextIO

from pentathlon_engines.archive.repairs import Repair

LOG_LINES: Final = 10
_COMMANDS: Final = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)
"""Characters that command a terminal or turn a text around; not tab and line break."""


def print_json(data: object) -> None:
    """Print one JSON document, the only thing on standard output."""
    print_text(json.dumps(data, ensure_ascii=False, indent=2))


def print_json_line(data: object) -> None:
    """Print one of many JSON documents, each on a line of its own."""
    print_text(json.dumps(data, ensure_ascii=False))


def print_text(text: str) -> None:
    """Print a result."""
    _write(text, sys.stdout)


def say(text: str) -> None:
    """Print a line for people to standard error."""
    _write(text, sys.stderr)


def _write(text: str, stream: TextIO) -> None:
    """Write a line; on a terminal, show what would command it or turn the text around.

    Logs of bots, names and sentences of sites are the words of others.
    """
    shown = _COMMANDS.sub(_escaped, text) if stream.isatty() else text
    stream.write(f"{shown}\n")
    stream.flush()


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"  # as in JSON, which is printed here, too


def say_repairs(repairs: Sequence[Repair]) -> None:
    """Print what was repaired in the files of a bot."""
    for repair in repairs:
        say(f"Repaired: {repair.detail}")


def is_terminal() -> bool:
    """Return whether standard error is a terminal, so that progress is worth showing."""
    return sys.stderr.isatty()


def show_on_one_line(text: str) -> None:
    """Show progress on standard error, replacing the previous text; the cursor stays."""
    sys.stderr.write(f"\r{text}\x1b[K\r")
    sys.stderr.flush()


def show_log(log: bytes, notes: Sequence[tuple[int, str]]) -> None:
    """Print the last note and the end of the log of one bot to standard error."""
    lines = log.decode(errors="replace").splitlines()[-LOG_LINES:]
    for line in [text for _, text in notes[-1:]] + lines:
        say(f"  {line}")
