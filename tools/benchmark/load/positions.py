"""The explorer's positions after many matches, made without playing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from django.db.models.functions import Now

from pentathlon.insight.explorer.models import ExploredGame, ExploredPosition
from pentathlon.insight.explorer.services import DEPTH, GROWS_AT, MOST_POSITIONS, forget_game
from pentathlon_engines import GAMES, State
from tools.benchmark.load.tables import Table

_SEATS: Final = 2
_SHARE: Final = 0.5
"""The share of the points that each seat wins from every position."""


def explore_history(game: str, *, matches: int) -> int:
    """Store the positions that so many matches reach if all actions are equally likely.

    The tree has the depth and the size that the explorer gives it. The matches count as explored
    already. Returns the number of positions.
    """
    forget_game(game)
    rows = [*_rows(game, matches)]
    table = Table(ExploredPosition, "game", "key", "matches", "points")
    table.fill((game, key, reached, str([reached * _SHARE] * _SEATS)) for key, reached in rows)
    ExploredGame.objects.create(game=game, matches=matches, positions=len(rows), finished_at=Now())
    return len(rows)


@dataclass(slots=True)
class _Node:
    state: State
    matches: int = 0


def _rows(game: str, matches: int) -> Iterator[tuple[str, int]]:
    """Yield keys of positions with the matches that have reached them, level by level."""
    rules, room = GAMES[game], MOST_POSITIONS
    start = rules.start()
    seen: set[str] = set()
    level = {rules.position_key(start): _Node(start, matches)}
    for _ in range(DEPTH + 1):
        after: dict[str | None, _Node] = {}
        for key, node in level.items():
            if key is None or key in seen or not room:
                continue
            seen.add(key)
            room -= 1
            yield key, node.matches
            if node.matches > GROWS_AT:
                _grow(game, node, after)
        level = {key: node for key, node in after.items() if node.matches}


def _grow(game: str, node: _Node, after: dict[str | None, _Node]) -> None:
    """Share the matches of a position among those that can follow it."""
    if node.state.to_move is None:
        return
    actions = node.state.legal_actions()
    for number, action in enumerate(actions):
        state = node.state.copy()
        state.apply(action)
        share = (node.matches + number) // len(actions)
        after.setdefault(GAMES[game].position_key(state), _Node(state)).matches += share
