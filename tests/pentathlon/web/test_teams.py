"""The pages of teams, and the answer of an author to organisers."""

import pytest
from django.test import Client
from django.urls import reverse

from pentathlon.accounts.models import User
from pentathlon.tournaments.people_rows import Team, TeamMember
from tests.factories import make_team, make_user, make_version
from tests.pentathlon.tournaments.acting import open_cup
from tests.pentathlon.web.pages import page_of

pytestmark = pytest.mark.django_db


def _as(person: User) -> Client:
    client = Client()
    client.force_login(person)
    return client


def test_team_is_founded_and_filled_by_pages() -> None:
    founder, guest = make_user("founder"), make_user("guest")
    made = _as(founder).post(reverse("teams"), {"name": "Axes"}, follow=True)
    team = Team.objects.get()

    address = reverse("team", args=[team.pk])
    invited = _as(founder).post(address, {"person": "guest"}, follow=True)
    seen = page_of(_as(guest).get(reverse("teams"))).text
    accepted = _as(guest).post(reverse("team_accept", args=[team.pk]), follow=True)

    assert "Axes is founded." in page_of(made).text
    assert "guest is invited." in page_of(invited).text
    assert "by founder" in seen
    assert "You are a member of Axes." in page_of(accepted).text


def test_page_hides_whom_the_team_has_only_invited() -> None:
    team, guest = make_team(), make_user("guest")
    TeamMember.objects.create(team=team, person=guest)
    address = reverse("team", args=[team.pk])

    assert "guest" not in page_of(Client().get(address)).text
    assert "guest" not in page_of(_as(make_user()).get(address)).text
    assert "guest" in page_of(_as(team.owner).get(address)).text


def test_invitation_is_declined_by_button() -> None:
    team, guest = make_team("Axes"), make_user()
    TeamMember.objects.create(team=team, person=guest)

    told = _as(guest).post(reverse("team_decline", args=[team.pk]), follow=True)

    assert "You have declined the invitation of Axes." in page_of(told).text
    assert not TeamMember.objects.filter(person=guest).exists()


def test_members_leave_and_are_removed_by_buttons() -> None:
    mate, other = make_user("mate"), make_user("other")
    team = make_team("Axes", members=[mate, other])

    left = _as(mate).post(reverse("team_leave", args=[team.pk]), follow=True)
    removed = _as(team.owner).post(
        reverse("team_remove", args=[team.pk]), {"person": "other"}, follow=True
    )

    assert "You have left Axes." in page_of(left).text
    assert "other is no longer in Axes" in page_of(removed).text
    assert team.member_ids() == {team.owner_id}


def test_stranger_cannot_invite_by_the_page() -> None:
    team = make_team()
    address = reverse("team", args=[team.pk])

    _as(make_user()).post(address, {"person": make_user("guest").username})
    nobody = Client().post(address, {"person": "guest"})

    assert nobody.status_code in {302, 403}
    assert not TeamMember.objects.invited().exists()


def test_bot_enters_for_a_team_by_the_form() -> None:
    version = make_version()
    author = version.bot.owner
    cup, team = open_cup(make_user(organiser=True)), make_team("Axes", owner=author)
    form = {"version": version.pk, "team": team.pk}

    told = _as(author).post(reverse("tournament_enter", args=[cup.pk]), form, follow=True)

    assert cup.entries.get().team == team
    assert "team Axes" in page_of(told).text


def test_author_lets_no_organiser_enter_bots_by_button() -> None:
    version = make_version()
    author, organiser = version.bot.owner, make_user(organiser=True)
    cup = open_cup(organiser)
    before = page_of(_as(organiser).get(reverse("tournament", args=[cup.pk]))).text

    told = _as(author).post(reverse("account_settings"), {}, follow=True)

    after = page_of(_as(organiser).get(reverse("tournament", args=[cup.pk]))).text
    assert "No organiser may enter your bots now." in page_of(told).text
    assert (version.label in before, version.label in after) == (True, False)
    _as(author).post(reverse("account_settings"), {"takes_organiser_entries": "1"})
    author.refresh_from_db()
    assert author.takes_organiser_entries
