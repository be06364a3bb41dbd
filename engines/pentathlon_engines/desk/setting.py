"""The setting that all matches of a series or tournament on this machine share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pentathlon_engines.contract.game import Game
from pentathlon_engines.desk.match_pool import DeskMatch, Tick
from pentathlon_engines.match.launcher import Launcher
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.record.shape import Record
from pentathlon_engines.runner import MatchReport, SeatBot, play_match


def keep_nothing(_match: DeskMatch, _record: Record) -> None:
    """Keep no record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Game, rules of play and bots, and where records go."""

    game: Game
    options: Mapping[str, Any]  # Any: the game checks the values
    limits: Limits
    launcher: Launcher
    bots: Sequence[SeatBot]
    keep: Callable[[DeskMatch, Record], None] = keep_nothing
    """Stores a record; called where the match was played, so that a stop loses no record."""

    def play(self, match: DeskMatch, tick: Tick | None = None) -> MatchReport:
        """Play one match and keep its record."""
        report = play_match(
            game=self.game,
            options=self.options,
            seats=[self.bots[player] for player in match.players],
            seed=match.seed,
            limits=self.limits,
            launcher=self.launcher,
            match=match.alias,
            on_tick=tick,
        )
        self.keep(match, report.record)
        return report
