"""Drives games from Python: ours, python-chess and open_spiel, each in the same way, at random.

Every decision lists the legal actions, picks one and does it; chance is drawn as the package
offers it. Other packages are imported inside functions, because they are in another environment.
"""

import random
from collections.abc import Callable
from typing import Any

_CHESS_PLIES = 200

Count = tuple[int, int]
"""The number of decisions, and of the actions listed for them."""
Match = Callable[[random.Random], Count]


def driver_of(package: str, game: str) -> Match:
    """Return a function that plays one match of a game and counts what it did."""
    return {"pentathlon": _ours, "chess": _chess, "open_spiel": _open_spiel}[package](game)


def _ours(key: str) -> Match:
    from pentathlon_engines import CHANCE, GAMES  # noqa: PLC0415  # pure or compiled, by the path

    game = GAMES[key]

    def play(rng: random.Random) -> Count:
        state, moves, listed = game.start(), 0, 0
        while (seat := state.to_move) is not None:
            if seat == CHANCE:
                state.apply_chance(state.sample_chance(rng))
                continue
            actions = state.legal_actions()
            state.apply_unchecked(actions[int(rng.random() * len(actions))])
            moves += 1
            listed += len(actions)
        return moves, listed

    return play


def _chess(_: str) -> Match:
    import chess  # noqa: PLC0415  # in the opponents' environment

    def play(rng: random.Random) -> Count:
        board, moves, listed = chess.Board(), 0, 0
        while moves < _CHESS_PLIES:
            actions = list(board.legal_moves)
            if not actions:
                break
            board.push(actions[int(rng.random() * len(actions))])
            moves += 1
            listed += len(actions)
        return moves, listed

    return play


def _open_spiel(name: str) -> Match:
    import pyspiel  # noqa: PLC0415  # in the opponents' environment

    game: Any = pyspiel.load_game(name)

    def play(rng: random.Random) -> Count:
        state, moves, listed = game.new_initial_state(), 0, 0
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choices(outcomes, weights)[0])
                continue
            actions = state.legal_actions()
            state.apply_action(actions[int(rng.random() * len(actions))])
            moves += 1
            listed += len(actions)
        return moves, listed

    return play
