"""What the demo plays: which bots meet in which game, and who has written them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pentathlon_engines import GAMES, GameInfo
from pentathlon_engines.manifest import built_in_bots

BOTS: Final = Path(__file__).parent / "demo_bots"

_TUNED: Final = ("daydreamer", "dice", "first-come", "magpie", "strategist", "watchdog")
_ALL_ROUND: Final = ("dice", "first-come", "magpie", "greedy", "flat_mc")
"""Play every game, the weaker ones first."""
_SPECIALISTS: Final[Mapping[str, str]] = {"way_of_the_dragon": "wayfarer"}
"""Takes the place of `greedy`, which there does nearly the same as `flat_mc`."""
_FEW: Final[Mapping[str, tuple[str, ...]]] = {"tash_kalar": ("dice", "first-come", "greedy")}
"""Meet in a game of long matches, so that its tournament takes no longer than the others."""
_WORDS: Final = ("no", "one", "two", "three", "four", "five", "six")
_PAIR: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One tournament of the demo."""

    game: str
    title: str
    bots: tuple[str, ...]
    """Names of demo bots or built-in ones."""
    cycles: int = 1
    seats: int = _PAIR

    def document(self, versions: list[int]) -> dict[str, Any]:  # Any: JSON
        """Return what the API is asked for, with the ids of the bots' versions."""
        return {
            "name": f"Demo: {_WORDS[len(self.bots)]} bots play {self.title}",
            "game": self.game,
            "format": "round_robin",
            "cycles": self.cycles,
            "table_seats": self.seats,
            "versions": versions,
        }


def plans() -> list[Plan]:
    """Return the large tournament first, then a small one of every other game."""
    return [_tuned(GAMES["tuned"].info)] + [
        _small(game.info) for key, game in GAMES.items() if key != "tuned"
    ]


def authors(logins: list[str]) -> dict[str, str]:
    """Return who uploads which bot: everybody about as many."""
    names = sorted({name for plan in plans() for name in plan.bots})
    return {name: logins[number % len(logins)] for number, name in enumerate(names)}


def folder_of(bot: str) -> Path:
    """Return the folder with the files of a bot."""
    return built_in_bots().get(bot, BOTS / bot)


def _tuned(info: GameInfo) -> Plan:
    return Plan(game=info.key, title=info.title, bots=_TUNED, cycles=2)


def _small(info: GameInfo) -> Plan:
    """Return a tournament at the largest table of a game, over in seconds."""
    specialist = _SPECIALISTS.get(info.key, "greedy")
    field = tuple(name if name != "greedy" else specialist for name in _ALL_ROUND)
    seats = info.seats[1]
    if seats == _PAIR:
        # A fourth bot is as much to see as a fifth, in half the matches.
        bots = _FEW.get(info.key, field[1:])
        return Plan(game=info.key, title=info.title, bots=bots)
    return Plan(game=info.key, title=info.title, bots=field, cycles=2, seats=seats)
