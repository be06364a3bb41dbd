"""Reads the cards and tasks of a position from JSON: all of them, or those that a seat sees."""

from __future__ import annotations

from pentathlon_engines.contract.position import Fields, checked_integer, refuse
from pentathlon_engines.tash_kalar import hidden, tasks, turns
from pentathlon_engines.tash_kalar.actions import TASK_IDS
from pentathlon_engines.tash_kalar.board import mask
from pentathlon_engines.tash_kalar.cards.catalogue import (
    CARDS,
    FIRST_LEGEND,
    FLARE_CARDS,
    FROST_CARDS,
    IDS,
    LEGEND_CARDS,
    SCHOOL_CARDS,
)
from pentathlon_engines.tash_kalar.constants import DEATHMATCH
from pentathlon_engines.tash_kalar.hand import cards_of_kind
from pentathlon_engines.tash_kalar.serialization import reading_etherweave
from pentathlon_engines.tash_kalar.serialization.reading_effect import read_progress
from pentathlon_engines.tash_kalar.state import TashKalarPosition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final


_SEATS: Final = 2
_MOST_CARDS: Final = 31
_LEGENDS: Final = tuple(IDS[card] for card in LEGEND_CARDS)
_FLARES: Final = tuple(IDS[card] for card in FLARE_CARDS)


def read_cards(state: TashKalarPosition, fields: Fields) -> None:
    """Read hands, piles and decks; then the pending card, which depends on the played card."""
    _read_played(state, fields)
    read_progress(state, fields.mapping("progress", default={}))
    if fields.has("hand"):
        _read_seen(state, fields)
    else:
        _read_all_cards(state, fields)
    reading_etherweave.check_pending(state)
    reading_etherweave.read_last_discard(state, fields)
    for seat in range(_SEATS):
        _check_school(state, seat)
    _check_shared(state, LEGEND_CARDS, [*state.legends, *state.legend_pile], "legends")
    _check_shared(state, FLARE_CARDS, [*state.flares, *state.flare_pile], "flares")


def _read_played(state: TashKalarPosition, fields: Fields) -> None:
    played = fields.mapping("played", default={})
    beings = checked_list("played.beings", played.get("beings", [[], []]), most=_SEATS)
    if len(beings) != _SEATS:
        refuse("played.beings", "must be a list for each seat")
    state.played = [
        _cards("played.beings", cards, _school(state, seat)) for seat, cards in enumerate(beings)
    ]
    state.legend_pile = _cards("played.legends", played.get("legends", []), _LEGENDS)
    state.flare_pile = _cards("played.flares", played.get("flares", []), _FLARES)


def _read_all_cards(state: TashKalarPosition, fields: Fields) -> None:
    """Read the hands of both seats; omitted decks contain all other cards."""
    hands = fields.items("hands", most=_SEATS) or [{}, {}]
    if len(hands) != _SEATS:
        refuse("hands", "must be a list of two")
    for seat in range(_SEATS):
        state.set_hand(seat, mask(_read_hand(state, f"hands[{seat}]", hands[seat], seat)))
    piles = fields.items("discards", most=_SEATS) or [None, None]
    decks = fields.mapping("decks", default={})
    schools = checked_list("decks.beings", decks.get("beings", [None, None]), most=_SEATS)
    if len(piles) != _SEATS or len(schools) != _SEATS:
        refuse("discards", "discards and decks.beings must be lists of two")
    for seat in range(_SEATS):
        pile = state.played[seat]
        if piles[seat] is not None:
            pile = _cards("discards", piles[seat], _school(state, seat))
        state.discards[seat] = mask(pile)
        state.decks[seat] = _deck(
            "decks.beings", schools[seat], _left(state, seat), _school(state, seat)
        )
    held = [*state.legend_pile, *state.flare_pile]
    state.legends = _deck("decks.legends", decks.get("legends"), _open(state, held), _LEGENDS)
    state.flares = _deck("decks.flares", decks.get("flares"), _open(state, held), _FLARES)


