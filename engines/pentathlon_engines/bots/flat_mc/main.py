"""Flat Monte Carlo: plays each action out many times and takes the best one.

It takes a win at once, and avoids actions that let the next seat win at once. UCB1 distributes the
playouts among the rest. Playouts are random, except that nobody misses a win in the first actions.
Their number is fixed, so that a match can be repeated, unless the clock is short. `mcts` is the
stronger bot; this one shows what playouts alone can do.
"""

from math import log, sqrt

from pentathlon_engines.bot import Turn, play
from pentathlon_engines.contract.game import CHANCE, Outcome, State
from pentathlon_engines.lookahead import after, is_safe, winning_action

PLAYOUTS = 300
CAREFUL_ACTIONS = 2
"""The number of actions at the start of a playout that never miss a win."""
CPU_SHARE = 0.5
"""The share of the time for one action that the bot may use."""
MATCH_SHARE = 0.03
"""The share of the time left for the match that one action may use."""
LEAST_MS = 4.0
"""With less time than this it acts at random, so that a long match does not run out of time."""
EXPLORATION = 0.7


class Arm:
    """An action with the results of its playouts."""

    def __init__(self, action: int) -> None:
        self.action = action
        self.tries = 0
        self.won = 0.0

    def promise(self, log_tries: float) -> float:
        """Return the upper confidence bound."""
        return self.won / self.tries + EXPLORATION * sqrt(log_tries / self.tries)


def choose(turn: Turn) -> str:
    """Return the action with the best playouts."""
    if _budget_ms(turn.clock) < LEAST_MS:
        return turn.rng.choice(turn.legal)
    root = turn.state()
    win = winning_action(root)
    if win is not None:
        return root.text(win)
    arms = [Arm(action) for action in _candidates(root, turn)]
    if len(arms) > 1:
        _try_out(arms, root, turn)
    best = max(arms, key=lambda arm: (arm.tries, arm.won))
    if best.tries:
        turn.note = f"{best.won / best.tries:.0%} of {best.tries} playouts"
    return root.text(best.action)


def _candidates(root: State, turn: Turn) -> list[int]:
    actions = root.legal_actions()
    budget_ms = _budget_ms(turn.clock) / 2
    safe = [
        action
        for action in actions
        if turn.used_ms() > budget_ms or is_safe(after(root, action), turn.seat)
    ]
    return safe or actions


def _try_out(arms: list[Arm], root: State, turn: Turn) -> None:
    hidden = root.game.info.hidden
    budget_ms = _budget_ms(turn.clock)
    for tries in range(PLAYOUTS):
        if turn.used_ms() > budget_ms:
            return
        arm = _next_arm(arms, tries)
        world = root.determinize(turn.seat, turn.rng) if hidden else root.copy()
        world.apply_unchecked(arm.action)
        arm.won += _share(_play_out(world, turn), turn.seat)
        arm.tries += 1


def _play_out(world: State, turn: Turn) -> Outcome:
    for _ in range(CAREFUL_ACTIONS):
        if world.to_move is None or world.to_move == CHANCE:
            break
        win = winning_action(world)
        world.apply_unchecked(world.random_action(turn.rng) if win is None else win)
    return world.playout(turn.rng)


def _budget_ms(clock: dict[str, int]) -> float:
    return min(CPU_SHARE * clock["cpu_left_ms"], MATCH_SHARE * clock["match_cpu_left_ms"])


def _next_arm(arms: list[Arm], tries: int) -> Arm:
    if tries < len(arms):
        return arms[tries]
    log_tries = log(tries)
    return max(arms, key=lambda arm: arm.promise(log_tries))


def _share(outcome: Outcome, seat: int) -> float:
    """Return the share of the other seats that this one has beaten; a tie counts half."""
    mine = outcome.ranks[seat]
    beaten = sum(1.0 if rank > mine else 0.5 for rank in outcome.ranks if rank >= mine) - 0.5
    return beaten / (len(outcome.ranks) - 1)


if __name__ == "__main__":
    play(choose)
