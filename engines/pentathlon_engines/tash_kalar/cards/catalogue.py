"""All cards of Tash-Kalar, read from the deck files and compiled once.

Everything about a card is data: its pattern becomes masks (`patterns.py`), and the steps of its
effect a program (`compiler.py`). A card is a number here, its place in `IDS`; what belongs to
each card is in tables by that number. A deck whose cards have no steps yet is left out.
"""

from __future__ import annotations

from pentathlon_engines.light_json import read_data
from pentathlon_engines.tash_kalar.board import RULES
from pentathlon_engines.tash_kalar.cards.compiler import compile_flare, compile_steps
from pentathlon_engines.tash_kalar.cards.patterns import RANKS, BadCard, Pattern, compile_pattern
from pentathlon_engines.tash_kalar.cards.program import Program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

SCHOOL_DECKS: Final = ("imperial", "highland", "sylvan", "nethervoid", "everfrost", "etherweave")
"""The files of the school decks that can be played."""
LEGENDS: Final = "legends"
FLARES: Final = "flares"
TASKS: Final = "tasks"


def read_deck(deck: str) -> dict[str, Any]:
    """Return a deck file; raise `BadCard` if it has the wrong number of cards."""
    data: dict[str, Any] = read_data(__file__, f"decks/{deck}.json")
    check_deck(data)
    return data


def check_deck(data: dict[str, Any]) -> None:
    """Refuse a deck with a wrong number of cards, or with two of the same name or number."""
    deck, cards = data["deck"], data["cards"]
    size: int = RULES["deck_sizes"].get(deck, RULES["deck_sizes"]["beings"])
    if len(cards) != size:
        raise BadCard(deck, f"has {len(cards)} cards, not {size}")
    for place, card in enumerate(cards, 1):
        if card["number"] != place:
            raise BadCard(card["id"], f"has the number {card['number']}, but is card {place}")
    if len({card["id"] for card in cards}) != size:
        raise BadCard(deck, "has two cards of the same name")


def compile_being(card: dict[str, Any]) -> tuple[Pattern, Program]:
    """Return pattern and effect of a being, or raise `BadCard` with its name."""
    if card["steps"] is None:
        raise BadCard(card["id"], "has no effect steps yet, so its deck cannot be played")
    if card["rank"] not in RANKS:
        raise BadCard(card["id"], f"has no rank {card['rank']!r}; there are {', '.join(RANKS)}")
    pattern = compile_pattern(
        card["id"], card["pattern"], refs=card["refs"], summon_on=card.get("summon_on", "")
    )
    pattern.rank = RANKS.index(card["rank"])
    free = card.get("frozen_steps", card.get("warp_steps"))
    program = compile_steps(card["id"], card["steps"], free)
    for name in program.named_cards():
        if name not in CARDS:
            raise BadCard(card["id"], f"a step of its effect asks for an unknown card {name!r}")
    return pattern, program


_SCHOOL_FILES: Final = [read_deck(deck) for deck in SCHOOL_DECKS]
_LEGEND_FILE: Final = read_deck(LEGENDS)
_FLARE_FILE: Final = read_deck(FLARES)
TASK_FILE: Final = read_deck(TASKS)
_BEINGS: Final[list[dict[str, Any]]] = [
    card for data in (*_SCHOOL_FILES, _LEGEND_FILE) for card in data["cards"]
]
_CARDS: Final[list[dict[str, Any]]] = [*_BEINGS, *_FLARE_FILE["cards"]]

