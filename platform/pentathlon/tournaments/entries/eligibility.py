"""Rules about the bots that authors may enter in a tournament, each with a sentence.

The organiser may enter any bot that plays the game; these rules are for everybody else.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import Count, Max, Q

from pentathlon.accounts.models import User
from pentathlon.accounts.verification import check_may_play_rated
from pentathlon.bots.models import Bot, BotVersion
from pentathlon.core.clock import database_now
from pentathlon.core.errors import Conflict, InvalidInput, NotAllowed
from pentathlon.ratings.models import Rating, live_key
from pentathlon.tournaments.models import (
    Entry,
    EntryQuerySet,
    EntryState,
    Tournament,
    TournamentState,
)
from pentathlon.tournaments.people_rows import Team, TeamMember
from pentathlon_engines.languages import LANGUAGES
from pentathlon_engines.manifest import COMMAND

ENTRY_LANGUAGES: Final = (*LANGUAGES, COMMAND)
"""The languages of bots; a command stands for any other program."""
MOST_VERSIONS: Final = 1000
MOST_MATCHES: Final = 1_000_000
MOST_TEAM_ENTRIES: Final = 200
_UNDER_WAY: Final = (TournamentState.OPEN, TournamentState.RUNNING, TournamentState.PAUSED)


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryRules:
    """Conditions on bots that authors enter; None and empty demand nothing."""

    languages: tuple[str, ...] = ()
    newest_only: bool = False
    uploaded_from: datetime | None = None
    new_bots_from: datetime | None = None
    most_versions: int | None = None
    fewest_matches: int | None = None
    entries_per_team: int | None = None

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> EntryRules:  # Any: JSON
        """Return rules from their stored form."""
        values = dict(data)
        for name in ("uploaded_from", "new_bots_from"):
            if values.get(name):
                values[name] = datetime.fromisoformat(values[name])
        values["languages"] = tuple(values.get("languages") or ())
        return cls(**values)

    def to_json(self) -> dict[str, Any]:  # Any: JSON
        """Return the rules that demand something, in the form that is stored and shown."""
        values = {name: value for name, value in asdict(self).items() if value}
        return {
            name: value.isoformat() if isinstance(value, datetime) else value
            for name, value in values.items()
        }

    def sentences(self) -> list[str]:
        """Return a sentence for each rule that demands something."""
        said = {
            "languages": f"Bots in {' or '.join(self.languages)} only.",
            "newest_only": "Only the newest version of a bot.",
            "uploaded_from": f"Only versions uploaded from {_date(self.uploaded_from)} on.",
            "new_bots_from": f"Only bots first uploaded from {_date(self.new_bots_from)} on.",
            "most_versions": f"Only bots with at most {self.most_versions} versions.",
            "fewest_matches": f"Only versions with at least {self.fewest_matches} rated matches "
            "of this game.",
            "entries_per_team": f"At most {self.entries_per_team} bots per team.",
        }
        return [sentence for name, sentence in said.items() if getattr(self, name)]

    def problems(self) -> Iterator[InvalidInput]:
        """Yield what is wrong with the rules themselves."""
        if unknown := [each for each in self.languages if each not in ENTRY_LANGUAGES]:
            yield InvalidInput(
                f"There is no language {unknown[0]!r}; the languages are "
                f"{', '.join(ENTRY_LANGUAGES)}.",
                code="unknown_language",
                field="entry_rules.languages",
            )
        for name, most in (
            ("most_versions", MOST_VERSIONS),
            ("fewest_matches", MOST_MATCHES),
            ("entries_per_team", MOST_TEAM_ENTRIES),
        ):
            value = getattr(self, name)
            if value is not None and not 1 <= value <= most:
                yield InvalidInput(
                    f"This must be from 1 to {most:,}.", field=f"entry_rules.{name}"
                )


def rules_of(tournament: Tournament) -> EntryRules:
    """Return the rules of a tournament."""
    return EntryRules.from_json(tournament.entry_rules)


def check_not_disqualified(
    tournament: Tournament, versions: Sequence[BotVersion], *, field: str = "versions"
) -> None:
    """Refuse disqualified versions, and all versions of a bot that the organiser disqualified.

    A disqualification by staff is about one version, and nobody can lift it here.
    """
    bots = [version.bot_id for version in versions]
    banned = tournament.entries.filter(
        Q(version__in=versions) | Q(version__bot__in=bots, left_by__isnull=False),
        state=EntryState.DISQUALIFIED,
    )
    entry = banned.select_related("version__bot").first()
    if entry is not None:
        raise Conflict(
            f"{entry.version.label} was disqualified: {entry.reason} No version of "
            f"{entry.version.bot.name} enters before {tournament.owner.username}, who organises "
            f"{tournament.name}, has reinstated it.",
            code="disqualified",
            field=field,
        )


def check_authors(
    tournament: Tournament, versions: Sequence[BotVersion], *, field: str = "versions"
) -> None:
    """Refuse authors who may not play rated matches, if this tournament has them."""
    for version in versions if tournament.rated else ():
        check_may_play_rated(version.bot.owner, field=field)


def check_may_enter(tournament: Tournament, version: BotVersion) -> None:
    """Refuse a version that an author may not enter: too late, uninvited, or against a rule."""
    if tournament.closes_entries_at is not None and (
        tournament.closes_entries_at <= database_now()
    ):
        raise Conflict(
            f"{tournament.name} took entries until "
            f"{tournament.closes_entries_at:%d %b %Y, %H:%M} UTC. Ask its organiser.",
            code="entries_closed",
        )
    author = version.bot.owner
    if tournament.by_invitation and not tournament.invitations.filter(person=author).exists():
        raise NotAllowed(
            f"{tournament.name} is by invitation, and {author.username} is not invited. Ask "
            f"{tournament.owner.username} for an invitation.",
            code="not_invited",
        )
    broken = list(_broken(rules_of(tournament), [version], game=tournament.game))
    if broken:
        raise InvalidInput(" ".join(broken), code="not_eligible_here", field="version")


def _broken(rules: EntryRules, versions: Sequence[BotVersion], *, game: str) -> Iterator[str]:
    """Yield the rules that versions break; two queries for any number of versions."""
    bots = {version.bot_id for version in versions}
    lines = Bot.objects.filter(pk__in=bots).annotate(last=Max("versions__number"))
    facts = {
        bot: (created, count, last)
        for bot, created, count, last in lines.annotate(count=Count("versions")).values_list(
            "pk", "created_at", "count", "last"
        )
    }
    played = dict(
        Rating.objects.filter(pool__key=live_key(game), version__in=versions).values_list(
            "version", "matches"
        )
    )
    for version in versions:
        created_at, count, last = facts[version.bot_id]
        keeps = {
            "languages": not rules.languages
            or version.manifest.get("language") in rules.languages,
            "newest_only": not rules.newest_only or version.number == last,
            "uploaded_from": rules.uploaded_from is None
            or version.created_at >= rules.uploaded_from,
            "new_bots_from": rules.new_bots_from is None or created_at >= rules.new_bots_from,
            "most_versions": rules.most_versions is None or count <= rules.most_versions,
            "fewest_matches": rules.fewest_matches is None
            or played.get(version.pk, 0) >= rules.fewest_matches,
        }
        for name, is_kept in keeps.items():
            if not is_kept:
                (sentence,) = EntryRules(**{name: getattr(rules, name)}).sentences()
                yield f"{version.label} may not enter: {sentence}"


def _date(moment: datetime | None) -> str:
    return "" if moment is None else f"{moment:%d %b %Y}"


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
