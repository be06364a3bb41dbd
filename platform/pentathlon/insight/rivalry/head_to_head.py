"""Two bots against each other: score, seats, tables, competitions, streaks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Final, NamedTuple

from django.db.models import F

from pentathlon.bots.models import Bot
from pentathlon.insight.rivalry.models import Meeting, MeetingQuerySet
from pentathlon.insight.rivalry.opponents import LATEST, latest_rows
from pentathlon.insight.rivalry.scores import MeetingRow, RivalScore, add_up, group
from pentathlon.matches.models import Match, MatchKind
from pentathlon.tournaments.models import Tournament
from pentathlon_engines.strength.sprt import WIN

_MOST_TOURNAMENTS: Final = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class PairFilter:
    """A selection of the meetings of two bots."""

    game: str = ""
    own_version: int | None = None
    """The id of a version of the first bot that was named."""
    other_version: int | None = None
    lane: int | None = None
    """The number of a tournament."""


class SeatAtTable(NamedTuple):
    """A seat at a table of a size, in a game."""

    game: str
    seats: int
    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CompetitionLine:
    """The score in one tournament, ladder season, or in all challenges."""

    kind: MatchKind
    tournament: Tournament | None
    """None for challenges, and for a tournament that the reader may not see."""
    score: RivalScore


@dataclass(frozen=True, slots=True, kw_only=True)
class Streak:
    """The most wins in a row, and the match with which the row began."""

    length: int
    since: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadToHead:
    """The latest meetings of two bots, from the side of the first named."""

    bot: Bot
    other: Bot
    score: RivalScore
    both_failed: int
    places: dict[SeatAtTable, RivalScore]
    tables: dict[tuple[str, int], RivalScore]
    """Scores by game and size of the table."""
    lineups: dict[tuple[int, int], RivalScore]
    """Scores by the two versions that met."""
    competitions: list[CompetitionLine]
    """Tournaments and seasons, the latest first, then challenges."""
    more_competitions: int
    """How many tournaments and seasons are left out."""
    streaks: tuple[Streak | None, Streak | None]
    """The longest streak of the first named bot, and that of the other."""
    is_whole: bool
    """Whether these are all their meetings."""


def read_head_to_head(bot: Bot, other: Bot, selected: PairFilter) -> HeadToHead:
    """Return what two bots did in their latest meetings; the cost does not grow with them all."""
    rows = latest_rows(meetings(bot, other, selected))
    competitions = group(rows, _competition)
    lanes = [(lane, kind) for lane, kind in reversed(competitions) if lane]
    listed = [*lanes[:_MOST_TOURNAMENTS], *(key for key in competitions if not key[0])]
    tournaments = Tournament.objects.visible_to(None).in_bulk([lane for lane, _ in listed])
    return HeadToHead(
        bot=bot,
        other=other,
        score=add_up(rows),
        both_failed=sum(row.have_both_failed and not row.is_repeat for row in rows),
        places={
            SeatAtTable(*key): score
            for key, score in group(rows, lambda row: (row.game, row.seats, row.seat)).items()
        },
        tables=group(rows, lambda row: (row.game, row.seats)),
        lineups=group(rows, lambda row: (row.version_id, row.other_version_id)),
        competitions=[
            CompetitionLine(
                kind=MatchKind(kind),
                tournament=tournaments.get(lane),
                score=competitions[lane, kind],
            )
            for lane, kind in listed
        ],
        more_competitions=max(0, len(lanes) - _MOST_TOURNAMENTS),
        streaks=(
            _longest(rows, lambda row: row.half_points == WIN),
            _longest(rows, lambda row: row.half_points == 0 and not row.have_both_failed),
        ),
        is_whole=len(rows) < LATEST,
    )


def meetings(bot: Bot, other: Bot, selected: PairFilter) -> MeetingQuerySet:
    """Return the selected public meetings of two bots, from the side of the first."""
    rows = Meeting.objects.public().filter(bot=bot, other=other)
    if bot == other:
        rows = rows.filter(version__lt=F("other_version"))
    named = {
        "game": selected.game or None,
        "version": selected.own_version,
        "other_version": selected.other_version,
        "lane": selected.lane,
    }
    return rows.filter(**{column: value for column, value in named.items() if value is not None})


def visible_matches(rows: Iterable[Meeting]) -> list[Match]:
    """Return those matches of meetings that everybody may see, with their seats."""
    ids = [meeting.match_id for meeting in rows]
    matches = Match.objects.public().with_seats().in_bulk(ids)
    return [matches[pk] for pk in ids if pk in matches]


def _competition(row: MeetingRow) -> tuple[int, str]:
    """Return a row's lane, 0 for all challenges together, and its kind."""
    return (0 if row.kind == MatchKind.CHALLENGE else row.lane), row.kind


def _longest(rows: Iterable[MeetingRow], is_won: Callable[[MeetingRow], bool]) -> Streak | None:
    """Return the longest run of won meetings, repeats left out; `rows` come latest first."""
    counted = [row for row in rows if not row.is_repeat]
    runs = [list(run) for won, run in groupby(reversed(counted), key=is_won) if won]
    longest = max(runs, key=len, default=None)
    return Streak(length=len(longest), since=longest[0].match_id) if longest else None
