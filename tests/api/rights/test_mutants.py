"""Each check of rights and limits, switched off by itself, changes an answer that is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest
from django.db import transaction

from api.bots import versions as api_versions
from pentathlon.accounts.models import User
from pentathlon.bots import doors
from pentathlon.bots import services as bots
from pentathlon.bots.doors import CHECKS, Door
from pentathlon.bots.models import BotVersion, BotVersionQuerySet
from pentathlon.core.errors import DomainError
from pentathlon.core.quotas import Quota
from pentathlon.core.server.limits import CHALLENGES_UNDER_WAY
from pentathlon.ladders import membership
from pentathlon.tournaments import guards
from pentathlon.tournaments.challenges import players
from pentathlon.tournaments.challenges import services as challenges
from pentathlon.tournaments.documents import checks
from pentathlon.tournaments.entries import eligibility, enrolment, replacements, withdrawals
from pentathlon.tournaments.entries.eligibility import EntryRules
from pentathlon.tournaments.models import Entry, EntryState, Tournament, TournamentQuerySet
from pentathlon.tournaments.organising import drafts
from pentathlon.tournaments.people_rows import Team, TeamMemberQuerySet
from pentathlon.tournaments.teams import services as teams
from pentathlon.tournaments.teams.services import MOST_TEAMS
from tests.api.rights.cells import Cell, is_allowed
from tests.api.rights.world import World, ask_api, ask_service, make_world
from tests.databases import made_once
from tests.factories import make_version

pytestmark = pytest.mark.django_db
world = made_once(make_world)


class Mutant(NamedTuple):
    """A check that is switched off, and a cell whose answer is wrong without it."""

    home: object
    name: str
    cell: Cell
    off: Any = lambda *_, **__: None  # Any: whatever stands in for a check that always passes
    ask: Callable[[World, Cell], object] = ask_service


def _everybody(team: Team) -> frozenset[int]:
    return frozenset(team.memberships.values_list("person", flat=True))


MUTANTS = (
    Mutant(enrolment, "check_door", Cell("enter", "stranger", cup="open", side="alone")),
    Mutant(enrolment, "objection_at", Cell("list", "other organiser", version="candidate")),
    Mutant(enrolment, "check_state", Cell("enter", "stranger", "own", "active", "draft", "alone")),
    Mutant(guards, "check_state", Cell("enter", "organiser", "own", "active", "running", "alone")),
    Mutant(
        checks,
        "ineligible",
        Cell("enter", "organiser", "own", "retired", "open", "alone"),
        lambda *_, **__: {},
    ),
    Mutant(checks, "check_eligible", Cell("replace", "author", "own", "stopped", "open", "alone")),
    Mutant(
        replacements,
        "check_door",
        Cell("replace", "mate", "author's", "candidate", "open", "team"),
    ),
    Mutant(
        replacements,
        "check_door",
        Cell("replace", "organiser", "author's", "candidate", "running", "alone"),
    ),
    Mutant(
        replacements,
        "_check_same_side",
        Cell("replace", "organiser", "own", "active", "open", "alone"),
    ),
    Mutant(
        replacements,
        "check_may_manage",
        Cell("replace", "stranger", "own", "active", "open", "alone"),
    ),
    Mutant(
        replacements,
        "check_organiser",
        Cell("replace", "author", "own", "active", "running", "alone"),
    ),
    Mutant(
        replacements,
        "_check_successor",
        Cell("replace", "organiser", "own", "active", "running", "alone"),
    ),
    Mutant(withdrawals, "check_may_manage", Cell("withdraw", "invited", cup="open", side="team")),
    Mutant(drafts, "check_may_create", Cell("list", "stranger", "own")),
    Mutant(players, "check_door", Cell("challenge with", "mate")),
    Mutant(players, "_check_in_play", Cell("challenge with", "stranger", "own", "stopped")),
    Mutant(membership, "_check_owner", Cell("join a ladder", "stranger")),
    Mutant(
        BotVersionQuerySet,
        "in_line",
        Cell("join a ladder", "author", version="candidate"),
        lambda self: self,
    ),
    Mutant(bots, "_check_owner", Cell("activate", "mate", version="candidate")),
    Mutant(bots, "_check_owner", Cell("retire", "superuser")),
    Mutant(api_versions, "check_may_read", Cell("read files", "mate"), ask=ask_api),
    Mutant(
        BotVersionQuerySet,
        "in_line",
        Cell("challenge", "stranger", version="candidate"),
        lambda self: self,
    ),
    Mutant(
        BotVersionQuerySet,
        "in_line",
        Cell("play against", "mate", version="candidate"),
        lambda self: self,
    ),
    Mutant(TournamentQuerySet, "visible_to", Cell("see the draft", "mate"), lambda self, _: self),
    Mutant(Team, "member_ids", Cell("withdraw", "invited", cup="open", side="team"), _everybody),
    Mutant(Team, "member_ids", Cell("see invitations", "invited"), _everybody),
    Mutant(teams, "_lock_own", Cell("invite", "mate"), lambda actor, team: team),
    Mutant(teams, "_lock_own", Cell("remove a member", "stranger"), lambda actor, team: team),
    Mutant(teams, "_lock_own", Cell("delete a team", "organiser"), lambda actor, team: team),
    Mutant(TeamMemberQuerySet, "invited", Cell("accept", "mate"), lambda self: self),
    Mutant(TeamMemberQuerySet, "accepted", Cell("leave", "invited"), lambda self: self),
)

_AT_DOORS: Mapping[tuple[Door, str], Cell] = {
    (Door.OWN, "_is_own"): Cell("enter", "mate", cup="open", side="alone"),
    (Door.TEAM, "_actor_is_member"): Cell("enter", "invited", cup="open", side="team"),
    (Door.TEAM, "_author_is_member"): Cell(
        "enter", "mate", "former member's", "active", "open", "team"
    ),
    (Door.TEAM, "_is_active_or_own"): Cell(
        "enter", "mate", "author's", "candidate", "open", "team"
    ),
    (Door.ORGANISER, "_is_active_or_own"): Cell(
        "enter", "organiser", "author's", "candidate", "draft", "alone"
    ),
    (Door.ORGANISER, "_is_willing_or_own"): Cell(
        "enter", "organiser", cup="open", side="alone", is_willing=False
    ),
}


@contextmanager
def _undone() -> Iterator[None]:
    before = transaction.savepoint()
    try:
        yield
    finally:
        transaction.savepoint_rollback(before)


def _answer(world: World, cell: Cell, ask: Callable[[World, Cell], object]) -> bool:
    with _undone():
        if not cell.is_willing:
            User.objects.update(takes_organiser_entries=False)
        try:
            return ask(world, cell) is not False
        except DomainError:
            return False


@pytest.mark.parametrize(
    "mutant",
    MUTANTS,
    ids=[f"{each.name} {each.cell.action} {each.cell.actor}" for each in MUTANTS],
)
def test_check_that_is_off_is_found_out(
    mutant: Mutant, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_it = _answer(world, mutant.cell, mutant.ask)
    monkeypatch.setattr(mutant.home, mutant.name, mutant.off)

    without_it = _answer(world, mutant.cell, mutant.ask)

    assert (with_it, without_it) == (is_allowed(mutant.cell), not is_allowed(mutant.cell))


@pytest.mark.parametrize(
    ("door", "name"), [(door, check.__name__) for door in CHECKS for check in CHECKS[door]]
)
def test_door_that_leaves_out_a_check_is_found_out(
    door: Door, name: str, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    cell = _AT_DOORS[door, name]
    with_it = _answer(world, cell, ask_service)
    others = tuple(check for check in CHECKS[door] if check.__name__ != name)
    monkeypatch.setattr(doors, "CHECKS", {**CHECKS, door: others})

    without_it = _answer(world, cell, ask_service)

    assert (with_it, without_it) == (False, True)


class Limit(NamedTuple):
    """A limit that is switched off, its code, and how somebody would get past it."""

    home: object
    name: str
    code: str
    go_past: Callable[[World], object]
    off: Any = lambda *_, **__: None


def _cup(world: World, **columns: Any) -> Tournament:  # Any: values of columns
    cup = world.cups["open"]
    Tournament.objects.filter(pk=cup.pk).update(**columns)
    return cup


def _enter_third(world: World) -> None:
    """Enter one more bot of the author, who stands behind three entries already."""
    cup = _cup(world, entries_per_author=3)
    version = world.versions["author", "active"]
    enrolment.enter_tournament(actor=world.people["author"], tournament=cup, version_id=version.pk)


def _enter_for_a_full_member(world: World) -> None:
    """Enter a bot of the member, who stands behind the team's two entries."""
    cup = _cup(world, entries_per_author=2)
    version = world.versions["mate", "active"]
    enrolment.enter_tournament(actor=world.people["mate"], tournament=cup, version_id=version.pk)


