"""Lifting a disqualification before it has had any effect.

That is possible until the start. From then on it stands: matches are void because of it, pairings
were made without the bot, and its results may have been taken back.
"""

from __future__ import annotations

from django.db import transaction
from django.db.models import Max

from pentathlon.accounts.audit.actions import AuditAction
from pentathlon.accounts.models import User
from pentathlon.bots.services import checked_reason
from pentathlon.core.errors import Conflict
from pentathlon.matches.repeated_lanes import is_repeated
from pentathlon.tournaments.audit_events import audit_entry
from pentathlon.tournaments.documents import checks
from pentathlon.tournaments.documents.document import draft_document
from pentathlon.tournaments.entries.withdrawals import forget_start_problem, get_entry
from pentathlon.tournaments.guards import lock_own
from pentathlon.tournaments.models import UNSTARTED, Entry, EntryState, Tournament

_LONGEST_REASON = 300


@transaction.atomic
def reinstate_entry(*, actor: User, tournament: Tournament, version_id: int, reason: str) -> Entry:
    """Lift the disqualification of a bot version; only the organiser may, and says why.

    The entry keeps on record the reason of its disqualification, who lifted it, and why.
    """
    tournament = lock_own(actor, tournament, *UNSTARTED, to="reinstate a bot of")
    entry = get_entry(tournament, version_id)
    reason = checked_reason(reason)
    if entry.state != EntryState.DISQUALIFIED:
        raise Conflict(f"{entry.version.label} is not disqualified.", code="not_disqualified")
    checks.check_eligible(
        [entry.version],
        game=tournament.game,
        field="version",
        is_repeat=is_repeated(tournament.pk),
    )
    entered = tournament.entries.scheduled()
    checks.check_size(draft_document(tournament), bots=entered.count() + 1)
    last = entered.aggregate(last=Max("number"))["last"]
    entry.number = 0 if last is None else last + 1
    told = f"Reinstated by {actor.username}: {reason} It was disqualified: {entry.reason}"
    entry.state, entry.reason = EntryState.ACTIVE, told[:_LONGEST_REASON]
    entry.left_at, entry.left_by, entry.revokes_results = None, None, False
    entry.save()
    audit_entry(AuditAction.ENTRY_REINSTATE, tournament, entry.version, actor=actor, reason=reason)
    forget_start_problem(tournament)
    return entry
