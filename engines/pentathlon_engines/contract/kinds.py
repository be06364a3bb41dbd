"""What a field of a position may hold: a kind reads JSON, checks it, and shows it again."""

from __future__ import annotations

from pentathlon_engines.contract.info import Outcome
from pentathlon_engines.errors import BadPosition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NoReturn


def refuse(field: str, problem: str) -> NoReturn:
    """Raise `BadPosition` for this field."""
    raise BadPosition(f"{field}: {problem}")


def checked_integer(field: str, value: object, *, low: int, high: int | None = None) -> int:
    """Return a JSON value that must be a whole number within bounds, and not a boolean."""
    if type(value) is not int or value < low or (high is not None and value > high):
        bounds = f"{low} or more" if high is None else f"from {low} to {high}"
        refuse(field, f"must be a whole number {bounds}, not {value!r}")
    return value


class Kind:
    """What a field may hold: here anything, which the game reads itself.

    `read` checks JSON and returns what the state keeps instead; `show` returns the JSON again.
    """

    def read(self, field: str, data: Any) -> Any:  # Any: JSON, and the value of a state
        """Return the value of some JSON, or raise `BadPosition`."""
        return data

    def show(self, value: Any) -> Any:  # Any: the same
        """Return the JSON of a value."""
        return value


class Integer(Kind):
    """A whole number within bounds."""

    def __init__(self, low: int, high: int | None = None) -> None:
        self.low = low
        self.high = high

    def read(self, field: str, data: Any) -> int:
        """Return the number."""
        return checked_integer(field, data, low=self.low, high=self.high)


class Flag(Kind):
    """True or false."""

    def read(self, field: str, data: Any) -> bool:
        """Return the truth value."""
        if type(data) is not bool:
            refuse(field, f"must be true or false, not {data!r}")
        return data


class Text(Kind):
    """A string; with `letters`, of these only."""

    def __init__(self, letters: str = "", *, most: int | None = None) -> None:
        self.letters = letters
        self.most = most

    def read(self, field: str, data: Any) -> str:
        """Return the string."""
        if not isinstance(data, str):
            refuse(field, f"must be a string, not {data!r}")
        if self.letters and data.strip(self.letters):
            refuse(field, f"must be a string of the letters {self.letters}, not {data!r}")
        if self.most is not None and len(data) > self.most:
            refuse(field, f"must have at most {self.most} letters")
        return data


class OneOf(Kind):
    """One of some names; the state has its number, or -1 for none."""

    def __init__(self, names: Sequence[str | None], *, what: str = "") -> None:
        self.shown = [*names, None]
        self.numbers = {name: number for number, name in enumerate(names)}
        self.what = what or f"one of {', '.join(map(str, names))}"

    def read(self, field: str, data: Any) -> int:
        """Return the number of the name."""
        if not isinstance(data, str) or data not in self.numbers:
            refuse(field, f"must be {self.what}, not {data!r}")
        return self.numbers[data]

    def show(self, value: Any) -> Any:
        """Return the name with this number."""
        return self.shown[value]


class Optional(Kind):
    """Another kind, or null, for which the state has -1."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind

    def read(self, field: str, data: Any) -> Any:
        """Return the value, or -1."""
        return -1 if data is None else self.kind.read(field, data)

    def show(self, value: Any) -> Any:
        """Return the JSON, or null."""
        return None if value == -1 else self.kind.show(value)


class ListOf(Kind):
    """A list of `length` items of one kind, or of at most `most`."""

    def __init__(self, kind: Kind, length: int | None = None, *, most: int = 0) -> None:
        self.kind = kind
        self.length = length
        self.most = most

    def read(self, field: str, data: Any) -> list[Any]:
        """Return the values of the items."""
        if not isinstance(data, list) or not self._fits(len(data)):
            size = self.length if self.length is not None else f"at most {self.most}"
            refuse(field, f"must be a list of {size}, not {data!r}")
        read = self.kind.read
        try:  # making the names of items would take as long as reading them
            return [read(field, item) for item in data]
        except BadPosition:
            return [read(f"{field}[{index}]", item) for index, item in enumerate(data)]

    def show(self, value: Any) -> Any:
        """Return the JSON of the items."""
        return list(map(self.kind.show, value))

    def _fits(self, size: int) -> bool:
        return size <= self.most if self.length is None else size == self.length


class SetOf(Kind):
    """A list of different names, in the order of `names`; the state has a mask of them."""

    def __init__(self, names: Sequence[str], *, what: str = "") -> None:
        self.names = names
        self.items = ListOf(OneOf(names, what=what), most=len(names))

    def read(self, field: str, data: Any) -> int:
        """Return the mask."""
        mask = 0
        for number in self.items.read(field, data):
            mask |= 1 << number
        return mask

    def show(self, value: Any) -> Any:
        """Return the names in the mask."""
        return [name for number, name in enumerate(self.names) if value >> number & 1]


class MapOf(Kind):
    """An object whose names are some of `names`; the values are by the number of the name."""

    def __init__(self, names: Sequence[str | None], kind: Kind, *, what: str) -> None:
        self.numbers = {name: number for number, name in enumerate(names)}
        self.kind = kind
        self.what = what

    def read(self, field: str, data: Any) -> dict[int, Any]:
        """Return the values by number."""
        if not isinstance(data, dict):
            refuse(field, f"must be an object, not {data!r}")
        values = {}
        for name, item in data.items():
            if name not in self.numbers:
                refuse(field, f"{name!r} is not {self.what}")
            values[self.numbers[name]] = self.kind.read(f"{field}.{name}", item)
        return values


class Object(Kind):
    """An object with exactly these fields; the values are a dictionary."""

    def __init__(self, **kinds: Kind) -> None:
        self.kinds = kinds

    def read(self, field: str, data: Any) -> Any:
        """Return the values by name."""
        if not isinstance(data, dict) or data.keys() != self.kinds.keys():
            refuse(field, f"must be an object with {', '.join(self.kinds)}, not {data!r}")
        try:  # as in a list
            return {name: kind.read(field, data[name]) for name, kind in self.kinds.items()}
        except BadPosition:
            return {
                name: kind.read(f"{field}.{name}", data[name]) for name, kind in self.kinds.items()
            }


class PartialObject(Object):
    """An object with some of these fields; the values of the others are None."""

    def read(self, field: str, data: Any) -> Any:
        """Return the values by name."""
        if not isinstance(data, dict) or not data.keys() <= self.kinds.keys():
            refuse(field, f"must be an object with {', '.join(self.kinds)}, not {data!r}")
        values = dict.fromkeys(self.kinds)
        for name, item in data.items():
            if item is not None:
                values[name] = self.kinds[name].read(f"{field}.{name}", item)
        return values


class Result(Kind):
    """The outcome of a match: ranks, the reason, and scores where the game has points."""

    def __init__(self, seats: int, *, scores: bool = False) -> None:
        numbers = ListOf(Integer(-(2**53)), seats)
        points = {"scores": numbers} if scores else {}
        self.parts = Object(ranks=numbers, reason=Text(), **points)

    def read(self, field: str, data: Any) -> Outcome:
        """Return the outcome."""
        parts = self.parts.read(field, data)
        ranks = tuple(parts["ranks"])
        if any(rank != sum([other < rank for other in ranks]) for rank in ranks):
            refuse(f"{field}.ranks", "a rank is the number of seats strictly better")
        scores: list[int] | None = parts.get("scores")
        return Outcome(ranks, parts["reason"], None if scores is None else tuple(scores))
