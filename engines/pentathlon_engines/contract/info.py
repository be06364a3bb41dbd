"""The facts of a game, its options, and the outcome of a match."""

from __future__ import annotations

from pentathlon_engines.errors import BadOption, BadSeats

TYPE_CHECKING = False  # bots must not wait for `typing`
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_MOST_NAMED = 10
_ORDINAL_ENDINGS = {1: "st", 2: "nd", 3: "rd"}


class Option:
    """A choice before the match: its name, kind, default and allowed values.

    `kind` is "flag" (choices False, True), "choice" (`choices` are the values), "each_seat" (a
    list with one of `choices` for each seat) or "integer" (`choices` are the lowest and the
    highest value). Tournaments do not offer
    the `unofficial` choices yet.
    """

    __slots__ = ("choices", "default", "kind", "name", "unofficial")

    def __init__(
        self,
        name: str,
        *,
        kind: str,
        default: bool | int | str | tuple[str, ...],
        choices: tuple[bool | int | str, ...] = (False, True),
        unofficial: tuple[bool | int | str, ...] = (),
    ) -> None:
        self.name = name
        self.kind = kind
        self.default = default
        self.choices = choices
        self.unofficial = unofficial

    def accepts(self, value: object) -> bool:
        """Return whether this option may have `value`; 1 does not count as True.

        >>> Option("deck", kind="choice", default="north", choices=("north", "south")).accepts(1)
        False
        """
        if self.kind == "integer":
            low, high = self.choices
            return type(value) is int and int(low) <= value <= int(high)
        if isinstance(self.default, tuple):
            return _is_list_of(value, self.choices, length=len(self.default))
        return type(value) is type(self.default) and value in self.choices

    def unofficial_in(self, value: object) -> list[object]:
        """Return those parts of a value that tournaments do not offer yet.

        >>> Option("deck", kind="choice", default="a", choices=("a", "b"), unofficial=("b",)
        ...     ).unofficial_in("b")
        ['b']
        """
        items = value if isinstance(value, list) else [value]
        return [item for item in items if item in self.unofficial]

    def usual(self) -> bool | int | str | list[str]:
        """Return the default as a JSON value."""
        return list(self.default) if isinstance(self.default, tuple) else self.default

    def allowed(self) -> str:
        """Describe the values that this option may have, or some of them if there are many.

        >>> Option("rounds", kind="integer", default=3, choices=(1, 5)).allowed()
        '1 to 5'
        """
        if self.kind == "integer":
            return " to ".join(repr(bound) for bound in self.choices)
        named = ", ".join(repr(choice) for choice in self.choices[:_MOST_NAMED])
        more = len(self.choices) - _MOST_NAMED
        allowed = f"{named} or one of {more} others" if more > 0 else named
        return (
            f"a list with one of {allowed} for each seat" if self.kind == "each_seat" else allowed
        )

    def to_json(self) -> dict[str, Any]:
        """Return the option as a JSON object with the names of this class."""
        return {
            "name": self.name,
            "kind": self.kind,
            "default": self.usual(),
            "choices": list(self.choices),
            "unofficial": list(self.unofficial),
        }


def _is_list_of(value: object, choices: tuple[bool | int | str, ...], *, length: int) -> bool:
    """Return whether a value is a list of `length` texts, each among the choices."""
    if not isinstance(value, list) or len(value) != length:
        return False
    return all(isinstance(item, str) and item in choices for item in value)


