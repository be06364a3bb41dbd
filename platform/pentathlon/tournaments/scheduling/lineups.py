"""The versions that play, or have played, for each entry of a tournament."""

from __future__ import annotations

from collections import defaultdict

from pentathlon.bots.models import OUT_OF_PLAY
from pentathlon.matches.repeated_lanes import NEVER_REPEATED, is_repeated
from pentathlon.tournaments.models import Entry, EntryState, Tournament


def numbers_of_versions(tournament: Tournament) -> dict[int, int]:
    """Return the number of the entry for which each version plays or has played; one query."""
    former = tournament.replacements.values_list("old", "entry__number")
    entries = tournament.entries.scheduled().values_list("version", "number")
    return {version: number or 0 for version, number in former.union(entries)}


def successors(tournament: Tournament) -> dict[int, int]:
    """Return for each replaced version the one that plays in its place now."""
    rows = tournament.replacements.values_list("old", "entry__version")
    return {old: now for old, now in rows if old != now}


def versions_of(entry: Entry) -> set[int]:
    """Return all versions that play or have played for an entry."""
    return {entry.version_id, *entry.replacements.values_list("old", flat=True)}


def versions_out(tournament: Tournament) -> set[int]:
    """Return the versions that play no more: their entry has left, or they may not play at all.

    A replaced version is not among them while it finishes the blocks that it has begun, unless its
    entry had left before another version took its place.
    """
    left = tournament.entries.exclude(state=EntryState.ACTIVE).values_list("version", flat=True)
    facts = ("entry", "entry__state", "old", "old__state", "left")
    out, former = set(left), defaultdict[int, set[int]](set)
    gone = NEVER_REPEATED if is_repeated(tournament.pk) else OUT_OF_PLAY
    rows = tournament.replacements.order_by("number").values_list(*facts)
    for entry, state, old, old_state, why_left in rows:
        former[entry].add(old)
        if state != EntryState.ACTIVE or old_state in gone:
            out.add(old)
        if why_left:
            out |= former[entry]
    return out
