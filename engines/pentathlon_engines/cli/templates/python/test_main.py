"""Tests of the bot: run `python3 -m unittest` in its folder."""

import random
import unittest

from main import choose

from pentathlon_engines import CHANCE, GAMES
from pentathlon_engines.bot import Turn


class ChooseTest(unittest.TestCase):
    """Lets the bot play all seats, without processes."""

    def test_every_action_of_a_match_is_legal(self) -> None:
        rng = random.Random(1)
        state = GAMES["$game"].start()
        while state.to_move is not None:
            if state.to_move == CHANCE:
                state.apply_chance(state.sample_chance(rng))
            else:
                state.apply(state.parse(choose(turn_of(state))))

        self.assertIsNotNone(state.outcome)


def turn_of(state):
    """Return the request to the bot in the seat to move."""
    seat = state.to_move
    hello = {"game": "$game", "rules": 1, "seat": seat, "seats": state.seats}
    turn = Turn({**hello, "options": state.options, "limits": {}, "match": "test", "dice": "7"})
    legal = [state.text(action) for action in state.legal_actions()]
    observation = {**state.observation(seat), "you": seat}
    turn.begin({"ply": 0, "events": [], "observation": observation, "legal": legal, "clock": {}})
    return turn


if __name__ == "__main__":
    unittest.main()
