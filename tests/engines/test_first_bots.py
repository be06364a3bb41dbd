"""The bots on the games' pages are short, and better than chance."""

import ast
import random
from collections.abc import Callable
from pathlib import Path
from runpy import run_path

import pytest

import pentathlon_engines
from pentathlon_engines import CHANCE, GAMES
from pentathlon_engines.bot import Turn
from pentathlon_engines.light_json import read_data

FOLDER = Path(pentathlon_engines.__file__).parent / "first_bots"
SAMPLES = {"tuned": 20, "azure": 20, "maatatahay": 16, "tash_kalar": 4, "way_of_the_dragon": 10}
LEAST_SHARE = 0.6
MOST_LINES = 15


@pytest.mark.parametrize("game", GAMES)
def test_first_bot_beats_random(game: str) -> None:
    """More matches: `figures.json` beside the bots has what this function gives for them."""
    assert points(game, matches=SAMPLES[game]) >= LEAST_SHARE * SAMPLES[game]


@pytest.mark.parametrize("game", GAMES)
def test_first_bot_is_short(game: str) -> None:
    body = ast.parse((FOLDER / f"{game}.py").read_text()).body

    functions = [node for node in body if isinstance(node, ast.FunctionDef)]
    lines = sum((node.end_lineno or 0) - node.lineno for node in functions)
    assert 0 < lines <= MOST_LINES


def test_every_game_has_a_first_bot_and_its_figures() -> None:
    figures = read_data(pentathlon_engines.__file__, "first_bots/figures.json")

    assert {path.stem for path in FOLDER.glob("*.py")} == set(GAMES) == set(figures)
    assert all(row["points"] >= LEAST_SHARE * row["matches"] for row in figures.values())


def points(game: str, *, matches: int) -> float:
    """Return the points of a first bot against random actions; both seats play each seed."""
    choose: Callable[[Turn], str] = run_path(str(FOLDER / f"{game}.py"))["choose"]
    return sum(_play(game, choose, seed=n // 2, seat=n % 2) for n in range(matches))


def _play(game: str, choose: Callable[[Turn], str], *, seed: int, seat: int) -> float:
    state = GAMES[game].start(2)
    dice, other = random.Random(seed), random.Random(f"other {seed} {seat}")
    facts = {"game": game, "rules": 1, "seat": seat, "seats": 2, "options": state.options}
    turn = Turn({**facts, "limits": {}, "match": "test", "dice": f"{seed} {seat}:{seat}"})
    while state.to_move is not None:
        if state.to_move == CHANCE:
            state.apply_chance(state.sample_chance(dice))
        elif state.to_move == seat:
            seen = state.observation(seat)
            request = {"ply": 0, "events": [], "observation": seen, "legal": seen.pop("legal")}
            turn.begin({**request, "clock": {"cpu_left_ms": 1000}})
            state.apply(state.parse(choose(turn)))
        else:
            state.apply_unchecked(state.random_action(other))
    assert state.outcome is not None
    mine, theirs = state.outcome.ranks[seat], state.outcome.ranks[1 - seat]
    return 0.5 if mine == theirs else float(mine < theirs)
