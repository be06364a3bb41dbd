"""Drafts: what a tournament's organiser decides before it opens for entries.

Only the organiser sees a draft. Everything in it may be edited but its secret, whose commitment
stands from the first moment on. An edit names the revision of the draft on which it is based: of
two edits of one revision, the second is refused. A revision is a digest of all that an edit can
change.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field

from django.db import transaction

from pentathlon.accounts.audit.models import AuditAction
from pentathlon.accounts.models import User
from pentathlon.core.errors import Conflict, DomainError
from pentathlon.matches.hidden_lanes import HiddenLane, is_repeated, mark_repeated
from pentathlon.tournaments.documents import checks
from pentathlon.tournaments.documents.document import columns_of
from pentathlon.tournaments.entries.enrolment import enter_versions
from pentathlon.tournaments.guards import (
    check_may_create,
    check_revision,
    check_state,
    lock_own,
    revision_of,
)
from pentathlon.tournaments.models import ENTRIES_PER_AUTHOR, Event, Tournament, TournamentState
from pentathlon.tournaments.notices import audit_tournament
from pentathlon.tournaments.organising.arrangement import (
    Arrangement,
    arrange,
    arrangement_of,
    problems_of,
)
from pentathlon_engines.seeds import SECRET_BYTES
from pentathlon_engines.tournament.document import TournamentDocument


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """All of a tournament that its organiser decides before it opens."""

    name: str
    document: TournamentDocument
    """The document, without its entries."""
    versions: Sequence[int] = ()
    """The ids of the versions that have entered."""
    rated: bool = True
    entries_per_author: int = ENTRIES_PER_AUTHOR
    arrangement: Arrangement = field(default_factory=Arrangement)

    @property
    def revision(self) -> str:
        """A digest that changes with every edit, and comes back only with the same content."""
        return revision_of(
            name=self.name,
            columns=columns_of(self.document),
            versions=sorted(self.versions),
            rated=self.rated,
            entries_per_author=self.entries_per_author,
            arrangement=self.arrangement.to_json(),
        )


@transaction.atomic
def create_tournament(
    *,
    actor: User,
    draft: Draft,
    event: Event | None = None,
    secret: str | None = None,
    is_draft: bool = False,
    is_repeat: bool = False,
) -> Tournament:
    """Create a tournament, open it for entries, and enter its versions.

    A draft is seen only by its organiser, and opened later. An unrated replay of an earlier
    tournament may bring that tournament's secret, and the draw probability of its document; in a
    repeat, retired and stopped versions play once more.

    Raises:
        InvalidInput: `Problems` if several things are wrong with the document or the arrangement.
    """
    check_may_create(actor, what="tournaments")
    completed = check_draft(draft, secret=secret, is_repeat=is_repeat)
    tournament = Tournament.objects.create(
        owner=actor,
        name=checks.checked_name(draft.name),
        event=event,
        secret=secrets.token_hex(SECRET_BYTES) if secret is None else secret,
        secret_given=secret is not None,
        entries_per_author=draft.entries_per_author,
        rated=draft.rated,
        state=TournamentState.DRAFT if is_draft else TournamentState.OPEN,
        **columns_of(completed),
    )
    mark_repeated(tournament.pk, repeats=is_repeat)
    known = checks.find_versions(draft.versions, game=tournament.game, is_repeat=is_repeat)
    enter_versions(tournament, known, actor=actor)
    audit_tournament(AuditAction.TOURNAMENT_CREATE, tournament, actor=actor, draft=is_draft)
    arrange(tournament, draft.arrangement)
    return tournament


def check_draft(
    draft: Draft,
    *,
    secret: str | None = None,
    is_repeat: bool = False,
    errors: Sequence[DomainError] = (),
) -> TournamentDocument:
    """Return the document of a tournament with all defaults; refuse an impossible one.

    Raises:
        InvalidInput: `Problems` if several things are wrong; `errors`, which the caller has found,
            are among them, so that one answer names everything.
    """
    document = draft.document
    return checks.check_plan(
        document,
        entries=max(len(draft.versions), len(document.entries)),
        rated=draft.rated,
        errors=[*errors, *problems_of(draft.arrangement, rated=draft.rated)],
        others=(
            lambda: checks.checked_name(draft.name),
            lambda: checks.check_entries_per_author(draft.entries_per_author),
            lambda: checks.check_replay(
                secret=secret, draw_probability=document.draw_probability, rated=draft.rated
            ),
            lambda: checks.find_versions(draft.versions, game=document.game, is_repeat=is_repeat),
        ),
    )


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
    secret = tournament.secret if tournament.secret_given else None
    completed = check_draft(draft, secret=secret, is_repeat=repeats)
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


def _change_entries(tournament: Tournament, draft: Draft, stored: Draft, *, actor: User) -> None:
    tournament.entries.scheduled().exclude(version__in=draft.versions).delete()
    coming = [version for version in draft.versions if version not in stored.versions]
    repeats = is_repeated(tournament.pk)
    versions = checks.find_versions(coming, game=tournament.game, is_repeat=repeats)
    enter_versions(tournament, versions, actor=actor)
