"""Print results to standard output, and everything else to standard error.

This module does not use rich, whose import takes longer than most commands; `tables.py` does.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Final

LOG_LINES: Final = 10


def print_json(data: object) -> None:
    """Print one JSON document, the only thing on standard output."""
    print_text(json.dumps(data, ensure_ascii=False, indent=2))


def print_json_line(data: object) -> None:
    """Print one of many JSON documents, each on a line of its own."""
    print_text(json.dumps(data, ensure_ascii=False))


def print_text(text: str) -> None:
    """Print a result."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def say(text: str) -> None:
    """Print a line for people to standard error."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


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
