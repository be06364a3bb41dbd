"""What a learner is promised to see: numbers from 0 to 1 in a fixed order, from an observation.

Each game's `seen.py` says it once more than its `encoding.py`, from the JSON alone, so that no
column moves and nothing comes from what the observation does not show.
"""

from collections.abc import Iterable, Sequence
from typing import Any


class Features:
    """The numbers of an observation; seats are counted from the one that observes.

    >>> features = Features(you=1, seats=3)
    >>> features.seat(2)
    >>> features.number(3, most=4)
    >>> features.values
    [0.0, 1.0, 0.0, 0.75]
    """

    def __init__(self, *, you: int, seats: int) -> None:
        self.values: list[float] = []
        self.order = [(you + step) % seats for step in range(seats)]
        """All seats, beginning with the one that observes."""

    def number(self, value: int | None, *, most: int) -> None:
        """Add a number as a share of `most`; None counts as 0, more than `most` as 1."""
        self.values.append(min(1.0, (value or 0) / most))

    def numbers(self, values: Iterable[int | None], *, most: int) -> None:
        """Add several numbers."""
        for value in values:
            self.number(value, most=most)

    def flag(self, value: object) -> None:
        """Add 1 for a true value and 0 for a false or missing one."""
        self.values.append(1.0 if value else 0.0)

    def choice(self, value: object, choices: Iterable[object]) -> None:
        """Add a number for each choice: 1 for the value, 0 for the others; None is no choice."""
        self.values += [1.0 if value == choice else 0.0 for choice in choices]

    def marks(self, values: Sequence[object], choices: Iterable[object]) -> None:
        """Add a number for each choice: 1 if it is among the values, else 0."""
        self.values += [1.0 if choice in values else 0.0 for choice in choices]

    def counts(self, word: str, letters: str, *, most: int) -> None:
        """Add the number of times that each letter occurs in a word."""
        self.numbers((word.count(letter) for letter in letters), most=most)

    def seat(self, seat: int | None) -> None:
        """Add a number for each seat: 1 for this one, 0 for the others; None is no seat."""
        self.choice(seat, self.order)

    def by_seat(self, values: Sequence[Any]) -> list[Any]:
        """Return values by seat in the order of the features."""
        return [values[seat] for seat in self.order]
