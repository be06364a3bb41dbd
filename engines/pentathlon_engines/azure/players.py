"""Simple players of Azure, for the figures of its rules page (15)."""

from __future__ import annotations

from random import Random

from pentathlon_engines.azure.board import GIFT, size
from pentathlon_engines.azure.state import AzureState
from pentathlon_engines.azure.table import TURN
from pentathlon_engines.figures import Player
from pentathlon_engines.game import CHANCE, State

_WISDOM = 10
_CARD = 4
_GUARD = 5
_CHOICE = 2
_WIN = 10_000


def play_greedy(state: State, actions: list[int], rng: Random) -> int:
    """Choose an action after which the position is worth most."""
    seat = state.to_move
    worths = [_worth(after, seat) for after in _afters(state, actions)]
    return _one_of_the_best(actions, worths, rng)


def play_two_step(state: State, actions: list[int], rng: Random) -> int:
    """Choose an action after which, and after a greedy reply, the position is worth most."""
    seat = state.to_move
    worths = [_worth(_replied(after, seat), seat) for after in _afters(state, actions)]
    return _one_of_the_best(actions, worths, rng)


def _afters(state: State, actions: list[int]) -> list[AzureState]:
    if not isinstance(state, AzureState):
        raise TypeError(f"these players know Azure only, not {state.game.info.title}")
    afters = [state.copy() for _ in actions]
    for after, action in zip(afters, actions, strict=True):
        after.apply_unchecked(action)
    return afters


def _replied(state: AzureState, seat: int | None) -> AzureState:
    """Return the position after the reply that the other seat likes best, if it is to move."""
    other = state.to_move
    if other is None or other in (seat, CHANCE):
        return state
    return max(_afters(state, state.legal_actions()), key=lambda after: _worth(after, other))


def _worth(state: AzureState, seat: int | None) -> int:
    """Return the worth of a position to a seat: wisdom, cards, guards, spaces it can pay."""
    if seat is None:
        raise ValueError("nobody is to move")
    other = 1 - seat
    if state.outcome is not None:
        return _WIN if state.outcome.ranks[seat] == 0 else -_WIN
    guards = sum(
        (state.sides[seat].stones & cells).bit_count()
        - (state.sides[other].stones & cells).bit_count()
        for cells in state.realm.guards
    )
    next_turn = state.copy()
    next_turn.phase, next_turn.mover, next_turn.to_move = TURN, seat, seat
    next_turn.look()
    spaces = {action % GIFT for action in next_turn.legal_actions()}
    return (
        _WISDOM * (state.sides[seat].wisdom - state.sides[other].wisdom)
        + _CARD * size(state.sides[seat].hand)
        + _GUARD * guards
        + _CHOICE * len(spaces)
    )


def _one_of_the_best(actions: list[int], worths: list[int], rng: Random) -> int:
    most = max(worths)
    best = [action for action, worth in zip(actions, worths, strict=True) if worth == most]
    return best[int(rng.random() * len(best))]


PLAYERS: dict[str, Player] = {"greedy": play_greedy, "two_step": play_two_step}
