"""A game's guide for bot authors: an example from the engine, with every field."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from django.utils.safestring import SafeString

import pentathlon_engines
from pentathlon.core.documents import render_line
from pentathlon.web.drawing.boards import inline_board
from pentathlon_engines import GAMES, GameInfo
from pentathlon_engines.contract.author_guide import (
    Notation,
    author_guide,
    example_position,
    observed_fields,
)
from pentathlon_engines.light_json import read_data

_LONGEST_VALUE: Final = 44
_BOTS: Final = Path(pentathlon_engines.__file__).parent / "first_bots"


class FieldRow(NamedTuple):
    """A field of the observation; `value` is its first value in the example, shortened."""

    path: str
    value: str | None
    meaning: SafeString


class NotationRow(NamedTuple):
    """A kind of action or event."""

    pattern: str
    example: str
    meaning: SafeString


class FirstBot(NamedTuple):
    """A short bot, and its results against random actions."""

    source: str
    matches: int
    points: int


class GameGuide(NamedTuple):
    """Everything that the page shows besides its prose."""

    info: GameInfo
    seat: int
    board: SafeString
    observation: str
    legal: list[str]
    fields: list[FieldRow]
    actions: list[NotationRow]
    events: list[NotationRow]
    sizes: dict[str, Any]  # Any: JSON
    bot: FirstBot


@cache
def game_guide(game: str) -> GameGuide:
    """Return the page of a game; the engine makes it once in each process."""
    words, state = author_guide(game), example_position(game)
    seat = state.to_move
    assert seat is not None  # noqa: S101  # an example is always a decision
    seen = state.observation(seat)
    legal = seen.pop("legal")
    values: dict[str, object] = {}
    for path, value in observed_fields(seen, words.fields):
        values.setdefault(path, value)
    # The protocol sends the legal actions beside the observation, and the page shows them apart.
    absent = [path for path in words.fields if path not in values and path != "legal"]
    return GameGuide(
        info=GAMES[game].info,
        seat=seat,
        board=inline_board(state.svg(seat)),
        observation=_lay_out(seen),
        legal=legal,
        fields=[
            FieldRow(
                path,
                _shorten(values[path]) if path in values else None,
                render_line(words.fields[path]),
            )
            for path in [*values, *absent]
        ],
        actions=_rows(words.actions),
        events=_rows(words.events),
        sizes=_match_sizes(game),
        bot=_first_bot(game),
    )


def usual_plies(game: str) -> int | None:
    """Return how many plies a usual match has; None for a game that was not measured."""
    try:
        return int(_match_sizes(game)["plies"][1])
    except FileNotFoundError:
        return None


def _match_sizes(game: str) -> dict[str, Any]:  # Any: JSON
    """Return the least, usual and greatest sizes of matches between reference bots."""
    sizes: dict[str, Any] = read_data(pentathlon_engines.__file__, f"{game}/match_sizes.json")
    return sizes


def _rows(kinds: list[Notation]) -> list[NotationRow]:
    return [NotationRow(kind.pattern, kind.example, render_line(kind.meaning)) for kind in kinds]


def _lay_out(seen: dict[str, Any]) -> str:  # Any: JSON
    """Return JSON with a line for each field."""
    lines = (f" {json.dumps(name)}: {json.dumps(value)}" for name, value in seen.items())
    return "{\n" + ",\n".join(lines) + "\n}"


def _shorten(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"


def _first_bot(game: str) -> FirstBot:
    figures = read_data(pentathlon_engines.__file__, "first_bots/figures.json")[game]
    source = (_BOTS / f"{game}.py").read_text(encoding="utf-8")
    return FirstBot(source.strip(), figures["matches"], round(figures["points"]))
