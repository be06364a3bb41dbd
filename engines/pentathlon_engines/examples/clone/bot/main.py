"""Plays a trained policy: takes a win, lets nobody win at once, else does what it prefers.

The network is computed in plain Python, which is enough for its size; larger ones go as ONNX into
a bot in "python-numpy".
"""

from pathlib import Path

from pentathlon_engines import light_json
from pentathlon_engines.bot import Turn, play
from pentathlon_engines.lookahead import after, is_safe, winning_action

WEIGHTS = light_json.loads(Path(__file__).with_name("weights.json").read_bytes())


def choose(turn: Turn) -> str:
    """Return the most preferred action that is safe."""
    state = turn.state()
    win = winning_action(state)
    if win is not None:
        return state.text(win)
    seen = state.features(turn.seat)
    preference = score_actions(seen, state.legal_actions())
    ordered = sorted(preference, key=preference.__getitem__, reverse=True)
    for action in ordered:
        if is_safe(after(state, action), turn.seat):
            return state.text(action)
    return state.text(ordered[0])


def score_actions(seen: list[float], actions: list[int]) -> dict[int, float]:
    """Return the preference of the network for each of these actions."""
    hidden = list(WEIGHTS["first_bias"])
    for value, row in zip(seen, WEIGHTS["first"], strict=True):
        if value:  # most features are 0
            hidden = [unit + value * weight for unit, weight in zip(hidden, row, strict=True)]
    alive = [(number, unit) for number, unit in enumerate(hidden) if unit > 0]
    second, bias = WEIGHTS["second"], WEIGHTS["second_bias"]
    return {
        action: bias[action] + sum(unit * second[action][number] for number, unit in alive)
        for action in actions
    }


if __name__ == "__main__":
    play(choose)
