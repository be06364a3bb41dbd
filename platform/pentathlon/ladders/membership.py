"""Membership of ladders: one version of each bot, in one division of the running season.

A version joins as soon as it may play, and takes the place of the version before. Matches of a
version that leaves are played to the end; a retired, stopped or disqualified one plays no more.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import Q

from pentathlon.accounts.models import User
from pentathlon.accounts.verification import check_may_play_rated, unverified
from pentathlon.bots.audit_events import note_version
from pentathlon.bots.models import OUT_OF_PLAY, Bot, BotVersion, VersionState
from pentathlon.core.bulkheads import Bulkheads
from pentathlon.core.errors import Conflict, NotAllowed
from pentathlon.ladders.batches import make_batches
from pentathlon.ladders.models import Choice, Division, Ladder, LadderMember, Season
from pentathlon.ladders.reference import revalidate_reference_bots, upload_reference_bots
from pentathlon.ladders.seasons import (
    close_seasons,
    enter_division,
    enter_field,
    leave_division,
    lot_of,
    open_division,
    open_divisions,
    open_ladder_pool,
    open_ladders,
    turn_seasons,
)
from pentathlon.ratings.models import Rating
from pentathlon.tournaments.documents.document import event_key
from pentathlon.tournaments.models import Entry, EntryQuerySet, EntryState, Tournament
from pentathlon_engines.manifest import PAUSED
from pentathlon_engines.tournament.formats.divisions import MOST_BOTS

FULL: Final = MOST_BOTS
"""How many bots of authors the lowest division must have to be split into halves."""
_AT_ONCE: Final = 50
"""The most versions that one step seats, and the most members of one transaction."""
_SEATED: Final = (Choice.BY_ITSELF, Choice.IN, Choice.PAUSED)
_versions = Bulkheads[int]("places of version")
_members = Bulkheads[int]("place of member")


def split_if_full(season: Season) -> bool:
    """Move the weaker half of the lowest division to a new one; call it in a transaction."""
    lowest = season.divisions.order_by("-level").select_related("tournament").first()
    if lowest is None or _places(lowest).count() < FULL:
        return False
    below = open_division(season, lowest.level + 1)
    for version in _by_strength(lowest)[-(FULL // 2) :]:
        _move(version, below, season=season)
    return True


def _by_strength(division: Division) -> list[BotVersion]:
    """Return the versions of authors in a division, the strongest first."""
    pool = open_ladder_pool(division.season.ladder)
    places = list(_places(division).order_by("number"))
    versions = {entry.version_id: entry.version for entry in places}
    rated = Rating.objects.filter(pool=pool, version__in=versions)
    scores = dict(rated.values_list("version", "score"))
    key = event_key(division.tournament)
    return sorted(
        versions.values(),
        key=lambda version: (-scores.get(version.pk, 0.0), lot_of(version.bot_id, key=key)),
    )


def _entries(division: Division) -> EntryQuerySet:
    active = Entry.objects.filter(tournament=division.tournament_id, state=EntryState.ACTIVE)
    return active.select_related("version__bot").defer("version__validation_log")


def _places(division: Division) -> EntryQuerySet:
    """Return the places of authors' bots; reference bots stand in every division."""
    return _entries(division).filter(version__bot__is_reference=False)


def _move(version: BotVersion, division: Division, *, season: Season) -> None:
    """Move a version from where it stands to another division of the same season."""
    member = LadderMember.objects.filter(season=season, version=version).first()
    if member is None or member.entry is None:
        return
    old = Tournament.objects.select_for_update().get(pk=member.entry.tournament_id)
    reason = f"Moved to the new division {division.level}."
    places = Entry.objects.filter(pk=member.entry.pk)
    leave_division(tournament=old, entries=places, state=EntryState.WITHDRAWN, reason=reason)
    member.entry = enter_division(division=division, version=version)
    member.save(update_fields=("entry",))


@transaction.atomic
def join_ladder(*, actor: User, ladder: Ladder, bot: Bot) -> LadderMember:
    """Enter a bot's newest version that may play; later ones follow it."""
    _check_owner(actor, bot)
    check_may_play_rated(actor)
    member = _lock_member(ladder, bot)
    if _newest(bot, ladder.game) is None:
        raise Conflict(
            f"No version of {bot.name} may play {ladder.title} now. Upload one that plays it.",
            code="nothing_to_play",
            field="bot",
        )
    member.choice = Choice.IN
    member.save(update_fields=("choice",))
    _seat(member)
    return member


@transaction.atomic
def leave_ladder(*, actor: User, ladder: Ladder, bot: Bot) -> LadderMember:
    """Take a bot out of a ladder; it has no place in the table until it joins again."""
    _check_owner(actor, bot)
    member = _lock_member(ladder, bot)
    member.choice = Choice.OUT
    member.save(update_fields=("choice",))
    _unseat(member, state=EntryState.WITHDRAWN, reason="Left by its author's choice.")
    return member


