"""Print results to standard output, and everything else to standard error."""

import json
import sys
from collections.abc import Sequence
from typing import Final, TextIO

from pentathlon_engines.match.traces import printable
from pentathlon_engines.repairs import Repair

LOG_LINES: Final = 10


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
    shown = printable(text) if stream.isatty() else text
    stream.write(f"{shown}\n")
    stream.flush()


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
    for _, note in notes[-1:]:
        say(f"  {note}")
    say_end_of_log(log.decode(errors="replace"))


def say_log(lines: Sequence[str]) -> None:
    """Print lines of a program of the author's, which must not command the terminal."""
    for line in lines:
        say(f"  {printable(line)}")


def say_end_of_log(log: str) -> None:
    """Print the last lines of a log to standard error."""
    say_log(log.splitlines()[-LOG_LINES:])
