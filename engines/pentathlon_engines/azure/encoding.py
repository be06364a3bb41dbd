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
from pentathlon_engines.encoding.features import Features

_CARDS: Final = CARDS_EACH * len(COLOURS)
_MOST_QI: Final = 2
_MOST_WISDOM: Final = 7


def features(view: dict[str, Any], seats: int) -> list[float]:
    """Return the numbers of an observation."""
    found = Features(you=view["you"], seats=seats)
    found.seat(view["to_move"])
    found.choice(view["phase"], PHASES)
    found.choice(view["options"]["gifted"], GIFTS)
    for index, cell in enumerate(CELLS):
        _add_code(found, view["realm"][index // SIDE][index % SIDE])
        found.seat(view["stones"].get(cell))
        for at in found.by_seat(view["gifted_at"]):
            found.flag(at == cell)
        found.flag(view["boon_at"] == cell)
    _add_cards(found, view)
    found.numbers(found.by_seat(view["supply"]), most=COMMON_STONES)
    found.numbers(found.by_seat(view["wisdom"]), most=GOAL)
    for beast in BEASTS:
        found.seat(view["beasts"][beast])
    found.number(view["turn"], most=2 * (COMMON_STONES + 1))
    return found.values


def _add_code(found: Features, code: str) -> None:
    """Add the print of a cell: its domain, mountain or serpents, qi and wisdom."""
    domain, _, printed = code.partition(":")
    found.choice(domain, COLOURS)
    found.flag(printed == "M")
    found.flag(printed.endswith("s"))
    has_qi = printed[1:2] != "" and printed[1] in COLOURS
    found.choice(printed[1] if has_qi else None, COLOURS)
    found.number(int(printed[0]) if has_qi else 0, most=_MOST_QI)
    found.number(int(printed[-2]) if printed.endswith("*") else 0, most=_MOST_WISDOM)


def _add_cards(found: Features, view: dict[str, Any]) -> None:
    found.counts(view["hand"], COLOURS, most=CARDS_EACH)
    for known in found.by_seat(view["known"]):
        found.counts(known, COLOURS, most=CARDS_EACH)
    found.numbers(found.by_seat(view["hand_sizes"]), most=_CARDS)
    found.number(view["hidden_size"], most=_CARDS)
    found.numbers((view["decks"][colour] for colour in COLOURS), most=CARDS_EACH)
