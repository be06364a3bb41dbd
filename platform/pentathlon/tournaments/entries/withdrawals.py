"""Entries that leave a tournament: withdrawn, or disqualified by its organiser.

Before the start, a withdrawn entry is deleted. Afterwards the schedule stands: waiting matches of
an entry that has left become void, and finished ones count, unless the organiser revokes them. The
table lists the entry last, without a place.
"""

from __future__ import annotations

from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.db.models.functions import Now

from pentathlon.accounts.audit.models import AuditAction
from pentathlon.accounts.models import User
from pentathlon.bots.models import OUT_OF_PLAY, VersionState
from pentathlon.bots.services import checked_reason
from pentathlon.core.bulkheads import Bulkheads
from pentathlon.core.errors import Conflict, NotFound
from pentathlon.matches.hidden_lanes import NEVER_REPEATED, is_repeated, out_of_play
from pentathlon.matches.models import Match, MatchQuerySet, MatchSeat, MatchState
from pentathlon.matches.services import void_matches
from pentathlon.ratings.models import LedgerRow, LedgerState
from pentathlon.ratings.services import revoke_results
from pentathlon.tournaments.entries.replacement_blocks import (
    carry_out_replacements,
    void_unplayable,
)
from pentathlon.tournaments.guards import check_may_manage, is_organiser_of, lock, lock_own
from pentathlon.tournaments.models import (
    UNSTARTED,
    Entry,
    EntryState,
    FinalRow,
    Tournament,
    TournamentState,
)
from pentathlon.tournaments.notices import audit_entry, note_entry
from pentathlon.tournaments.scheduling.blocks import numbers_of_versions, versions_of, versions_out

_BATCH: Final = 1000
"""The most matches of an entry that one transaction voids or revokes."""
_PLAYED: Final = (TournamentState.RUNNING, TournamentState.PAUSED)
_LONGEST_REASON: Final = 300
_ORGANISER: Final = "the organiser"
_out_of_play = Bulkheads[int]("withdrawal of entry")
_unsettled = Bulkheads[int]("matches of entry")
_EVENTS: Final = {
    EntryState.WITHDRAWN: "entry.withdrawn",
    EntryState.DISQUALIFIED: "entry.disqualified",
}


@transaction.atomic
def withdraw_entry(*, actor: User, tournament: Tournament, version_id: int) -> None:
    """Withdraw a bot version. Only its author, its team and the organiser may."""
    tournament = lock(tournament, *UNSTARTED, *_PLAYED, to="withdraw")
    if tournament.division is not None:
        raise Conflict("Leave a ladder on the page of your bot.", code="is_ladder")
    entry = get_entry(tournament, version_id)
    check_may_manage(actor, tournament, entry, to="withdraw")
    if entry.state != EntryState.ACTIVE:
        raise _left_already(entry)
    if tournament.state in UNSTARTED:
        note_entry("entry.withdrawn", entry)
        _audit_withdrawal(tournament, entry, actor=actor)
        entry.delete()
        forget_start_problem(tournament)
        return
    reason = f"Withdrawn by {_who(actor, tournament, entry)}."
    _audit_withdrawal(tournament, entry, actor=actor)
    _leave(tournament, entry, state=EntryState.WITHDRAWN, actor=actor, reason=reason)


@transaction.atomic
def disqualify_entry(
    *, actor: User, tournament: Tournament, version_id: int, reason: str, revoke: bool = False
) -> Entry:
    """Disqualify a bot version and state the reason; only the organiser may.

    Until the start the version can be reinstated (see `reinstatement`); afterwards it cannot.

    With `revoke`, its finished matches stop counting here and on the game's leaderboard. A closed
    tournament runs again until it has a new final table.
    """
    states = (*UNSTARTED, *_PLAYED, TournamentState.CLOSED)
    tournament = lock_own(actor, tournament, *states, to="disqualify a bot of")
    entry = get_entry(tournament, version_id)
    reason = checked_reason(reason)
    adds_revocation = revoke and not entry.revokes_results
    if entry.state == EntryState.DISQUALIFIED and not adds_revocation:
        raise _left_already(entry)
    if tournament.state in UNSTARTED:
        entry.number = None
    entry.revokes_results = revoke
    if revoke:
        matches_of_entry(entry).filter(state=MatchState.DONE).update(is_revoked=True)
    _leave(tournament, entry, state=EntryState.DISQUALIFIED, actor=actor, reason=reason)
    audit_entry(
        AuditAction.ENTRY_DISQUALIFY,
        tournament,
        entry.version,
        actor=actor,
        reason=reason,
        revoke=revoke,
    )
    if tournament.state == TournamentState.CLOSED:
        reopen(tournament)
    return entry


def settle_entries() -> int:
    """Withdraw bots that may no longer play, and settle the matches of all entries that changed.

    Return how many entries were handled, each in transactions of its own.
    """
    replaced = carry_out_replacements() + void_unplayable()
    out = Entry.objects.filter(
        out_of_play("version", lane="tournament"),
        state=EntryState.ACTIVE,
        tournament__state__in=_PLAYED,
    )
    out_ids = list(out.order_by("pk").values_list("pk", flat=True))
    withdrawn = list(_out_of_play.each(out_ids, _withdraw_out_of_play))
    unsettled = Entry.objects.filter(is_settled=False).order_by("pk")
    unsettled_ids = list(unsettled.values_list("pk", flat=True))
    settled = list(_unsettled.each(unsettled_ids, _settle))
    return replaced + len(withdrawn) + len(settled)


