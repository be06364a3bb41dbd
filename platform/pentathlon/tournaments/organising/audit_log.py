"""The audit events of one tournament that a reader may see."""

from __future__ import annotations

from pentathlon.accounts.audit.models import AuditEvent, AuditEventQuerySet
from pentathlon.accounts.models import User
from pentathlon.accounts.roles import is_staff
from pentathlon.tournaments.guards import is_organiser_of
from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.results.hidden_results import are_hidden


def audit_events_of(tournament: Tournament, *, reader: User | None) -> AuditEventQuerySet:
    """Return the audit events of a tournament that this person may read.

    Its organisers and staff may read everything, everybody else what changed results or the field.
    """
    found = AuditEvent.objects.of_tournament(tournament.pk)
    if reader is not None and (is_staff(reader) or is_organiser_of(reader, tournament)):
        return found
    return found.public(hides_results=are_hidden(tournament, reader))