@transaction.atomic
def pause_ladder(*, actor: User, ladder: Ladder, bot: Bot) -> LadderMember:
    """Give a bot no new matches until it joins again; it keeps its place."""
    _check_owner(actor, bot)
    member = _lock_member(ladder, bot)
    if member.version_id is None:
        raise Conflict(
            f"{bot.name} does not play in {ladder.title} now, so there is nothing to pause.",
            code="not_in_ladder",
            field="bot",
        )
    member.choice = Choice.PAUSED
    member.save(update_fields=("choice",))
    return member


def seat_versions() -> int:
    """Seat versions that have become eligible; return how many were looked at.

    Versions of people without a verified address wait until they have one.
    """
    unseated = BotVersion.objects.filter(state=VersionState.ELIGIBLE, is_seated=False).exclude(
        bot__owner__in=unverified()
    )
    found = list(unseated.order_by("pk").values_list("pk", flat=True)[:_AT_ONCE])
    return sum(_versions.each(found, _seat_version))


def seat_members(*, for_s: float = settings.STEP_S) -> int:
    """Seat members of ladders in newly opened seasons; return how many."""
    deadline = time.monotonic() + for_s
    seated = 0
    for season in Season.objects.running().filter(unopened=0).defer("seating"):
        for first, seat in _parts_to_seat(season):
            seated += _members.run(first, seat) or 0
            # Looked at after a part is seated, so that even a very slow machine makes progress.
            if time.monotonic() > deadline:
                return seated
    return seated


def _parts_to_seat(season: Season) -> Iterator[tuple[int, Callable[[], int]]]:
    """Yield functions that seat the members who wait for a place, each a part of one division.

    Each comes with the first of its members.
    """
    playing = LadderMember.objects.filter(ladder=season.ladder_id, version__isnull=False)
    # The ids of a ladder's seasons grow, so an index finds the few who wait.
    waiting = playing.filter(Q(season__isnull=True) | Q(season__lt=season.pk))
    authors = set(waiting.filter(bot__is_reference=False).values_list("pk", flat=True))
    others = waiting.filter(bot__is_reference=True).values_list("pk", flat=True)
    for level, members in enumerate(season.seating if authors else (), 1):
        here = [pk for pk in members if pk in authors]
        authors.difference_update(here)
        for first in range(0, len(here), _AT_ONCE):
            part = here[first : first + _AT_ONCE]
            yield part[0], partial(_reseat_together, season, level, part)
    for pk in (*others, *sorted(authors)):
        yield pk, partial(_reseat, pk)


def drop_out_of_play() -> int:
    """Forget the places of versions that may no longer play; return how many."""
    out = LadderMember.objects.filter(version__state__in=OUT_OF_PLAY)
    return out.update(version=None, entry=None)


@transaction.atomic
def _seat_version(version_id: int) -> bool:
    version = BotVersion.objects.select_related("bot").get(pk=version_id)
    # Two versions of one bot must not both take its place.
    Bot.objects.select_for_update(no_key=True).get(pk=version.bot_id)
    version.refresh_from_db(fields=("is_candidate",))
    if not version.is_candidate:
        games = list(version.games.values_list("game", flat=True))
        for ladder in Ladder.objects.filter(game__in=games).order_by("pk"):
            _seat_in(ladder, version.bot)
    BotVersion.objects.filter(pk=version_id).update(is_seated=True)
    return True


def _seat_in(ladder: Ladder, bot: Bot) -> None:
    """Apply an author's choice for a bot in a ladder, by button or in `bot.toml`."""
    newest = _newest(bot, ladder.game)
    is_for_all = ladder.takes_all or bot.is_reference
    member = LadderMember.objects.filter(ladder=ladder, bot=bot).first()
    if newest is None or (member is None and not is_for_all):
        return
    if member is None:
        member = LadderMember.objects.create(ladder=ladder, bot=bot)
    if member.followed < newest.number:
        _follow(member, newest, is_for_all=is_for_all)
    if is_for_all or member.choice != Choice.BY_ITSELF:
        _seat(member)


def _follow(member: LadderMember, version: BotVersion, *, is_for_all: bool) -> None:
    """Apply what a version's `bot.toml` says of ladders, once: a button pressed later wins."""
    word = version.manifest.get("ladder")
    member.followed = version.number
    if word is False:
        member.choice = Choice.OUT
        reason = f"Left: version {version.number} says so in bot.toml."
        _unseat(member, state=EntryState.WITHDRAWN, reason=reason)
    elif word == PAUSED and member.choice != Choice.OUT and (is_for_all or member.version_id):
        member.choice = Choice.PAUSED
    elif word is True and (is_for_all or member.is_paused):
        member.choice = Choice.IN
    member.save(update_fields=("choice", "followed"))


@transaction.atomic
def _reseat(member_id: int) -> bool:
    member = LadderMember.objects.select_related("ladder", "bot").get(pk=member_id)
    Bot.objects.select_for_update(no_key=True).get(pk=member.bot_id)
    member.refresh_from_db()
    if member.version is None or member.version.state != VersionState.ELIGIBLE:
        LadderMember.objects.filter(pk=member_id).update(version=None, entry=None)
        return False
    _take_place(member, member.version)
    return True


