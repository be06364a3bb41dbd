"""Write down a whole match, for comparison with what the rules once gave.

    python -m pentathlon_engines.tools.playthrough tuned --seed 1

The first line says what was played; each ply shows the position, what each seat sees of it where
that differs, what was legal and what was done. The same seed gives the same text everywhere.

With `--every 25` only every 25th position is written out, and each of the others is a checksum of
its text: for games with large positions and long matches.
"""

from __future__ import annotations

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
    """Return the playthrough of a match between seats that choose at random.

    Every so many plies all is written out, at the others a checksum of it.
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
    yield from _told(_position(state), whole=True)
    while state.to_move is not None:
        if state.to_move == CHANCE:
            text = state.sample_chance(rng)
            state.apply_chance(text)
            yield f"ply {ply}, chance: {text}"
        else:
            actions = state.legal_actions()
            action = actions[int(rng.random() * len(actions))]
            legal = f"legal: {_json([state.text(legal) for legal in actions])}"
            yield from _told([legal], whole=ply % every == 0)
            yield f"ply {ply}, seat {state.to_move}: {state.text(action)}"
            state.apply(action)
        ply += 1
        yield from _told(_position(state), whole=ply % every == 0 or state.to_move is None)


def _told(lines: Iterable[str], *, whole: bool) -> Iterator[str]:
    """Give some lines, or one with their checksum."""
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
    parser.add_argument(
        "--every", type=int, default=1, help="write every one of so many positions out"
    )
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
