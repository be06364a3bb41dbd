"""Positions as JSON: a table of fields per game, and one writer, reader and checker for all.

A row of a table gives the name of a field, its kind with its bounds, and where a state has it. A
position that is read is written again at the end, so that whatever the rules do not allow, and
whatever can be derived and differs, is refused with the name of its field.
"""

from __future__ import annotations

from pentathlon_engines.contract.info import Outcome
from pentathlon_engines.errors import BadPosition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from typing import Any, Final, NoReturn

    from pentathlon_engines.contract.game import State

WHOLE: Final = -2
"""The viewer that sees everything: `State.to_json`. The others are seats and None."""
TO_WHOLE: Final = 1
TO_SEATS: Final = 2
TO_SPECTATORS: Final = 4
TO_VIEWERS: Final = TO_SEATS | TO_SPECTATORS
TO_ALL: Final = TO_WHOLE | TO_VIEWERS
_FOR_SEATS: Final = ("you", "legal")
"""What an observation has beside the fields of the table."""
_AUDIENCES: Final = (TO_WHOLE, TO_SEATS, TO_SPECTATORS)
ABSENT: Final = object()
"""The value of a field that this position does not have."""


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


class Field:
    """A row of a table: the name of a field, what it may hold, and where it is in a state.

    `get` is the name of an attribute, which the reader sets; or a function that returns the JSON,
    and the game does with the value that was read what it must. A function with `is_seen` gets the
    viewer, too; one with `may_be_absent` can return `ABSENT`. A field without a kind is only
    written and compared. `to` says who sees the field.
    """

    __slots__ = ("get", "is_required", "is_seen", "kind", "may_be_absent", "name", "to")

    def __init__(
        self,
        name: str,
        kind: Kind | None = None,
        get: str | Callable[..., Any] = "",
        to: int = TO_ALL,
        *,
        is_required: bool = False,
        is_seen: bool = False,
        may_be_absent: bool = False,
    ) -> None:
        self.name = name
        self.kind = kind
        self.get: str | Callable[..., Any] = get or name
        self.to = to
        self.is_required = is_required
        self.is_seen = is_seen
        self.may_be_absent = may_be_absent


def _checks_types(kind: Kind | None) -> bool:
    """Return whether a value that was read has the types that are written."""
    while isinstance(kind, (ListOf, Optional)):
        kind = kind.kind
    return kind is not None and type(kind) is not Kind


def _writer(fields: Sequence[Field]) -> Callable[[object, int | None], dict[str, Any]]:
    """Return a function that writes these fields of a subject as a viewer sees them.

    It is a dictionary in source form, made once as `dataclasses` makes its methods: observations
    are made every turn, and a loop over the fields took a third longer.
    """
    scope: dict[str, Any] = {}
    parts = []
    for number, field in enumerate(fields):
        kind = field.kind
        if isinstance(kind, Optional) and isinstance(kind.kind, OneOf):
            kind = kind.kind  # it shows -1 as null by itself
        if not isinstance(field.get, str):
            scope[f"get{number}"] = field.get
            value = f"get{number}(subject{', viewer' if field.is_seen else ''})"
        elif isinstance(kind, OneOf):
            scope[f"names{number}"] = kind.shown
            value = f"names{number}[subject.{field.get}]"
        elif kind is None or type(kind) in (Integer, Flag):
            value = f"subject.{field.get}"
        else:
            scope[f"show{number}"] = kind.show
            value = f"show{number}(subject.{field.get})"
        parts.append(f"{field.name!r}: {value}")
    source = f"lambda subject, viewer: {{{', '.join(parts)}}}"
    writer: Callable[[object, int | None], dict[str, Any]] = eval(source, scope)  # noqa: S307  # of our tables only
    return writer


