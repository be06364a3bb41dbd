"""Searches by Monte Carlo tree search for as long as the clock allows.

It takes a win at once; else `pentathlon_engines.tree_search` decides. Its time for a match is a
share of what the limits grant, spread evenly over the decisions that it expects to make. For
experiments, `python main.py --iterations 200` searches 200 simulations for each action instead,
and so plays a match again the same way.
"""

import gc
import sys
from random import Random

from pentathlon_engines.bot import Turn, play
from pentathlon_engines.contract.game import CHANCE, State
from pentathlon_engines.lookahead import winning_action
from pentathlon_engines.tree_search import TreeSearch

MATCH_SHARE = 0.25
"""The share of the match's CPU time that the bot plans to use; the rest is reserve."""
ACTION_SHARE = 0.4
"""The largest share of the time for one action that the bot uses."""
LEAST_MS = 4.0
"""With less time than this it acts at random, so that a long match does not run out of time."""
PLAYOUTS = 3
"""The number of playouts that estimate how many decisions are to come."""
FEWEST_TO_COME = 5
"""Time for this many decisions is kept, however long the match takes."""
TAIL = 0.2
"""Time for this share of all expected decisions is kept, too."""
LOOK_EVERY = 16
"""How many simulations pass between looks at whether other actions can still catch up."""


class Player:
    """Chooses actions, and spreads the time of a match over them."""

    def __init__(self, iterations: int = 0) -> None:
        self._iterations = iterations
        self._decisions = 0
        self._expected = 0.0

    def choose(self, turn: Turn) -> str:
        """Return the action that the search likes best."""
        if len(turn.legal) == 1:
            return turn.legal[0]
        if ACTION_SHARE * _left_ms(turn) < LEAST_MS:
            return turn.rng.choice(turn.legal)
        root = turn.state()
        win = winning_action(root)
        if win is not None:
            return root.text(win)
        search = TreeSearch(root, seat=turn.seat, rng=turn.rng)
        self._run(search, turn)
        turn.note = f"{search.expected():.0%} expected after {search.tries} simulations"
        return root.text(search.best())

    def _run(self, search: TreeSearch, turn: Turn) -> None:
        budget_ms = ACTION_SHARE * _left_ms(turn)
        if self._iterations:
            while search.tries < self._iterations and turn.used_ms() < budget_ms:
                search.step()
            return
        budget_ms = min(budget_ms, self._portion_ms(search.root, turn))
        while (used_ms := turn.used_ms()) < budget_ms:
            search.step()
            if search.tries % LOOK_EVERY == 0:
                to_come = search.tries * (budget_ms - used_ms) / max(1.0, used_ms)
                if search.lead() > to_come:
                    return

    def _portion_ms(self, root: State, turn: Turn) -> float:
        """Return what one decision may use of the time for the match."""
        if not self._expected:
            self._expected = count_decisions(root, seat=turn.seat, rng=turn.rng)
        self._decisions += 1
        to_come = max(
            self._expected - self._decisions, TAIL * self._expected, float(FEWEST_TO_COME)
        )
        reserve_ms = (1 - MATCH_SHARE) * 1000 * turn.limits["match_cpu_s"]
        return max(LEAST_MS, (turn.clock["match_cpu_left_ms"] - reserve_ms) / to_come)


def count_decisions(root: State, *, seat: int, rng: Random) -> float:
    """Return how often a seat decides on average until the end.

    The game's first policy plays all seats, if there is one: random matches last longer.
    """
    policy = next(iter(root.game.policies().values()), None)
    found = 0
    for _ in range(PLAYOUTS):
        world = root.copy()
        while world.to_move is not None:
            if world.to_move == CHANCE:
                world.apply_chance(world.sample_chance(rng))
                continue
            actions = world.legal_actions()
            found += world.to_move == seat and len(actions) > 1
            action = policy(world, actions, rng) if policy else rng.choice(actions)
            world.apply_unchecked(action)
    return found / PLAYOUTS


def _left_ms(turn: Turn) -> float:
    return float(min(turn.clock["cpu_left_ms"], turn.clock["match_cpu_left_ms"]))


choose = Player().choose


def main() -> None:
    """Play one match."""
    gc.disable()  # a tree has no cycles, and a collection takes longer the larger it gets
    iterations = int(sys.argv[2]) if sys.argv[1:2] == ["--iterations"] else 0
    play(Player(iterations).choose)


if __name__ == "__main__":
    main()
