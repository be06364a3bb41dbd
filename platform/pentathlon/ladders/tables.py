"""Reads of ladders, for pages and the API; their cost does not grow with the history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.conf import settings
from django.db.models import Count, F, Prefetch, Q, QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from pentathlon.bots.models import Bot, BotVersion, VersionState
from pentathlon.core.caching import answer_packed, tag_of
from pentathlon.core.csv_files import csv_text
from pentathlon.fleet.capabilities import read_fleet
from pentathlon.ladders.models import Choice, Division, Ladder, LadderMember, Season
from pentathlon.matches.dispatch.reasons import Reason, why_waiting
from pentathlon.matches.models import Match, MatchState
from pentathlon.ratings.models import Rating
from pentathlon.tournaments.models import Entry, EntryState
from pentathlon.tournaments.results.files import (
    STANDING_COLUMNS,
    named,
    standing_columns,
    state_of_tables,
)
from pentathlon.tournaments.results.standings import Standing, standings
from pentathlon_engines.strength.places import shared_places

_PLAYS: Final = Reason(code="plays", sentence="It is being played now.")


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderLine:
    """One ladder in a list, with its running season."""

    ladder: Ladder
    season: Season
    divisions: list[Division]

    @property
    def bots(self) -> int:
        """The number of authors' bots that take part."""
        return sum(division.bots for division in self.divisions)

    @property
    def matches(self) -> int:
        """The number of matches played in this season."""
        return sum(division.done for division in self.divisions)

    @property
    def missing(self) -> int:
        """How many more bots it takes to fill a table."""
        largest = max((division.places for division in self.divisions), default=0)
        return max(0, self.ladder.table_seats - largest)

    @property
    def is_settled(self) -> bool:
        """Whether all ratings are certain, so that all other matches are played first."""
        return all(division.is_settled for division in self.divisions)

    @property
    def is_slow(self) -> bool:
        """Whether it has settled and plays only a limited number of matches an hour."""
        return self.is_settled and settings.LADDER_MATCHES_AN_HOUR is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderRow:
    """One line of a division's table."""

    rank: int | None
    """The rank among the bots of authors; None for reference bots, those that have left and those
    that have not played yet."""
    standing: Standing

    @property
    def is_reference(self) -> bool:
        """Whether it is a reference bot."""
        return self.standing.version.bot.is_reference


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderPlace:
    """A bot and a ladder that it plays in or may play in."""

    ladder: Ladder
    member: LadderMember | None
    division: Division | None
    """The division where it plays; None while it does not."""
    rank: int | None
    """Its rank among the bots of authors in its division; None while it has none."""
    size: int
    """How many bots of authors play in its division."""

    @property
    def choice(self) -> str:
        """What its author has chosen."""
        return self.member.choice if self.member else Choice.BY_ITSELF

    @property
    def is_playing(self) -> bool:
        """Whether it has a place and is not paused."""
        return self.division is not None and self.choice != Choice.PAUSED


@dataclass(frozen=True, slots=True, kw_only=True)
class NextMatch:
    """The next match of a version on a ladder, and when it is played."""

    match: Match | None
    """The match that waits or runs; None while none has been made."""
    is_first: bool
    reason: Reason


def ladder_lines(*, game: str | None = None) -> list[LadderLine]:
    """Return all ladders with their running seasons, game by game."""
    running = Season.objects.running().select_related("ladder")
    seasons = running.order_by("ladder__game", "-ladder__takes_all", "ladder__key")
    if game is not None:
        seasons = seasons.filter(ladder__game=game)
    loaded = seasons.prefetch_related(Prefetch("divisions", _divisions()))
    return [
        LadderLine(ladder=each.ladder, season=each, divisions=list(each.divisions.all()))
        for each in loaded
    ]


def seasons_of(ladder: Ladder) -> list[LadderLine]:
    """Return the seasons of a ladder, the latest first."""
    seasons = ladder.seasons.order_by("-number")
    loaded = seasons.prefetch_related(Prefetch("divisions", _divisions()))
    return [
        LadderLine(ladder=ladder, season=each, divisions=list(each.divisions.all()))
        for each in loaded
    ]


def ladder_table(division: Division) -> list[LadderRow]:
    """Return the table of a division, best first; those that have left come last."""
    return ranked_rows(standings(division.tournament))


def ranked_rows(rows: Sequence[Standing]) -> list[LadderRow]:
    """Number the lines of authors' bots that have played; bots on one place share a rank.

    Reference bots stand among them without a number.
    """
    ranks = shared_places(row.place for row in rows if _has_rank(row))
    return [LadderRow(rank=next(ranks) if _has_rank(row) else None, standing=row) for row in rows]


def _has_rank(row: Standing) -> bool:
    return row.place is not None and row.matches > 0 and not row.version.bot.is_reference