def _read_seen(state: TashKalarPosition, fields: Fields) -> None:
    """Read the cards that a seat sees, and deal the rest in any possible way."""
    you = fields.integer("you", low=0, high=1)
    other = 1 - you
    state.set_hand(you, mask(_read_hand(state, "hand", fields.mapping("hand"), you)))
    pile = _cards("discard", fields.items("discard", most=_MOST_CARDS), _school(state, you))
    state.discards[you] = mask(pile)
    state.decks[you] = _left(state, you)
    sizes = fields.sequence("hand_sizes", length=_SEATS)[other]
    if not isinstance(sizes, dict):
        refuse("hand_sizes", "must be objects with beings, legends and flare")
    numbers = [
        checked_integer(f"hand_sizes.{kind}", sizes.get(kind), low=0, high=_MOST_CARDS)
        for kind in ("beings", "legends", "flare")
    ]
    piles = fields.sequence("discard_sizes", length=_SEATS)
    size = checked_integer("discard_sizes", piles[other], low=0, high=_MOST_CARDS)
    state.taken[other] = max(state.taken[other], len(state.played[other]) - size)
    if not hidden.deal(state, other, numbers, size, None):
        refuse("hand_sizes", "there are not that many cards")


def _read_hand(state: TashKalarPosition, field: str, data: object, seat: int) -> list[int]:
    if not isinstance(data, dict):
        refuse(field, "must be an object with beings, legends and flare")
    flare = data.get("flare")
    return [
        *_cards(f"{field}.beings", data.get("beings", []), _school(state, seat)),
        *_cards(f"{field}.legends", data.get("legends", []), _LEGENDS),
        *([] if flare is None else [checked_card(f"{field}.flare", flare, _FLARES)]),
    ]


def _left(state: TashKalarPosition, seat: int) -> list[int]:
    """Return the cards of a school that are not in hand, pile or play, lowest on top."""
    seen = mask(state.hands[seat]) | state.discards[seat]
    if state.frozen >= 0:
        seen |= 1 << state.frozen
    if state.card >= 0 and seat == state.active:
        seen |= 1 << state.card
    return [card for card in SCHOOL_CARDS[state.schools[seat]] if not seen >> card & 1][::-1]


def _open(state: TashKalarPosition, piles: list[int]) -> list[int]:
    """Return the shared cards that are nowhere else, lowest on top."""
    seen = mask([*state.hands[0], *state.hands[1], *piles])
    if state.card >= 0:
        seen |= 1 << state.card
    return [card for card in range(len(IDS) - 1, FIRST_LEGEND - 1, -1) if not seen >> card & 1]


def _deck(field: str, data: object, left: list[int], names: tuple[str, ...]) -> list[int]:
    """Return a deck, top card last; an omitted deck gets all possible cards of `left`."""
    if data is None:
        return [card for card in left if IDS[card] in names]
    return _cards(field, data, names)[::-1]


def _check_school(state: TashKalarPosition, seat: int) -> None:
    """Refuse cards of a school that occur twice, or nowhere (17.1)."""
    pile, hand = state.discards[seat], cards_of_kind(state.hands[seat], 0)
    cards = [*state.decks[seat]]
    lying = mask(cards)
    played = state.card >= 0 and seat == state.active and not state.pending >> state.card & 1
    if played and state.card < FIRST_LEGEND:
        cards.append(state.card)
        lying |= 1 << state.card
    if FROST_CARDS & mask(SCHOOL_CARDS[state.schools[seat]]) and state.frozen >= 0:
        cards.append(state.frozen)
        lying |= 1 << state.frozen
    together = pile | hand | lying
    count = pile.bit_count() + hand.bit_count() + len(cards)
    if count != together.bit_count() or together != mask(SCHOOL_CARDS[state.schools[seat]]):
        refuse("hands", f"the school of seat {seat} has cards twice, or lacks some")


