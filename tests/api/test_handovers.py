"""Handing a tournament over by API and on its page."""

import re
from copy import deepcopy
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from pentathlon.accounts.models import Scope, User
from pentathlon.tournaments.handovers.models import Handover
from pentathlon.tournaments.models import Tournament
from tests.api.client import V1, assert_problem, client_of
from tests.databases import made_once
from tests.factories import make_staff, make_user
from tests.pentathlon.tournaments.acting import started
from tests.pentathlon.web.pages import page_of
from tests.pentathlon.web.test_forms import as_person

pytestmark = pytest.mark.django_db


cup_once = made_once(lambda: started(owner=make_user(organiser=True)))


@pytest.fixture
def cup(cup_once: Tournament) -> Tournament:
    return deepcopy(cup_once)


@pytest.fixture
def other() -> User:
    return make_user(organiser=True)


def _address(cup: Tournament) -> str:
    return f"{V1}/tournaments/{cup.pk}/handover/"


def _offer(cup: Tournament, other: User) -> Any:
    body = {"person": other.username}
    return client_of(cup.owner).post(_address(cup), body, format="json")


def _owner(cup: Tournament) -> User:
    return Tournament.objects.get(pk=cup.pk).owner


def test_offer_is_seen_by_both_and_accepted(cup: Tournament, other: User) -> None:
    made = _offer(cup, other)
    seen = client_of(other).get(_address(cup))

    accepted = client_of(other).post(f"{_address(cup)}accept/")

    assert made.status_code == 201
    assert seen.json()["person"]["username"] == other.username
    assert accepted.status_code == 204
    assert _owner(cup) == other
    assert client_of(other).post(f"{V1}/tournaments/{cup.pk}/pause/").status_code == 200


def test_offer_is_hidden_from_others_and_needs_a_person(cup: Tournament, other: User) -> None:
    _offer(cup, other)

    assert_problem(client_of(make_user()).get(_address(cup)), status=404, code="no_offer")
    assert Client().get(_address(cup)).status_code == 401


def test_offer_is_declined(cup: Tournament, other: User) -> None:
    _offer(cup, other)

    assert client_of(other).delete(_address(cup)).status_code == 204
    assert_problem(client_of(other).post(f"{_address(cup)}accept/"), status=404, code="no_offer")


def test_staff_assign_and_others_do_not(cup: Tournament, other: User) -> None:
    body = {"person": other.username, "reason": "Its organiser is ill."}
    address = f"{_address(cup)}assign/"

    refused = client_of(cup.owner).post(address, body, format="json")
    done = client_of(make_staff()).post(address, body, format="json")

    assert_problem(refused, status=403, code="staff_only")
    assert done.status_code == 204
    assert _owner(cup) == other


def test_refusals_name_the_person(cup: Tournament) -> None:
    answers = {
        name: client_of(cup.owner).post(_address(cup), {"person": name}, format="json")
        for name in ("nobody", make_user("plain").username)
    }

    assert_problem(answers["nobody"], status=400, code="unknown_person", attr="person")
    assert_problem(answers["plain"], status=409, code="not_an_organiser", attr="person")


def test_token_needs_its_scope(cup: Tournament, other: User) -> None:
    blind = client_of(cup.owner, scopes=[Scope.BOTS_WRITE])

    refused = blind.post(_address(cup), {"person": other.username}, format="json")

    assert_problem(refused, status=403, code="missing_scope")


