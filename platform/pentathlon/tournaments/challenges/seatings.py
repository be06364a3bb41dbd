"""Who sits where in the matches of a challenge's block."""

from __future__ import annotations

from collections.abc import Sequence

_PAIR = 2


def seat_orders(players: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the orders in which a block seats its players, each with the same seed.

    Two players sit in both orders. More players sit in every rotation of their order and of its
    mirror, so that everybody has each seat twice, and each neighbour on both sides; with three
    players, these are all orders.

    >>> seat_orders([7, 8])
    [(7, 8), (8, 7)]
    >>> seat_orders([1, 2, 3])
    [(1, 2, 3), (2, 3, 1), (3, 1, 2), (3, 2, 1), (2, 1, 3), (1, 3, 2)]
    """
    order = tuple(players)
    orders = [order] if len(order) == _PAIR else [order, order[::-1]]
    return [each[turn:] + each[:turn] for each in orders for turn in range(len(each))]


def count_orders(seats: int) -> int:
    """Return how many matches a block has."""
    return _PAIR if seats == _PAIR else 2 * seats
