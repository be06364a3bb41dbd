"""Teams: who is a member, and what that means for their entries."""

from datetime import timedelta

import pytest
from django.utils import timezone

from pentathlon.accounts.models import User
from pentathlon.core.errors import Conflict, InvalidInput, NotAllowed, NotFound
from pentathlon.operations.personal_data.deletion import delete_own_account
from pentathlon.tournaments.entries.enrolment import enter_tournament
from pentathlon.tournaments.entries.replacements import replace_entry
from pentathlon.tournaments.entries.withdrawals import withdraw_entry
from pentathlon.tournaments.models import Entry
from pentathlon.tournaments.people_rows import Team, TeamMember
from pentathlon.tournaments.services import start_tournament
from pentathlon.tournaments.teams.services import (
    MOST_MEMBERS,
    MOST_TEAMS,
    accept_invitation,
    create_team,
    decline_invitation,
    delete_team,
    invite_member,
    leave_team,
)
from tests.factories import PASSWORD, make_team, make_user, make_version
from tests.pentathlon.together import all_at_once
from tests.pentathlon.tournaments.acting import open_cup

pytestmark = pytest.mark.django_db


@pytest.fixture
def founder() -> User:
    return make_user("founder")


@pytest.fixture
def mate() -> User:
    return make_user("mate")


@pytest.fixture
def organiser() -> User:
    return make_user(organiser=True)


def _members(team: Team) -> list[str]:
    return [row.person.username for row in Team.objects.listed().get(pk=team.pk).members]


class TestMembers:
    def test_founder_is_the_first_member(self, founder: User) -> None:
        team = create_team(actor=founder, name="  The   Axes ")

        assert (team.name, team.owner, _members(team)) == ("The Axes", founder, ["founder"])

    def test_nobody_is_a_member_before_they_accept(self, founder: User, mate: User) -> None:
        team = create_team(actor=founder, name="Axes")
        invite_member(actor=founder, team=team, username="MATE")
        before = _members(team)

        accept_invitation(actor=mate, team=team)

        assert (before, _members(team)) == (["founder"], ["founder", "mate"])

    def test_declined_invitation_leaves_no_trace(self, founder: User, mate: User) -> None:
        team = create_team(actor=founder, name="Axes")
        invite_member(actor=founder, team=team, username="mate")

        decline_invitation(actor=mate, team=team)

        with pytest.raises(NotFound) as caught:
            accept_invitation(actor=mate, team=team)
        assert caught.value.code == "not_invited"
        assert not TeamMember.objects.filter(person=mate).exists()

    def test_owner_who_leaves_passes_the_team_to_its_longest_member(
        self, founder: User, mate: User
    ) -> None:
        team = make_team(owner=founder, members=[mate, make_user()])
        older = timezone.now() - timedelta(days=1)
        team.memberships.filter(person=mate).update(accepted_at=older)

        leave_team(actor=founder, team=team)

        team.refresh_from_db()
        assert team.owner == mate
        assert "founder" not in _members(team)

    def test_last_member_deletes_the_team_instead_of_leaving_it(self, founder: User) -> None:
        team = make_team(owner=founder)

        with pytest.raises(Conflict) as caught:
            leave_team(actor=founder, team=team)
        delete_team(actor=founder, team=team)

        assert caught.value.code == "last_member"
        assert not Team.objects.exists()

    def test_team_whose_entries_tables_name_is_not_deleted(
        self, founder: User, organiser: User
    ) -> None:
        team, version = make_team(owner=founder), make_version(owner=founder)
        cup = open_cup(organiser)
        enter_tournament(actor=founder, tournament=cup, version_id=version.pk, team=team.pk)

        with pytest.raises(Conflict) as caught:
            delete_team(actor=founder, team=team)

        assert caught.value.code == "has_entries"

    @pytest.mark.parametrize("name", ["", " ", "x" * 81, "bell\x07"])
    def test_name_that_cannot_be_is_refused(self, name: str, founder: User) -> None:
        with pytest.raises(InvalidInput) as caught:
            create_team(actor=founder, name=name)

        assert (caught.value.code, caught.value.field) == ("bad_name", "name")

    def test_name_is_taken_whatever_the_case(self, founder: User, mate: User) -> None:
        create_team(actor=founder, name="MIT")

        with pytest.raises(Conflict) as caught:
            create_team(actor=mate, name="mit")

        assert caught.value.code == "name_taken"

    def test_owner_has_so_many_teams_and_no_more(self, founder: User) -> None:
        for _ in range(MOST_TEAMS):
            make_team(owner=founder)

        with pytest.raises(Conflict) as caught:
            create_team(actor=founder, name="One more")

        assert caught.value.code == "too_many_teams"

    def test_invitations_count_as_members(self, founder: User) -> None:
        team = make_team(owner=founder)
        rows = [TeamMember(team=team, person=make_user()) for _ in range(MOST_MEMBERS - 1)]
        TeamMember.objects.bulk_create(rows)

        with pytest.raises(Conflict) as caught:
            invite_member(actor=founder, team=team, username=make_user().username)

        assert caught.value.code == "team_full"


