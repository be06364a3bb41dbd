"""Words that the commentaries of all games share, and other sentences for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

COLOURS: Final = ("Violet", "Amber", "Teal", "Crimson", "Sky")
"""The colours of the seats on pages and boards."""
_IN_IES: Final = ("entry", "ply")


def name_seat(seat: int) -> str:
    """Return what a seat is called.

    >>> name_seat(1)
    'Amber'
    """
    return COLOURS[seat]


def count(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> count(1, "point"), count(3, "match"), count(1200, "ply")
    ('1 point', '3 matches', '1,200 plies')
    """
    return f"1 {noun}" if number == 1 else f"{number:,} {_plural(noun)}"


def count_range(low: int, high: int, noun: str) -> str:
    """Return a range of numbers with its noun.

    >>> count_range(2, 5, "seat"), count_range(2, 2, "seat"), count_range(1, 1, "bot")
    ('2 to 5 seats', '2 seats', '1 bot')
    """
    return count(low, noun) if low == high else f"{low:,} to {high:,} {_plural(noun)}"


def _plural(noun: str) -> str:
    if noun in _IN_IES:
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith("ch") else f"{noun}s"


def enumerate_all(words: Sequence[str]) -> str:
    """Join words with commas and "and".

    >>> enumerate_all(["a1", "b2", "c3"])
    'a1, b2 and c3'
    """
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def enumerate_any(words: Sequence[str]) -> str:
    """Join words with commas and "or".

    >>> enumerate_any(["a1", "b2", "c3"])
    'a1, b2 or c3'
    """
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last


def name_ordinal(number: int) -> str:
    """Return "first", "second" and so on up to six, beyond that the number.

    >>> name_ordinal(2), name_ordinal(7)
    ('second', 'number 7')
    """
    names = ("first", "second", "third", "fourth", "fifth", "sixth")
    return names[number - 1] if number <= len(names) else f"number {number}"


def tell_ranks(ranks: Sequence[int]) -> str:
    """Return who wins; `ranks` has 0 for the best.

    >>> tell_ranks([1, 0]), tell_ranks([0, 0]), tell_ranks([0, 2, 0])
    ('Amber wins', 'a draw', 'Violet and Teal share the win')
    """
    winners = [name_seat(seat) for seat, rank in enumerate(ranks) if rank == 0]
    if len(winners) == 1:
        return f"{winners[0]} wins"
    if len(winners) == len(ranks):
        return "a draw"
    return f"{enumerate_all(winners)} share the win"


def tell_result(ranks: Sequence[int], scores: Sequence[int]) -> str:
    """Return who wins between two seats, and their points, the winner's first.

    >>> tell_result([1, 0], [3, 11]), tell_result([0, 1], [5, 5]), tell_result([0, 0], [5, 5])
    ('Amber wins 11 to 3', 'Violet wins at 5 all', 'a draw at 5 all')
    """
    if scores[0] == scores[1]:
        return f"{tell_ranks(ranks)} at {scores[0]} all"
    winner = ranks.index(0)
    return f"{tell_ranks(ranks)} {scores[winner]} to {scores[1 - winner]}"


def tell_lead(points: Sequence[int]) -> str:
    """Return who has more points of two seats.

    >>> tell_lead([3, 11]), tell_lead([2, 2])
    ('Amber leads 11 to 3', 'level at 2 all')
    """
    if points[0] == points[1]:
        return f"level at {points[0]} all"
    return f"{name_seat(points.index(max(points)))} leads {max(points)} to {min(points)}"
