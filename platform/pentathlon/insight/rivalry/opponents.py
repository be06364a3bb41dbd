"""A bot against all others: opponents, best wins, seats, lengths, upsets.

All of this is about the latest meetings, so that its cost does not grow with the history.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final

from django.db.models import OuterRef, Subquery

from pentathlon.bots.models import Bot, VersionGame
from pentathlon.insight.rivalry.models import Meeting, MeetingQuerySet
from pentathlon.insight.rivalry.scores import MILLION, MeetingRow, RivalScore, add_up, group
from pentathlon.matches.latest import latest_matches_of_author
from pentathlon.matches.models import Match

LATEST: Final = 3000
"""How many of the latest meetings are added up."""
_BEST_WINS: Final = 5
_LOOKED_AT: Final = 200
"""How many wins are searched for the best against different opponents."""
_MOST_MET: Final = 5
_RIVAL_AUTHORS: Final = 10
_OF_EACH_VERSION: Final = 200
"""How many of the latest matches of each version of an author's bots are added up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpponentLine:
    """One opponent of a bot."""

    opponent: Bot
    game: str
    score: RivalScore


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatLine:
    """The score of a bot in one seat."""

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
class Rivals:
    """A bot's latest meetings in a game, added up."""

    game: str
    games: list[str]
    """All games in which it has met other bots, the latest one first."""
    opponents: list[OpponentLine]
    """The most met first."""
    best_wins: list[Meeting]
    """The wins against those rated highest at that time, one for each opponent."""
    seats: list[SeatLine]
    lengths: list[LengthLine]

    @property
    def most_met(self) -> list[OpponentLine]:
        """The few opponents that it has met most."""
        return self.opponents[:_MOST_MET]


@dataclass(frozen=True, slots=True, kw_only=True)
class RivalAuthor:
    """An author, and the score of another author's bots against this author's."""

    username: str
    score: RivalScore


@dataclass(frozen=True, slots=True, kw_only=True)
class Upset:
    """A match with a result that the ratings had found unlikely."""

    match: Match
    share: float
    """The share that the winner had been expected to take."""
    on: date


ORDERS: Final[Mapping[str, Callable[[OpponentLine], Any]]] = {  # Any: what can be compared
    "meetings": lambda line: -line.score.counted,
    "worst": lambda line: line.score.surplus,
    "best": lambda line: -line.score.surplus,
    "share": lambda line: -(line.score.share or 0),
}
"""The orders of a table of opponents, by name."""


def rivals_of(bot_id: int, game: str = "") -> Rivals:
    """Return the rivals of a bot in a game, or in the one that it played last; it may be none."""
    games = _games_of(bot_id)
    game = game or next(iter(games), "")
    rows = latest_rows(Meeting.objects.public().of_others().filter(bot=bot_id, game=game))
    return Rivals(
        game=game,
        games=games,
        opponents=_opponent_lines(game, rows),
        best_wins=_best_wins(bot_id, game),
        seats=[
            SeatLine(seats=seats, seat=seat, score=score)
            for (seats, seat), score in group(rows, lambda row: (row.seats, row.seat)).items()
            if score.counted
        ],
        lengths=[
            LengthLine(low=1 << length >> 1, high=(1 << length) - 1, score=score)
            for length, score in group(rows, lambda row: row.plies.bit_length()).items()
            if score.counted
        ],
    )


def latest_rows(rows: MeetingQuerySet) -> list[MeetingRow]:
    """Return what scores are made of, the latest meetings first."""
    latest = rows.order_by("-match", "-seat").values_list(*MeetingRow._fields)
    return [MeetingRow(*row) for row in latest[:LATEST]]


def rival_authors(author_id: int) -> list[RivalAuthor]:
    """Return the authors whose bots an author's bots have met most lately, with the scores."""
    ids = latest_matches_of_author(author_id, limit=_OF_EACH_VERSION)
    met = Meeting.objects.public().filter(match__in=ids, bot__owner=author_id)
    rows: dict[str, list[MeetingRow]] = {}
    columns = ("other__owner__username", *MeetingRow._fields)
    for username, *row in met.exclude(other__owner=author_id).values_list(*columns):
        rows.setdefault(username, []).append(MeetingRow(*row))
    rivals = [RivalAuthor(username=name, score=add_up(rows[name])) for name in sorted(rows)]
    met_most = sorted(rivals, key=lambda rival: -rival.score.counted)
    return [rival for rival in met_most if rival.score.counted][:_RIVAL_AUTHORS]


def upset_of_the_day(now: datetime) -> Upset | None:
    """Return the rated match of today whose winner had been expected to take least.

    Only duels count that no fault decided, between two settled ratings, and whose winner was
    expected to take less than half. Until a day has an upset, that of the day before stays.
    """
    for day in (now.date(), now.date() - timedelta(days=1)):
        likely = Meeting.objects.public().filter(ended_on=day, surprise__lt=MILLION // 2)
        meeting = likely.order_by("surprise", "match").first()
        if meeting is not None and meeting.surprise is not None:
            match = Match.objects.with_seats().select_related("replay").get(pk=meeting.match_id)
            return Upset(match=match, share=meeting.surprise / MILLION, on=day)
    return None


def _games_of(bot_id: int) -> list[str]:
    met = Meeting.objects.public().of_others().filter(bot=bot_id, game=OuterRef("game"))
    games = VersionGame.objects.filter(version__bot=bot_id).values_list("game").distinct()
    last = games.annotate(last=Subquery(met.order_by("-match").values("match")[:1]))
    return [game for game, _ in last.exclude(last=None).order_by("-last")]


def _opponent_lines(game: str, rows: list[MeetingRow]) -> list[OpponentLine]:
    scores = group(rows, lambda row: row.other_id)
    bots = Bot.objects.select_related("owner").in_bulk(list(scores))
    lines = [
        OpponentLine(opponent=bots[pk], game=game, score=score)
        for pk, score in scores.items()
        if score.counted
    ]
    return sorted(lines, key=ORDERS["meetings"])


def _best_wins(bot_id: int, game: str) -> list[Meeting]:
    wins = Meeting.objects.public().filter(bot=bot_id, game=game, beaten_score__isnull=False)
    best: dict[int, int] = {}
    for other, pk in wins.order_by("-beaten_score", "-match").values_list("other", "pk")[
        :_LOOKED_AT
    ]:
        best.setdefault(other, pk)
    ids = list(best.values())[:_BEST_WINS]
    full = Meeting.objects.select_related("other_version__bot__owner").in_bulk(ids)
    return [full[pk] for pk in ids]