class TestEntries:
    def test_stranger_cannot_use_up_the_cap_of_a_team(
        self, founder: User, organiser: User
    ) -> None:
        team, own, foreign = make_team(owner=founder), make_version(owner=founder), make_version()
        cup = open_cup(organiser)

        with pytest.raises(NotAllowed) as caught:
            enter_tournament(
                actor=foreign.bot.owner, tournament=cup, version_id=foreign.pk, team=team.pk
            )
        enter_tournament(actor=founder, tournament=cup, version_id=own.pk, team=team.pk)

        assert caught.value.code == "not_in_team"

    def test_person_counts_through_their_teams(
        self, founder: User, mate: User, organiser: User
    ) -> None:
        team = make_team(owner=founder, members=[mate])
        first, own = make_version(owner=founder), make_version(owner=mate)
        cup = open_cup(organiser, entries_per_author=1)
        enter_tournament(actor=founder, tournament=cup, version_id=first.pk, team=team.pk)

        with pytest.raises(Conflict) as caught:
            enter_tournament(actor=mate, tournament=cup, version_id=own.pk)

        assert caught.value.code == "author_cap"

    def test_nobody_gets_a_second_place_by_a_replacement(
        self, founder: User, mate: User, organiser: User
    ) -> None:
        team = make_team(owner=founder)
        first, own, other = (make_version(owner=each) for each in (founder, mate, mate))
        cup = open_cup(organiser, entries_per_author=1)
        enter_tournament(actor=founder, tournament=cup, version_id=first.pk, team=team.pk)
        enter_tournament(actor=mate, tournament=cup, version_id=own.pk)
        invite_member(actor=founder, team=team, username="mate")

        with pytest.raises(Conflict) as full:
            accept_invitation(actor=mate, team=team)
        with pytest.raises(NotAllowed) as strange:
            replace_entry(actor=founder, tournament=cup, version_id=first.pk, by=other.pk)

        assert (full.value.code, strange.value.code) == ("author_cap", "not_in_team")

    def test_replacement_raises_no_count(self, founder: User, mate: User, organiser: User) -> None:
        team = make_team(owner=founder, members=[mate])
        first, other = make_version(owner=founder), make_version(owner=mate)
        cup = open_cup(organiser, entries_per_author=1)
        enter_tournament(actor=founder, tournament=cup, version_id=first.pk, team=team.pk)

        entry = replace_entry(actor=mate, tournament=cup, version_id=first.pk, by=other.pk)

        assert entry.version == other
        for person in (founder, mate):
            assert cup.entries.behind(person).count() == 1

    @pytest.mark.parametrize("has_begun", [False, True])
    def test_joining_keeps_to_the_cap(
        self, has_begun: bool, founder: User, mate: User, organiser: User
    ) -> None:
        team, own = make_team(owner=founder), make_version(owner=mate)
        cup = open_cup(organiser, entries_per_author=1)
        first = make_version(owner=founder)
        enter_tournament(actor=founder, tournament=cup, version_id=first.pk, team=team.pk)
        enter_tournament(actor=mate, tournament=cup, version_id=own.pk)
        invite_member(actor=founder, team=team, username="mate")
        if has_begun:
            start_tournament(actor=organiser, tournament=cup)

        with pytest.raises(Conflict) as caught:
            accept_invitation(actor=mate, team=team)
        withdraw_entry(actor=mate, tournament=cup, version_id=own.pk)
        accept_invitation(actor=mate, team=team)

        assert caught.value.code == "author_cap"
        assert _members(team) == ["founder", "mate"]

    def test_entry_stays_with_the_team_when_its_author_leaves(
        self, founder: User, mate: User, organiser: User
    ) -> None:
        team = make_team(owner=founder, members=[mate])
        version, other = make_version(owner=mate), make_version(owner=founder)
        cup = open_cup(organiser)
        enter_tournament(actor=mate, tournament=cup, version_id=version.pk, team=team.pk)

        leave_team(actor=mate, team=team)
        entry = replace_entry(actor=founder, tournament=cup, version_id=version.pk, by=other.pk)

        assert (entry.team, entry.version) == (team, other)
        assert not Entry.objects.behind(mate).exists()


class TestDeletedAccounts:
    def test_team_passes_on_or_goes(self, founder: User, mate: User) -> None:
        kept, gone = make_team(owner=founder, members=[mate]), make_team(owner=founder)

        delete_own_account(actor=founder, username="founder", password=PASSWORD)

        kept.refresh_from_db()
        assert (kept.owner, _members(kept)) == (mate, ["mate"])
        assert not Team.objects.filter(pk=gone.pk).exists()

    def test_team_that_a_table_names_stays_without_members(
        self, founder: User, organiser: User
    ) -> None:
        team, version = make_team("Axes", owner=founder), make_version(owner=founder)
        cup = open_cup(organiser, versions=[make_version().pk])
        enter_tournament(actor=founder, tournament=cup, version_id=version.pk, team=team.pk)
        start_tournament(actor=organiser, tournament=cup)

        delete_own_account(actor=founder, username="founder", password=PASSWORD)

        assert _members(team) == []
        assert cup.entries.get(version=version).team == team


@pytest.mark.django_db(transaction=True)
class TestAtOnce:
    def test_quota_of_teams_holds(self, founder: User) -> None:
        for _ in range(MOST_TEAMS - 1):
            make_team(owner=founder)
        found = [lambda name=name: create_team(actor=founder, name=name) for name in "ABC"]

        outcomes = all_at_once(found)

        assert sum(isinstance(each, Team) for each in outcomes) == 1
        assert founder.teams.count() == MOST_TEAMS

    def test_team_is_full_with_the_last_place(self, founder: User) -> None:
        team = make_team(owner=founder, members=[make_user() for _ in range(MOST_MEMBERS - 2)])
        names = [make_user().username for _ in range(3)]
        invite = [
            lambda name=name: invite_member(actor=founder, team=team, username=name)
            for name in names
        ]

        all_at_once(invite)

        assert team.memberships.count() == MOST_MEMBERS
