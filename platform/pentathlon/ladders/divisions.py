"""More divisions for a field that outgrows one table in the middle of a season.

The weaker half moves. Among equal strengths the lot decides, never who came first: each division's
lots follow from its secret, so that nobody knows them before, and everybody can check them after
the close.
"""

from __future__ import annotations

from typing import Final

from pentathlon.bots.models import BotVersion
from pentathlon.ladders.models import Division, LadderMember, Season
from pentathlon.ladders.places import enter_division, leave_division, lot_of
from pentathlon.ladders.pools import open_ladder_pool
from pentathlon.ladders.seasons import open_division
from pentathlon.ratings.models import Rating
from pentathlon.tournaments.documents.document import event_key
from pentathlon.tournaments.models import Entry, EntryQuerySet, EntryState, Tournament
from pentathlon_engines.tournament.formats.divisions import MOST_BOTS

FULL: Final = MOST_BOTS
"""How many bots of authors the lowest division must have to be split into halves."""


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
