"""Policies of Tash-Kalar for simulations, as its rules page describes them (17.6)."""

from __future__ import annotations

from random import Random
from typing import Final

from pentathlon_engines.contract.game import State
from pentathlon_engines.lookahead import best_first

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pentathlon_engines.contract.game import Policy

_PREFERRED: Final = ("summon ", "claim ")


def play_summoner(state: State, actions: list[int], rng: Random) -> int:
    """Summon or claim if possible, otherwise choose any action."""
    preferred = [action for action in actions if state.text(action).startswith(_PREFERRED)]
    return rng.choice(preferred or actions)


def play_greedy(state: State, actions: list[int], rng: Random) -> int:
    """Choose the action that leads to the best position."""
    rng.shuffle(actions)
    return best_first(state, actions)[0]


POLICIES: dict[str, Policy] = {"summoner": play_summoner, "greedy": play_greedy}
