"""Read positions from JSON: check every field, and name the field in every error."""

from __future__ import annotations

from pentathlon_engines.contract.info import Outcome
from pentathlon_engines.errors import BadPosition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Final, NoReturn

_FRAME: Final = ("game", "options", "to_move", "phase", "result", "you", "legal")


def refuse(field: str, problem: str) -> NoReturn:
    """Raise `BadPosition` for this field."""
    raise BadPosition(f"{field}: {problem}")


class Fields:
    """The fields of one position; raises `BadPosition` if one without a default is missing.

    The fields `you` and `legal` are accepted, so that observations of games without secrets load,
    too.
    """

    __slots__ = ("_data",)

    def __init__(self, data: dict[str, Any], *, known: Iterable[str]) -> None:
        names = (*_FRAME, *known)
        for name in data:
            if name not in names:
                refuse(str(name), f"no such field; a position has {', '.join(names)}")
        self._data = data

    def has(self, name: str) -> bool:
        """Return whether the field is present and not null."""
        return self._data.get(name) is not None

    def integer(
        self, name: str, *, low: int, high: int | None = None, default: int | None = None
    ) -> int:
        """Return a whole number within its bounds."""
        return checked_integer(name, self._value(name, default), low=low, high=high)

    def text(self, name: str, *, default: str | None = None) -> str:
        """Return a string."""
        value = self._value(name, default)
        if not isinstance(value, str):
            refuse(name, f"must be a string, not {value!r}")
        return value

    def flag(self, name: str) -> bool:
        """Return true or false."""
        value = self._value(name, None)
        if type(value) is not bool:
            refuse(name, f"must be true or false, not {value!r}")
        return value

    def mapping(self, name: str, *, default: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return an object."""
        value = self._value(name, default)
        if not isinstance(value, dict):
            refuse(name, f"must be an object, not {value!r}")
        return value

    def sequence(self, name: str, *, length: int) -> list[Any]:
        """Return a list of exactly `length` items."""
        value = self._value(name, None)
        if not isinstance(value, list) or len(value) != length:
            refuse(name, f"must be a list of {length}, not {value!r}")
        return value

    def items(self, name: str, *, most: int) -> list[Any]:
        """Return a list of at most `most` items; empty if the field is missing."""
        value = self._data.get(name, [])
        if not isinstance(value, list) or len(value) > most:
            refuse(name, f"must be a list of at most {most} items")
        return value

    def seat_to_move(self, seats: int, *, chance: bool = False) -> int | None:
        """Return `to_move`: a seat, -1 for chance where the game has it, or None when over."""
        if "to_move" not in self._data:
            refuse("to_move", "is missing; write a seat, or null when the match is over")
        value = self._data["to_move"]
        if value is None:
            return None
        return checked_integer("to_move", value, low=-1 if chance else 0, high=seats - 1)

    def result(self, seats: int, *, scores: bool = False) -> Outcome | None:
        """Return `result`, or None while the match goes on."""
        value = self._data.get("result")
        if value is None:
            return None
        expected = {"ranks", "reason", "scores"} if scores else {"ranks", "reason"}
        if not isinstance(value, dict) or set(value) != expected:
            refuse("result", f"must be null or an object with {', '.join(sorted(expected))}")
        if not isinstance(value["reason"], str):
            refuse("result.reason", f"must be a string, not {value['reason']!r}")
        ranks = _integers("result.ranks", value["ranks"], seats)
        if any(rank != sum(other < rank for other in ranks) for rank in ranks):
            refuse("result.ranks", "a rank is the number of seats strictly better")
        points = _integers("result.scores", value["scores"], seats) if scores else None
        return Outcome(ranks, value["reason"], points)

    def check_phase(self, phase: str) -> None:
        """Raise `BadPosition` if the position names another phase."""
        if self._data.get("phase", phase) != phase:
            refuse("phase", f"must be {phase!r} here, not {self._data['phase']!r}")

    def _value(self, name: str, default: Any) -> Any:
        value = self._data.get(name, default)
        if value is None:
            refuse(name, "is missing")
        return value


def checked_integer(field: str, value: object, *, low: int, high: int | None = None) -> int:
    """Return a JSON value that must be a whole number within bounds, and not a boolean."""
    if type(value) is not int or value < low or (high is not None and value > high):
        bounds = f"{low} or more" if high is None else f"from {low} to {high}"
        refuse(field, f"must be a whole number {bounds}, not {value!r}")
    return value


def _integers(field: str, value: object, length: int) -> tuple[int, ...]:
    if not isinstance(value, list) or len(value) != length:
        refuse(field, f"must be a list of {length} whole numbers, not {value!r}")
    return tuple(checked_integer(field, item, low=-(2**53)) for item in value)