class GameInfo:
    """The facts of a game that hold for all its matches.

    `version` is the version of its rules. `longest` is the highest number of events (actions and
    chance outcomes) of a match. Every action is in `range(actions)` whatever the seats and
    options, so that a learner can mask them.
    """

    __slots__ = (
        "actions",
        "chance",
        "default_seats",
        "hidden",
        "key",
        "longest",
        "options",
        "seats",
        "title",
        "version",
    )

    def __init__(
        self,
        key: str,
        *,
        title: str,
        version: int,
        seats: tuple[int, int],
        default_seats: int,
        hidden: bool,
        chance: bool,
        actions: int,
        longest: int,
        options: tuple[Option, ...] = (),
    ) -> None:
        self.key = key
        self.title = title
        self.version = version
        self.seats = seats
        self.default_seats = default_seats
        self.hidden = hidden
        self.chance = chance
        self.actions = actions
        self.longest = longest
        self.options = options

    def __repr__(self) -> str:
        return f"<{self.title}, rules {self.version}, {self.seats[0]} to {self.seats[1]} seats>"

    def check_seats(self, seats: object) -> int:
        """Return the number of seats, or the default for None; raise `BadSeats`."""
        if seats is None:
            return self.default_seats
        low, high = self.seats
        if type(seats) is not int or not low <= seats <= high:
            allowed = f"{low}" if low == high else f"{low} to {high}"
            raise BadSeats(f"{self.title} has {allowed} seats, not {seats!r}")
        return seats

    def check_options(self, options: Mapping[str, Any] | None) -> dict[str, Any]:
        """Return all options, missing ones with their defaults; raise `BadOption`."""
        if options is None:
            return {option.name: option.usual() for option in self.options}
        given = dict(options)
        unknown = sorted(set(given) - {option.name for option in self.options})
        if unknown:
            known = ", ".join(option.name for option in self.options) or "none"
            raise BadOption(f"{self.title} has no option {unknown[0]!r}; its options: {known}")
        return {option.name: self._checked(option, given) for option in self.options}

    def _checked(self, option: Option, given: dict[str, Any]) -> Any:
        value = given.get(option.name, option.usual())
        if not option.accepts(value):
            raise BadOption(f"option {option.name!r} may be {option.allowed()}, not {value!r}")
        return value[:] if isinstance(value, list) else value

    def to_json(self) -> dict[str, Any]:
        """Return the facts as a JSON object with the names of this class."""
        return {
            "key": self.key,
            "title": self.title,
            "version": self.version,
            "seats": list(self.seats),
            "default_seats": self.default_seats,
            "hidden": self.hidden,
            "chance": self.chance,
            "actions": self.actions,
            "longest": self.longest,
            "options": [option.to_json() for option in self.options],
        }


class Outcome:
    """How a match ended: a rank per seat (0 best, ties equal), the reason, points if any."""

    __slots__ = ("ranks", "reason", "scores")

    def __init__(
        self, ranks: tuple[int, ...], reason: str, scores: tuple[int, ...] | None = None
    ) -> None:
        self.ranks = ranks
        self.reason = reason
        self.scores = scores

    def to_json(self) -> dict[str, Any]:
        """Return the field `result` of a position; `scores` only where the game has points.

        >>> Outcome((0, 1), "line").to_json()
        {'ranks': [0, 1], 'reason': 'line'}
        """
        data: dict[str, Any] = {"ranks": list(self.ranks), "reason": self.reason}
        if self.scores is not None:
            data["scores"] = list(self.scores)
        return data

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Outcome):
            return NotImplemented
        mine = (self.ranks, self.reason, self.scores)
        return mine == (other.ranks, other.reason, other.scores)

    def __hash__(self) -> int:
        return hash((self.ranks, self.reason, self.scores))

    def __repr__(self) -> str:
        points = "" if self.scores is None else f", {self.scores}"
        return f"Outcome({self.ranks}, {self.reason!r}{points})"


def ordinal(rank: int) -> str:
    """Return a rank as an ordinal number; rank 0 is the 1st.

    >>> ordinal(0), ordinal(10), ordinal(21)
    ('1st', '11th', '22nd')
    """
    number = rank + 1
    is_teen = number // 10 % 10 == 1
    return f"{number}{'th' if is_teen else _ORDINAL_ENDINGS.get(number % 10, 'th')}"
