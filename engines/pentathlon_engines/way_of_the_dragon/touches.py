"""The marks that a person points at for an action: dice, or spaces of a path."""

from __future__ import annotations

from pentathlon_engines.contract.game import State
from pentathlon_engines.way_of_the_dragon.actions import ELEMENTS


def touches(state: State, action: int) -> list[str]:
    """Return the dice that an action keeps, or the spaces that it is about.

    Of equal dice the first ones are kept. A move is shown by the space that it reaches.
    """
    verb, *words = state.text(action).split()
    if verb in ("keep", "eye") and words:
        return _dice(state.to_json()["dice"], words[0])
    if verb == "swap":
        return [f"{words[0]} {space}" for space in words[1:]]
    if words and words[0] in ELEMENTS:
        return _reached(state, action, words[0])
    return []


def _dice(shown: str, kept: str) -> list[str]:
    left = [*enumerate(shown, 1)]
    names = []
    for letter in kept.replace("-", ""):
        die = next(die for die in left if die[1] == letter)
        left.remove(die)
        names.append(f"die {die[0]}")
    return names


def _reached(state: State, action: int, element: str) -> list[str]:
    after = state.copy()
    after.apply_unchecked(action)
    moved = [step for step in after.to_json()["moved"] if step[0] == element]
    return [f"{element} {moved[-1][2]}"] if moved else []
