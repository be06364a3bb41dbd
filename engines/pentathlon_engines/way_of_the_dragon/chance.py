"""Chance events of Way of the Dragon, as texts that contain the whole outcome.

`dead fire 2` places a dead piece, `start 1` says who begins, `roll wwmdd` gives all five dice, the
kept ones among them.
"""

from __future__ import annotations

from pentathlon_engines.way_of_the_dragon import dice
from pentathlon_engines.way_of_the_dragon.actions import ELEMENTS
from pentathlon_engines.way_of_the_dragon.board import DEAD, ROLL
from pentathlon_engines.way_of_the_dragon.dice import ALL, FACES, WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from random import Random
    from typing import Final

    from pentathlon_engines.way_of_the_dragon.state import WayOfTheDragonPosition


def draw(state: WayOfTheDragonPosition, rng: Random) -> str:
    """Draw what comes next; every space, seat and face has the same chance."""
    if state.phase == ROLL:
        return _ROLLS[dice.roll(state.kept, rng.random)]
    texts = [text for text, _ in outcomes(state)]
    return texts[int(rng.random() * len(texts))]


def outcomes(state: WayOfTheDragonPosition) -> list[tuple[str, int]]:
    """Return all events that can come next; dice weigh as much as the ways to roll them."""
    if state.phase == ROLL:
        return [(_ROLLS[number], ways) for number, ways in dice.rolls(state.kept)]
    if state.phase == DEAD:
        return [(f"dead {ELEMENTS[path]} {at}", 1) for path, at in state.dead_spaces()]
    return [(f"start {seat}", 1) for seat in range(state.seats)]


def read(state: WayOfTheDragonPosition, text: str) -> tuple[int, int] | None:
    """Return dice and 0, path and position, or seat and 0 of a text, None if impossible."""
    if state.phase == ROLL:
        number = _NUMBERS.get(text, 0)
        return (number, 0) if number >= ALL and dice.is_part(state.kept, number) else None
    if not any(text == possible for possible, _ in outcomes(state)):
        return None
    words = text.split(" ")
    if state.phase == DEAD:
        return ELEMENTS.index(words[1]), int(words[2])
    return int(words[1]), 0


_ROLLS: Final = [f"roll {word}" for word in WORDS]
_NUMBERS: Final = {text: number for number, text in enumerate(_ROLLS)}


def grammar(state: WayOfTheDragonPosition) -> str:
    """Describe the texts that are possible here."""
    if state.phase == ROLL:
        kept = WORDS[state.kept]
        beside = f", {kept} among them" if kept else ""
        return f"'roll' and five dice in the order {FACES}{beside}"
    if state.phase == DEAD:
        return "'dead <element> <position>' with a free plain space of a path with room"
    return f"'start' and a seat from 0 to {state.seats - 1}"
