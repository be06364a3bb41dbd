"""Chance events of Tash-Kalar, as texts that contain the whole outcome.

Cards are numbers joined by full stops, or `-` for none: hands and current tasks in ascending
order, decks from the top. `decks highland sylvan` draws the schools. `deal` gives the starting
seat, the hands of beings and legends, both flares, the decks and, in the High Form, the tasks.
`shuffle legends 4.1.7` makes a new shared deck from a discard pile.
"""

from __future__ import annotations

from pentathlon_engines.contract.draws import shuffle
from pentathlon_engines.tash_kalar import constants
from pentathlon_engines.tash_kalar.cards.catalogue import (
    FIRST_FLARE,
    FIRST_LEGEND,
    FLARE_CARDS,
    LEGEND_CARDS,
    NUMBERS,
    SCHOOL_CARDS,
    SCHOOLS,
)
from pentathlon_engines.tash_kalar.deal import Deal
from pentathlon_engines.tash_kalar.state import TashKalarPosition
from pentathlon_engines.tash_kalar.tasks import CURRENT, IS_ADVANCED, TASKS, is_mixed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random
    from typing import Final


DRAWN: Final = "drawn"
"""The option value for a school that chance draws."""
_HANDS: Final = (
    constants.HAND_BEINGS,
    constants.HAND_BEINGS,
    constants.HAND_LEGENDS,
    constants.HAND_LEGENDS,
)
_NUMBERS: Final = {str(number): number for number in range(1, TASKS + 1)}
_WRITTEN: Final = [str(number) for number in NUMBERS]
_CARD_WORDS: Final = 9
_OPEN_WORD: Final = _CARD_WORDS
"""The index of the only public word with cards: the current tasks."""
DEAL_GRAMMAR: Final = (
    "'deal', the seat that begins, hands of 3 and 3 beings and of 2 and 2 legends, 2 flares, both "
    "school decks, legends, flares, and in the High Form 3 current tasks and the others; cards by "
    "number with points, hands and current tasks ascending"
)


def pairs(state: TashKalarPosition) -> list[str]:
    """Return the texts of all pairs of different schools that fit the options."""
    first, second = (SCHOOLS if name == DRAWN else (name,) for name in state.schools)
    return [f"decks {one} {other}" for one in first for other in second if one != other]


def write(cards: list[int]) -> str:
    """Return some cards by their numbers, in this order."""
    return ".".join([_WRITTEN[card] for card in cards]) or "-"


def _write_tasks(tasks: list[int]) -> str:
    return ".".join([str(task + 1) for task in tasks])


def draw_deal(state: TashKalarPosition, rng: Random) -> str:
    """Shuffle everything, draw who begins, deal hands and find the current tasks (4)."""
    schools = [list(SCHOOL_CARDS[name]) for name in state.schools]
    legends, flares = list(LEGEND_CARDS), list(FLARE_CARDS)
    for deck in (*schools, legends, flares):
        shuffle(deck, rng)
    first = int(rng.random() * 2)
    hands = [sorted(deck[: constants.HAND_BEINGS]) for deck in schools]
    second_hand = legends[constants.HAND_LEGENDS : 2 * constants.HAND_LEGENDS]
    groups = [*hands, sorted(legends[: constants.HAND_LEGENDS]), sorted(second_hand), flares[:2]]
    groups += [deck[constants.HAND_BEINGS :] for deck in schools]
    groups += [legends[2 * constants.HAND_LEGENDS :], flares[2:]]
    words = ["deal", str(first), *(write(cards) for cards in groups)]
    tasks: list[list[int]] = []
    if state.mode != constants.DEATHMATCH:
        current, rest = _draw_tasks(rng)
        tasks = [sorted(current), rest]
        words += [_write_tasks(turned) for turned in tasks]
    text = " ".join(words)
    state.dealt = Deal(text, first, groups, tasks)
    return text


def _draw_tasks(rng: Random) -> tuple[list[int], list[int]]:
    """Turn up tasks until three of the first kind, not all of one type, are current (4.2)."""
    deck = list(range(TASKS))
    shuffle(deck, rng)
    current: list[int] = []
    aside: list[int] = []
    while len(current) < CURRENT:
        task = deck.pop()
        fits = not IS_ADVANCED[task] and is_mixed([*current, task])
        (current if fits else aside).append(task)
    if aside:
        deck += aside
        shuffle(deck, rng)
    return current, deck


