"""Drafts: tournaments that only their organiser sees until they are open for entries.

Everything in a draft may be edited but its secret, whose commitment stands from the first moment
on. An edit names the revision of the draft on which it is based: of two edits of one revision, the
second is refused. A revision is a digest of all that an edit can change.
"""

from __future__ import annotations

from django.db import transaction

from pentathlon.accounts.audit.actions import AuditAction
from pentathlon.accounts.models import User
from pentathlon.core.errors import Conflict
from pentathlon.matches.hidden_lanes import HiddenLane
from pentathlon.matches.repeated_lanes import is_repeated, mark_repeated
from pentathlon.tournaments.audit_events import audit_tournament
from pentathlon.tournaments.documents import checks
from pentathlon.tournaments.documents.document import columns_of
from pentathlon.tournaments.entries.enrolment import enter_versions
from pentathlon.tournaments.guards import check_state, lock_own
from pentathlon.tournaments.models import Tournament, TournamentState
from pentathlon.tournaments.organising.arrangement import (
    Draft,
    arrange,
    arrangement_of,
    problems_of,
)
from pentathlon.tournaments.organising.revisions import check_revision
from pentathlon.tournaments.services import check_wanted
from pentathlon_engines.tournament.document import TournamentDocument


def read_draft(tournament: Tournament) -> Draft:
    """Return the editable content of a draft.

    Raises:
        Conflict: `wrong_state`, it is no longer a draft.
    """
    check_state(tournament, TournamentState.DRAFT, to="edit")
    entered = tournament.entries.scheduled().order_by("number")
    return Draft(
        name=tournament.name,
        document=TournamentDocument(
            game=tournament.game,
            scheduler=tournament.scheduler,
            params=tournament.params,
            options=tournament.options,
            limits=tournament.limits,
            table_seats=tournament.table_seats,
            draw_probability=tournament.draw_probability,
            tie_breaks=tuple(tournament.tie_breaks),
            leaving=tournament.leaving or None,
        ),
        versions=tuple(entered.values_list("version", flat=True)),
        rated=tournament.rated,
        entries_per_author=tournament.entries_per_author,
        arrangement=arrangement_of(tournament),
    )


@transaction.atomic
def edit_draft(*, actor: User, tournament: Tournament, draft: Draft, revision: str) -> Tournament:
    """Change a draft into `draft`, which is based on `revision`.

    Bots that are in both keep their entries, others leave or enter.

    Raises:
        InvalidInput: `Problems` if several things are wrong.
        Conflict: `changed_meanwhile`.
    """
    tournament = lock_own(actor, tournament, TournamentState.DRAFT, to="edit")
    stored = read_draft(tournament)
    check_revision(tournament, revision, stored=stored.revision)
    repeats = is_repeated(tournament.pk) and not draft.rated
    completed = check_wanted(
        name=draft.name,
        document=draft.document,
        versions=draft.versions,
        rated=draft.rated,
        entries_per_author=draft.entries_per_author,
        secret=tournament.secret if tournament.secret_given else None,
        is_repeat=repeats,
        errors=problems_of(draft.arrangement, rated=draft.rated),
    )
    columns = columns_of(completed) | {
        "name": checks.checked_name(draft.name),
        "rated": draft.rated,
        "entries_per_author": draft.entries_per_author,
    }
    for column, value in columns.items():
        setattr(tournament, column, value)
    mark_repeated(tournament.pk, repeats=repeats)
    arrange(tournament, draft.arrangement)
    _change_entries(tournament, draft, stored, actor=actor)
    return tournament


def _change_entries(tournament: Tournament, draft: Draft, stored: Draft, *, actor: User) -> None:
    tournament.entries.scheduled().exclude(version__in=draft.versions).delete()
    coming = [version for version in draft.versions if version not in stored.versions]
    repeats = is_repeated(tournament.pk)
    versions = checks.find_versions(coming, game=tournament.game, is_repeat=repeats)
    enter_versions(tournament, versions, actor=actor)


@transaction.atomic
def open_tournament(*, actor: User, tournament: Tournament) -> Tournament:
    """Open a draft for entries; from now on everybody sees it.

    Raises:
        Conflict: a date has passed while it was a draft.
    """
    tournament = lock_own(actor, tournament, TournamentState.DRAFT, to="open")
    for problem in arrangement_of(tournament).problems(rated=tournament.rated):
        raise Conflict(
            f"{problem.detail} Edit the draft first.", code=problem.code, field=problem.field
        )
    tournament.state = TournamentState.OPEN
    tournament.save(update_fields=("state",))
    audit_tournament(AuditAction.TOURNAMENT_OPEN, tournament, actor=actor)
    return tournament


@transaction.atomic
def delete_draft(*, actor: User, tournament: Tournament) -> None:
    """Delete a draft, which nobody else has seen; opened tournaments can only be cancelled."""
    tournament = lock_own(actor, tournament, TournamentState.DRAFT, to="delete")
    HiddenLane.objects.filter(lane=tournament.pk).delete()
    mark_repeated(tournament.pk, repeats=False)
    audit_tournament(AuditAction.TOURNAMENT_DELETE, tournament, actor=actor)
    tournament.delete()
