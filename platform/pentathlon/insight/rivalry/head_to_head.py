"""Two bots against each other: score, seats, tables, competitions, streaks, time to think."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, fields
from itertools import groupby
from typing import Final, NamedTuple, TypeVar

from django.db.models import QuerySet, Sum

from pentathlon.bots.models import Bot
from pentathlon.insight.rivalry.cpu_use import SAMPLE, TimeUse, time_use
from pentathlon.insight.rivalry.expectations import MILLION
from pentathlon.insight.rivalry.models import Meeting, MeetingQuerySet, PairSum
from pentathlon.insight.rivalry.scores import RivalScore
from pentathlon.insight.rivalry.sums import COUNTS
from pentathlon.matches.models import Match, MatchKind
from pentathlon.tournaments.models import Tournament
from pentathlon_engines.strength.block_scores import WIN

STREAKS_IN: Final = 1000
"""How many of the latest meetings are searched for streaks."""
_MOST_TOURNAMENTS: Final = 50
_TABLE: Final = ("first_id", "second_id", "game", "seats", "first_seat", "second_seat")
"""The columns that identify two versions and their seats, whatever the competition."""
_COMPETITION: Final = ("lane", "kind")
_LATEST: Final = ("-lane", "kind")
K = TypeVar("K", bound=Hashable)


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


class VersionPair(NamedTuple):
    """Two versions that met."""

    own: int
    other: int


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
    """Everything about two bots against each other, from the side of the first named."""

    bot: Bot
    other: Bot
    score: RivalScore
    both_failed: int
    games: dict[str, RivalScore]
    places: dict[SeatAtTable, RivalScore]
    tables: dict[tuple[str, int], RivalScore]
    """Scores by game and size of the table."""
    lineups: dict[VersionPair, RivalScore]
    competitions: list[CompetitionLine]
    """Tournaments and seasons, the latest first, then challenges."""
    more_competitions: int
    """How many tournaments and seasons are left out."""
    streaks: tuple[Streak | None, Streak | None]
    """The longest streak of the first named bot, and that of the other."""
    time_use: tuple[TimeUse | None, TimeUse | None]


def read_head_to_head(bot: Bot, other: Bot, wanted: PairFilter) -> HeadToHead:
    """Return what two bots did against each other; the number of queries does not grow."""
    sums = _sums(bot, other, wanted)
    rows = [_Sided(row, *_sides(row, bot, other)) for row in _added_up(sums, *_TABLE)]
    latest = meetings(bot, other, wanted).order_by("-match")
    sample = list(latest.values_list("match", flat=True)[:SAMPLE])
    times = time_use([bot.pk, other.pk], sample) if bot != other else {}
    by_lane = sums.filter(lane__gt=0)
    shown = _added_up(by_lane, *_COMPETITION, order=_LATEST, most=_MOST_TOURNAMENTS)
    challenged = _added_up(sums.filter(lane=0), *_COMPETITION)
    lines = _competition_lines([*shown, *challenged], is_turned=bot.pk > other.pk)
    return HeadToHead(
        bot=bot,
        other=other,
        score=_total(rows),
        both_failed=sum(each.row.both_failed for each in rows),
        games=_grouped(rows, lambda row: row.row.game),
        places=_grouped(rows, lambda row: SeatAtTable(row.row.game, row.row.seats, row.own_seat)),
        tables=_grouped(rows, lambda row: (row.row.game, row.row.seats)),
        lineups=_grouped(rows, lambda row: VersionPair(row.own, row.other)),
        competitions=lines,
        more_competitions=by_lane.values(*_COMPETITION).distinct().count() - len(shown),
        streaks=_streaks(bot, other, wanted),
        time_use=(times.get(bot.pk), times.get(other.pk)),
    )


def meetings(bot: Bot, other: Bot, wanted: PairFilter) -> MeetingQuerySet:
    """Return the selected meetings of two bots; hidden results make no meetings."""
    found = Meeting.objects.between(bot.pk, other.pk)
    if wanted.game:
        found = found.filter(game=wanted.game)
    if wanted.lane is not None:
        found = found.filter(lane=wanted.lane)
    is_turned = bot.pk > other.pk
    sides = ("second", "first") if is_turned else ("first", "second")
    if wanted.own_version is not None:
        found = found.filter(**{sides[0]: wanted.own_version})
    if wanted.other_version is not None:
        found = found.filter(**{sides[1]: wanted.other_version})
    return found


def visible_matches(found: Iterable[Meeting]) -> list[Match]:
    """Return those matches of meetings that everybody may see, with their seats."""
    ids = [meeting.match_id for meeting in found]
    matches = Match.objects.public().with_seats().in_bulk(ids)
    return [matches[pk] for pk in ids if pk in matches]


@dataclass(frozen=True, slots=True)
class _Sided:
    """A sum, seen from the side of one of the two bots."""

    row: PairSum
    own: int
    """The id of that bot's version."""
    other: int
    own_seat: int
    is_turned: bool

    def score(self) -> RivalScore:
        """Return the score of the first named."""
        return _score(self.row, is_turned=self.is_turned)


