"""The places of versions in the divisions of a season."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import F, Max
from django.db.models.functions import Now

from pentathlon.bots.models import BotVersion
from pentathlon.ladders.models import Division, FieldLine
from pentathlon.tournaments.models import Entry, EntryQuerySet, EntryState, Tournament
from pentathlon_engines.seeds import draw


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
