"""Changes of a tournament that is open for entries.

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
from pentathlon.tournaments.documents import checks
from pentathlon.tournaments.documents.checks import gather_errors
from pentathlon.tournaments.entries.eligibility import people_behind
from pentathlon.tournaments.entries.withdrawals import forget_start_problem
from pentathlon.tournaments.guards import check_revision, lock_own, revision_of
from pentathlon.tournaments.models import Entry, Tournament, TournamentState
from pentathlon.tournaments.notices import audit_tournament, note_change
from pentathlon.tournaments.organising.arrangement import (
    Arrangement,
    arrange,
    arrangement_of,
    problems_of,
)

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