def _enter_for_the_team(world: World) -> None:
    cup = _cup(world, entry_rules=EntryRules(entries_per_team=2).to_json())
    enrolment.enter_tournament(
        actor=world.people["mate"],
        tournament=cup,
        version_id=world.versions["mate", "active"].pk,
        team=world.team.pk,
    )


def _join_where_full(world: World) -> None:
    """Accept where the person has entered a bot and the team has two."""
    cup, person = _cup(world, entries_per_author=2), world.people["invited"]
    Entry.objects.create(tournament=cup, version=world.versions["invited", "active"], number=9)
    teams.accept_invitation(actor=person, team=world.team)


def _enter_uninvited(world: World) -> None:
    version, cup = world.versions["stranger", "active"], _cup(world, by_invitation=True)
    enrolment.enter_tournament(
        actor=world.people["stranger"], tournament=cup, version_id=version.pk
    )


def _replace_by_an_uninvited_one(world: World) -> None:
    cup, own = _cup(world, by_invitation=True), world.versions["mate", "active"]
    replacements.replace_entry(
        actor=world.people["mate"],
        tournament=cup,
        version_id=world.entered["team"].pk,
        by=own.pk,
    )


def _disqualified(world: World) -> tuple[Tournament, BotVersion]:
    cup, version = world.cups["open"], world.versions["author", "active"]
    Entry.objects.create(
        tournament=cup,
        version=make_version(bot=version.bot),
        state=EntryState.DISQUALIFIED,
        left_by=world.people["organiser"],
    )
    return cup, version


