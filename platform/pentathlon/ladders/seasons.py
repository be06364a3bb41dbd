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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from typing import Any, Final

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F, Max, Q
from django.db.models.functions import Now

from pentathlon.bots.models import BotVersion, VersionState
from pentathlon.core.bulkheads import Bulkheads
from pentathlon.ladders.models import (
    Division,
    FieldLine,
    Ladder,
    LadderMember,
    Season,
    SeasonState,
)
from pentathlon.ladders.reference import platform_account
from pentathlon.ratings.models import Pool, Rating, tournament_key
from pentathlon.ratings.services import open_live_pool, open_pool
from pentathlon.ratings.skill import ALGORITHM_VERSION
from pentathlon.tournaments.documents.document import event_key
from pentathlon.tournaments.models import (
    Entry,
    EntryQuerySet,
    EntryState,
    Tournament,
    TournamentState,
)
from pentathlon_engines import GAMES
from pentathlon_engines.light_json import read_data
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.seeds import SECRET_BYTES, commitment_to, draw
from pentathlon_engines.tournament.document import TournamentDocument
from pentathlon_engines.tournament.formats.divisions import close_season
from pentathlon_engines.tournament.formats.ladder import NAME

_FILE: Final = "profiles.json"
_OPENED_AT_ONCE: Final = 10
"""The most divisions of one transaction: each has about twenty rows with its reference bots."""
_endings = Bulkheads[int]("end of season")
_openings = Bulkheads[int]("divisions of season")


def open_ladder_pool(ladder: Ladder) -> Pool:
    """Return the pool with the ratings by which a ladder pairs, made if need be."""
    return open_live_pool(game=ladder.game, options=ladder.options, seats=ladder.table_seats)


def enter_division(*, division: Division, version: BotVersion) -> Entry:
    """Enter a version in a division, again if it had left; call it in a transaction."""
    tournament = Tournament.objects.select_for_update().get(pk=division.tournament_id)
    entry = Entry.objects.filter(tournament=tournament, version=version).first()
    if entry is None:
        last = tournament.entries.aggregate(last=Max("number"))["last"]
        number = 0 if last is None else last + 1
        entry = Entry.objects.create(tournament=tournament, version=version, number=number)
        FieldLine.objects.create(entry=entry)
    elif entry.state not in (EntryState.ACTIVE, EntryState.DISQUALIFIED):
        entry.state, entry.reason, entry.left_at, entry.left_by = EntryState.ACTIVE, "", None, None
        entry.save(update_fields=("state", "reason", "left_at", "left_by"))
    has_newcomers = division.has_newcomers or not version.bot.is_reference
    _wake(division, has_newcomers=has_newcomers)
    return entry


def enter_field(*, division: Division, versions: Sequence[int]) -> dict[int, Entry]:
    """Enter many versions at once; return their entries by version. Call it in a transaction."""
    tournament = Tournament.objects.select_for_update().get(pk=division.tournament_id)
    known = tournament.entries.filter(version__in=versions).select_related("version__bot")
    entries = {
        entry.version_id: enter_division(division=division, version=entry.version)
        for entry in known.defer("version__validation_log")
    }
    last = tournament.entries.aggregate(last=Max("number"))["last"]
    new = [version for version in versions if version not in entries]
    made = Entry.objects.bulk_create(
        Entry(tournament=tournament, version_id=version, number=number)
        for number, version in enumerate(new, 0 if last is None else last + 1)
    )
    FieldLine.objects.bulk_create(FieldLine(entry=entry) for entry in made)
    entries |= {entry.version_id: entry for entry in made}
    _wake(division, has_newcomers=True)
    return entries


def leave_division(
    *, tournament: Tournament, entries: EntryQuerySet, state: EntryState, reason: str
) -> None:
    """Withdraw entries of a locked tournament without voiding their paired matches."""
    entries.filter(tournament=tournament).update(state=state, reason=reason, left_at=Now())
    Tournament.objects.filter(pk=tournament.pk).update(results_version=F("results_version") + 1)


def lot_of(bot_id: int, *, key: bytes) -> int:
    """Return a bot's lot in the division with this event key; of equal bots, the lowest is first.

    It decides who moves where equal strengths stand on both sides of a border.
    """
    return draw(key, "move", bot_id)


def _wake(division: Division, *, has_newcomers: bool) -> None:
    """Schedule a division's pairing at once, unless its season has ended."""
    Division.objects.filter(pk=division.pk, due_at__isnull=False).update(
        has_newcomers=has_newcomers, is_settled=False, due_at=Now()
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderProfile:
    """The game, seats and options of a ladder."""

    key: str
    title: str
    game: str
    seats: int
    options: dict[str, Any] = field(default_factory=dict)  # Any: the game checks the values
    """The options that differ from the defaults."""
    takes_all: bool = False
    """Whether every bot that plays the game joins automatically."""

    @property
    def all_options(self) -> dict[str, Any]:  # Any: the game checks the values
        """Return all options of the game, with defaults written out."""
        return dict(GAMES[self.game].start(self.seats, self.options).options)


@cache
def profiles() -> tuple[LadderProfile, ...]:
    """Return the profiles of all ladders, game by game, the usual one first."""
    return tuple(sorted(_profiles(), key=lambda profile: (profile.game, not profile.takes_all)))


def _profiles() -> Iterator[LadderProfile]:
    for key, game in GAMES.items():
        info = game.info
        yield LadderProfile(
            key=key, title=info.title, game=key, seats=info.default_seats, takes_all=True
        )
    for fields in read_data(__file__, _FILE):
        yield LadderProfile(**fields)


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