IDS: Final[tuple[str, ...]] = tuple(card["id"] for card in _CARDS)
CARDS: Final[dict[str, int]] = {name: card for card, name in enumerate(IDS)}
NUMBERS: Final[tuple[int, ...]] = tuple(card["number"] for card in _CARDS)
BEINGS: Final = len(_BEINGS)
"""Cards below this are beings, the others flares."""
FIRST_LEGEND: Final[int] = BEINGS - len(_LEGEND_FILE["cards"])
"""Beings below this belong to schools, the others are legends."""
FIRST_FLARE: Final[int] = BEINGS
RANK_OF: Final[tuple[int, ...]] = tuple(RANKS.index(card["rank"]) for card in _BEINGS)
SCHOOLS: Final[tuple[str, ...]] = tuple(
    school for data in _SCHOOL_FILES if "expansion" not in data for school in data["schools"]
)
"""The schools that chance may draw."""
EXPANSIONS: Final[tuple[str, ...]] = tuple(
    school for data in _SCHOOL_FILES if "expansion" in data for school in data["schools"]
)
"""The schools that are played only on request (18)."""
SCHOOL_CARDS: Final[dict[str, tuple[int, ...]]] = {
    school: tuple(CARDS[card["id"]] for card in data["cards"])
    for data in _SCHOOL_FILES
    for school in data["schools"]
}
GATEWAY_SCHOOLS: Final[tuple[str, ...]] = tuple(
    school for data in _SCHOOL_FILES if "gateway" in data for school in data["schools"]
)
"""The schools whose beings may become the Gateway (18.2)."""
_GATEWAY_CARDS: Final = {card for school in GATEWAY_SCHOOLS for card in SCHOOL_CARDS[school]}
MAY_BE_GATEWAY: Final[tuple[bool, ...]] = tuple(
    [card in _GATEWAY_CARDS for card in range(len(IDS))]
)
"""By card, whether it is a being of a school in `GATEWAY_SCHOOLS`."""
FROST_SCHOOLS: Final[tuple[str, ...]] = tuple(
    school for data in _SCHOOL_FILES if "frozen" in data for school in data["schools"]
)
"""The schools whose beings may have a frozen effect (18.1)."""
FROST_CARDS: Final[int] = sum(
    1 << card for school in FROST_SCHOOLS for card in SCHOOL_CARDS[school]
)
FROZEN_CARDS: Final[tuple[int, ...]] = tuple(
    card for card, data in enumerate(_CARDS) if "frozen_steps" in data
)
WARP_SCHOOLS: Final[tuple[str, ...]] = tuple(
    school for data in _SCHOOL_FILES if "warp" in data for school in data["schools"]
)
"""The schools whose beings may be pending (18.3)."""
WARP_DECK: Final[int] = sum(1 << card for school in WARP_SCHOOLS for card in SCHOOL_CARDS[school])
IS_OF_WEAVERS: Final[tuple[bool, ...]] = tuple(
    [WARP_DECK >> card & 1 == 1 for card in range(len(IDS))]
)
"""By card, whether it is a being of a school in `WARP_SCHOOLS`."""
WARP_CARDS: Final[int] = sum(
    1 << card for card, data in enumerate(_BEINGS) if "warp_steps" in data
)
"""The cards with a warp effect; those in `BOUND_CARDS` are bound while pending."""
BOUND_CARDS: Final[int] = sum(
    1 << card for card, data in enumerate(_BEINGS) if "warp_bound" in data
)
LEGEND_CARDS: Final[tuple[int, ...]] = tuple(range(FIRST_LEGEND, BEINGS))
FLARE_CARDS: Final[tuple[int, ...]] = tuple(range(FIRST_FLARE, len(IDS)))
_COMPILED: Final = [compile_being(card) for card in _BEINGS]
PATTERNS: Final[tuple[Pattern, ...]] = tuple(pattern for pattern, _ in _COMPILED)
MOST_CELLS: Final = max([pattern.pieces for pattern in PATTERNS])
"""The most pieces that a pattern needs around its summon square."""
PROGRAMS: Final[tuple[Program, ...]] = (
    *(program for _, program in _COMPILED),
    *(compile_flare(card) for card in _FLARE_FILE["cards"]),
)
"""The program of each card; a flare's lower half follows its upper half."""
NEEDS: Final[tuple[tuple[int, int], ...]] = tuple(
    (card["upper"]["need"], card["lower"]["need"]) for card in _FLARE_FILE["cards"]
)
"""By flare, how many more upgraded pieces, and pieces, the opponent must have (9.1)."""


def card_data(name: str) -> dict[str, Any]:
    """Return what the deck file says about a card: names, pattern and texts for people."""
    card: dict[str, Any] = _CARDS[CARDS[name]]
    return card


def kind_of(card: int) -> str:
    """Return what a card is: being, legend or flare."""
    return "being" if card < FIRST_LEGEND else "legend" if card < FIRST_FLARE else "flare"
