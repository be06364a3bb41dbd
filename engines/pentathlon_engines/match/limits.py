"""The limits of a bot in a match."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any, Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Upper bounds for one bot process in one match; times in seconds, sizes in MiB or bytes.

    The CPU clock of the bot measures its thinking time. The wall clock counts only the time in
    which the bot slept; time in which it waited for its host does not count.
    """

    startup_wall_s: float = 5.0
    """The most CPU time until `ready`, and just as much time asleep."""
    action_cpu_s: float = 1.0
    action_wall_s: float = 3.0
    match_cpu_s: float = 20.0
    match_wall_s: float = 60.0
    """The most time asleep in all actions; three seconds for each would be hours in a long
    game."""
    memory_mb: int = 256
    scratch_mb: int = 16
    scratch_files: int = 1024
    open_files: int = 64
    tasks: int = 16
    line_bytes: int = 64 * 1024
    stdout_bytes: int = 8 * 1024 * 1024
    stderr_bytes: int = 1024 * 1024
    stderr_keep_bytes: int = 64 * 1024

    def to_json(self) -> dict[str, float | int]:
        """Return the limits by name; whole numbers as ints, so that each has one form in JSON."""
        return {
            name: int(value) if value == int(value) else value
            for name, value in asdict(self).items()
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Limits:
        """Read limits; a missing field takes its default.

        Raises:
            ValueError: a field is unknown, or its value is no number that can be a bound.
        """
        kinds = {field.name: str(field.type) for field in fields(cls)}
        for name, value in data.items():
            if name not in kinds:
                raise ValueError(f"unknown limits: {name}; known: {', '.join(kinds)}")
            if not _is_bound(value, whole=kinds[name] == "int"):
                raise ValueError(f"{name} must be a {_NUMBER[kinds[name]]}, not {value!r}")
        return cls(**data)


_MOST: Final = 2**31 - 1
"""Larger values would not fit into what the operating system takes."""
_NUMBER: Final = {"int": f"whole number from 0 to {_MOST}", "float": f"number from 0 to {_MOST}"}


def _is_bound(value: object, *, whole: bool) -> bool:
    is_number = type(value) is int or (type(value) is float and not whole)
    return is_number and 0 <= value <= _MOST  # type: ignore[operator]  # mypy does not follow
