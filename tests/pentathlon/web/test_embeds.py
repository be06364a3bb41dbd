"""What other sites may show in a frame: public things, without cookies and forms."""

import re
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from pentathlon.bots.models import Bot
from pentathlon.matches.hidden_lanes import HiddenLane
from pentathlon.matches.models import Match, MatchKind
from pentathlon.ratings.models import Rating
from pentathlon.ratings.services import open_live_pool
from tests.factories import make_version
from tests.pentathlon.web.pages import page_of
from tests.pentathlon.web.scene import Scene

pytestmark = pytest.mark.django_db

HOSTILE = '"><script>alert(1)</script>'


def embeds(scene: Scene) -> list[str]:
    """Return all addresses below /embed/."""
    match = [scene.done.pk]
    return [
        reverse("embed_match", args=match),
        reverse("embed_board", args=match) + "?ply=3",
        reverse("embed_moment", args=match) + "?ply=3",
        reverse("embed_leaderboard", args=["tuned"]),
    ]


def test_embeds_open_in_frames_and_read_and_set_no_cookie(scene: Scene) -> None:
    client = Client()
    client.force_login(scene.author)
    client.cookies["theme"] = "dark"

    for address in embeds(scene):
        answer = client.get(address)
        assert answer.status_code == 200, address
        policy = answer["Content-Security-Policy"]
        assert "frame-ancestors *" in policy
        assert "form-action 'none'" in policy
        assert "default-src 'self'" in policy
        assert "X-Frame-Options" not in answer
        assert not answer.cookies
        assert "Cookie" not in answer.get("Vary", "")
        assert answer["Cache-Control"].startswith("public")
        body = answer.content.decode()
        assert "<form" not in body
        assert 'data-theme="dark"' not in body
        assert scene.author.username not in body or "leaderboards" in address or "by" in body


def test_all_other_pages_stay_out_of_frames(scene: Scene) -> None:
    addresses = ["/", reverse("match", args=[scene.done.pk]), reverse("oembed") + "?url=x"]

    for address in addresses:
        answer = Client().get(address)
        assert "frame-ancestors 'none'" in answer["Content-Security-Policy"]
        assert answer["X-Frame-Options"] == "DENY"


def test_embedded_replay_has_board_words_controls_and_a_link_back(scene: Scene) -> None:
    address = reverse("embed_match", args=[scene.done.pk])

    page = page_of(Client().get(address, {"ply": "2", "theme": "light"}))

    assert reverse("match", args=[scene.done.pk]) in page.links()
    assert "?ply=3" in page.links()
    assert page.all("svg")
    assert page.all("html")[0]["data-theme"] == "light"
    assert [link.get("target") for link in page.all("a") if "/matches/" in link["href"]] == [
        "_blank",
        "_blank",
    ]


def test_what_is_not_public_or_not_over_is_not_embedded(scene: Scene) -> None:
    client = Client()
    client.force_login(scene.organiser)
    hidden = scene.done
    HiddenLane.objects.create(lane=hidden.lane, organiser=scene.organiser)
    check = scene.faulty
    Match.objects.filter(pk=check.pk).update(kind=MatchKind.VALIDATION)

    for match in (hidden, check, scene.live, scene.void):
        for name in ("embed_match", "embed_board", "embed_moment"):
            assert client.get(reverse(name, args=[match.pk])).status_code == 404
        page = f"http://testserver{reverse('match', args=[match.pk])}"
        assert client.get(reverse("oembed"), {"url": page}).status_code == 404


def test_hostile_names_are_text_in_embeds_and_in_the_snippet(scene: Scene) -> None:
    Bot.objects.filter(pk=scene.versions[0].bot_id).update(name=HOSTILE)
    version = make_version()
    Bot.objects.filter(pk=version.bot_id).update(name=HOSTILE[1:])
    pool = open_live_pool(game="tuned")
    Rating.objects.create(pool=pool, version=version, mu=60, sigma=1, matches=5)
    match = Match.objects.public().of_version(scene.versions[0].pk).recent()[0]
    page = reverse("match", args=[match.pk])
    oembed = Client().get(reverse("oembed"), {"url": f"http://testserver{page}"})

    bodies = [
        *(Client().get(address).content.decode() for address in embeds(scene)),
        Client().get(page).content.decode(),
        oembed.json()["html"],
    ]

    assert all("<script>alert" not in body for body in bodies)
    assert "alert(1)" in bodies[0] + bodies[-1]