def _enter_after_disqualification(world: World) -> None:
    cup, version = _disqualified(world)
    enrolment.enter_tournament(actor=world.people["author"], tournament=cup, version_id=version.pk)


def _replace_after_disqualification(world: World) -> None:
    cup, version = _disqualified(world)
    replacements.replace_entry(
        actor=world.people["author"],
        tournament=cup,
        version_id=world.entered["alone"].pk,
        by=version.pk,
    )


def _challenge_once_more(world: World) -> None:
    for _ in range(CHALLENGES_UNDER_WAY + 1):
        challenges.create_challenge(
            actor=world.people["author"],
            version=world.versions["author", "active"].pk,
            bot=world.versions["stranger", "active"].bot_id,
            blocks=1,
        )


def _found_one_more(world: World) -> None:
    for number in range(MOST_TEAMS + 1):
        teams.create_team(actor=world.people["stranger"], name=f"Team of {number}")


def _endless(person: User) -> Quota:
    return Quota(key="", about="", limit=10**6, used=0, code="")


LIMITS = (
    Limit(enrolment, "check_caps", "author_cap", _enter_third),
    Limit(eligibility, "_check_author_cap", "author_cap", _enter_for_a_full_member),
    Limit(eligibility, "_check_team_cap", "team_cap", _enter_for_the_team),
    Limit(teams, "check_caps_of_member", "author_cap", _join_where_full),
    Limit(enrolment, "check_may_enter", "not_invited", _enter_uninvited),
    Limit(replacements, "check_may_enter", "not_invited", _replace_by_an_uninvited_one),
    Limit(enrolment, "check_not_disqualified", "disqualified", _enter_after_disqualification),
    Limit(replacements, "check_not_disqualified", "disqualified", _replace_after_disqualification),
    Limit(
        challenges,
        "check_quotas",
        "too_many_challenges",
        _challenge_once_more,
    ),
    Limit(teams, "team_quota", "too_many_teams", _found_one_more, _endless),
)


@pytest.mark.parametrize("limit", LIMITS, ids=[f"{each.name} {each.code}" for each in LIMITS])
def test_limit_that_is_off_is_found_out(
    limit: Limit, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    with _undone(), pytest.raises(DomainError) as caught:
        limit.go_past(world)
    monkeypatch.setattr(limit.home, limit.name, limit.off)

    with _undone():
        limit.go_past(world)

    assert caught.value.code == limit.code
