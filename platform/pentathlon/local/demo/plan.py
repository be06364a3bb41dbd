"""The demo's plan: its bots, their authors, and the games and formats they play."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pentathlon_engines import GAMES, GameInfo
from pentathlon_engines.manifest import built_in_bots

BOTS: Final = Path(__file__).parent / "bots"
_TUNED: Final = ("daydreamer", "dice", "first-come", "magpie", "strategist", "watchdog")
_ALL_ROUND: Final = ("dice", "first-come", "magpie", "grabber", "planner")
"""Bots that play every game, the weaker ones first."""
_SPECIALISTS: Final[Mapping[str, str]] = {"way_of_the_dragon": "wayfarer"}
"""By game, a bot that knows only this game and plays in place of `grabber`."""
_FEW: Final[Mapping[str, tuple[str, ...]]] = {"tash_kalar": ("dice", "first-come", "grabber")}
"""Bots for a game of long matches, so that its tournament takes no longer than the others."""
_FEWER: Final = ("first-come", "grabber", "planner")
"""Bots for a game with another tournament, so that both together take no longer than one."""
_HOW: Final[Mapping[str, str]] = {
    "round_robin": "",
    "swiss": " in Swiss rounds",
    "knockout": " in a knockout bracket",
    "finals": " in finals",
}
_BUILT_IN: Final[Mapping[str, str]] = {"grabber": "greedy", "planner": "mcts"}
"""Bots that are built-in ones under another name, since theirs are reserved."""
CHALLENGE: Final = ("strategist", "watchdog")
"""A bot of the first tournament, and another author's bot that it challenges to a few blocks."""
CHALLENGE_BLOCKS: Final = 4
_WORDS: Final = ("no", "one", "two", "three", "four", "five", "six")
_PAIR: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One tournament of the demo."""

    game: str
    title: str
    """The title of the game."""
    bots: tuple[str, ...]
    """The names of its bots."""
    format: str = "round_robin"
    params: Mapping[str, Any] = field(default_factory=dict)  # Any: JSON
    seats: int = _PAIR

    @property
    def key(self) -> str:
        """The name of the plan among all plans, the same in every release."""
        return self.game if self.format == "round_robin" else f"{self.game} {self.format}"

    @property
    def label(self) -> str:
        """The game and, unless all bots simply meet each other, the format in words."""
        return f"{self.title}{_HOW[self.format]}"

    def document(self, versions: list[int]) -> dict[str, Any]:  # Any: JSON
        """Return the request for the API, with the ids of the bots' versions."""
        return {
            "name": f"Demo: {_WORDS[len(self.bots)]} bots play {self.label}",
            "game": self.game,
            "format": self.format,
            "params": dict(self.params),
            "table_seats": self.seats,
            "versions": versions,
        }


def plans() -> list[Plan]:
    """Return a tournament of every game, then the short ones of other formats."""
    small = [_small(game.info) for key, game in GAMES.items() if key != "tuned"]
    return [_tuned(GAMES["tuned"].info), *_formats(), *small]


def authors(logins: list[str]) -> dict[str, str]:
    """Return the author who uploads each bot; all authors have about equally many."""
    names = sorted({name for plan in plans() for name in plan.bots})
    return {name: logins[number % len(logins)] for number, name in enumerate(names)}


def folder_of(bot: str) -> Path:
    """Return the folder with the files of a bot."""
    return built_in_bots()[_BUILT_IN[bot]] if bot in _BUILT_IN else BOTS / bot


def _tuned(info: GameInfo) -> Plan:
    return Plan(game=info.key, title=info.title, bots=_TUNED)


def _formats() -> list[Plan]:
    """Return a Swiss, a bracket and finals, each just long enough to show its format."""
    shown: tuple[tuple[str, str, dict[str, int]], ...] = (
        ("swiss", "azure", {"rounds": 2}),
        ("knockout", "maatatahay", {"blocks": 1, "tie_blocks": 1}),
        ("finals", "tuned", {"finalists": 3, "blocks": 7}),
    )
    return [
        Plan(
            game=game,
            title=GAMES[game].info.title,
            bots=_ALL_ROUND[1:],
            format=format_name,
            params=params,
        )
        for format_name, game, params in shown
    ]


def _small(info: GameInfo) -> Plan:
    """Return a tournament at the largest table of a game, over in seconds."""
    specialist = _SPECIALISTS.get(info.key, "grabber")
    seats = info.seats[1]
    if seats == _PAIR:
        return Plan(game=info.key, title=info.title, bots=_FEW.get(info.key, _FEWER))
    bots = tuple(name if name != "grabber" else specialist for name in _ALL_ROUND)
    return Plan(game=info.key, title=info.title, bots=bots, params={"cycles": 2}, seats=seats)
