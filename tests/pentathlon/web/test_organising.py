"""Pages where organisers change tournaments: what they say, and what they refuse."""

import pytest
from django.test import Client

from pentathlon.accounts.models import User
from pentathlon.tournaments.models import Tournament, TournamentState
from tests.factories import make_staff, make_user, make_version
from tests.pentathlon.tournaments.acting import open_cup
from tests.pentathlon.web.pages import page_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def organiser() -> User:
    return make_user(organiser=True)


@pytest.fixture
def client(organiser: User) -> Client:
    client = Client()
    client.force_login(organiser)
    return client


def test_draft_is_deleted_with_a_word(client: Client, organiser: User) -> None:
    draft = open_cup(organiser, name="Plan", is_draft=True)

    answer = client.post(f"/tournaments/{draft.pk}/delete/", follow=True)

    assert "The draft Plan is deleted." in page_of(answer).text
    assert not Tournament.objects.exists()


def test_tournament_that_others_see_is_not_deleted(client: Client, organiser: User) -> None:
    cup = open_cup(organiser)

    answer = client.post(f"/tournaments/{cup.pk}/delete/", follow=True)

    assert answer.redirect_chain[0][0] == f"/tournaments/{cup.pk}/"
    assert Tournament.objects.get().state == TournamentState.OPEN


def test_bot_that_may_not_enter_is_refused_on_the_page(client: Client, organiser: User) -> None:
    cup = open_cup(organiser, versions=[make_version().pk])
    entered = cup.entries.get().version_id

    answer = client.post(f"/tournaments/{cup.pk}/enter/", {"version": entered}, follow=True)

    assert "has not entered yet" in page_of(answer).text
    assert cup.entries.count() == 1


def test_tournament_is_cancelled_by_its_exact_name_only(client: Client, organiser: User) -> None:
    cup = open_cup(organiser, name="Cup")

    wrong = client.post(f"/tournaments/{cup.pk}/cancel/", {"name": "cup"})
    cup.refresh_from_db()
    assert "Type Cup to cancel it." in page_of(wrong).text
    assert cup.state == TournamentState.OPEN

    client.post(f"/tournaments/{cup.pk}/cancel/", {"name": " Cup "})

    cup.refresh_from_db()
    assert cup.state == TournamentState.CANCELLED


def test_staff_delete_their_own_account_on_its_own_page_only() -> None:
    staff = make_staff()
    client = Client()
    client.force_login(staff)

    answer = client.get(f"/audit/people/{staff.username}/delete/")

    assert answer.status_code == 403
