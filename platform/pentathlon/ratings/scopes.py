"""Which results may be compared: those of one game, with one setting.

A rating table has results of one scope: the game, all its options, the number of seats and the
class of limits. A bot that is good at tables of five, or with a hundredth of a second to think, is
not therefore good at tables of two with a second.

The class of limits is decided by the CPU seconds for an action alone. There are three, so that an
organiser who gives 1.2 seconds instead of 1 makes no table of its own: fast below 0.3 s, standard
from 0.3 s to 3 s (the default is 1 s), slow above 3 s. The price: 0.5 s and 3 s share a table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from typing import Any, Final

from pentathlon_engines import GAMES
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.record.record import canonical

FASTEST_STANDARD_S: Final = 0.3
SLOWEST_STANDARD_S: Final = 3.0
_DIGEST_DIGITS: Final = 16


class Pace(StrEnum):
    """The classes of limits."""

    FAST = "fast"
    STANDARD = "standard"
    SLOW = "slow"


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingScope:
    """A game with one setting."""

    game: str
    seats: int
    pace: Pace
    options: Mapping[str, Any]  # Any: the game checks the values
    """All options, with the defaults written out."""

    @property
    def digest(self) -> str:
        """The name of the setting in addresses and keys."""
        told = (self.game, self.seats, self.pace, dict(self.options))
        return sha256(canonical(told)).hexdigest()[:_DIGEST_DIGITS]

    def to_json(self) -> dict[str, Any]:  # Any: the game checks the values
        """Return the setting as answers and rows have it."""
        return {"seats": self.seats, "pace": self.pace, "options": dict(self.options)}

    @property
    def title(self) -> str:
        """The game and what differs from its defaults, for people: "Azure, 4 seats, fast"."""
        usual, info = scope_of(self.game), GAMES[self.game].info
        parts = [info.title]
        if self.seats != usual.seats:
            parts.append(f"{self.seats} seats")
        if self.pace != usual.pace:
            parts.append(self.pace)
        parts += [
            f"{name} {_in_words(value)}"
            for name, value in self.options.items()
            if value != usual.options.get(name)
        ]
        return ", ".join(parts)


def scope_of(
    game: str,
    *,
    options: Mapping[str, Any] | None = None,  # Any: the game checks the values
    seats: int | None = None,
    limits: Mapping[str, Any] | None = None,  # Any: whoever sets them checks them
) -> RatingScope:
    """Return the scope of matches; arguments that are left out have the game's defaults."""
    info = GAMES[game].info
    return RatingScope(
        game=game,
        seats=info.default_seats if seats is None else seats,
        pace=pace_of(Limits.from_json(dict(limits or {}))),
        options=info.check_options(options),
    )


def digest_in_key(game: str, digest: str) -> str:
    """Return the digest as it stands in the key of a leaderboard: empty for the standard one."""
    return "" if digest == scope_of(game).digest else digest


def pace_of(limits: Limits) -> Pace:
    """Return the class of limits."""
    if limits.action_cpu_s < FASTEST_STANDARD_S:
        return Pace.FAST
    return Pace.STANDARD if limits.action_cpu_s <= SLOWEST_STANDARD_S else Pace.SLOW


def _in_words(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return " ".join(map(str, value))
    return str(value)
