"""The search page, by anybody and with anything."""

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from tests.factories import make_bot, make_match, make_tournament, make_user
from tests.pentathlon.web.pages import page_of

pytestmark = pytest.mark.django_db

HOSTILE = "<script>alert(1)</script>&\"'"


def test_search_lists_what_it_finds_with_links() -> None:
    bot = make_bot("Copper Heron", owner=make_user("heronry"))
    cup = make_tournament(name="Heron Cup")

    page = page_of(Client().get(reverse("search"), {"q": "heron"}))

    assert "Copper Heron by heronry" in page.text
    assert {reverse("bot", args=[bot.pk]), reverse("tournament", args=[cup.pk])} <= set(
        page.links()
    )


@pytest.mark.parametrize("query", ["tuned", "Way of", "dragon", "TASH"])
def test_games_are_found_by_their_titles(query: str) -> None:
    page = page_of(Client().get(reverse("search"), {"q": query}))

    games = [link for link in page.links() if link.startswith("/games/") and link != "/games/"]
    assert "Games" in page.text
    assert len([link for link in games if not link.endswith("/rules/")]) == 1
    assert "Nothing has that name" not in page.text


def test_number_leads_to_the_match() -> None:
    match = make_match()

    page = page_of(Client().get(reverse("search"), {"q": f"#{match.pk}"}))

    assert reverse("match", args=[match.pk]) in page.links()


def test_one_kind_can_be_asked_for_and_more_of_it_is_shown() -> None:
    owner = make_user("rook")
    for number in range(9):
        make_bot(f"rook-{number}", owner=owner)

    all_kinds = page_of(Client().get(reverse("search"), {"q": "rook"}))
    bots = page_of(Client().get(reverse("search"), {"q": "rook", "kind": "bot"}))

    assert "?q=rook&kind=bot" in " ".join(all_kinds.links())
    assert sum(link.startswith("/bots/") for link in all_kinds.links()) == 1 + 8
    assert "/people/rook/" in all_kinds.links()
    assert sum(link.startswith("/bots/") for link in bots.links()) == 1 + 9


def test_hostile_query_finds_nothing_and_breaks_nothing() -> None:
    make_match()

    for query in ("", " ", HOSTILE, *"%_\\*٣\u202e", "'; --", "a" * 5000, "(" * 60):
        response = Client().get(reverse("search"), {"q": query, "kind": query})

        assert page_of(response).mistakes == [], query
        assert "<script>alert" not in response.content.decode(), query


def test_hostile_name_is_text() -> None:
    make_tournament(name=HOSTILE)

    response = Client().get(reverse("search"), {"q": "alert"})

    assert HOSTILE in page_of(response).text
    assert "<script>alert" not in response.content.decode()


def test_every_page_has_a_field_for_the_search() -> None:
    page = page_of(Client().get(reverse("home")))

    assert page.field("q")["id"] == "site-q"
    assert reverse("search") in [form.get("action") for form in page.all("form")]


def test_somebody_who_searches_too_often_waits(settings: Settings) -> None:
    settings.RATES = {**settings.RATES, "searches": "2/min"}
    client = Client()

    statuses = [client.get(reverse("search"), {"q": "x"}).status_code for _ in range(3)]

    assert statuses == [200, 200, 429]
