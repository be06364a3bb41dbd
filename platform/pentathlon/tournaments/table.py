"""The lines of a tournament's tables, as values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pentathlon.bots.models import BotVersion
from pentathlon.ratings.certainty import interval, is_provisional
from pentathlon.ratings.skill import Skill
from pentathlon.tournaments.models import Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How often one was ahead of, level with and behind others at the same table."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @classmethod
    def of(cls, counts: Sequence[int]) -> Score:
        """Return the score of these wins, draws and losses."""
        wins, draws, losses = counts
        return cls(wins=wins, draws=draws, losses=losses)

    @property
    def meetings(self) -> int:
        """How often there was somebody to compare with."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """One for each one left behind, half for each one level."""
        return self.wins + self.draws / 2

    @property
    def share(self) -> float | None:
        """Points out of those there were; None before the first meeting."""
        return self.points / self.meetings if self.meetings else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How the matches of one bot version ended: won alone, best with others, or not best."""

    matches: int = 0
    wins: int = 0
    draws: int = 0
    faults: int = 0

    @property
    def losses(self) -> int:
        """Matches in which somebody was ahead."""
        return self.matches - self.wins - self.draws


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where one entry stands by its rating; nowhere if it has left."""

    number: int | None
    """From 1; None for an entry that was withdrawn or disqualified."""
    group: int | None
    """Same number = cannot be told apart with 95 % confidence; None without a place."""
    entry: Entry
    skill: Skill
    """Live rating while the tournament runs; order-free fit once it is closed."""
    fold: Skill | None
    """The rating rule applied in schedule order, once it is closed."""
    chance_of_best: float

    @property
    def interval(self) -> tuple[float, float]:
        """Bounds that hold the true strength with 95 % probability."""
        return interval(self.skill)

    @property
    def is_provisional(self) -> bool:
        """Whether too few results stand behind the rating."""
        return is_provisional(self.skill)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One line of a tournament's table."""

    place: Place
    tally: Tally
    points: float
    """At most 1 in a match: at larger tables points are shared among the opponents."""

    @property
    def version(self) -> BotVersion:
        """Who this is."""
        return self.place.entry.version


@dataclass(frozen=True, slots=True, kw_only=True)
class CrosstableRow:
    """One bot version against each of the others, in the order of the table."""

    standing: Standing
    cells: tuple[Score | None, ...]
    """None against itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatRate:
    """How one seat did over all matches; a share of 0.5 is fair."""

    seat: int
    score: Score


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a tournament is, in matches."""

    done: int
    running: int
    waiting: int
    void: int
    remaining_s: float | None
    """Until the last match ends at the present pace; None while nobody can tell."""

    @property
    def total(self) -> int:
        """All matches of the schedule."""
        return self.done + self.running + self.waiting + self.void

    @property
    def share(self) -> float:
        """Of the matches that have ended, from 0 to 1."""
        return (self.done + self.void) / self.total if self.total else 0.0
