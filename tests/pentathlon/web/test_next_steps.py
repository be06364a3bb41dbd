"""A page on which a task ends says what to do next."""

import pytest
from django.test import Client

from pentathlon.accounts.models import User
from tests.factories import make_user
from tests.pentathlon.tournaments.challenges.acting import challenged, play, waiting, won_by
from tests.pentathlon.web.pages import Page, page_of
from tests.pentathlon.web.scene import Scene

pytestmark = pytest.mark.django_db


def _seen_by(person: User, address: str) -> Page:
    client = Client()
    client.force_login(person)
    return page_of(client.get(address))


def test_newcomer_is_led_to_a_first_bot() -> None:
    page = _seen_by(make_user(), "/account/")

    assert "What next?" in page.text
    assert {"/docs/first-bot/", "/bots/new/"} <= set(page.links())


def test_version_that_may_play_leads_to_rivals_and_tournaments(scene: Scene) -> None:
    version = scene.versions[0]

    page = _seen_by(scene.author, f"/versions/{version.pk}/")

    assert "What next?" in page.text
    assert "/tournaments/?state=open" in page.links()
    assert "What next?" not in _seen_by(make_user(), f"/versions/{version.pk}/").text


def test_open_tournament_tells_its_organiser_what_it_waits_for(scene: Scene) -> None:
    address = f"/tournaments/{scene.open.pk}/"

    assert f"{address}#enter" in _seen_by(scene.organiser, address).links()
    assert "What next?" not in _seen_by(scene.author, address).text


def test_closed_tournament_leads_to_the_next(scene: Scene) -> None:
    address = f"/tournaments/{scene.closed.pk}/"

    assert "/tournaments/new/?game=tuned" in _seen_by(scene.organiser, address).links()
    assert "/leaderboards/tuned/" in _seen_by(scene.author, address).links()


def test_finished_challenge_leads_to_the_same_again() -> None:
    challenge = challenged(blocks=1)
    address = f"/challenges/{challenge.pk}/"
    before = _seen_by(challenge.author, address)

    play(waiting(challenge), won_by(challenge.version))

    after = _seen_by(challenge.author, address)
    again = f"/challenges/new/?version={challenge.version_id}&bot={challenge.opponent.bot_id}"
    assert again not in before.links()
    assert again in after.links()


def test_lists_are_narrowed_by_state_and_game(scene: Scene) -> None:
    running = page_of(Client().get("/tournaments/?state=running&game=tuned"))
    other = page_of(Client().get("/tournaments/?state=running&game=azure"))
    matches = page_of(Client().get("/matches/?state=done&game=tuned"))

    assert "Winter League" in running.text
    assert "Autumn Cup" not in running.text
    assert "No such tournament." in other.text
    assert "/matches/?state=done" in matches.links()
