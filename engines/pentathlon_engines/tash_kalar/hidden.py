"""Hidden information of Tash-Kalar, dealt at random: the other hand and the deck orders.

A seat knows which cards of the other school were played. Discarded cards are hidden among them,
and a Kiskin Spirit may have taken some of them back. Shared cards that are neither in the seat's
own hand nor in a discard pile are in the other hand or in the deck.
"""

from __future__ import annotations

from pentathlon_engines.contract.draws import shuffle
from pentathlon_engines.tash_kalar import etherweave, events, everfrost, legality, tasks
from pentathlon_engines.tash_kalar.board import mask
from pentathlon_engines.tash_kalar.cards.catalogue import (
    FIRST_FLARE,
    FLARE_CARDS,
    FROZEN_CARDS,
    LEGEND_CARDS,
    SCHOOL_CARDS,
    WARP_CARDS,
)
from pentathlon_engines.tash_kalar.constants import DEALING, DRAWING, MAIN, TURN_END
from pentathlon_engines.tash_kalar.hand import cards_of_kind
from pentathlon_engines.tash_kalar.state import TashKalarPosition
from pentathlon_engines.tash_kalar.summoning import find_summons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from random import Random


def redeal(state: TashKalarPosition, seat: int, rng: Random) -> TashKalarPosition:
    """Return a copy in which everything hidden from the seat is dealt uniformly at random."""
    twin = state.copy()
    if state.phase in (DRAWING, DEALING):
        return twin
    other = 1 - seat
    sizes = [cards_of_kind(state.hands[other], kind).bit_count() for kind in range(3)]
    deal(twin, other, sizes, state.discards[other].bit_count(), rng)
    shuffle(twin.decks[seat], rng)
    known = twin.tasks[: twin.under]
    unknown = twin.tasks[twin.under :]
    shuffle(unknown, rng)
    twin.tasks = known + unknown
    twin.log = [
        events.masked(entry) if events.owner(entry) == other else entry for entry in state.log
    ]
    twin.legal = None
    return twin


def deal(
    state: TashKalarPosition, seat: int, sizes: list[int], pile: int, rng: Random | None
) -> bool:
    """Deal a seat a hand and a discard pile of these sizes; the rest becomes the decks.

    Without a generator the cards come in the order of their numbers. Returns whether there were
    enough cards.
    """
    needed = _needed(state, seat)
    enough = _deal_once(state, seat, sizes, pile, needed=needed, rng=rng)
    while rng is not None and not _can_decide(state, seat, needed):
        enough = _deal_once(state, seat, sizes, pile, needed=needed, rng=rng)
    return enough


def _needed(state: TashKalarPosition, seat: int) -> tuple[int, int]:
    """Return the masks of cards of which pile and hand must each contain one; 0 for none.

    A seat is asked for a card to freeze or a being to summon only if it has one (18.1).
    """
    if seat != state.active:
        return 0, 0
    if everfrost.picks_frozen(state):
        return mask(FROZEN_CARDS), 0
    if not state.directly or state.phase != MAIN:
        return 0, 0
    hand = mask(state.hands[seat])
    found = 0
    for card in (*SCHOOL_CARDS[state.schools[seat]], *LEGEND_CARDS):
        state.set_hand(seat, 1 << card)
        if find_summons(state):
            found |= 1 << card
    state.set_hand(seat, hand)
    return 0, found


def _can_decide(state: TashKalarPosition, seat: int, needed: tuple[int, int]) -> bool:
    """Return whether discard pile and hand contain the cards that they must contain."""
    lying, held = needed
    if lying and not state.discards[seat] & lying:
        return False
    return not held or mask(state.hands[seat]) & held != 0


