"""Takes a win, lets nobody win at once, else goes where the trained network sees most worth."""

from pathlib import Path

import numpy as np

from pentathlon_engines.bot import Turn, play
from pentathlon_engines.lookahead import after, is_safe, winning_action
from pentathlon_engines.model import open_session

SESSION = open_session(Path(__file__).with_name("worth.onnx"))


def choose(turn: Turn) -> str:
    """Return the safe action after which the position looks best."""
    state = turn.state()
    win = winning_action(state)
    if win is not None:
        return state.text(win)
    actions = state.legal_actions()
    positions = [after(state, action) for action in actions]
    seen = np.array([position.features(turn.seat) for position in positions], np.float32)
    (worths,) = SESSION.run(None, {"features": seen})
    ordered = np.argsort(-worths[:, 0], kind="stable").tolist()
    for place in ordered:
        if is_safe(positions[place], turn.seat):
            return state.text(actions[place])
    return state.text(actions[ordered[0]])


if __name__ == "__main__":
    play(choose)
