"""Pages, embeds, pictures and letters say who won; replays tell it at their end only."""

import pytest
from django.test import Client
from django.urls import reverse

from pentathlon.matches.hidden_lanes import HiddenLane
from pentathlon.matches.latest import tell_match
from pentathlon.matches.models import Match, MatchState
from pentathlon.tournaments.results.final_table import podiums
from pentathlon.tournaments.results.hidden_results import public_result
from tests.factories import make_match
from tests.pentathlon.web.pages import page_of
from tests.pentathlon.web.scene import Scene

pytestmark = pytest.mark.django_db


@pytest.fixture
def said(scene: Scene) -> str:
    return tell_match(Match.objects.with_seats().get(pk=scene.done.pk))


@pytest.mark.parametrize("name", ["match", "embed_match"])
def test_replay_folds_who_won_until_its_end(scene: Scene, said: str, name: str) -> None:
    address = reverse(name, args=[scene.done.pk])

    begun, ended = (page_of(Client().get(address, {"ply": ply})) for ply in (0, 9999))

    stories = [page.all("details") for page in (begun, ended)]
    assert [each.get("open") for each in stories[0] if each.get("class") == "story"] == [None]
    assert ["open" in each for each in stories[1] if each.get("class") == "story"] == [True]
    assert said in begun.text
    assert said in ended.text


def test_title_of_a_match_says_who_won_at_its_end(scene: Scene, said: str) -> None:
    address = reverse("match", args=[scene.done.pk])

    begun, ended = (Client().get(address, {"ply": ply}).content.decode() for ply in (0, 9999))

    assert f"<title>{said.removesuffix('.')}, Tuned" in ended
    assert f'<meta property="og:title" content="{said.removesuffix(".")}">' in ended
    assert said.removesuffix(".") not in begun.partition("</head>")[0]


def test_offer_to_embed_says_who_won_at_the_end(scene: Scene, said: str) -> None:
    address = f"http://testserver{reverse('match', args=[scene.done.pk])}"

    titles = [
        Client().get(reverse("oembed"), {"url": f"{address}?ply={ply}"}).json()["title"]
        for ply in (0, 9999)
    ]

    assert titles[1] == f"Tuned: {said.removesuffix('.')}"
    assert " – " in titles[0]


def test_list_of_matches_says_who_won(scene: Scene, said: str) -> None:
    assert said in page_of(Client().get(reverse("matches"))).text


def test_list_of_matches_begins_with_what_one_can_watch(scene: Scene) -> None:
    make_match(state=MatchState.PENDING)

    latest, waiting = (
        page_of(Client().get(reverse("matches"), query)).text
        for query in ({}, {"state": "pending"})
    )

    assert "waiting" not in latest.partition("What happened")[2]
    assert "waiting" in waiting.partition("What happened")[2]


def test_tournament_says_who_won_in_title_description_and_letters(scene: Scene) -> None:
    cup = scene.closed
    story = podiums([cup.pk])[cup.pk].story

    html = Client().get(reverse("tournament", args=[cup.pk])).content.decode()

    assert f"<title>{story} Autumn Cup" in html
    assert f'<meta name="description" content="{story} Autumn Cup' in html
    assert public_result(cup) == {"result": story}
    offer = Client().get(
        reverse("oembed"), {"url": f"http://testserver{reverse('tournament', args=[cup.pk])}"}
    )
    assert offer.json()["title"] == f"Autumn Cup: {story}"


def test_hidden_results_are_told_to_nobody(scene: Scene) -> None:
    HiddenLane.objects.create(lane=scene.closed.pk, organiser=scene.organiser)

    assert public_result(scene.closed) == {}
    html = Client().get(reverse("tournament", args=[scene.closed.pk])).content.decode()
    assert "ahead of" not in html
