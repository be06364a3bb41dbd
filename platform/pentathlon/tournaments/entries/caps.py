"""The most entries of one tournament that one author or one team may stand behind.

A person stands behind the entries of their own bots and those of the teams that they have joined;
an entry that is both counts once. So nobody gets a second place by a team, and nobody joins a team
with which they would exceed a cap. A replacement raises no count: what comes in is of the author,
or of a member of the team, who stand behind the entry already. Organisers are above the caps: what
they enter themselves is never refused for one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Final

from django.db.models import Q

from pentathlon.accounts.models import User
from pentathlon.bots.models import BotVersion
from pentathlon.core.errors import Conflict
from pentathlon.tournaments.entries.eligibility import rules_of
from pentathlon.tournaments.models import Entry, EntryQuerySet, Tournament, TournamentState
from pentathlon.tournaments.team_rows import Team, TeamMember

_UNDER_WAY: Final = (TournamentState.OPEN, TournamentState.RUNNING, TournamentState.PAUSED)


def check_caps(tournament: Tournament, version: BotVersion, *, team: Team | None) -> None:
    """Refuse one more entry of a tournament.

    Call it after `lock_teams`, in a transaction that holds the tournament.

    Raises:
        Conflict: `author_cap` or `team_cap`.
    """
    entries = tournament.entries.active()
    _check_team_cap(tournament, entries, team)
    members = team.member_ids() if team is not None else frozenset()
    _check_author_cap(tournament, entries, {version.bot.owner_id, *members})


def check_caps_of_member(team: Team, person: User) -> None:
    """Refuse a new member of a locked team who would stand behind too many entries somewhere.

    Raises:
        Conflict: `author_cap`.
    """
    entered = Entry.objects.active().filter(team=team, tournament__state__in=_UNDER_WAY)
    tournaments = Tournament.objects.filter(pk__in=entered.values("tournament"))
    for tournament in tournaments.order_by("pk"):
        own = tournament.entries.active().behind(person)
        more = tournament.entries.active().filter(team=team).exclude(pk__in=own.values("pk"))
        behind = own.count() + more.count()
        if more.exists() and behind > tournament.entries_per_author:
            raise Conflict(
                f"As a member of {team.name} you would stand behind {behind} bots in "
                f"{tournament.name}, which takes at most {tournament.entries_per_author} of an "
                "author. Withdraw one of yours first.",
                code="author_cap",
            )


def lock_teams(version: BotVersion, team: Team | None) -> None:
    """Let nobody join or leave a team of these authors until this transaction ends.

    Whatever changes members locks their team. Call it after locking the tournament.
    """
    members = TeamMember.objects.accepted().filter(team=team)
    people = Q(person=version.bot.owner_id) | Q(person__in=members.values("person"))
    rows = TeamMember.objects.filter(people)
    teams = Team.objects.filter(pk__in=rows.values("team")).order_by("pk")
    list(teams.select_for_update().values_list("pk", flat=True))


def people_behind(entries: Sequence[Entry]) -> list[set[str]]:
    """Return for each entry the names of all who stand behind it; one query."""
    teams = {entry.team_id for entry in entries if entry.team_id is not None}
    members: dict[int | None, set[str]] = defaultdict(set)
    rows = TeamMember.objects.accepted().filter(team__in=teams)
    for team_id, name in rows.values_list("team", "person__username"):
        members[team_id].add(name)
    return [{entry.version.bot.owner.username} | members[entry.team_id] for entry in entries]


def _check_team_cap(tournament: Tournament, entries: EntryQuerySet, team: Team | None) -> None:
    most = rules_of(tournament).entries_per_team
    if team is not None and most is not None and entries.filter(team=team).count() >= most:
        raise Conflict(
            f"At most {most} bots of a team take part. Withdraw one of {team.name} first.",
            code="team_cap",
            field="team",
        )


def _check_author_cap(
    tournament: Tournament, entries: EntryQuerySet, people: Collection[int]
) -> None:
    """Refuse one more entry that these people stand behind; three queries for any number."""
    joined = defaultdict[int, set[int | None]](set)
    rows = TeamMember.objects.accepted().filter(person__in=people)
    for member_id, team_id in rows.values_list("person", "team"):
        joined[member_id].add(team_id)
    sides = list(entries.values_list("version__bot__owner", "team"))
    for person in User.objects.filter(pk__in=people).order_by("pk"):
        behind = sum(owner == person.pk or team in joined[person.pk] for owner, team in sides)
        if behind >= tournament.entries_per_author:
            raise Conflict(
                f"{tournament.name} takes at most {tournament.entries_per_author} bots of an "
                f"author, by themselves and in teams; {person.username} has {behind}. Withdraw "
                "one of them first, or ask the organiser.",
                code="author_cap",
                field="version",
            )