@transaction.atomic
def _reseat_together(season: Season, level: int, member_ids: Collection[int]) -> int:
    """Seat members in the division that their last season led to; return how many."""
    bots = Bot.objects.filter(memberships__in=member_ids).order_by("pk")
    list(bots.select_for_update(no_key=True).values_list("pk", flat=True))
    found = LadderMember.objects.filter(pk__in=member_ids, version__isnull=False)
    waiting = found.filter(Q(season__isnull=True) | Q(season__lt=season.pk))
    is_in_play = Q(version__state=VersionState.ELIGIBLE)
    waiting.exclude(is_in_play).update(version=None, entry=None)
    members = list(waiting.filter(is_in_play).order_by("pk"))
    division = Division.objects.get(season=season, level=level)
    entries = enter_field(
        division=division, versions=[member.version_id or 0 for member in members]
    )
    for member in members:
        member.season, member.entry = season, entries[member.version_id or 0]
    LadderMember.objects.bulk_update(members, ("season", "entry"))
    return len(members)


def _seat(member: LadderMember) -> None:
    """Seat a bot's newest version that may play, if the bot should have a place."""
    if member.choice not in _SEATED:
        return
    newest = _newest(member.bot, member.ladder.game)
    if newest is None:
        return
    current = member.version
    if current is not None and current.state == VersionState.ELIGIBLE:
        if current.number >= newest.number:
            return
        reason = f"Replaced by version {newest.number}."
        _unseat(member, state=EntryState.REPLACED, reason=reason)
    _take_place(member, newest)
    if member.version_id == newest.pk:
        note_version(
            "version.joined_ladder",
            version_id=newest.pk,
            path=f"/api/v1/ladders/{member.ladder.key}/",
            ladder=member.ladder.key,
            game=member.ladder.game,
        )


def _take_place(member: LadderMember, version: BotVersion) -> None:
    """Enter a version in the running season: reference bots in all divisions, others in one."""
    season = Season.objects.running().filter(ladder=member.ladder_id).first()
    if season is None:
        return
    member.version, member.season, member.entry = version, None, None
    if not season.unopened:
        member.season, member.entry = season, _enter(member, season, version)
    member.save(update_fields=("version", "season", "entry"))
    if member.season is not None and not version.bot.is_reference:
        split_if_full(season)


def _enter(member: LadderMember, season: Season, version: BotVersion) -> Entry:
    """Enter a version; return its place, which for a reference bot is in the lowest division."""
    divisions = season.divisions.order_by("level")
    if not version.bot.is_reference:
        every = list(divisions)
        level = _level(member, season, len(every))
        return enter_division(division=every[level - 1], version=version)
    places = Entry.objects.filter(version=version, state=EntryState.ACTIVE)
    for division in divisions.exclude(tournament__in=places.values("tournament")):
        enter_division(division=division, version=version)
    return Entry.objects.get(version=version, tournament__ladder_division=divisions.last())


def _level(member: LadderMember, season: Season, levels: int) -> int:
    """Return the division that a member's last season led to; others begin in the lowest."""
    found = (level for level, members in enumerate(season.seating, 1) if member.pk in members)
    return min(levels, next(found, levels))


def _unseat(member: LadderMember, *, state: EntryState, reason: str) -> None:
    """Take the playing version out of the season; its paired matches are still played."""
    if member.version_id is not None and member.season_id is not None:
        tournaments = Tournament.objects.filter(
            ladder_division__season=member.season_id, ladder_division__season__state="running"
        ).order_by("pk")
        places = Entry.objects.filter(version=member.version_id, state=EntryState.ACTIVE)
        for tournament in tournaments.filter(entries__in=places).select_for_update(of=("self",)):
            leave_division(tournament=tournament, entries=places, state=state, reason=reason)
    member.version = member.entry = None
    member.save(update_fields=("version", "entry"))


def _newest(bot: Bot, game: str) -> BotVersion | None:
    eligible = bot.versions.eligible(game).in_line().select_related("bot")
    return eligible.order_by("-number").first()


def _lock_member(ladder: Ladder, bot: Bot) -> LadderMember:
    Bot.objects.select_for_update(no_key=True).get(pk=bot.pk)
    member, _ = LadderMember.objects.get_or_create(ladder=ladder, bot=bot)
    return member


def _check_owner(actor: User, bot: Bot) -> None:
    if bot.owner_id != actor.pk:
        raise NotAllowed(
            f"{bot.name} belongs to {bot.owner.username}, not to you.", code="not_your_bot"
        )


LADDER_STEPS: Final[Mapping[str, Callable[[], object]]] = {
    "ladders": open_ladders,
    "reference bots": upload_reference_bots,
    "failed reference bots": revalidate_reference_bots,
    "places": drop_out_of_play,
    "new versions": seat_versions,
    "new seasons": turn_seasons,
    "divisions": open_divisions,
    "members": seat_members,
    "batches": make_batches,
    "closed seasons": close_seasons,
}