def read_deal(text: str, state: TashKalarPosition) -> Deal | None:
    """Return the deal of a possible text, or None."""
    if state.dealt is not None and state.dealt.text == text:
        return state.dealt
    words = text.split(" ")
    tasks = 0 if state.mode == constants.DEATHMATCH else 2
    if len(words) != 2 + _CARD_WORDS + tasks or words[0] != "deal" or words[1] not in ("0", "1"):
        return None
    numbers = [_numbers(word) for word in words[2:]]
    firsts = [SCHOOL_CARDS[name][0] for name in state.schools]
    firsts = [*firsts, FIRST_LEGEND, FIRST_LEGEND, FIRST_FLARE, *firsts, FIRST_LEGEND, FIRST_FLARE]
    groups = [
        [first + number - 1 for number in group]
        for first, group in zip(firsts, numbers, strict=False)
    ]
    if not _are_dealt(state, groups):
        return None
    turned = [[number - 1 for number in group] for group in numbers[_CARD_WORDS:]]
    if tasks and not _are_turned_up(turned[0], turned[1]):
        return None
    return Deal(text, int(words[1]), groups, turned)


def _numbers(word: str) -> list[int]:
    """Return the numbers in a word, with zeros for other text, so that no deck is complete."""
    return [_NUMBERS.get(part, 0) for part in word.split(".")]


def _are_dealt(state: TashKalarPosition, groups: list[list[int]]) -> bool:
    """Return whether these are all cards of each deck, in hands of the right size."""
    if any(
        len(hand) != size or hand != sorted(hand)
        for hand, size in zip(groups, _HANDS, strict=False)
    ):
        return False
    together = [
        groups[0] + groups[5],
        groups[1] + groups[6],
        groups[2] + groups[3] + groups[7],
        groups[4] + groups[8],
    ]
    whole = [*(SCHOOL_CARDS[name] for name in state.schools), LEGEND_CARDS, FLARE_CARDS]
    return len(groups[4]) == 2 and all(  # noqa: PLR2004  # one flare for each seat
        sorted(cards) == list(all_cards) for cards, all_cards in zip(together, whole, strict=True)
    )


def _are_turned_up(current: list[int], rest: list[int]) -> bool:
    return (
        sorted(current + rest) == list(range(TASKS))
        and len(current) == CURRENT
        and current == sorted(current)
        and not any(IS_ADVANCED[task] for task in current)
        and is_mixed(current)
    )


def draw_deck(pile: list[int], name: str, rng: Random) -> str:
    """Shuffle a discard pile into a new deck (3.5)."""
    cards = pile[:]
    shuffle(cards, rng)
    return f"shuffle {name} {write(cards)}"


def read_deck(text: str, pile: list[int], name: str) -> list[int] | None:
    """Return the new deck of a possible text, from the top, or None."""
    words = text.split(" ")
    if len(words) != 3 or words[:2] != ["shuffle", name]:  # noqa: PLR2004  # then the cards
        return None
    first = FIRST_LEGEND if name == "legends" else FIRST_FLARE
    cards = [first + number - 1 for number in _numbers(words[2])]
    return cards if sorted(cards) == sorted(pile) else None


def _draw_schools(state: TashKalarPosition, rng: Random) -> str:
    texts = pairs(state)
    return texts[int(rng.random() * len(texts))]


def _draw_new_deck(state: TashKalarPosition, rng: Random) -> str:
    return draw_deck(*shuffled(state), rng)


def shuffled(state: TashKalarPosition) -> tuple[list[int], str]:
    """Return the discard pile that is shuffled now, and the name of its deck."""
    return (state.flare_pile, "flares") if state.new_deck else (state.legend_pile, "legends")


SAMPLES: Final[dict[int, Callable[[TashKalarPosition, Random], str]]] = {
    constants.DRAWING: _draw_schools,
    constants.DEALING: draw_deal,
    constants.SHUFFLING: _draw_new_deck,
}
"""By phase, the function that draws the chance text."""


def hide(text: str, seat: int | None) -> str:
    """Return a text with a question mark for each card that the seat does not see.

    >>> hide("shuffle flares 3.12", 0)
    'shuffle flares ?.?'
    """
    words = text.split(" ")
    if words[0] == "decks":
        return text
    first = 2
    for index in range(first, len(words)):
        group = index - first
        if words[0] == "deal" and group == _OPEN_WORD:
            continue
        if words[0] == "deal" and seat is not None and group in (seat, 2 + seat):
            continue
        cards = words[index].split(".")
        flare = words[0] == "deal" and group == 2 + constants.HAND_LEGENDS
        shown = [card if flare and at == seat else "?" for at, card in enumerate(cards)]
        words[index] = ".".join(shown)
    return " ".join(words)