def test_match_page_has_a_snippet_that_leads_to_the_embed(scene: Scene) -> None:
    answer = Client().get(reverse("match", args=[scene.done.pk]))

    page = page_of(answer)
    snippets = [
        each["data-copy"] for each in page.all("button") if "iframe" in each.get("data-copy", "")
    ]

    (source,) = re.findall(r'src="([^"]+)"', snippets[0])
    assert source == f"http://testserver{reverse('embed_match', args=[scene.done.pk])}"
    links = [
        each["href"] for each in page.all("link") if each.get("type") == "application/json+oembed"
    ]
    assert Client().get(links[0]).json()["html"] == snippets[0]


def test_oembed_fits_the_room_it_is_given(scene: Scene) -> None:
    page = f"http://testserver{reverse('match', args=[scene.done.pk])}"

    told = Client().get(reverse("oembed"), {"url": page, "maxwidth": "300", "maxheight": "5"})

    body = told.json()
    assert (body["version"], body["type"], body["width"], body["height"]) == (
        "1.0",
        "rich",
        300,
        240,
    )
    assert 'width="300" height="240"' in body["html"]
    board = f"http://testserver{reverse('leaderboard', args=['tuned'])}"
    assert (
        "embed/leaderboards/tuned"
        in Client().get(reverse("oembed"), {"url": board}).json()["html"]
    )


def offered(path: str) -> dict[str, Any]:  # Any: JSON
    answer = Client().get(reverse("oembed"), {"url": f"http://testserver{path}"})
    offer: dict[str, Any] = answer.json()
    assert answer.status_code == 200, path
    return offer


def test_oembed_keeps_the_moment_of_a_match(scene: Scene) -> None:
    page = reverse("match", args=[scene.done.pk])

    told = offered(f"{page}?ply=5&seat=1&theme=dark&x=%22")

    (source,) = re.findall(r'src="([^"]+)"', told["html"])
    assert source == f"http://testserver/embed/matches/{scene.done.pk}/?ply=5&amp;seat=1"
    assert "?" not in offered(f"{page}?ply=-1&seat={'9' * 9}")["html"]


def test_page_of_a_moment_leads_to_the_frame_of_that_moment(scene: Scene) -> None:
    page = page_of(Client().get(reverse("match", args=[scene.done.pk]), {"ply": "3"}))

    (link,) = (
        each["href"] for each in page.all("link") if each.get("type") == "application/json+oembed"
    )

    assert "?ply=3" in Client().get(link).json()["html"]


def test_oembed_knows_addresses_without_the_last_slash(scene: Scene) -> None:
    for path in (reverse("match", args=[scene.done.pk]), reverse("leaderboard", args=["tuned"])):
        assert offered(path.rstrip("/")) == offered(path)


def test_oembed_of_a_board_is_a_picture(scene: Scene) -> None:
    told = offered(reverse("board", args=[scene.done.pk]) + "?ply=2")

    assert told["type"] == "photo"
    assert told["url"].endswith(f"/embed/matches/{scene.done.pk}/board.svg?ply=2")
    size = f'viewBox="0 0 {told["width"]} {told["height"]}"'
    assert size in Client().get(told["url"]).content.decode()


def test_oembed_of_larger_pages_is_a_link_with_a_picture(scene: Scene) -> None:
    bot = scene.versions[0].bot
    pages = {
        reverse("tournament", args=[scene.running.pk]): scene.running.name,
        reverse("bot", args=[bot.pk]): bot.name,
        reverse("game", args=["tuned"]): "Tuned",
    }

    for path, title in pages.items():
        told = offered(path)
        assert (told["type"], told["title"]) == ("link", title)
        assert Client().get(told["thumbnail_url"])["Content-Type"] == "image/png"


def test_oembed_says_which_pages_it_knows() -> None:
    answer = Client().get(reverse("oembed"), {"url": "http://testserver/bots/"})

    assert answer.status_code == 404
    assert "match, board, leaderboard, tournament, bot, game" in answer.json()["error"]


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({}, 404),
        ({"url": "http://elsewhere.example/matches/1/"}, 404),
        ({"url": "javascript:alert(1)"}, 404),
        ({"url": "http://testserver/bots/"}, 404),
        ({"url": "http://testserver/tournaments/999999"}, 404),
        ({"url": "http://testserver/leaderboards/chess/"}, 404),
        ({"url": "http://testserver/matches/999999/"}, 404),
        ({"url": "http://[::1/"}, 404),
        ({"url": "http://testserver/", "format": "xml"}, 501),
    ],
)
def test_odd_oembed_requests_are_refused(query: dict[str, str], status: int) -> None:
    assert Client().get(reverse("oembed"), query).status_code == status


def test_session_cookie_is_named_in_no_embed(scene: Scene) -> None:
    client = Client()
    client.cookies[settings.SESSION_COOKIE_NAME] = "nonsense"

    assert not client.get(embeds(scene)[0]).cookies