class Fields:
    """The fields of positions, or of a part of them, in the order in which they are written."""

    def __init__(self, *fields: Field) -> None:
        self.fields = fields
        self.names = {field.name for field in fields}
        self.typed = {field.name for field in fields if _checks_types(field.kind)}
        """The fields whose values have the right types once they have been read."""
        self._absent = [field.name for field in fields if field.may_be_absent]
        self._writers: list[Callable[[object, int | None], dict[str, Any]] | None] = [None] * 3

    def write(self, subject: object, viewer: int | None = WHOLE) -> dict[str, Any]:
        """Return the fields that a viewer sees."""
        audience = 2 if viewer is None else 0 if viewer == WHOLE else 1
        writer = self._writers[audience]
        if writer is None:
            to = _AUDIENCES[audience]
            writer = _writer([field for field in self.fields if field.to & to])
            self._writers[audience] = writer
        written = writer(subject, viewer)
        for name in self._absent:
            if written.get(name) is ABSENT:
                del written[name]
        return written

    def read(self, subject: object, data: Any, *, inside: str = "") -> dict[str, Any]:
        """Check all fields, set those that are attributes, and return the values of the others.

        An attribute that is missing or null stays as it is; another such value is None.
        """
        path = f"{inside}." if inside else ""
        if not isinstance(data, dict):
            refuse(inside, f"must be an object here, not {data!r}")
        for name in data:
            if name not in self.names and (inside or name not in _FOR_SEATS):
                names = [field.name for field in self.fields] + list(() if inside else _FOR_SEATS)
                refuse(path + str(name), f"no such field; there are {', '.join(names)}")
        values: dict[str, Any] = {}
        for field in self.fields:
            name, kind, value = field.name, field.kind, data.get(field.name)
            is_given = value is not None or (name in data and isinstance(kind, Optional))
            if field.is_required and not is_given:
                refuse(path + name, "is missing")
            value = kind.read(path + name, value) if kind is not None and is_given else None
            if not isinstance(field.get, str):
                values[name] = value
            elif value is not None:
                setattr(subject, field.get, value)
        return values


GAME: Final = Field("game", None, lambda state: state.game.info.key)
OPTIONS: Final = Field("options", None, lambda state: dict(state.options))
TO_MOVE: Final = Field("to_move")
RESULT: Final = Field(
    "result", None, lambda state: None if state.outcome is None else state.outcome.to_json()
)


def read_mover(state: State, data: dict[str, Any], *, phase: str, decides: str) -> None:
    """Read `to_move`, which must be null, -1 or a seat, as this phase says in `decides`."""
    if "to_move" not in data:
        refuse(
            "to_move", "is missing; write a seat, -1 for chance, or null when the match is over"
        )
    to_move = data["to_move"]
    if to_move is not None:
        checked_integer("to_move", to_move, low=-1, high=state.seats - 1)
    if decides != ("null" if to_move is None else "-1" if to_move < 0 else "a seat"):
        refuse("to_move", f"must be {decides} in phase {phase!r}, not {to_move}")
    state.to_move = to_move


def check_written(
    state: State,
    data: dict[str, Any],
    *,
    typed: Collection[str] = (),
    but: tuple[str, ...] = (),
) -> None:
    """Refuse data that differ from the position written again; inner objects may be partial.

    Fields in `but` may differ, because they can be written in several ways. Reading has checked
    the types of those in `typed`, so one comparison of the whole value will do.
    """
    written, seat = state.to_json(), data.get("you")
    if seat is not None:
        written["you"] = checked_integer("you", seat, low=0, high=state.seats - 1)
    if not data.keys() <= written.keys():
        seen = state.observation(seat)
        written = seen | written if seat is None else written | seen
    for name, value in data.items():
        if name in typed and value == written.get(name):
            continue  # most fields: to compare them piece by piece took a quarter of loading
        is_free = name == "options" or (name in but and value is not None)
        if not is_free and not agrees(value, written.get(name)):
            refuse(name, f"must be {written.get(name)!r} here")
    if data.get("result") != written["result"]:
        refuse("result", f"must be {written['result']!r} here")


def agrees(given: object, written: object) -> bool:
    """Return whether the given data equal the written data; objects may omit fields."""
    if isinstance(given, dict) and isinstance(written, dict):
        return all(name in written and agrees(given[name], written[name]) for name in given)
    if isinstance(given, list) and isinstance(written, list):
        return len(given) == len(written) and all(map(agrees, given, written))
    return type(given) is type(written) and given == written
