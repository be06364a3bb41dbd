"""Plays a trained policy: takes a win, lets nobody win at once, else does what it prefers."""

from pathlib import Path

import numpy as np

from pentathlon_engines.bot import Turn, play
from pentathlon_engines.lookahead import after, is_safe, winning_action
from pentathlon_engines.model import open_session

SESSION = open_session(Path(__file__).with_name("policy.onnx"))


def choose(turn: Turn) -> str:
    """Return the most preferred action that is safe."""
    state = turn.state()
    win = winning_action(state)
    if win is not None:
        return state.text(win)
    seen = np.array([state.features(turn.seat)], np.float32)
    ((scores,),) = SESSION.run(None, {"features": seen})
    ordered = sorted(state.legal_actions(), key=scores.__getitem__, reverse=True)
    for action in ordered:
        if is_safe(after(state, action), turn.seat):
            return state.text(action)
    return state.text(ordered[0])


if __name__ == "__main__":
    play(choose)
