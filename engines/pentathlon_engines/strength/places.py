"""Places in a table: equal values share one, wherever a table is numbered."""

from collections.abc import Hashable, Iterable, Iterator


def shared_places(values: Iterable[Hashable], *, after: int = 0) -> Iterator[int]:
    """Yield the place of each value of a table that is in order, behind `after` rows of it.

    Equal values share the first of their places, and the next value has the place by its number.

    >>> list(shared_places([30.0, 25.0, 25.0, 20.0]))
    [1, 2, 2, 4]
    """
    place, last = after, None
    for number, value in enumerate(values, start=after + 1):
        if number == after + 1 or value != last:
            place, last = number, value
        yield place


def shared_points(place: int, *, sharing: int, of: int) -> float:
    """Return the points of each of several on one place: the mean of the places they take up.

    The first of N has N points, the second N - 1, and so on.

    >>> shared_points(1, sharing=2, of=4), shared_points(3, sharing=1, of=4)
    (3.5, 2.0)
    """
    return of + 1 - place - (sharing - 1) / 2
