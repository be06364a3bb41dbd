"""Reads the statistics of a position and of the positions that can follow it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pentathlon.core.errors import InvalidInput
from pentathlon.insight.explorer.models import ExploredGame, ExploredPosition
from pentathlon.insight.explorer.services import DEPTH
from pentathlon_engines import CHANCE, Game, State
from pentathlon_engines.commentary.words import count_range
from pentathlon_engines.contract.presentation import Change
from pentathlon_engines.errors import EngineError
from pentathlon_engines.record.record import position
from pentathlon_engines.record.shape import Record

LONGEST_LINE: Final = 1000
"""The most characters of a line of events in a request."""
MOST_SHOWN: Final = 60
"""The most actions or rolls that are shown: those that were played most often."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """The number of times a position was reached, and each seat's share of the points."""

    matches: int
    shares: list[float]
    """Each seat's share; empty if no match has reached the position."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NextPosition:
    """A possible next event, and the statistics of the position after it."""

    text: str
    words: str
    """The same event, told by the game's commentary."""
    also: list[str]
    """Other events that lead to the same position, turned or mirrored."""
    reached: Reached


@dataclass(frozen=True, slots=True, kw_only=True)
class Exploration:
    """A position of the explorer."""

    state: State
    line: list[str]
    """The events that led to it from the start, or from the position of a match."""
    words: list[str]
    """The same events, told by the game's commentary."""
    ply: int
    reached: Reached
    nexts: list[NextPosition]
    left_out: int
    """How many more positions can follow, each reached no more often than those shown."""
    counted: int
    """How many matches of the game have been counted in all."""


def explore(
    game: Game,
    line: Sequence[str],
    *,
    seats: int | None = None,
    record: Record | None = None,
    ply: int = 0,
) -> Exploration:
    """Look up the position after a line of events, which begins in a match or at the start.

    Without `seats`, the start has the usual number of seats.

    Raises:
        InvalidInput: `bad_line`: the line cannot be played, or goes too deep. `bad_seats`.
    """
    if len(line) + ply > DEPTH:
        raise InvalidInput(
            f"The explorer goes {DEPTH} plies deep, not {len(line) + ply}.",
            code="bad_line",
            field="line",
        )
    state = _start(game, seats) if record is None else position(record, ply)
    words = []
    for text in line:
        before = state.copy()
        _follow(state, text)
        words.append(_tell(before, text, state))
    after = {} if len(line) + ply >= DEPTH else _after(state)
    here = game.position_key(state)
    texts: dict[str | None, list[str]] = {}
    for text, follower in after.items():
        texts.setdefault(game.position_key(follower), []).append(text)
    known = _known(game, {here, *texts})
    ordered = sorted(texts, key=lambda key: -known.get(key, _NEVER).matches)
    nexts = [
        NextPosition(
            text=first,
            words=_tell(state, first, after[first]),
            also=others,
            reached=known.get(key, _NEVER),
        )
        for key in ordered[:MOST_SHOWN]
        for first, *others in [texts[key]]
    ]
    counted = ExploredGame.objects.filter(game=game.info.key).values_list("matches", flat=True)
    return Exploration(
        state=state,
        line=list(line),
        words=words,
        ply=len(line) + ply,
        reached=known.get(here, _NEVER),
        nexts=nexts,
        left_out=len(ordered) - len(nexts),
        counted=counted.first() or 0,
    )


_NEVER: Final = Reached(matches=0, shares=[])


def _start(game: Game, seats: int | None) -> State:
    lowest, highest = game.info.seats
    if seats is not None and not lowest <= seats <= highest:
        raise InvalidInput(
            f"{game.info.title} has {count_range(lowest, highest, 'seat')}, not {seats}.",
            code="bad_seats",
            field="seats",
        )
    return game.start(seats)


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


def _tell(before: State, text: str, after: State) -> str:
    seat = CHANCE if before.to_move is None else before.to_move
    change = Change(before.to_json(), seat, text, after.to_json())
    return before.game.commentary().tell(change)


def _after(state: State) -> dict[str, State]:
    """Return the positions that can follow, by the text of the event that leads there."""
    if state.to_move is None:
        return {}
    if state.to_move == CHANCE:
        texts = [text for text, _ in state.chance_outcomes()]
    else:
        texts = [state.text(action) for action in state.legal_actions()]
    found: dict[str, State] = {}
    for text in texts:
        found[text] = state.copy()
        _follow(found[text], text)
    return found


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
