"""Observations of Way of the Dragon as numbers, which contain everything the rules depend on."""

from __future__ import annotations

from typing import Any, Final

from pentathlon_engines.way_of_the_dragon.actions import ELEMENTS, MOST_SPACES
from pentathlon_engines.way_of_the_dragon.board import COLOURS, PHASES
from pentathlon_engines.way_of_the_dragon.dice import DICE, FACES, REROLLS, RULES
from tests.engines.seen import Features

_SPACES: Final = range(1, MOST_SPACES + 1)
_CAP: Final[int] = RULES["turn_cap_per_player"]["most"]


def features(view: dict[str, Any], seats: int) -> list[float]:
    """Return the numbers of an observation."""
    encoded = Features(you=view["you"], seats=seats)
    options = view["options"]
    encoded.seat(view["to_move"])
    encoded.seat(view["turn_of"])
    encoded.choice(view["phase"], PHASES)
    encoded.flag(options["powers"])
    encoded.flag(options["immunity"])
    encoded.number(view["turn"], most=options["turn_cap_per_player"] * seats)
    encoded.number(options["turn_cap_per_player"], most=_CAP)
    encoded.numbers(view["plain_spaces"], most=MOST_SPACES)
    for colour in encoded.by_seat(view["colors"]):
        encoded.choice(colour, COLOURS)
    for pieces in encoded.by_seat(view["positions"]):
        for element in ELEMENTS:
            encoded.choice(pieces[element], _SPACES)
    for element in ELEMENTS:
        encoded.marks(view["dead"].get(element, ()), _SPACES)
    for used in encoded.by_seat(view["power_used"]):
        encoded.flag(used)
    encoded.counts(view["dice"], FACES, most=DICE)
    encoded.counts(view["kept"], FACES, most=DICE)
    encoded.number(view["rolls_left"], most=REROLLS)
    return encoded.values
