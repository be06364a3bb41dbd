"""A game's guide for bot authors: an example from the engine, with every field."""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path
from statistics import NormalDist
from typing import Any, Final, NamedTuple

from django.utils.safestring import SafeString

import pentathlon_engines
from pentathlon.core.documents import render_line
from pentathlon.ratings.skill import BETA, MU, Skill, rate
from pentathlon.ratings.uncertainty import StrengthBar, is_provisional, live_bar
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
SCALE: Final = (0.0, 50.0)
_STAGES: Final = (0, 10, 100)
_OPPONENT: Final = Skill(mu=MU, sigma=1.0)
_WINS_OF_THREE: Final = 2
_DRAWS: Final = 0.0
_POINTS: Final = 400
_TALL: Final = 0.85
"""The share of the height that the tallest curve takes; its label needs the rest."""
_LABEL_AT: Final = 1.0
"""Where a curve's label stands, in standard deviations from the peak."""
_LEADS: Final = (0.5, 1.0, 2.0, 3.0)
"""The leads that are shown, in betas."""


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


_HIGH, _WIDE = 100.0, 1000.0


class LessonStage(NamedTuple):
    """The estimate after some matches, and its curve."""

    matches: int
    bar: StrengthBar
    rating: float
    is_provisional: bool
    path: str
    label_x: str
    """The position of its label, in percent of the drawing."""
    label_y: str


class Lead(NamedTuple):
    """How often a bot with a lead in strength wins."""

    lead: float
    percent: int


@cache
def stages() -> list[LessonStage]:
    """Return the example: a bot that wins two of three matches against average opponents."""
    skill, known = Skill(), {0: Skill()}
    for nth in range(1, max(_STAGES) + 1):
        ranks = (0, 1) if nth % 3 < _WINS_OF_THREE else (1, 0)
        skill, _ = rate((skill, _OPPONENT), ranks, draw_probability=_DRAWS)
        known[nth] = skill
    top = max(_density(known[matches], known[matches].mu) for matches in _STAGES)
    return [_stage(matches, known[matches], top) for matches in _STAGES]


def leads() -> list[Lead]:
    """Return how often the stronger of two bots wins, by its lead."""
    return [
        # Both bots play with a spread of one beta, so the standard deviation of their difference
        # is the root of two betas squared.
        Lead(part * BETA, round(100 * NormalDist().cdf(part / math.sqrt(2))))
        for part in _LEADS
    ]


def _stage(matches: int, skill: Skill, top: float) -> LessonStage:
    low, high = SCALE
    points = []
    for step in range(_POINTS + 1):
        strength = low + (high - low) * step / _POINTS
        height = _density(skill, strength) / top
        points.append(f"{_WIDE * step / _POINTS:.1f} {_HIGH * (1 - _TALL * height):.1f}")
    # To the right of the peak, so that the labels of flat curves stand clear of the tall one.
    at = skill.mu + skill.sigma * _LABEL_AT
    return LessonStage(
        matches=matches,
        bar=live_bar(skill, mean=MU),
        rating=skill.score,
        is_provisional=is_provisional(skill),
        path="M" + "L".join(points),
        label_x=f"{100 * (at - low) / (high - low):.1f}%",
        label_y=f"{100 * (1 - _TALL * _density(skill, at) / top):.1f}%",
    )


def _density(skill: Skill, strength: float) -> float:
    distance = (strength - skill.mu) / skill.sigma
    return math.exp(-distance * distance / 2) / skill.sigma
