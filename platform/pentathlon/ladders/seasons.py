"""Opens and closes the seasons of ladders.

A season opens in the transaction that ends the season before. The ended season takes no more
matches; it closes when its last matches have been played and rated, with an order-free final table
for each of its divisions. Many divisions are opened a few in each transaction.
"""

from __future__ import annotations

import math
import secrets
import time
from collections import defaultdict
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Max, Q
from django.db.models.functions import Now

from pentathlon.bots.models import VersionState
from pentathlon.core.bulkheads import Bulkheads
from pentathlon.ladders.models import Division, Ladder, LadderMember, Season, SeasonState
from pentathlon.ladders.places import enter_division, lot_of
from pentathlon.ladders.pools import open_ladder_pool
from pentathlon.ladders.profiles import LadderProfile, profiles
from pentathlon.ladders.reference import platform_account
from pentathlon.ratings.models import Rating, tournament_key
from pentathlon.ratings.services import open_pool
from pentathlon.ratings.skill import ALGORITHM_VERSION
from pentathlon.tournaments.documents.document import event_key
from pentathlon.tournaments.models import Tournament, TournamentState
from pentathlon_engines import GAMES
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.seeds import SECRET_BYTES, commitment_to
from pentathlon_engines.tournament.document import TournamentDocument
from pentathlon_engines.tournament.formats.divisions import close_season
from pentathlon_engines.tournament.formats.ladder import NAME

_OPENED_AT_ONCE: Final = 10
"""The most divisions of one transaction: each has about twenty rows with its reference bots."""
_endings = Bulkheads[int]("end of season")
_openings = Bulkheads[int]("divisions of season")


def open_ladders() -> int:
    """Make the ladders that are missing, each with its first season; return how many."""
    known = set(Ladder.objects.values_list("key", flat=True))
    missing = [profile for profile in profiles() if profile.key not in known]
    return sum(open_ladder(profile) for profile in missing)


def turn_seasons() -> int:
    """End the seasons whose time is up or whose rules have changed; return how many."""
    over = Season.objects.running().filter(closes_at__lte=Now(), unopened=0)
    ended = sum(_endings.each(list(over.values_list("pk", flat=True)), _end_season))
    current = Division.objects.filter(season__state=SeasonState.RUNNING, level=1)
    rules = current.values_list("season", "tournament__game", "tournament__rules_version")
    outdated = [pk for pk, game, version in rules if GAMES[game].info.version > version]
    return ended + sum(_endings.each(outdated, _end_season))


def _end_season(season_id: int) -> bool:
    return end_season(season_id=season_id)


@transaction.atomic
def end_season(*, season_id: int) -> bool:
    """Make no more matches in a season, and open the next one.

    Return False if that was done before, or while its own divisions are still being opened.
    """
    season = Season.objects.select_for_update().select_related("ladder").get(pk=season_id)
    if season.state != SeasonState.RUNNING or season.unopened:
        return False
    season.state = SeasonState.CLOSING
    season.save(update_fields=("state",))
    # Tournaments are locked first, as they are where somebody joins, to prevent a deadlock.
    held = Tournament.objects.filter(ladder_division__season=season).order_by("pk")
    tournaments = list(held.select_for_update(of=("self",)).values_list("pk", flat=True))
    Division.objects.filter(season=season).update(due_at=None)
    # From now on, these tournaments close like any other in which nothing waits.
    Tournament.objects.filter(pk__in=tournaments).update(is_open_ended=False)
    _open_season(season.ladder, seating=_next_seating(season))
    return True


def open_divisions(*, for_s: float = settings.STEP_S) -> int:
    """Open divisions of new seasons for about `for_s` seconds; return how many."""
    deadline = time.monotonic() + for_s

    def open_parts(season_id: int) -> int:
        opened = 0
        while part := _open_part(season_id):
            opened += part
            if time.monotonic() > deadline:
                break
        return opened

    opened = 0
    unopened = Season.objects.running().filter(unopened__gt=0).order_by("pk")
    for count in _openings.each(list(unopened.values_list("pk", flat=True)), open_parts):
        opened += count
        if time.monotonic() > deadline:
            break
    return opened


def close_seasons() -> int:
    """Close the seasons that have all their final tables; return how many."""
    closed = 0
    for season in Season.objects.filter(state=SeasonState.CLOSING):
        tables = Tournament.objects.filter(ladder_division__season=season)
        ended = (TournamentState.CLOSED, TournamentState.CANCELLED)
        if not tables.exclude(state__in=ended).exists():
            closing = Season.objects.filter(pk=season.pk, state=SeasonState.CLOSING)
            closed += closing.update(state=SeasonState.CLOSED, closed_at=Now())
    return closed


