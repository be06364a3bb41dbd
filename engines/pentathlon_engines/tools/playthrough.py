"""Write down a whole match, to reveal when a change of the code changes the rules.

    python -m pentathlon_engines.tools.playthrough tuned --seed 1

The first line has game, options and seed. Each ply shows the position, in games with secrets the
observations, the legal actions and the chosen one. The same seed gives the same text on every
machine.

For games with large positions and long matches, `--every 25` writes only every 25th position and
replaces the others by a checksum.
"""

import argparse
import hashlib
import json
import random
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from pentathlon_engines.contract.game import CHANCE, Game, State
from pentathlon_engines.contract.registry import GAMES


def playthrough(
    game: Game,
    *,
    seed: int,
    seats: int | None = None,
    options: dict[str, Any] | None = None,
    every: int = 1,
) -> str:
    """Return the playthrough of a match in which every seat chooses at random.

    Positions appear in full at every `every`-th ply, and as a checksum at the others.
    """
    state = game.start(seats, options)
    setup = {
        "game": game.info.key,
        "rules": game.info.version,
        "seats": state.seats,
        "options": state.options,
        "seed": seed,
    }
    if every > 1:
        setup["every"] = every
    return "\n".join([_json(setup), *_plies(state, random.Random(seed), every), ""])


def _plies(state: State, rng: random.Random, every: int) -> Iterator[str]:
    ply = 0
    yield from _lines_or_checksum(_position(state), whole=True)
    while state.to_move is not None:
        if state.to_move == CHANCE:
            text = state.sample_chance(rng)
            state.apply_chance(text)
            yield f"ply {ply}, chance: {text}"
        else:
            actions = state.legal_actions()
            action = actions[int(rng.random() * len(actions))]
            legal = f"legal: {_json([state.text(legal) for legal in actions])}"
            yield from _lines_or_checksum([legal], whole=ply % every == 0)
            yield f"ply {ply}, seat {state.to_move}: {state.text(action)}"
            state.apply(action)
        ply += 1
        yield from _lines_or_checksum(
            _position(state), whole=ply % every == 0 or state.to_move is None
        )


def _lines_or_checksum(lines: Iterable[str], *, whole: bool) -> Iterator[str]:
    """Yield the lines, or one line with their checksum."""
    if whole:
        yield from lines
        return
    text = "\n".join(lines)
    yield f"sha256: {hashlib.sha256(text.encode()).hexdigest()[:16]}"


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
    parser = argparse.ArgumentParser(prog="pentathlon_engines.tools.playthrough")
    parser.add_argument("game", choices=list(GAMES))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seats", type=int)
    parser.add_argument("--options", type=json.loads, default={}, help="a JSON object")
    parser.add_argument("--every", type=int, default=1, help="write every N-th position in full")
    given = parser.parse_args(arguments)
    text = playthrough(
        GAMES[given.game],
        seed=given.seed,
        seats=given.seats,
        options=given.options,
        every=given.every,
    )
    sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
