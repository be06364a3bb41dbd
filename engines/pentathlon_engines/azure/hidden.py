"""Hidden information of Azure: the drawn cards of the other hand, and the hidden deck.

Cards taken from a face-up deck are known, and all cards are counted. So a hand consists of cards
that the other seat knows, and of cards drawn from the hidden deck. To the other seat, the latter
and the hidden deck are one set of unseen cards in any order.
"""

from __future__ import annotations

from pentathlon_engines.azure import events
from pentathlon_engines.azure.board import ALL_CARDS, COLOURS, SETUP, pack, size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random
    from typing import Final

    from pentathlon_engines.azure.state import AzurePosition

_TRIES: Final = 64


def unseen(state: AzurePosition, seat: int) -> int:
    """Return the unseen cards: those in the hidden deck or unknown in the other hand."""
    return ALL_CARDS - state.decks - state.sides[seat].hand - state.sides[1 - seat].known


def redeal(state: AzurePosition, seat: int, rng: Random) -> AzurePosition:
    """Return a copy with the unseen cards dealt at random, uniformly over all arrangements.

    The seat also knows that the other one can act if it is about to, and could not act if it lost
    by that. Dealing is repeated until this holds; where it rarely does, all possible hands are
    weighed.
    """
    twin = state.copy()
    if state.phase == SETUP:
        return twin
    other = 1 - seat
    n = size(state.sides[other].hand - state.sides[other].known)
    cards = _colours(unseen(state, seat))
    for _ in range(_TRIES):
        rng.shuffle(cards)
        _deal(twin, other, cards, n)
        if is_possible(twin, other):
            break
    else:
        cards = _draw_by_weight(twin, other, n, rng)
        _deal(twin, other, cards, n)
    _rewrite_draws(twin, other, cards[:n])
    twin.look()
    return twin


def deal_any(state: AzurePosition, seat: int, n: int) -> bool:
    """Deal `n` possible unseen cards to the other seat; return whether there are any."""
    other = 1 - seat
    for cards, _ in _possible(state, other, n):
        _deal(state, other, cards, n)
        _rewrite_draws(state, other, cards[:n])
        return True
    return False


def is_possible(state: AzurePosition, seat: int) -> bool:
    """Return whether this hand fits the seat's situation: on turn, or stuck."""
    if state.to_move == seat:
        return state.mover != seat or state.can_act(seat)
    outcome = state.outcome
    if outcome is not None and outcome.reason == "stuck" and outcome.ranks[seat]:
        return not state.can_act(seat)
    return True


def _deal(state: AzurePosition, seat: int, cards: list[int], n: int) -> None:
    """Add the first `n` cards to a seat's known cards; the rest becomes the deck."""
    hand = state.sides[seat].known
    for colour in cards[:n]:
        hand += 1 << 4 * colour
    state.sides[seat].hand = hand
    state.hidden = tuple(cards[n:])


def _colours(cards: int) -> list[int]:
    return [colour for colour in range(len(COLOURS)) for _ in range(cards >> 4 * colour & 15)]


def _possible(state: AzurePosition, seat: int, n: int) -> Iterator[tuple[list[int], int]]:
    """Yield each possible hand as ordered cards, with the number of ways to deal it."""
    cards = unseen(state, 1 - seat)
    for hand in _hands(cards, n):
        ordered = _colours(hand) + _colours(cards - hand)
        _deal(state, seat, ordered, n)
        if is_possible(state, seat):
            yield ordered, _ways(cards, hand)


def _hands(cards: int, n: int, colour: int = 0) -> Iterator[int]:
    """Yield all sets of `n` cards, starting at this colour."""
    if colour == len(COLOURS):
        if n == 0:
            yield 0
        return
    for taken in range(min(n, cards >> 4 * colour & 15) + 1):
        for rest in _hands(cards, n - taken, colour + 1):
            yield rest + (taken << 4 * colour)


def _ways(cards: int, hand: int) -> int:
    from math import comb  # noqa: PLC0415  # rarely needed, and bots wait for imports

    ways = 1
    for shift in range(0, 4 * len(COLOURS), 4):
        ways *= comb(cards >> shift & 15, hand >> shift & 15)
    return ways


def _draw_by_weight(state: AzurePosition, seat: int, n: int, rng: Random) -> list[int]:
    """Draw a possible hand, weighted by its number of ways, and shuffle the rest."""
    possible = list(_possible(state, seat, n))
    cards = rng.choices([cards for cards, _ in possible], [ways for _, ways in possible])[0]
    hand, deck = cards[:n], cards[n:]
    rng.shuffle(hand)
    rng.shuffle(deck)
    return hand + deck


def _rewrite_draws(state: AzurePosition, seat: int, unknown: list[int]) -> None:
    """Make the recorded draws of a seat, which only it saw, agree with its new cards."""
    left = unknown[:]
    for log in (state.before, state.log):
        for index, event in enumerate(log):
            if event[0] == events.DRAW and event[1] == seat and event[3] <= len(left):
                n = event[3]
                cards = pack("".join([COLOURS[left.pop()] for _ in range(n)]))
                log[index] = (events.DRAW, seat, cards, n)
