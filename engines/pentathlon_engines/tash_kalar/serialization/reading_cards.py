"""Reads the cards and tasks of a position from JSON: all of them, or those that a seat sees."""

from __future__ import annotations

from pentathlon_engines.contract.kinds import refuse
from pentathlon_engines.tash_kalar import hidden, tasks, turns
from pentathlon_engines.tash_kalar.board import bits, mask
from pentathlon_engines.tash_kalar.cards.catalogue import (
    BOUND_CARDS,
    CARDS,
    FIRST_LEGEND,
    FLARE_CARDS,
    FROST_CARDS,
    IDS,
    LEGEND_CARDS,
    SCHOOL_CARDS,
)
from pentathlon_engines.tash_kalar.constants import DEATHMATCH
from pentathlon_engines.tash_kalar.etherweave import weaver
from pentathlon_engines.tash_kalar.hand import cards_of_kind
from pentathlon_engines.tash_kalar.serialization.fields import UNSEEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Final

    from pentathlon_engines.tash_kalar.state import TashKalarPosition

_SEATS: Final = 2


def among(field: str, card: int, cards: Sequence[int]) -> int:
    """Return a card if it is one of some."""
    if card not in cards:
        refuse(field, f"{IDS[card]!r} is not a card that can be there")
    return card


def _all_among(field: str, given: list[int] | None, cards: Sequence[int]) -> list[int]:
    return [among(field, card, cards) for card in given or ()]


def read_cards(
    state: TashKalarPosition, values: dict[str, Any], read_progress: Callable[[], None]
) -> None:
    """Read hands, piles and decks; then the pending card, which depends on the played card."""
    played = values["played"] or {}
    beings = played.get("beings") or [[], []]
    state.played = [
        _all_among("played.beings", beings[seat], _school(state, seat)) for seat in range(_SEATS)
    ]
    state.legend_pile = _all_among("played.legends", played.get("legends"), LEGEND_CARDS)
    state.flare_pile = _all_among("played.flares", played.get("flares"), FLARE_CARDS)
    read_progress()
    if values["hand"] is None:
        _read_all_cards(state, values)
    else:
        _read_seen(state, values)
    _check_pending(state)
    _read_last_discard(state, values["last_discard"])
    for seat in range(_SEATS):
        _check_school(state, seat)
    _check_shared(state, LEGEND_CARDS, [*state.legends, *state.legend_pile], "legends")
    _check_shared(state, FLARE_CARDS, [*state.flares, *state.flare_pile], "flares")


def _read_all_cards(state: TashKalarPosition, values: dict[str, Any]) -> None:
    """Read the hands of both seats; omitted decks contain all other cards."""
    for seat, hand in enumerate(values["hands"] or [{}, {}]):
        state.set_hand(seat, mask(_read_hand(state, f"hands[{seat}]", hand, seat)))
    piles = values["discards"] or [-1, -1]
    decks = values["decks"] or {}
    beings = decks.get("beings") or [-1, -1]
    for seat in range(_SEATS):
        pile = state.played[seat]
        if piles[seat] != -1:
            pile = _all_among("discards", piles[seat], _school(state, seat))
        state.discards[seat] = mask(pile)
        state.decks[seat] = _deck(
            "decks.beings", beings[seat], _left(state, seat), _school(state, seat)
        )
    held = [*state.legend_pile, *state.flare_pile]
    state.legends = _deck("decks.legends", decks.get("legends"), _open(state, held), LEGEND_CARDS)
    state.flares = _deck("decks.flares", decks.get("flares"), _open(state, held), FLARE_CARDS)


def _read_seen(state: TashKalarPosition, values: dict[str, Any]) -> None:
    """Read the cards that a seat sees, and deal the rest in any possible way."""
    you = values["you"]
    for name in ("hand_sizes", "discard_sizes"):
        if values[name] is None:
            refuse(name, "is missing")
    other = 1 - you
    state.set_hand(you, mask(_read_hand(state, "hand", values["hand"], you)))
    state.discards[you] = mask(_all_among("discard", values["discard"], _school(state, you)))
    state.decks[you] = _left(state, you)
    numbers, size = list(values["hand_sizes"][other].values()), values["discard_sizes"][other]
    state.taken[other] = max(state.taken[other], len(state.played[other]) - size)
    if not hidden.deal(state, other, numbers, size, None):
        refuse("hand_sizes", "there are not that many cards")


