"""Takes a win, lets nobody win at once, else looks two actions ahead by the trained network."""

from pathlib import Path

import numpy as np

from pentathlon_engines import CHANCE, State
from pentathlon_engines.bot import Turn, play
from pentathlon_engines.lookahead import after, is_safe, winning_action
from pentathlon_engines.model import open_session

SESSION = open_session(Path(__file__).with_name("worth.onnx"))


def choose(turn: Turn) -> str:
    """Return the safe action after which the best reply leaves most worth."""
    state = turn.state()
    win = winning_action(state)
    if win is not None:
        return state.text(win)
    actions = state.legal_actions()
    positions = [after(state, action) for action in actions]
    worths = [worth_of(position, turn.seat) for position in positions]
    ordered = sorted(range(len(actions)), key=worths.__getitem__, reverse=True)
    for place in ordered:
        if is_safe(positions[place], turn.seat):
            return state.text(actions[place])
    return state.text(actions[ordered[0]])


def worth_of(position: State, seat: int) -> float:
    """Return what a position is worth to a seat that has just acted.

    What one seat of two wins, the other loses.
    """
    mover = position.to_move
    if mover is None or mover == CHANCE:
        return guess([position], seat)
    best = guess([after(position, action) for action in position.legal_actions()], mover)
    return best if mover == seat else -best


def guess(positions: list[State], seat: int) -> float:
    """Return the highest guess of the network for what a seat sees."""
    seen = np.array([position.features(seat) for position in positions], np.float32)
    (worths,) = SESSION.run(None, {"features": seen})
    return float(worths.max())


if __name__ == "__main__":
    play(choose)
