"""Reads what is known of a position and of those that can follow it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pentathlon.common.errors import InvalidInput
from pentathlon.explorer.models import ExploredGame, ExploredPosition
from pentathlon.explorer.services import DEPTH
from pentathlon_engines import CHANCE, Game, State
from pentathlon_engines.errors import EngineError
from pentathlon_engines.record.record import position
from pentathlon_engines.record.shape import Record

LONGEST_LINE: Final = 1000
"""Letters of a line of events as it is sent."""
MOST_SHOWN: Final = 60
"""Actions or rolls: the most frequent ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """How often a position was reached, and what share of the points each seat won then."""

    matches: int
    shares: list[float]
    """Empty if no match has reached it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NextPosition:
    """What can happen next, and what is known of the position after it."""

    text: str
    also: list[str]
    """What leads to the same position, turned or mirrored."""
    reached: Reached


@dataclass(frozen=True, slots=True, kw_only=True)
class Exploration:
    """A position of the explorer."""

    state: State
    line: list[str]
    """The events that led from the start, or from the position of a match, to it."""
    ply: int
    reached: Reached
    nexts: list[NextPosition]
    left_out: int
    """How many more can happen, of which each was reached less often."""
    counted: int
    """All matches that were counted."""


def explore(
    game: Game, line: Sequence[str], *, record: Record | None = None, ply: int = 0
) -> Exploration:
    """Look a position up: that of a match, or the usual first one, and a line of events after it.

    Raises:
        InvalidInput: `bad_line`: the line cannot be played, or goes too deep.
    """
    if len(line) + ply > DEPTH:
        raise InvalidInput(
            f"The explorer goes {DEPTH} plies deep, not {len(line) + ply}.",
            code="bad_line",
            field="line",
        )
    state = game.start() if record is None else position(record, ply)
    for text in line:
        _follow(state, text)
    after = {} if len(line) + ply >= DEPTH else _after(game, state)
    here = game.position_key(state)
    known = _known(game, {here, *after.values()})
    texts: dict[str | None, list[str]] = {}
    for text, key in after.items():
        texts.setdefault(key, []).append(text)
    nexts = [
        NextPosition(text=first, also=others, reached=known.get(key, _NEVER))
        for key, (first, *others) in texts.items()
    ]
    nexts.sort(key=lambda each: -each.reached.matches)
    counted = ExploredGame.objects.filter(game=game.info.key).values_list("matches", flat=True)
    return Exploration(
        state=state,
        line=list(line),
        ply=len(line) + ply,
        reached=known.get(here, _NEVER),
        nexts=nexts[:MOST_SHOWN],
        left_out=max(0, len(nexts) - MOST_SHOWN),
        counted=counted.first() or 0,
    )


_NEVER: Final = Reached(matches=0, shares=[])


def _follow(state: State, text: str) -> None:
    try:
        if state.to_move == CHANCE:
            state.apply_chance(text)
        else:
            state.apply(state.parse(text))
    except EngineError as error:
        raise InvalidInput(
            f"{text[:40]!r} cannot happen there.", code="bad_line", field="line"
        ) from error


def _after(game: Game, state: State) -> dict[str, str | None]:
    """Return the keys of the positions that can follow, by what leads there."""
    if state.to_move is None:
        return {}
    if state.to_move == CHANCE:
        texts = [text for text, _ in state.chance_outcomes()]
    else:
        texts = [state.text(action) for action in state.legal_actions()]
    keys: dict[str, str | None] = {}
    for text in texts:
        after = state.copy()
        _follow(after, text)
        keys[text] = game.position_key(after)
    return keys


def _known(game: Game, keys: set[str | None]) -> dict[str | None, Reached]:
    rows = ExploredPosition.objects.filter(
        game=game.info.key, key__in=[key for key in keys if key]
    )
    return {
        row.key: Reached(
            matches=row.matches, shares=[points / row.matches for points in row.points]
        )
        for row in rows
    }
