"""Positions as JSON: a table of fields per game, and one writer, reader and checker for all.

A row of a table gives the name of a field, its kind with its bounds, and where a state has it. A
position that is read is written again at the end, so that whatever the rules do not allow, and
whatever can be derived and differs, is refused with the name of its field.
"""

from __future__ import annotations

from pentathlon_engines.contract.kinds import (
    Flag,
    Integer,
    Kind,
    ListOf,
    OneOf,
    Optional,
    checked_integer,
    refuse,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from typing import Any, Final

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
    state: State, data: dict[str, Any], *, typed: Collection[str] = (), but: tuple[str, ...] = ()
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