class TestPage:
    def test_leads_from_offer_to_acceptance(self, cup: Tournament, other: User) -> None:
        owner, address = cup.owner, reverse("tournament_handover", args=[cup.pk])
        controls = page_of(as_person(owner).get(reverse("tournament", args=[cup.pk]))).text
        as_person(owner).post(address, {"person": other.username})
        asked = as_person(other)

        told = page_of(asked.get(reverse("account"))).text
        question = page_of(asked.get(address)).text
        answer = asked.post(reverse("handover_accept", args=[cup.pk]), follow=True)

        assert "Organisers…" in controls
        assert "You are offered to organise" in told
        assert "You are offered this tournament." in question
        assert f"You organise {cup.name} now." in page_of(answer).text
        assert _owner(cup) == other

    def test_offer_is_taken_back(self, cup: Tournament, other: User) -> None:
        browser = as_person(cup.owner)
        browser.post(reverse("tournament_handover", args=[cup.pk]), {"person": other.username})

        browser.post(reverse("handover_end", args=[cup.pk]))

        assert not Handover.objects.exists()
        assert _owner(cup) == cup.owner

    def test_staff_give_a_reason(self, cup: Tournament, other: User) -> None:
        browser, address = as_person(make_staff()), reverse("tournament_handover", args=[cup.pk])

        without = browser.post(address, {"person": other.username})
        done = browser.post(address, {"person": other.username, "reason": "Left."})

        assert without.status_code == 200
        assert done.status_code == 302
        assert _owner(cup) == other

    def test_strangers_see_no_form(self, cup: Tournament) -> None:
        address = reverse("tournament_handover", args=[cup.pk])

        assert as_person(make_user(organiser=True)).get(address).status_code == 403
        assert Client().get(address).status_code == 302

    def test_refusal_stands_at_the_field(self, cup: Tournament) -> None:
        address = reverse("tournament_handover", args=[cup.pk])

        page = page_of(as_person(cup.owner).post(address, {"person": "nobody"})).text

        assert "There is no user called 'nobody'." in page

    def test_helper_is_asked_joins_and_leaves(self, cup: Tournament, other: User) -> None:
        address = reverse("tournament_handover", args=[cup.pk])
        page = reverse("tournament", args=[cup.pk])
        asked = as_person(cup.owner).post(
            address, {"share": "1", "share-person": other.username}, follow=True
        )
        question = page_of(as_person(other).get(address)).text
        as_person(other).post(reverse("handover_accept", args=[cup.pk]))
        joined = page_of(as_person(other).get(page)).text
        left = as_person(other).post(
            reverse("organiser_remove", args=[cup.pk]), {"person": other.username}, follow=True
        )

        assert f"{other.username} was asked and notified." in page_of(asked).text
        assert "You are asked to organise this tournament together." in question
        both = rf"organised by {cup.owner.username} ?, {other.username}"
        assert re.search(both, joined)
        assert "Pause" in joined
        assert f"does not organise {cup.name}" in page_of(left).text

    def test_error_of_the_helper_shows_at_its_own_field(self, cup: Tournament) -> None:
        address = reverse("tournament_handover", args=[cup.pk])

        answer = as_person(cup.owner).post(address, {"share": "1", "share-person": "nobody"})

        assert answer.context["share"].errors == {"person": ["There is no user called 'nobody'."]}
        assert not answer.context["form"].errors


class TestOrganisers:
    def test_helper_is_asked_listed_and_removed(self, cup: Tournament, other: User) -> None:
        address = f"{V1}/tournaments/{cup.pk}/organisers/"
        owner = client_of(cup.owner)
        made = owner.post(address, {"person": other.username}, format="json")
        before = client_of(make_user()).get(address)
        accepted = client_of(other).post(f"{_address(cup)}accept/")
        after = client_of(make_user()).get(address)
        removed = owner.delete(f"{address}{other.username}/")

        assert [row["role"] for row in made.json()] == ["owner", "asked"]
        assert [row["role"] for row in before.json()] == ["owner"]
        assert [row["person"]["username"] for row in after.json()] == [
            cup.owner.username,
            other.username,
        ]
        assert (made.status_code, accepted.status_code, removed.status_code) == (201, 204, 204)

    def test_others_neither_ask_nor_remove(self, cup: Tournament, other: User) -> None:
        address = f"{V1}/tournaments/{cup.pk}/organisers/"
        stranger = client_of(make_user(organiser=True))

        asked = stranger.post(address, {"person": other.username}, format="json")
        removed = stranger.delete(f"{address}{cup.owner.username}/")

        assert_problem(asked, status=403, code="not_your_tournament")
        assert_problem(removed, status=403, code="not_your_tournament")

    def test_draft_is_joined_by_who_was_asked(self, cup: Tournament, other: User) -> None:
        Tournament.objects.filter(pk=cup.pk).update(state="draft")
        client_of(cup.owner).post(
            f"{V1}/tournaments/{cup.pk}/organisers/", {"person": other.username}, format="json"
        )
        before = client_of(other).get(f"{V1}/tournaments/{cup.pk}/")
        offer = client_of(other).get(_address(cup))
        client_of(other).post(f"{_address(cup)}accept/")
        after = client_of(other).get(f"{V1}/tournaments/{cup.pk}/")

        assert (before.status_code, offer.json()["is_shared"]) == (404, True)
        assert after.status_code == 200