def places_of(bot: Bot) -> list[LadderPlace]:
    """Return the ladders of the games that a bot plays, and where it stands in each."""
    eligible = bot.versions.filter(state=VersionState.ELIGIBLE)
    games = set(eligible.values_list("games__game", flat=True))
    members = {
        member.ladder_id: member
        for member in bot.memberships.select_related("version", "entry__tournament", "ladder")
    }
    ladders = Ladder.objects.filter(Q(game__in=games) | Q(pk__in=members))
    return [
        place_in(ladder, members.get(ladder.pk))
        for ladder in ladders.order_by("game", "-takes_all", "key")
    ]


def place_in(ladder: Ladder, member: LadderMember | None) -> LadderPlace:
    """Return where a bot stands in a ladder."""
    if member is None or member.entry is None or member.version_id is None:
        return LadderPlace(ladder=ladder, member=member, division=None, rank=None, size=0)
    division = Division.objects.filter(tournament=member.entry.tournament_id).first()
    active = Entry.objects.filter(
        tournament=member.entry.tournament_id,
        state=EntryState.ACTIVE,
        version__bot__is_reference=False,
    )
    pool = Rating.objects.filter(pool__tournament=member.entry.tournament_id)
    own = pool.filter(version=member.version_id).first()
    above = pool.filter(score__gt=own.score, version__in=active.values("version")) if own else None
    return LadderPlace(
        ladder=ladder,
        member=member,
        division=division,
        rank=None if above is None or member.bot.is_reference else above.count() + 1,
        size=active.count(),
    )


def next_match(version: BotVersion, place: LadderPlace) -> NextMatch | None:
    """Return when a version plays next in a ladder; None if it does not play there."""
    if place.division is None or place.member is None:
        return None
    if place.member.version_id != version.pk:
        return None
    lane = Match.objects.of_lane(place.division.tournament_id).of_version(version.pk)
    is_first = not lane.filter(state=MatchState.DONE).exists()
    live = lane.live().first()
    if live is not None:
        return NextMatch(match=live, is_first=is_first, reason=_PLAYS)
    waiting = lane.waiting().with_needs().first()
    if waiting is not None:
        return NextMatch(match=waiting, is_first=is_first, reason=why_waiting(waiting) or _PLAYS)
    reason = Reason(code="not_made", sentence=_why_none(place, is_first=is_first))
    return NextMatch(match=None, is_first=is_first, reason=reason)


def why_version_waits(version: BotVersion) -> Reason | None:
    """Return what a version waits for before it has played its first match on a ladder.

    None if nothing of it is to be waited for, or if it is played in this moment.
    """
    if version.state == VersionState.VALIDATING:
        waiting = Match.objects.validations_of(version.pk).waiting().with_needs().first()
        return None if waiting is None else why_waiting(waiting)
    nexts = (next_match(version, place) for place in places_of(version.bot))
    firsts = (each.reason for each in nexts if each is not None and each.is_first)
    return next((reason for reason in firsts if reason != _PLAYS), None)


def _why_none(place: LadderPlace, *, is_first: bool) -> str:
    if place.choice == Choice.PAUSED:
        return "It is paused: it gets a match when you have it join again."
    if not read_fleet().slots:
        return "No worker is alive; it is made as soon as one is."
    division = place.division
    others = Entry.objects.filter(
        tournament=division.tournament_id if division else None, state=EntryState.ACTIVE
    ).exclude(version=place.member.version_id if place.member else None)
    if others.count() < place.ladder.table_seats - 1:
        return "It waits for opponents: other authors' bots or reference bots."
    if is_first or division is None or not division.is_settled:
        return "It is made within seconds, when a slot is free."
    if settings.LADDER_MATCHES_AN_HOUR is None:
        return "Ratings are certain here, so it is made when a slot is idle."
    return "Ratings are certain here, so it plays now and then."


def _divisions() -> QuerySet[Division]:
    active = Q(tournament__entries__state=EntryState.ACTIVE)
    authors = active & Q(tournament__entries__version__bot__is_reference=False)
    counted = Division.objects.annotate(  # type: ignore[no-redef]  # declared on Division
        bots=Count("tournament__entries", filter=authors),
        places=Count("tournament__entries", filter=active),
        done=F("tournament__pool__done"),
    )
    return counted.select_related("tournament").order_by("level")


def answer_division(request: HttpRequest, season: Season, division: Division) -> HttpResponseBase:
    """Answer with the table of a division; the season comes with its ladder."""
    found = division.tournament
    answer = answer_packed(
        request,
        # Read before the rows: if they change meanwhile, the reader asks again.
        tag=tag_of("division.csv", *state_of_tables(found)),
        content_type="text/csv; charset=utf-8",
        make=lambda: csv_text(
            ("rank", "reference", *STANDING_COLUMNS),
            (
                (row.rank, int(row.is_reference), *standing_columns(row.standing))
                for row in ladder_table(division)
            ),
        ).encode(),
    )
    name = f"{season.ladder.key}-season-{season.number}-division-{division.level}"
    return named(answer, name)