def _deal_once(
    state: TashKalarPosition,
    seat: int,
    sizes: list[int],
    pile: int,
    *,
    needed: tuple[int, int],
    rng: Random | None,
) -> bool:
    """Deal; the cards that the seat must have are guaranteed only without a generator."""
    beings, legends, flares = sizes
    ours = _playable(state, seat, SCHOOL_CARDS[state.schools[seat]])
    shown = [card for card in ours if state.pending >> card & 1]
    ours = [card for card in ours if card not in shown]
    beings -= len(shown)
    if rng is None:
        _sort(ours, needed[0] or ~needed[1])
    lying = _pile(state, seat, ours, pile, rng)
    rest = [card for card in ours if card not in lying]
    great = _shared(state, seat, LEGEND_CARDS, state.legend_pile, rng)
    fires = _shared(state, seat, FLARE_CARDS, state.flare_pile, rng)
    _shuffle(rest, rng)
    if rng is None:
        _sort(rest, needed[1])
        _sort(great, needed[1])
    if _plays_freely(state, seat):
        _give_free_play(state, seat, rest, fires, [beings, flares])
    state.set_hand(seat, mask([*shown, *rest[:beings], *great[:legends], *fires[:flares]]))
    state.discards[seat] = mask(lying)
    _redeal_latest(state, seat, lying, rng)
    state.decks[seat] = rest[beings:]
    state.legends = great[legends:]
    state.flares = fires[flares:]
    _shuffle(state.flares, rng)
    enough = min(len(rest) - beings, len(great) - legends, len(fires) - flares) >= 0
    return enough and len(lying) == pile


def _sort(cards: list[int], first: int) -> None:
    """Move the cards of a mask to the front, keeping their order."""
    cards.sort(key=lambda card: not first >> card & 1)


def _playable(state: TashKalarPosition, seat: int, cards: tuple[int, ...]) -> list[int]:
    """Return the cards of a seat's school that are neither being played nor frozen in play.

    A card whose warp effect resolves stays in hand.
    """
    played = state.card if seat == state.active else -1
    if played >= 0 and state.pending >> played & 1:
        played = -1
    return [card for card in cards if card not in (played, state.frozen)]


def _shared(
    state: TashKalarPosition,
    seat: int,
    cards: tuple[int, ...],
    pile: list[int],
    rng: Random | None,
) -> list[int]:
    """Return the shared cards that the other seat does not see, shuffled."""
    seen = mask(state.hands[1 - seat])
    found = [
        card for card in cards if not seen >> card & 1 and card not in pile and card != state.card
    ]
    _shuffle(found, rng)
    return found


def _pile(
    state: TashKalarPosition, seat: int, ours: list[int], size: int, rng: Random | None
) -> list[int]:
    """Return a possible discard pile: the played cards except some taken ones, and others."""
    played = [card for card in state.played[seat] if card in ours]
    others = [card for card in ours if card not in played]
    _shuffle(played, rng)
    _shuffle(others, rng)
    missing = _missing(len(played), len(others), size, state.taken[seat], rng)
    kept = played[: len(played) - missing]
    return kept + others[: max(0, size - len(kept))]


def _missing(played: int, others: int, size: int, taken: int, rng: Random | None) -> int:
    """Draw how many played cards have left the pile, weighted by the number of ways."""
    from math import comb  # noqa: PLC0415  # few bots search, and all wait for imports

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


def _redeal_latest(
    state: TashKalarPosition, seat: int, lying: list[int], rng: Random | None
) -> None:
    """Draw the card that was discarded last, if the other seat did not see it."""
    if seat != etherweave.weaver(state) or state.latest < 0 or state.latest in state.played[seat]:
        return
    unseen = [card for card in lying if card not in state.played[seat]]
    _shuffle(unseen, rng)
    state.latest = unseen[0] if unseen else -1


def _give_free_play(
    state: TashKalarPosition, seat: int, rest: list[int], fires: list[int], sizes: list[int]
) -> None:
    """Let a seat draw a flare that burns, or else a card to warp, unless it has such a card."""
    beings, flares = sizes
    warps = WARP_CARDS if etherweave.may_warp(state) else 0
    if any(warps >> card & 1 for card in rest[:beings]):
        return
    fires.sort(key=lambda card: not legality.halves_that_hold(state, card - FIRST_FLARE, seat))
    if (
        not flares
        or not fires
        or not legality.halves_that_hold(state, fires[0] - FIRST_FLARE, seat)
    ):
        rest.sort(key=lambda card: not warps >> card & 1)


def _plays_freely(state: TashKalarPosition, seat: int) -> bool:
    """Return whether a seat decides at the end of its turn only because it can play a card."""
    if state.phase != TURN_END or state.to_move != seat:
        return False
    if state.frozen >= 0 and everfrost.can_thaw(state):
        return False
    return not any(tasks.is_satisfied(state, task, seat) for task in state.current)


def _shuffle(cards: list[int], rng: Random | None) -> None:
    if rng is not None:
        shuffle(cards, rng)
