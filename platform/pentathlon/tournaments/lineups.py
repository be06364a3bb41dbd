"""Which versions play, or have played, for which entry of a tournament."""

from __future__ import annotations

from django.db.models import Q

from pentathlon.bots.models import OUT_OF_PLAY
from pentathlon.tournaments.models import Entry, EntryState, Tournament


def numbers_of_versions(tournament: Tournament) -> dict[int, int]:
    """Return the number of the entry for which each version plays or has played: one query."""
    former = tournament.replacements.values_list("old", "entry__number")
    entries = tournament.entries.scheduled().values_list("version", "number")
    return {version: number or 0 for version, number in former.union(entries)}


def successors(tournament: Tournament) -> dict[int, int]:
    """Return for each version that was replaced the one that plays in its place now."""
    rows = tournament.replacements.values_list("old", "entry__version")
    return {old: now for old, now in rows if old != now}


def versions_of(entry: Entry) -> set[int]:
    """Return all versions that play or have played for an entry."""
    return {entry.version_id, *entry.replacements.values_list("old", flat=True)}


def versions_out(tournament: Tournament) -> set[int]:
    """Return the versions that play no more: their entry has left, or they may not play at all.

    A version that was replaced is not among them: it finishes the blocks that it has begun.
    """
    left = tournament.entries.exclude(state=EntryState.ACTIVE).values_list("version", flat=True)
    former = tournament.replacements.filter(
        ~Q(entry__state=EntryState.ACTIVE) | Q(old__state__in=OUT_OF_PLAY)
    )
    return {*left, *former.values_list("old", flat=True)}
