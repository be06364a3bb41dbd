"""What a seat of Tash-Kalar cannot see, dealt anew: the other hand, and the order of every deck.

Of the other school's cards a seat knows those that were played; discarded ones lie hidden among
them, and of these a Kiskin Spirit may have taken some back. Shared cards that are neither in the
own hand nor in a discard pile are in the other hand or in the deck.
"""

from __future__ import annotations

from pentathlon_engines.draws import shuffle
from pentathlon_engines.tash_kalar import events, tasks
from pentathlon_engines.tash_kalar.cards import (
    FIRST_FLARE,
    FLARE_CARDS,
    LEGEND_CARDS,
    SCHOOL_CARDS,
)
from pentathlon_engines.tash_kalar.geometry import bits_of, mask
from pentathlon_engines.tash_kalar.table import DEALING, DRAWING, TURN_END

TYPE_CHECKING = False
if TYPE_CHECKING:
    from random import Random

    from pentathlon_engines.tash_kalar.state import TashKalarState


def redeal(state: TashKalarState, seat: int, rng: Random) -> TashKalarState:
    """Return a twin in which all that the seat cannot see is dealt anew, each way as likely."""
    twin = state.copy()
    if state.phase in (DRAWING, DEALING):
        return twin
    other = 1 - seat
    sizes = [state.hand_of(other, kind).bit_count() for kind in range(3)]
    deal(twin, other, sizes, state.discards[other].bit_count(), rng)
    shuffle(twin.decks[seat], rng)
    known = twin.tasks[: twin.under]
    unknown = twin.tasks[twin.under :]
    shuffle(unknown, rng)
    twin.tasks = known + unknown
    twin.log = [
        events.masked(entry) if events.owner(entry) == other else entry for entry in state.log
    ]
    twin._legal = None
    return twin


def deal(
    state: TashKalarState, seat: int, sizes: list[int], pile: int, rng: Random | None
) -> bool:
    """Give a seat a hand and a discard pile of these sizes; what is left becomes the decks.

    Without a generator the cards come in the order of their numbers. Say whether there were
    enough of them.
    """
    beings, legends, flares = sizes
    ours = _playable(state, seat, SCHOOL_CARDS[state.schools[seat]])
    lying = _pile(state, seat, ours, pile, rng)
    rest = [card for card in ours if card not in lying]
    great = _shared(state, seat, LEGEND_CARDS, state.legend_pile, rng)
    fires = _shared(state, seat, FLARE_CARDS, state.flare_pile, rng)
    _shuffle(rest, rng)
    if flares and _has_burning_flare(state, seat):
        fires.sort(key=lambda card: not state.halves_of(card - FIRST_FLARE, seat))
    state.hands[seat] = mask([*rest[:beings], *great[:legends], *fires[:flares]])
    state.discards[seat] = mask(lying)
    state.decks[seat] = rest[beings:]
    state.legends = great[legends:]
    state.flares = fires[flares:]
    _shuffle(state.flares, rng)
    enough = min(len(rest) - beings, len(great) - legends, len(fires) - flares) >= 0
    return enough and len(lying) == pile


def _playable(state: TashKalarState, seat: int, cards: tuple[int, ...]) -> list[int]:
    """Return those cards of a seat's school that are not being played."""
    return [card for card in cards if card != state.card or seat != state.active]


def _shared(
    state: TashKalarState, seat: int, cards: tuple[int, ...], pile: list[int], rng: Random | None
) -> list[int]:
    """Return the shared cards that the other seat does not see, shuffled."""
    seen = state.hands[1 - seat]
    found = [
        card for card in cards if not seen >> card & 1 and card not in pile and card != state.card
    ]
    _shuffle(found, rng)
    return found


def _pile(
    state: TashKalarState, seat: int, ours: list[int], size: int, rng: Random | None
) -> list[int]:
    """Return a possible discard pile: the played cards but some that may be taken, and others."""
    played = [card for card in state.played[seat] if card in ours]
    others = [card for card in ours if card not in played]
    _shuffle(played, rng)
    _shuffle(others, rng)
    missing = _missing(len(played), len(others), size, state.taken[seat], rng)
    kept = played[: len(played) - missing]
    return kept + others[: max(0, size - len(kept))]


def _missing(played: int, others: int, size: int, taken: int, rng: Random | None) -> int:
    """Draw how many of the played cards are no longer in the pile, by the ways to be so."""
    from math import comb  # noqa: PLC0415  # a bot waits for imports, few of them search

    least = max(0, played - size)
    possible = [
        missing
        for missing in range(least, min(taken, played) + 1)
        if 0 <= size - played + missing <= others
    ]
    if not possible or rng is None:
        return possible[0] if possible else min(least, played)
    ways = [comb(played, n) * comb(others, size - played + n) for n in possible]
    return rng.choices(possible, ways)[0]


def _has_burning_flare(state: TashKalarState, seat: int) -> bool:
    """Say whether a seat is asked at the end of its turn only because it can use its flare."""
    if state.phase != TURN_END or state.to_move != seat:
        return False
    return not any(tasks.is_satisfied(state, task, seat) for task in bits_of(state.current))


def _shuffle(cards: list[int], rng: Random | None) -> None:
    if rng is not None:
        shuffle(cards, rng)
