"""Observations of Azure as numbers. Past events appear only as known cards of each hand."""

from __future__ import annotations

from typing import Any, Final

from pentathlon_engines.azure.board import (
    BEASTS,
    CARDS_EACH,
    CELLS,
    COLOURS,
    COMMON_STONES,
    GIFTS,
    GOAL,
    PHASES,
    SIDE,
)
from tests.engines.seen import Features

_CARDS: Final = CARDS_EACH * len(COLOURS)
_MOST_QI: Final = 2
_MOST_WISDOM: Final = 7


def features(view: dict[str, Any], seats: int) -> list[float]:
    """Return the numbers of an observation."""
    encoded = Features(you=view["you"], seats=seats)
    encoded.seat(view["to_move"])
    encoded.choice(view["phase"], PHASES)
    encoded.choice(view["options"]["gifted"], GIFTS)
    for index, cell in enumerate(CELLS):
        _add_code(encoded, view["realm"][index // SIDE][index % SIDE])
        encoded.seat(view["stones"].get(cell))
        for at in encoded.by_seat(view["gifted_at"]):
            encoded.flag(at == cell)
        encoded.flag(view["boon_at"] == cell)
    _add_cards(encoded, view)
    encoded.numbers(encoded.by_seat(view["supply"]), most=COMMON_STONES)
    encoded.numbers(encoded.by_seat(view["wisdom"]), most=GOAL)
    for beast in BEASTS:
        encoded.seat(view["beasts"][beast])
    encoded.number(view["turn"], most=2 * (COMMON_STONES + 1))
    return encoded.values


def _add_code(encoded: Features, code: str) -> None:
    """Add the print of a cell: its domain, mountain or serpents, qi and wisdom."""
    domain, _, printed = code.partition(":")
    encoded.choice(domain, COLOURS)
    encoded.flag(printed == "M")
    encoded.flag(printed.endswith("s"))
    has_qi = printed[1:2] != "" and printed[1] in COLOURS
    encoded.choice(printed[1] if has_qi else None, COLOURS)
    encoded.number(int(printed[0]) if has_qi else 0, most=_MOST_QI)
    encoded.number(int(printed[-2]) if printed.endswith("*") else 0, most=_MOST_WISDOM)


def _add_cards(encoded: Features, view: dict[str, Any]) -> None:
    encoded.counts(view["hand"], COLOURS, most=CARDS_EACH)
    for known in encoded.by_seat(view["known"]):
        encoded.counts(known, COLOURS, most=CARDS_EACH)
    encoded.numbers(encoded.by_seat(view["hand_sizes"]), most=_CARDS)
    encoded.number(view["hidden_size"], most=_CARDS)
    encoded.numbers((view["decks"][colour] for colour in COLOURS), most=CARDS_EACH)
