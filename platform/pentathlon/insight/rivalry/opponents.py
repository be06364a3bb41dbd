"""A bot against all others: opponents, best wins, nemesis, seats, lengths, upsets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final

from django.db.models import F, QuerySet, Sum

from pentathlon.bots.models import BotVersion
from pentathlon.insight.rivalry.expectations import MILLION
from pentathlon.insight.rivalry.models import Meeting, OpponentSum, OpponentSumQuerySet, SeatSum
from pentathlon.insight.rivalry.scores import RivalScore
from pentathlon.matches.models import Match

LEAST_MEETINGS: Final = 10
"""The fewest rated meetings with a nemesis or a favourite opponent."""
LEAST_ERRORS: Final = 1.0
"""How far results against either must differ from expectation, in standard errors."""
_BEST_WINS: Final = 5
_LOOKED_AT: Final = 200
"""How many wins are searched for the best against different opponents."""
_UPSETS: Final = 20
_MOST_MET: Final = 5
_RIVAL_AUTHORS: Final = 10
_SUMMED: Final = ("meetings", "counted", "wins", "draws", "losses")
ORDERS: Final = {
    "meetings": ("-counted", "pk"),
    "worst": ("surplus", "pk"),
    "best": ("-surplus", "pk"),
    "share": ("-share", "pk"),
}
"""The orders of a table of opponents, by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpponentLine:
    """One opponent of a bot."""

    row: OpponentSum
    score: RivalScore


@dataclass(frozen=True, slots=True, kw_only=True)
class BestWin:
    """A win against an opponent that was rated high at that time."""

    meeting: Meeting
    score: float
    """The loser's rating right before the match."""

    @property
    def loser_is_first(self) -> bool:
        """Whether the loser is the first of the meeting."""
        return self.meeting.winner_id == self.meeting.second_bot_id

    @property
    def loser(self) -> BotVersion:
        """The version that was beaten."""
        return self.meeting.first if self.loser_is_first else self.meeting.second


@dataclass(frozen=True, slots=True, kw_only=True)
class Rivals:
    """A summary of a bot's opponents in a game."""

    game: str
    games: list[str]
    """All games in which it has met other bots."""
    most_met: list[OpponentLine]
    nemesis: OpponentLine | None
    favourite: OpponentLine | None
    best_wins: list[BestWin]


@dataclass(frozen=True, slots=True, kw_only=True)
class RivalAuthor:
    """An author, and the score of another author's bots against this author's."""

    username: str
    score: RivalScore


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatLine:
    """The score of a bot in one seat, or in matches of one length."""

    seats: int
    seat: int
    score: RivalScore


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthLine:
    """The score of a bot in matches of one length."""

    low: int
    """The fewest plies of such a match."""
    high: int
    """The most plies of such a match."""
    score: RivalScore


@dataclass(frozen=True, slots=True, kw_only=True)
class Upset:
    """A match with a result that the ratings had found unlikely."""

    match: Match
    share: float
    """The share that the winner had been expected to take."""
    on: date


def rivals_of(bot_id: int, game: str = "") -> Rivals | None:
    """Return the rivals of a bot in a game, or in the one in which it has met most others.

    Return None if the bot has met no other.
    """
    games = games_of(bot_id)
    game = game or (games[0] if games else "")
    if game not in games:
        return None
    return Rivals(
        game=game,
        games=games,
        most_met=opponent_lines(list(opponents_of(bot_id, game)[:_MOST_MET])),
        nemesis=nemesis(bot_id, game),
        favourite=favourite(bot_id, game),
        best_wins=best_wins(bot_id, game),
    )


def games_of(bot_id: int) -> list[str]:
    """Return the games in which a bot has met others, the one with the most meetings first."""
    sums = OpponentSum.objects.filter(bot=bot_id, counted__gt=0).values("game")
    counted = sums.annotate(total=Sum("counted")).order_by("-total", "game")
    return [row["game"] for row in counted]


def opponents_of(bot_id: int, game: str, *, order: str = "meetings") -> OpponentSumQuerySet:
    """Return a bot's opponents in a game with their bots and owners, in one of `ORDERS`."""
    met = OpponentSum.objects.met(bot_id, game).select_related("other__owner")
    if order in {"worst", "best"}:
        met = met.with_surplus()
    if order == "share":
        met = met.annotate(share=(F("wins") * 2.0 + F("draws")) / (F("counted") * 2.0))
    return met.order_by(*ORDERS[order])


def opponent_lines(rows: Sequence[OpponentSum]) -> list[OpponentLine]:
    """Return rows with their scores."""
    return [OpponentLine(row=row, score=score_of(row)) for row in rows]


