"""The page of the Pentathlon ranking."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from pentathlon.ratings.models import Pool
from pentathlon.ratings.rankings.services import REFRESH_S, refresh_ranking
from pentathlon.web.tables import PAGE_SIZE
from tests.factories import make_user, make_version
from tests.pentathlon.ratings.rankings.rated import let_pass, rate
from tests.pentathlon.web.pages import page_of

pytestmark = pytest.mark.django_db


def test_page_shows_authors_shares_and_the_bots_that_count() -> None:
    author = make_user()
    version = rate(make_version(owner=author), mu=32)
    rate(make_version(), mu=22)
    refresh_ranking()

    page = page_of(Client().get("/ranking/"))

    assert author.username in page.text
    assert version.label in page.text
    assert f"/bots/{version.bot_id}/" in page.links()
    assert "/docs/ranking/" in page.links()
    assert "not entered" in page.text


def test_reader_on_another_page_finds_their_own_line_first() -> None:
    reader = make_user()
    rate(make_version(owner=reader), mu=10)
    for number in range(PAGE_SIZE):
        rate(make_version(), mu=20 + number / 10)
    refresh_ranking()
    client = Client()
    client.force_login(reader)

    first, second = (page_of(client.get(f"/ranking/?page={number}")) for number in (1, 2))
    stranger = page_of(Client().get("/ranking/"))

    assert "Your line" in first.text
    assert "Your line" not in second.text + stranger.text
    assert first.text.count("yours") == second.text.count("yours") == 1
    assert "?page=2" in first.links()


def test_line_on_a_profile_is_called_yours_to_its_author_alone() -> None:
    author = make_user()
    rate(make_version(owner=author), mu=30)
    refresh_ranking()
    client = Client()
    client.force_login(author)
    address = f"/people/{author.username}/"

    own, of_stranger = (page_of(each.get(address)) for each in (client, Client()))

    assert own.text.count("yours") == 1
    assert "yours" not in of_stranger.text
    assert "Overall standings" in of_stranger.text


def test_empty_ranking_says_how_to_get_in() -> None:
    page = page_of(Client().get("/ranking/"))

    assert "No author is ranked yet" in page.text
    assert "/bots/new/" in page.links()


@pytest.mark.parametrize("address", ["/", "/leaderboards/tuned/"])
def test_home_leaderboards_and_navigation_lead_to_the_ranking(address: str) -> None:
    assert page_of(Client().get(address)).links().count("/ranking/") == 1


def test_rule_is_told_in_plain_words() -> None:
    page = page_of(Client().get("/docs/ranking/"))

    assert "best settled version" in page.text
    assert "Doing nothing never pays" in page.text


@pytest.mark.parametrize("address", ["/ranking/", "/"])
def test_page_asks_as_often_for_many_authors_as_for_few(address: str) -> None:
    counts = []
    for authors in (2, 6):
        for number in range(authors):
            rate(make_version(), mu=20 + number)
        Pool.objects.update(applied_seq=authors)
        let_pass(REFRESH_S + 1)
        refresh_ranking()
        Client().get(address)  # what is on TV is chosen once for ten minutes
        with CaptureQueriesContext(connection) as queries:
            Client().get(address)
        counts.append(len(queries))

    assert counts[0] == counts[1]
