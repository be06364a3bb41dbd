"""The ladders: one of each game as it is usually played, and those of `profiles.json`.

Every bot that plays a game joins its usual ladder by itself. It was validated with the usual seats
and options only, so its author has to ask for the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

from pentathlon_engines import GAMES
from pentathlon_engines.light_json import read_data

_FILE: Final = "profiles.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderProfile:
    """The game, seats and options of a ladder."""

    key: str
    title: str
    game: str
    seats: int
    options: dict[str, Any] = field(default_factory=dict)  # Any: the game checks the values
    """The options that differ from the defaults."""
    takes_all: bool = False
    """Whether every bot that plays the game joins automatically."""

    @property
    def all_options(self) -> dict[str, Any]:  # Any: the game checks the values
        """Return all options of the game, with defaults written out."""
        return dict(GAMES[self.game].start(self.seats, self.options).options)


@cache
def profiles() -> tuple[LadderProfile, ...]:
    """Return the profiles of all ladders, game by game, the usual one first."""
    return tuple(sorted(_profiles(), key=lambda profile: (profile.game, not profile.takes_all)))


def _profiles() -> Iterator[LadderProfile]:
    for key, game in GAMES.items():
        info = game.info
        yield LadderProfile(
            key=key, title=info.title, game=key, seats=info.default_seats, takes_all=True
        )
    for fields in read_data(__file__, _FILE):
        yield LadderProfile(**fields)