def _read_hand(state: TashKalarPosition, field: str, hand: dict[str, Any], seat: int) -> list[int]:
    flare = hand.get("flare")
    return [
        *_all_among(f"{field}.beings", hand.get("beings"), _school(state, seat)),
        *_all_among(f"{field}.legends", hand.get("legends"), LEGEND_CARDS),
        *_all_among(f"{field}.flare", None if flare in (None, -1) else [flare], FLARE_CARDS),
    ]


def _school(state: TashKalarPosition, seat: int) -> tuple[int, ...]:
    return SCHOOL_CARDS[state.schools[seat]]


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


def _deck(
    field: str, given: list[int] | int | None, left: list[int], cards: Sequence[int]
) -> list[int]:
    """Return a deck, top card last; an omitted deck gets all possible cards of `left`."""
    if not isinstance(given, list):
        return [card for card in left if card in cards]
    return _all_among(field, given, cards)[::-1]


def _check_pending(state: TashKalarPosition) -> None:
    """Refuse a pending card that is in no hand, and a piece on a card that cannot hold one."""
    if state.pending & ~mask(state.hands[weaver(state)]):
        refuse("pending", "the card must be in the hand of its seat")
    played = 1 << state.card if state.card >= 0 else 0
    # While the card is lifting a piece, there is no piece on it yet.
    holds = BOUND_CARDS & (state.pending ^ played)
    if state.on_card and not holds:
        refuse("on_card", "there is no card that a piece can lie on")


def _read_last_discard(state: TashKalarPosition, name: str | None) -> None:
    """Read the most recent discard, which must lie in the pile."""
    seat = weaver(state)
    if seat < 0 or name is None:
        return
    lying = state.discards[seat]
    unseen = [card for card in bits(lying) if card not in state.played[seat]]
    cards = unseen if name == UNSEEN else [CARDS.get(name, -1)]
    if not cards or cards[0] < 0 or not lying >> cards[0] & 1:
        refuse("last_discard", f"{name!r} does not lie in the discard pile")
    state.latest = cards[0]


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


def read_tasks(state: TashKalarPosition, values: dict[str, Any]) -> None:
    """Read the row of tasks, the claims, and the deck of tasks."""
    if state.mode == DEATHMATCH:
        return
    row = values["tasks"] or {}
    state.claimed = row.get("claimed") or [[], []]
    under = row.get("under") or []
    gone = [*state.claimed[0], *state.claimed[1], *under]
    state.current = sorted(row["current"] if row.get("current") else _first_tasks(gone))
    if row.get("next") is not None:
        state.next_task = row["next"]
    deck = (values["decks"] or {}).get("tasks")
    state.under = len(under)
    if deck is None:
        # All remaining tasks lie above those known at the bottom.
        seen = {*gone, *state.current, state.next_task}
        left = [task for task in range(tasks.TASKS) if task not in seen]
        state.tasks = [*under[::-1], *left[::-1]]
    else:
        state.tasks = deck[::-1]
    if not row:
        turns.turn_up(state)
    whole = [*state.claimed[0], *state.claimed[1], *state.current, *state.tasks]
    whole += [state.next_task] if state.next_task >= 0 else []
    if sorted(whole) != list(range(tasks.TASKS)):
        refuse("tasks", "some tasks occur twice, or are missing")


def _first_tasks(gone: list[int]) -> list[int]:
    """Return the first tasks that can be the current ones."""
    turned: list[int] = []
    for task in range(tasks.TASKS):
        fits = not tasks.IS_ADVANCED[task] and tasks.is_mixed([*turned, task])
        if fits and task not in gone and len(turned) < tasks.CURRENT:
            turned.append(task)
    return turned