def check_takes_part(tournament: Tournament, match: Match) -> None:
    """Refuse a match of a bot that has left the tournament or may no longer play at all."""
    numbers, out = numbers_of_versions(tournament), versions_out(tournament)
    gone = NEVER_REPEATED if is_repeated(tournament.pk) else OUT_OF_PLAY
    seats = match.seats.select_related("version__bot")
    versions = {numbers.get(seat.version_id): seat.version for seat in seats}
    entries = tournament.entries.filter(number__in=versions).select_related("version__bot")
    for entry in entries:
        if entry.state != EntryState.ACTIVE:
            raise _left_already(entry)
        version = versions[entry.number]
        if version.pk in out and version.state not in gone:
            raise Conflict(
                f"{version.label} had left before {entry.version.label} came: what it had begun "
                "is not played again.",
                code="not_in_play",
            )
        if version.state in gone:
            raise Conflict(
                f"{version.label} is {version.get_state_display()}.", code="out_of_play"
            )


def get_entry(tournament: Tournament, version_id: int) -> Entry:
    """Return the entry of a bot version.

    Raises:
        NotFound: `not_entered`.
    """
    entries = tournament.entries.select_related("version__bot", "team")
    entry = entries.filter(version=version_id).first()
    if entry is None:
        raise NotFound(
            f"Bot version {version_id} has not entered.", code="not_entered", field="version"
        )
    return entry


def matches_of_entry(entry: Entry) -> MatchQuerySet:
    """Return the matches of an entry, whichever of its versions played them."""
    seats = MatchSeat.objects.filter(match=OuterRef("pk"), version__in=versions_of(entry))
    return Match.objects.filter(Exists(seats), place__tournament=entry.tournament_id)


def forget_start_problem(tournament: Tournament) -> None:
    """Let a tournament try its failed start again, because its entries have changed."""
    if tournament.start_problem:
        tournament.start_problem = ""
        tournament.save(update_fields=("start_problem",))


def reopen(tournament: Tournament) -> None:
    """Reopen a closed, locked tournament; delete its final table."""
    FinalRow.objects.filter(entry__tournament=tournament).delete()
    tournament.state, tournament.finished_at = TournamentState.RUNNING, None
    tournament.save(update_fields=("state", "finished_at"))


def _who(actor: User, tournament: Tournament, entry: Entry) -> str:
    """Return what an actor who may withdraw an entry is to it."""
    if actor.pk == entry.version.bot.owner_id:
        return "its author"
    return _ORGANISER if is_organiser_of(actor, tournament) else "its team"


def _audit_withdrawal(tournament: Tournament, entry: Entry, *, actor: User) -> None:
    """Write an audit event if an organiser has withdrawn a bot of another author."""
    if _who(actor, tournament, entry) == _ORGANISER or actor.is_superuser:
        audit_entry(AuditAction.ENTRY_WITHDRAW, tournament, entry.version, actor=actor)


@transaction.atomic
def _withdraw_out_of_play(entry_id: int) -> None:
    """Withdraw an entry whose version was retired, stopped or disqualified everywhere."""
    entry = Entry.objects.select_related("tournament", "version__bot").get(pk=entry_id)
    tournament = Tournament.objects.select_for_update().get(pk=entry.tournament_id)
    entry.refresh_from_db(fields=("state",))
    if tournament.state not in _PLAYED or entry.state != EntryState.ACTIVE:
        return
    is_disqualified = entry.version.state == VersionState.DISQUALIFIED
    state = EntryState.DISQUALIFIED if is_disqualified else EntryState.WITHDRAWN
    _leave(tournament, entry, state=state, actor=None, reason=entry.version.state_reason)


def _leave(
    tournament: Tournament, entry: Entry, *, state: EntryState, actor: User | None, reason: str
) -> None:
    """Record that an entry of a locked tournament has left, and void its waiting matches."""
    entry.state, entry.reason, entry.left_by = state, reason[:_LONGEST_REASON], actor
    entry.is_settled = False
    entry.save()
    Entry.objects.filter(pk=entry.pk).update(left_at=Now())
    entry.refresh_from_db(fields=("left_at",))
    tournament.results_version += 1
    tournament.save(update_fields=("results_version",))
    note_entry(_EVENTS[state], entry)
    _void(entry)


@transaction.atomic
def _settle(entry_id: int) -> None:
    """Void or revoke a batch of matches of an entry that has left."""
    entry = Entry.objects.select_related("version__bot").get(pk=entry_id)
    Tournament.objects.select_for_update().get(pk=entry.tournament_id)
    entry.refresh_from_db(fields=("state", "is_settled", "revokes_results"))
    if _void(entry) < _BATCH and _revoke(entry) < _BATCH:
        entry.is_settled = True
        entry.save(update_fields=("is_settled",))


def _void(entry: Entry) -> int:
    waiting = matches_of_entry(entry).unfinished().order_by("pk").values_list("pk", flat=True)
    reason = f"{entry.version.label} was {entry.get_state_display()}: {entry.reason}"
    return void_matches(matches=Match.objects.filter(pk__in=list(waiting[:_BATCH])), reason=reason)


def _revoke(entry: Entry) -> int:
    if not entry.revokes_results:
        return 0
    done = matches_of_entry(entry).filter(state=MatchState.DONE)
    # A match may have ended while the entry was being disqualified.
    done.filter(is_revoked=False).update(is_revoked=True)
    counted = LedgerRow.objects.filter(match__in=done).exclude(state=LedgerState.REVOKED)
    batch = list(counted.order_by("match").values_list("match", flat=True)[:_BATCH])
    if batch:
        revoke_results(match_ids=set(batch))
    return len(batch)


def _left_already(entry: Entry) -> Conflict:
    return Conflict(
        f"{entry.version.label} was {entry.get_state_display()}: {entry.reason}",
        code="not_in_play",
    )