def _score(row: PairSum, *, is_turned: bool) -> RivalScore:
    """Return the score of the first bot of a sum, or of the second if `is_turned`."""
    points = row.second_rated_half_points if is_turned else row.rated_half_points
    return RivalScore(
        meetings=row.meetings,
        counted=row.counted,
        wins=row.losses - row.both_failed if is_turned else row.wins,
        draws=row.draws,
        losses=row.wins + row.both_failed if is_turned else row.losses,
        rated=row.rated,
        rated_half_points=points,
        expected_millionths=MILLION * row.rated - row.expected if is_turned else row.expected,
        variance_millionths=row.variance,
    )


def _sums(bot: Bot, other: Bot, wanted: PairFilter) -> QuerySet[PairSum]:
    low, high = sorted((bot.pk, other.pk))
    found = PairSum.objects.filter(first_bot=low, second_bot=high, meetings__gt=0)
    own, theirs = ("second", "first") if bot.pk > other.pk else ("first", "second")
    if wanted.own_version is not None:
        found = found.filter(**{own: wanted.own_version})
    if wanted.other_version is not None:
        found = found.filter(**{theirs: wanted.other_version})
    if wanted.game:
        found = found.filter(game=wanted.game)
    if wanted.lane is not None:
        found = found.filter(lane=wanted.lane)
    return found


def _added_up(
    found: QuerySet[PairSum], *columns: str, order: tuple[str, ...] = (), most: int | None = None
) -> list[PairSum]:
    """Return one sum for all rows that agree in these columns, added up by the database.

    Two bots may have met in thousands of competitions, each with rows of its own.
    """
    totals = {f"total_{name}": Sum(name) for name in COUNTS[PairSum]}
    rows = found.order_by(*order).values(*columns).annotate(**totals)[:most]
    names = {**{name: name for name in columns}, **{f"total_{n}": n for n in COUNTS[PairSum]}}
    return [PairSum(**{names[key]: value for key, value in row.items()}) for row in rows]


def _sides(row: PairSum, bot: Bot, other: Bot) -> tuple[int, int, int, bool]:
    """Return the first named bot's version, the other's, its seat, and if the row is turned."""
    if bot.pk > other.pk:
        return row.second_id, row.first_id, row.second_seat, True
    return row.first_id, row.second_id, row.first_seat, False


def _grouped(rows: Iterable[_Sided], key: Callable[[_Sided], K]) -> dict[K, RivalScore]:
    groups: dict[K, list[_Sided]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return {name: _total(groups[name]) for name in sorted(groups, key=str)}


def _total(rows: Iterable[_Sided]) -> RivalScore:
    scores = [row.score() for row in rows]
    return RivalScore(
        **{each.name: sum(getattr(s, each.name) for s in scores) for each in fields(RivalScore)}
    )


def _competition_lines(sums: Iterable[PairSum], *, is_turned: bool) -> list[CompetitionLine]:
    """Return tournaments, seasons and all challenges together, in the order of their sums."""
    lanes = [row.lane for row in sums if row.lane]
    tournaments = Tournament.objects.visible_to(None).in_bulk(lanes)
    return [
        CompetitionLine(
            kind=MatchKind(row.kind),
            tournament=tournaments.get(row.lane),
            score=_score(row, is_turned=is_turned),
        )
        for row in sums
    ]


def _streaks(bot: Bot, other: Bot, wanted: PairFilter) -> tuple[Streak | None, Streak | None]:
    """Return the longest rows of wins in the latest meetings that count."""
    latest = meetings(bot, other, wanted).counted().order_by("-match", "-first_seat")
    columns = ("match", "first_half_points", "second_half_points")
    rows = list(latest.values_list(*columns)[:STREAKS_IN])[::-1]
    own, theirs = (2, 1) if bot.pk > other.pk else (1, 2)
    return _longest(rows, own), _longest(rows, theirs)


def _longest(rows: Sequence[tuple[int, ...]], column: int) -> Streak | None:
    longest: Streak | None = None
    for is_won, part in groupby(rows, key=lambda row: row[column] == WIN):
        row = list(part)
        if is_won and (longest is None or len(row) > longest.length):
            longest = Streak(length=len(row), since=row[0][0])
    return longest
