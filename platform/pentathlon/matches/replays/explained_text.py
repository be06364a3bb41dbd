"""Explanations as plain text, to be read anywhere."""

from __future__ import annotations

from collections.abc import Iterator

from pentathlon.matches.replays.explanations import Explanation
from pentathlon.matches.replays.usage import LimitUsage
from pentathlon_engines import GAMES
from pentathlon_engines.match.traces import LINE_BYTES_KEPT, TraceLine, printable
from pentathlon_engines.record.bundle import file_name
from pentathlon_engines.record.record import position


def as_text(explanation: Explanation) -> str:
    """Return all of an explanation as text, section by section."""
    sections = (
        tuple(_head(explanation)),
        (f"Position at ply {explanation.ply}", str(_position(explanation))),
        ("Use and limits", *map(_use, explanation.uses)),
        ("CPU and wall milliseconds of each request", *_turns(explanation)),
        (_lines_title(explanation), *map(line_as_text, explanation.lines)),
        ("Notes", *(f"ply {ply}: {note}" for ply, note in explanation.notes)),
        ("Standard error, its end", printable(explanation.log).rstrip("\n")),
        ("Again, at your desk", _command(explanation)),
    )
    return "\n\n".join("\n".join(section) for section in sections if any(section[1:])) + "\n"


def line_as_text(line: TraceLine) -> str:
    """Return a line of the protocol with its direction, and how much of it was cut off."""
    text = line.text.replace("\n", f"\n{line.way} ")
    if line.size > LINE_BYTES_KEPT:
        return f"{line.way} {text}… ({line.size:,} bytes in all)"
    return f"{line.way} {text}" if line.is_whole else f"{line.way} {text} (not one whole line)"


def figure(value: float, unit: str) -> str:
    """Return a figure as text, with as many digits as a reader may want."""
    if unit == "bytes":
        return f"{value:,}"
    return f"{value:.{1 if unit == 'MiB' else 3}f}".rstrip("0").rstrip(".")


def _head(explanation: Explanation) -> Iterator[str]:
    place, record = explanation.place, explanation.record
    title = GAMES[record["game"]].info.title
    yield f"Match {place.match_id} of {title}, seat {place.seat}: {place.version}"
    yield f"Cause: {explanation.code}"
    yield f"What happened: {explanation.what_happened}"
    if explanation.answer:
        yield f"Its answer: {explanation.answer}"
    yield f"What to do: {explanation.what_to_do}"
    yield f"Its process: {explanation.ending}"


def _position(explanation: Explanation) -> object:
    return position(explanation.record, explanation.ply)


def _use(use: LimitUsage) -> str:
    limit = "" if use.limit is None else f" of {figure(use.limit, use.unit)}"
    return f"{use.label + ':':27}{figure(use.used, use.unit)}{limit} {use.unit}"


def _turns(explanation: Explanation) -> Iterator[str]:
    for turn in explanation.turns:
        mark = "  fault" if turn.is_fault else ""
        yield f"ply {turn.ply:5}{turn.cpu_ms:9,}{turn.wall_ms:9,}{mark}"


def _lines_title(explanation: Explanation) -> str:
    how = ", made from the record, without clocks" if explanation.lines_are_rebuilt else ""
    return f"Last lines (> to the bot, < from it{how})"


def _command(explanation: Explanation) -> str:
    place = explanation.place
    name = file_name(place.match_id, place.seat)
    return f"pentathlon play {name} FOLDER_OF_YOUR_BOT"