def open_division(season: Season, level: int) -> Division:
    """Open one more division of a season; call it in a transaction."""
    ladder = season.ladder
    info = GAMES[ladder.game].info
    tournament = Tournament.objects.create(
        owner=platform_account(),
        name=f"{ladder.title} ladder, season {season.number}, division {level}",
        game=ladder.game,
        format="ladder",
        table_seats=ladder.table_seats,
        rules_version=info.version,
        options=ladder.options,
        secret=secrets.token_hex(SECRET_BYTES),
        state=TournamentState.RUNNING,
        is_fully_scheduled=True,
        is_open_ended=True,
        season=f"{ladder.key} {season.number}",
        division=level,
    )
    pool = open_pool(key=tournament_key(tournament.pk), game=ladder.game, title=tournament.name)
    open_ladder_pool(ladder)
    # The document names no entries: the key to all seeds must not depend on who joins later.
    document = TournamentDocument(
        scheduler=NAME,
        commitment=commitment_to(bytes.fromhex(tournament.secret)),
        game=ladder.game,
        rules=info.version,
        options=ladder.options,
        limits=Limits().to_json(),
        table_seats=ladder.table_seats,
        rating_algorithm=ALGORITHM_VERSION,
        draw_probability=pool.draw_probability,
    )
    Tournament.objects.filter(pk=tournament.pk).update(
        pool=pool, fixed_document=document.to_json(), started_at=Now()
    )
    tournament.refresh_from_db()
    division = Division.objects.create(season=season, level=level, tournament=tournament)
    _enter_reference_bots(division)
    return division


def _enter_reference_bots(division: Division) -> None:
    """Enter the reference bots of a ladder in a new division."""
    members = LadderMember.objects.filter(ladder=division.season.ladder_id, bot__is_reference=True)
    playing = members.filter(version__state=VersionState.ELIGIBLE).select_related("version__bot")
    for member in playing.order_by("pk"):
        if member.version is not None:
            enter_division(division=division, version=member.version)


@transaction.atomic
def open_ladder(profile: LadderProfile) -> bool:
    """Make a ladder with its first season; return False if the ladder exists."""
    try:
        with transaction.atomic():
            ladder = Ladder.objects.create(
                key=profile.key,
                game=profile.game,
                title=profile.title,
                table_seats=profile.seats,
                options=profile.all_options,
                takes_all=profile.takes_all,
            )
    except IntegrityError:  # another process was faster
        return False
    _open_season(ladder, seating=[[]])
    return True


def _open_season(ladder: Ladder, *, seating: list[list[int]]) -> Season:
    last = ladder.seasons.aggregate(last=Max("number"))["last"] or 0
    season = Season.objects.create(
        ladder=ladder,
        number=last + 1,
        seating=seating,
        unopened=len(seating),
        closes_at=Now() + timedelta(days=settings.LADDER_SEASON_DAYS),
    )
    _open_part(season.pk)
    return season


@transaction.atomic
def _open_part(season_id: int) -> int:
    """Open the next divisions of a season, the highest first; return how many."""
    season = (
        Season.objects.select_for_update(of=("self",)).select_related("ladder").get(pk=season_id)
    )
    part = min(season.unopened, _OPENED_AT_ONCE)
    if season.state != SeasonState.RUNNING or not part:
        return 0
    first = len(season.seating) - season.unopened + 1
    for level in range(first, first + part):
        open_division(season, level)
    season.unopened -= part
    season.save(update_fields=("unopened",))
    return part


def _next_seating(season: Season) -> list[list[int]]:
    """Return the members of the next season by division, from this season's tables.

    They are ordered by live ratings, because final tables come after the last matches have ended;
    equal ones by their lots. Members who still wait for a place count in the division that was to
    seat them.
    """
    played = season.divisions.select_related("tournament").order_by("level")
    divisions = [division.tournament for division in played]
    members = LadderMember.objects.filter(ladder=season.ladder_id, version__isnull=False)
    seated = Q(season=season.pk, entry__isnull=False)
    promised = {
        pk: division.pk
        for division, bots in zip(divisions, season.seating, strict=False)
        for pk in bots
    }
    waiting = Q(season__lt=season.pk)
    authors = members.filter(seated | waiting, bot__is_reference=False)
    rated = Rating.objects.filter(pool=open_ladder_pool(season.ladder))
    scores = dict(
        rated.filter(version__in=authors.values("version")).values_list("version", "score")
    )
    keys = {division.pk: event_key(division) for division in divisions}
    rows = defaultdict[int, list[tuple[float, int, int]]](list)
    for pk, bot, version, at, lane in authors.values_list(
        "pk", "bot", "version", "season", "entry__tournament"
    ):
        here = lane if at == season.pk else promised.get(pk)
        if here is not None:
            strength = scores.get(version, -math.inf)
            rows[here].append((-strength, lot_of(bot, key=keys[here]), pk))
    return close_season(
        [[(pk, -weakness) for weakness, _, pk in sorted(rows[each.pk])] for each in divisions]
    )
