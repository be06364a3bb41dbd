"""Observations of Way of the Dragon as numbers, which contain everything the rules depend on."""

from __future__ import annotations

from typing import Any, Final

from pentathlon_engines.encoding.features import Features
from pentathlon_engines.way_of_the_dragon.actions import ELEMENTS, MOST_SPACES
from pentathlon_engines.way_of_the_dragon.board import COLOURS, PHASES
from pentathlon_engines.way_of_the_dragon.dice import DICE, FACES, REROLLS, RULES

_SPACES: Final = range(1, MOST_SPACES + 1)
_CAP: Final[int] = RULES["turn_cap_per_player"]["most"]


def features(view: dict[str, Any], seats: int) -> list[float]:
    """Return the numbers of an observation."""
    found = Features(you=view["you"], seats=seats)
    options = view["options"]
    found.seat(view["to_move"])
    found.seat(view["turn_of"])
    found.choice(view["phase"], PHASES)
    found.flag(options["powers"])
    found.flag(options["immunity"])
    found.number(view["turn"], most=options["turn_cap_per_player"] * seats)
    found.number(options["turn_cap_per_player"], most=_CAP)
    found.numbers(view["plain_spaces"], most=MOST_SPACES)
    for colour in found.by_seat(view["colors"]):
        found.choice(colour, COLOURS)
    for pieces in found.by_seat(view["positions"]):
        for element in ELEMENTS:
            found.choice(pieces[element], _SPACES)
    for element in ELEMENTS:
        found.marks(view["dead"].get(element, ()), _SPACES)
    for used in found.by_seat(view["power_used"]):
        found.flag(used)
    found.counts(view["dice"], FACES, most=DICE)
    found.counts(view["kept"], FACES, most=DICE)
    found.number(view["rolls_left"], most=REROLLS)
    return found.values
