"""Simple policies of Azure, for the figures of its rules page (15)."""

from __future__ import annotations

from random import Random

from pentathlon_engines.azure.evaluation import worth
from pentathlon_engines.azure.state import AzurePosition
from pentathlon_engines.contract.game import CHANCE, State

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pentathlon_engines.contract.game import Policy


def play_greedy(state: State, actions: list[int], rng: Random) -> int:
    """Choose the action that leads to the best position."""
    seat = _seat_to_move(state)
    worths = [worth(after, seat) for after in _afters(state, actions)]
    return _one_of_the_best(actions, worths, rng)


def play_two_step(state: State, actions: list[int], rng: Random) -> int:
    """Choose the action that leads to the best position after a greedy reply."""
    seat = _seat_to_move(state)
    worths = [worth(_replied(after, seat), seat) for after in _afters(state, actions)]
    return _one_of_the_best(actions, worths, rng)


def _seat_to_move(state: State) -> int:
    if state.to_move is None:
        raise ValueError("nobody is to move")
    return state.to_move


def _afters(state: State, actions: list[int]) -> list[AzurePosition]:
    if not isinstance(state, AzurePosition):
        raise TypeError(f"these players know Azure only, not {state.game.info.title}")
    afters = [state.copy() for _ in actions]
    for after, action in zip(afters, actions, strict=True):
        after.apply_unchecked(action)
    return afters


def _replied(state: AzurePosition, seat: int) -> AzurePosition:
    """Return the position after the other seat's best reply, if that seat is to move."""
    other = state.to_move
    if other is None or other in (seat, CHANCE):
        return state
    return max(_afters(state, state.legal_actions()), key=lambda after: worth(after, other))


def _one_of_the_best(actions: list[int], worths: list[float], rng: Random) -> int:
    most = max(worths)
    best = [action for action, found in zip(actions, worths, strict=True) if found == most]
    return best[int(rng.random() * len(best))]


POLICIES: dict[str, Policy] = {"greedy": play_greedy, "two_step": play_two_step}