def _check_shared(
    state: TashKalarPosition, whole: tuple[int, ...], lying: list[int], name: str
) -> None:
    cards = list(lying)
    every = mask(whole)
    if state.card in whole:
        cards.append(state.card)
    first, second = (mask(hand) & every for hand in state.hands)
    together = first | second | mask(cards)
    count = first.bit_count() + second.bit_count() + len(cards)
    if count != together.bit_count() or together != every:
        refuse("hands", f"{name} occur twice, or some are missing")


def read_tasks(state: TashKalarPosition, fields: Fields) -> None:
    """Read the row of tasks, the claims, and the deck of tasks."""
    if state.mode == DEATHMATCH:
        return
    row = fields.mapping("tasks", default={})
    claimed = checked_list("tasks.claimed", row.get("claimed", [[], []]), most=_SEATS)
    if len(claimed) != _SEATS:
        refuse("tasks.claimed", "must be a list for each seat")
    state.claimed = [_tasks("tasks.claimed", names) for names in claimed]
    under = _tasks("tasks.under", row.get("under", []))
    gone = [*state.claimed[0], *state.claimed[1], *under]
    current = row.get("current")
    turned = _first_tasks(gone) if current is None else _tasks("tasks.current", current)
    state.current = sorted(turned)
    if row.get("next") is not None:
        state.next_task = _task("tasks.next", row["next"])
    _read_task_deck(state, fields, under)
    if not row:
        turns.turn_up(state)
    whole = [*gone[: len(gone) - len(under)], *turned, *state.tasks]
    whole += [state.next_task] if state.next_task >= 0 else []
    if sorted(whole) != list(range(tasks.TASKS)):
        refuse("tasks", "some tasks occur twice, or are missing")


def _read_task_deck(state: TashKalarPosition, fields: Fields, under: list[int]) -> None:
    """Read the deck of tasks, or put all remaining tasks above those known at its bottom."""
    decks = fields.mapping("decks", default={})
    state.under = len(under)
    if "tasks" in decks:
        state.tasks = _tasks("decks.tasks", decks["tasks"])[::-1]
        return
    seen = {*state.claimed[0], *state.claimed[1], *under, state.next_task}
    seen |= {*state.current}
    left = [task for task in range(tasks.TASKS) if task not in seen]
    state.tasks = [*under[::-1], *left[::-1]]


def _first_tasks(gone: list[int]) -> list[int]:
    """Return the first tasks that can be the current ones."""
    turned: list[int] = []
    for task in range(tasks.TASKS):
        fits = not tasks.IS_ADVANCED[task] and tasks.is_mixed([*turned, task])
        if fits and task not in gone and len(turned) < tasks.CURRENT:
            turned.append(task)
    return turned


def _school(state: TashKalarPosition, seat: int) -> tuple[str, ...]:
    return tuple(IDS[card] for card in SCHOOL_CARDS[state.schools[seat]])


def checked_card(field: str, name: object, names: tuple[str, ...]) -> int:
    """Return the card with a name, if it is among these."""
    if not isinstance(name, str) or name not in names:
        refuse(field, f"{name!r} is not a card that can be there")
    return CARDS[name]


def _cards(field: str, data: object, names: tuple[str, ...]) -> list[int]:
    return [
        checked_card(field, name, names) for name in checked_list(field, data, most=_MOST_CARDS)
    ]


def _task(field: str, name: object) -> int:
    if not isinstance(name, str) or name not in TASK_IDS:
        refuse(field, f"{name!r} is not a task")
    return TASK_IDS.index(name)


def _tasks(field: str, data: object) -> list[int]:
    return [_task(field, name) for name in checked_list(field, data, most=tasks.TASKS)]


def checked_list(field: str, data: object, *, most: int) -> list[Any]:
    """Return a list that is not too long."""
    if not isinstance(data, list) or len(data) > most:
        refuse(field, f"must be a list of at most {most}")
    return data
