"""Changes of a draft, and of a tournament that is open for entries.

Whatever no seed rests on can be changed until the start: name, text, dates, caps, rules of entry,
secrecy, invitations. Everybody who takes part is told, and the log keeps what it was before.
What is in the document stays, because authors entered for it: game, format, options, limits.

A lower cap refuses to put anybody out: it names the bots that are too many. Other rules of entry
are for bots that enter from now on; those that are in stay.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db import transaction

from pentathlon.accounts.audit.models import AuditAction
from pentathlon.accounts.models import User
from pentathlon.core.errors import Conflict, DomainError, refuse_all
from pentathlon.matches.hidden_lanes import HiddenLane, is_repeated, mark_repeated
from pentathlon.tournaments.documents import checks
from pentathlon.tournaments.documents.checks import gather_errors
from pentathlon.tournaments.documents.document import columns_of
from pentathlon.tournaments.entries.eligibility import people_behind
from pentathlon.tournaments.entries.enrolment import enter_versions
from pentathlon.tournaments.entries.withdrawals import forget_start_problem
from pentathlon.tournaments.guards import check_revision, check_state, lock_own, revision_of
from pentathlon.tournaments.models import Entry, Tournament, TournamentState
from pentathlon.tournaments.notices import audit_tournament, note_change
from pentathlon.tournaments.organising.arrangement import (
    Arrangement,
    Draft,
    arrange,
    arrangement_of,
    check_draft,
    problems_of,
)
from pentathlon_engines.tournament.document import TournamentDocument

FIXED: Final = (
    *("game", "format", "params", "options", "limits", "table_seats", "tie_breaks"),
    *("leaving", "draw_probability", "secret", "rated", "versions", "document"),
)
"""What stays as it is once a tournament is open."""
_OF_TIME: Final = ("past", "too_late")
_NAMED: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """All of an open tournament that its organisers may change."""

    name: str
    entries_per_author: int
    arrangement: Arrangement

    @property
    def revision(self) -> str:
        """A digest that changes with every change."""
        return revision_of(**self.to_json())

    def to_json(self) -> dict[str, Any]:  # Any: JSON
        """Return the fields by their names."""
        own = {"name": self.name, "entries_per_author": self.entries_per_author}
        return own | self.arrangement.to_json()


def setup_of(tournament: Tournament) -> Setup:
    """Return what can be changed of a tournament, as it is now."""
    return Setup(
        name=tournament.name,
        entries_per_author=tournament.entries_per_author,
        arrangement=arrangement_of(tournament),
    )


@transaction.atomic
def change_tournament(
    *, actor: User, tournament: Tournament, setup: Setup, revision: str
) -> Tournament:
    """Change an open tournament into `setup`, which is based on `revision`.

    Raises:
        InvalidInput: `Problems` if several things are wrong.
        Conflict: `changed_meanwhile`, or `cap_below_entries`.
    """
    tournament = lock_own(actor, tournament, TournamentState.OPEN, to="change")
    stored = setup_of(tournament)
    check_revision(tournament, revision, stored=stored.revision)
    refuse_all(problems_of_change(tournament, setup))
    _check_caps(tournament, stored, setup)
    changes = _changes(stored, setup)
    if not changes:
        return tournament
    tournament.name = checks.checked_name(setup.name)
    tournament.entries_per_author = setup.entries_per_author
    arrange(tournament, setup.arrangement)
    forget_start_problem(tournament)
    audit_tournament(AuditAction.TOURNAMENT_CHANGE, tournament, actor=actor, changes=changes)
    note_change(tournament, sorted(changes))
    return tournament


def problems_of_change(tournament: Tournament, setup: Setup) -> list[DomainError]:
    """Return everything that is wrong with a change; dates that stay may have passed."""
    stored = setup_of(tournament).arrangement
    own = gather_errors(
        (
            lambda: checks.checked_name(setup.name),
            lambda: checks.check_entries_per_author(setup.entries_per_author),
        )
    )
    return [
        *own,
        *(
            problem
            for problem in problems_of(setup.arrangement, rated=tournament.rated)
            if not is_old(problem, stored, setup.arrangement)
        ),
    ]


def is_old(problem: DomainError, stored: Arrangement, wanted: Arrangement) -> bool:
    """Return whether a problem is about a date that was there before."""
    name = (problem.field or "").removeprefix("entry_rules.")
    if problem.code not in _OF_TIME:
        return False
    before, after = (
        getattr(each, name, None) or getattr(each.entry_rules, name, None)
        for each in (stored, wanted)
    )
    return bool(before == after)


def _changes(stored: Setup, setup: Setup) -> dict[str, dict[str, Any]]:  # Any: JSON
    """Return what changes, with its values before and after."""
    before, after = stored.to_json(), setup.to_json()
    changes = {
        name: {"before": before[name], "after": after[name]}
        for name in before
        if before[name] != after[name]
    }
    if "invited" in changes:  # names of people would outlive their accounts in the log
        changes["invited"] = {
            "before": len(before["invited"]),
            "after": len(after["invited"]),
        }
    return changes


def _check_caps(tournament: Tournament, stored: Setup, setup: Setup) -> None:
    """Refuse a cap that is lower than what has entered; name the bots that are too many."""
    entries = list(tournament.entries.scheduled().select_related("version__bot__owner", "team"))
    errors: list[DomainError] = []
    if setup.entries_per_author < stored.entries_per_author:
        organisers = tournament.organiser_names
        groups = _grouped(entries, people_behind(entries))
        authors = {name: group for name, group in groups.items() if name not in organisers}
        errors += _too_many(authors, setup.entries_per_author, field="entries_per_author")
    most = setup.arrangement.entry_rules.entries_per_team
    if most is not None and most != stored.arrangement.entry_rules.entries_per_team:
        names = ([entry.team.name] if entry.team else [] for entry in entries)
        errors += _too_many(_grouped(entries, names), most, field="entry_rules.entries_per_team")
    refuse_all(errors)


def _grouped(entries: list[Entry], names: Iterable[Iterable[str]]) -> dict[str, list[Entry]]:
    """Return the entries by name; `names` has those of each entry, in the same order."""
    groups: dict[str, list[Entry]] = defaultdict(list)
    for entry, named in zip(entries, names, strict=True):
        for name in named:
            groups[name].append(entry)
    return groups


def _too_many(groups: Mapping[str, list[Entry]], most: int, *, field: str) -> Iterator[Conflict]:
    over = {name: group for name, group in groups.items() if len(group) > most}
    if not over:
        return
    told = "; ".join(
        f"{name} has {len(group)} in ({', '.join(entry.version.label for entry in group)})"
        for name, group in list(over.items())[:_NAMED]
    )
    least = max(map(len, over.values()))
    yield Conflict(
        f"More have entered than {most} each: {told}. Withdraw those that are too many first, or "
        f"allow at least {least}.",
        code="cap_below_entries",
        field=field,
        allowed={"minimum": least},
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
