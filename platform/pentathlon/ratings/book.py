"""A rating table in memory: what the ledger says after each result. Pure; knows no database."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from pentathlon.ratings.skill import BETA, Result, Skill, learn


@dataclass(slots=True)
class RatingLine:
    """The rating of one bot version."""

    skill: Skill
    matches: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    last_seq: int = 0


class Change(NamedTuple):
    """The change that one result makes to one bot version."""

    version_id: int
    seat: int
    rank: int
    before: Skill
    after: Skill
    nth: int | None
    """Which result of this bot version it is, from 1; None where no charts need it."""


class Book:
    """All lines of one pool, moved forward one result at a time."""

    def __init__(
        self,
        *,
        draw_probability: float,
        beta: float = BETA,
        lines: dict[int, RatingLine] | None = None,
        has_charts: bool = True,
    ) -> None:
        self.draw_probability = draw_probability
        self.beta = beta
        self.has_charts = has_charts
        self.lines = lines if lines is not None else {}

    def enter(self, seq: int, result: Result) -> list[Change]:
        """Apply the next result and return its changes in seat order."""
        lines = [self._line(player) for player in result.players]
        before = [line.skill for line in lines]
        after = learn(before, result, draw_probability=self.draw_probability, beta=self.beta)
        for line, skill, rank in zip(lines, after, result.ranks, strict=True):
            line.skill, line.last_seq = skill, seq
            _count(line, rank, result.ranks)
        return [
            Change(
                version_id=player,
                seat=seat,
                rank=result.ranks[seat],
                before=before[seat],
                after=after[seat],
                nth=line.matches if self.has_charts else None,
            )
            for seat, (player, line) in enumerate(zip(result.players, lines, strict=True))
        ]

    def _line(self, player: int) -> RatingLine:
        line = self.lines.get(player)
        if line is None:
            line = self.lines[player] = RatingLine(Skill())
        return line


def is_landmark(nth: int | None) -> bool:
    """Return whether a chart needs the n-th result: all up to 127, then 64 in every doubling."""
    return nth is not None and nth % (1 << max(0, nth.bit_length() - 7)) == 0


def _count(line: RatingLine, rank: int, ranks: tuple[int, ...]) -> None:
    """Count a match as won (best alone), drawn (best with others) or lost."""
    line.matches += 1
    if rank > 0:
        line.losses += 1
    elif ranks.count(0) > 1:
        line.draws += 1
    else:
        line.wins += 1
