"""Write down a whole match, for comparison with what the rules once gave.

    python -m pentathlon_engines.playthrough tuned --seed 1

The first line says what was played; each ply shows the position, what each seat sees of it where
that differs, what was legal and what was done. The same seed gives the same text everywhere.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator
from typing import Any

from pentathlon_engines.game import CHANCE, Game, State
from pentathlon_engines.registry import GAMES


def playthrough(
    game: Game, *, seed: int, seats: int | None = None, options: dict[str, Any] | None = None
) -> str:
    """Return the playthrough of a match between seats that choose at random."""
    state = game.start(seats, options)
    setup = {
        "game": game.info.key,
        "rules": game.info.version,
        "seats": state.seats,
        "options": state.options,
        "seed": seed,
    }
    return "\n".join([_json(setup), *_plies(state, random.Random(seed)), ""])


def _plies(state: State, rng: random.Random) -> Iterator[str]:
    ply = 0
    yield from _position(state)
    while state.to_move is not None:
        if state.to_move == CHANCE:
            text = state.sample_chance(rng)
            state.apply_chance(text)
            yield f"ply {ply}, chance: {text}"
        else:
            actions = state.legal_actions()
            action = actions[int(rng.random() * len(actions))]
            yield f"legal: {_json([state.text(legal) for legal in actions])}"
            yield f"ply {ply}, seat {state.to_move}: {state.text(action)}"
            state.apply(action)
        ply += 1
        yield from _position(state)


def _position(state: State) -> Iterator[str]:
    yield _json(state.to_json())
    if state.game.info.hidden:
        for seat in (None, *range(state.seats)):
            name = "a spectator" if seat is None else f"seat {seat}"
            yield f"{name} sees: {_json(state.observation(seat))}"


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def main(arguments: list[str] | None = None) -> int:
    """Print a playthrough."""
    parser = argparse.ArgumentParser(prog="pentathlon_engines.playthrough")
    parser.add_argument("game", choices=list(GAMES))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seats", type=int)
    parser.add_argument("--options", type=json.loads, default={}, help="a JSON object")
    given = parser.parse_args(arguments)
    game = GAMES[given.game]
    text = playthrough(game, seed=given.seed, seats=given.seats, options=given.options)
    sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
