"""The first round of a knockout."""

from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

Places = list[int | None]
"""The bracket from top to bottom, two entries to a duel; None is a bye."""

_PAIR: Final = 2


def bracket_of(seeds: Sequence[int]) -> Places:
    """Return who stands in each place of round 1, so that the best two can meet only at the end.

    >>> bracket_of([7, 8, 9])
    [7, None, 8, 9]
    """
    places = [0]
    while len(places) < len(seeds):
        places = [place for seed in places for place in (seed, 2 * len(places) - 1 - seed)]
    return [seeds[place] if place < len(seeds) else None for place in places]


def separate_bracket(seeds: Sequence[int], author_of: Callable[[int], str]) -> Places:
    """Return a bracket by seeds in which bots of one author meet as late as possible.

    Seeds 3 and 4 may change places, 5 to 8 among themselves, and so on. Each half of the bracket
    gets half of each such tier, of each author's bots and of the byes; then so does each quarter.
    That can always be done: it is a colouring of a bipartite graph.
    """
    size = 1
    while size < len(seeds):
        size *= 2
    field: Places = [*seeds, *[None] * (size - len(seeds))]
    return _arrange(field, author_of)


def _arrange(field: Places, author_of: Callable[[int], str]) -> Places:
    """Arrange a field, the best first and byes last, whose length is a power of two."""
    if len(field) <= _PAIR:
        return field
    upper = _upper_half(field, author_of)
    halves = (
        [bot for place, bot in enumerate(field) if (place in upper) is is_upper]
        for is_upper in (True, False)
    )
    return [bot for half in halves for bot in _arrange(half, author_of)]


def _upper_half(field: Places, author_of: Callable[[int], str]) -> set[int]:
    """Return the places of a field that go to the upper half, the first of all among them."""
    sides = _number_authors([None if bot is None else author_of(bot) for bot in field])
    # Start with the upper half by seeds alone: 1, 4, 5, 8, 9, 12, …
    is_upper = [(place + 1) // 2 % 2 == 0 for place in range(len(field))]
    while path := _find_path(sides, is_upper):
        for place in path:
            is_upper[place] = not is_upper[place]
    return {place for place, is_in in enumerate(is_upper) if is_in is is_upper[0]}


def _number_authors(authors: Sequence[str | None]) -> list[int]:
    """Number authors in the order of their best bots; byes count as one more author's bots."""
    numbers: dict[str | None, int] = {}
    return [numbers.setdefault(author, len(numbers)) for author in authors]


def _find_path(authors: Sequence[int], is_upper: Sequence[bool]) -> list[int]:
    """Return the places that must change halves so that one more author is shared out evenly.

    The first author has too many bots in one half. Each step moves one of its bots to the other
    half and a bot of the same tier back, whose author comes next, until that author had too few
    bots in this half. The result is empty if all authors are shared out evenly.
    """
    lead = [0] * (max(authors) + 1)
    for author, is_in in zip(authors, is_upper, strict=True):
        lead[author] += 1 if is_in else -1
    uneven = [author for author, by in enumerate(lead) if abs(by) > 1]
    if not uneven:
        return []
    start, from_upper = uneven[0], lead[uneven[0]] > 0
    sign = 1 if from_upper else -1
    steps: dict[int, tuple[int, int, int]] = {}
    """For each author: the author it was reached from, and the two places that change halves."""
    queue = deque([start])
    while queue:
        author = queue.popleft()
        for place, other in _exchanges(author, authors, is_upper, from_upper=from_upper):
            target = authors[other]
            if target == start or target in steps:
                continue
            steps[target] = (author, place, other)
            if sign * lead[target] < 0:
                return _unwind(steps, target, start)
            queue.append(target)
    raise AssertionError  # a bipartite graph can always be coloured evenly


def _exchanges(
    author: int, authors: Sequence[int], is_upper: Sequence[bool], *, from_upper: bool
) -> list[tuple[int, int]]:
    """Return the pairs of a place of an author and a place of its tier that could be exchanged.

    The weakest come first: the best are moved last.
    """
    found = []
    for place in reversed(range(len(authors))):
        if authors[place] != author or is_upper[place] is not from_upper:
            continue
        first, beyond = _tier(place)
        found += [
            (place, other)
            for other in reversed(range(first, beyond))
            if is_upper[other] is not from_upper
        ]
    return found


def _tier(place: int) -> tuple[int, int]:
    """Return the range of places that may be exchanged: the first, and the one after the last.

    >>> [_tier(place) for place in (0, 1, 2, 4, 7, 8)]
    [(0, 2), (0, 2), (2, 4), (4, 8), (4, 8), (8, 16)]
    """
    if place < _PAIR:
        return 0, _PAIR
    first = 1 << (place.bit_length() - 1)
    return first, 2 * first


def _unwind(steps: dict[int, tuple[int, int, int]], end: int, start: int) -> list[int]:
    places: list[int] = []
    author = end
    while author != start:
        author, *moved = steps[author]
        places += moved
    return places