def nemesis(bot_id: int, game: str) -> OpponentLine | None:
    """Return the opponent against whom a bot does worst, measured against expectation.

    That is the one with the most standard errors below expectation: at least one, in at least ten
    rated meetings.
    """
    rows = _compared(bot_id, game).worst(errors=LEAST_ERRORS)
    return next(iter(opponent_lines(list(rows[:1]))), None)


def favourite(bot_id: int, game: str) -> OpponentLine | None:
    """Return the opponent against whom a bot does best, by the rule of `nemesis`."""
    rows = _compared(bot_id, game).best(errors=LEAST_ERRORS)
    return next(iter(opponent_lines(list(rows[:1]))), None)


def best_wins(bot_id: int, game: str) -> list[BestWin]:
    """Return the wins against those rated highest at that time, one for each opponent.

    Only rated wins count that did not come from a fault of the loser.
    """
    wins = Meeting.objects.filter(winner=bot_id, game=game).order_by("-beaten_score", "-match")
    found: dict[int, Meeting] = {}
    for meeting in wins[:_LOOKED_AT]:
        loser = meeting.second_bot_id if meeting.first_bot_id == bot_id else meeting.first_bot_id
        if loser not in found and len(found) < _BEST_WINS:
            found[loser] = meeting
    ids = [meeting.pk for meeting in found.values()]
    full = Meeting.objects.select_related("first__bot__owner", "second__bot__owner").in_bulk(ids)
    return [BestWin(meeting=full[pk], score=full[pk].beaten_score or 0.0) for pk in ids]


def rival_authors(author_id: int) -> list[RivalAuthor]:
    """Return the authors whose bots an author's bots have met most, with the scores."""
    sums = OpponentSum.objects.filter(bot__owner=author_id, counted__gt=0)
    others = sums.exclude(other__owner=author_id).order_by().values("other__owner__username")
    most = others.annotate(total=Sum("counted")).order_by("-total", "other__owner__username")
    rows = most.annotate(**{f"sum_{name}": Sum(name) for name in _SUMMED})[:_RIVAL_AUTHORS]
    return [RivalAuthor(username=row["other__owner__username"], score=_plain(row)) for row in rows]


def seat_lines(bot_id: int, game: str) -> list[SeatLine]:
    """Return how a bot did in each seat of each size of table."""
    rows = _summed(SeatSum.objects.filter(bot=bot_id, game=game), "seats", "seat")
    return [SeatLine(seats=row["seats"], seat=row["seat"], score=_plain(row)) for row in rows]


def length_lines(bot_id: int, game: str) -> list[LengthLine]:
    """Return how a bot did in short and in long matches."""
    rows = _summed(SeatSum.objects.filter(bot=bot_id, game=game), "length")
    return [
        LengthLine(low=1 << row["length"] >> 1, high=(1 << row["length"]) - 1, score=_plain(row))
        for row in rows
    ]


def upset_of_the_day(now: datetime) -> Upset | None:
    """Return the rated match of today whose winner had been expected to take least.

    Only duels count that no fault decided, between two settled ratings, and whose winner was
    expected to take less than half. Until a day has an upset, that of the day before stays.
    """
    today = now.date()
    for day in (today, today - timedelta(days=1)):
        likely = Meeting.objects.filter(
            ended_on=day, surprise__isnull=False, surprise__lt=MILLION // 2
        )
        # A few candidates, in case one may no longer be seen by everybody.
        rows = dict(
            likely.order_by("surprise", "match").values_list("match", "surprise")[:_UPSETS]
        )
        matches = Match.objects.public().with_seats().select_related("replay").in_bulk(list(rows))
        for match_id, surprise in rows.items():
            if match_id in matches and surprise is not None:
                return Upset(match=matches[match_id], share=surprise / MILLION, on=day)
    return None


def score_of(row: OpponentSum) -> RivalScore:
    """Return the score of a stored sum."""
    return RivalScore(
        meetings=row.meetings,
        counted=row.counted,
        wins=row.wins,
        draws=row.draws,
        losses=row.losses,
        rated=row.rated,
        rated_half_points=row.rated_half_points,
        expected_millionths=row.expected,
        variance_millionths=row.variance,
    )


def _compared(bot_id: int, game: str) -> OpponentSumQuerySet:
    met = OpponentSum.objects.met(bot_id, game).filter(rated__gte=LEAST_MEETINGS)
    return met.select_related("other__owner")


def _summed(sums: QuerySet[SeatSum], *by: str) -> list[dict[str, int]]:
    rows = sums.order_by(*by).values(*by).annotate(**{f"sum_{n}": Sum(n) for n in _SUMMED})
    return [row for row in rows if row["sum_counted"]]


def _plain(row: Mapping[str, Any]) -> RivalScore:
    return RivalScore(
        meetings=row["sum_meetings"],
        counted=row["sum_counted"],
        wins=row["sum_wins"],
        draws=row["sum_draws"],
        losses=row["sum_losses"],
    )
