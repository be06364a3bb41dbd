"""Feeds are valid Atom, tell results and nothing that is hidden."""

from datetime import datetime
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from django.test import Client
from django.urls import reverse

from pentathlon.bots.models import Bot
from pentathlon.ladders.models import Ladder, Season, SeasonState
from pentathlon.matches.hidden_lanes import HiddenLane
from pentathlon.matches.models import Match, MatchKind, MatchState
from pentathlon.ratings.models import Rating
from pentathlon.ratings.services import open_live_pool
from pentathlon.tournaments.models import Tournament, TournamentState
from tests.factories import make_bot, make_match, make_tournament, make_user, make_version
from tests.pentathlon.web.pages import page_of

pytestmark = pytest.mark.django_db

ATOM = "{http://www.w3.org/2005/Atom}"
HOSTILE = "<script>alert('1')</script> & ]]> \u0008"


def read(response: Any) -> ET.Element:
    """Parse a feed and hold it to the rules of RFC 4287."""
    assert response.status_code == 200
    assert response["Content-Type"].startswith("application/atom+xml")
    feed = ET.fromstring(response.content)
    assert feed.tag == f"{ATOM}feed"
    for each in (feed, *feed.iter(f"{ATOM}entry")):
        for name in ("id", "title", "updated"):
            assert len(each.findall(f"{ATOM}{name}")) == 1, name
            assert each.findtext(f"{ATOM}{name}")
        updated = each.findtext(f"{ATOM}updated") or ""
        assert datetime.fromisoformat(updated).tzinfo is not None
        links = each.findall(f"{ATOM}link")
        assert links
        assert all(link.attrib["href"].startswith("http://testserver/") for link in links)
    assert {link.get("rel") for link in feed.findall(f"{ATOM}link")} == {"self", "alternate"}
    assert feed.find(f"{ATOM}author/{ATOM}name") is not None
    ids = [each.findtext(f"{ATOM}id") for each in feed.iter(f"{ATOM}entry")]
    assert len(ids) == len(set(ids))
    return feed


def titles(feed: ET.Element) -> list[str]:
    return [each.findtext(f"{ATOM}title") or "" for each in feed.iter(f"{ATOM}entry")]


def test_feed_of_a_bot_has_its_rated_results() -> None:
    bot, other = make_version(name="Siskin"), make_version(name="Linnet")
    won = make_match([bot, other], state=MatchState.DONE)
    make_match([bot, other], state=MatchState.DONE, ranks=(0, 0))
    make_match([bot, other])
    make_match([bot, other], state=MatchState.DONE, kind=MatchKind.VALIDATION)
    address = reverse("bot_feed", args=[bot.bot_id])

    feed = read(Client().get(address))

    assert sorted(titles(feed)) == [
        "Siskin and Linnet drew with three of one kind in a row",
        "Siskin beat Linnet with three of one kind in a row",
    ]
    links = [link.attrib["href"] for link in feed.findall(f"{ATOM}entry/{ATOM}link")]
    assert f"http://testserver{reverse('match', args=[won.pk])}" in links


def test_hidden_results_are_in_no_feed() -> None:
    cup = make_tournament(state=TournamentState.RUNNING)
    versions = [make_version(), make_version()]
    make_match(versions, state=MatchState.DONE, lane=cup.pk)
    HiddenLane.objects.create(lane=cup.pk, organiser=cup.owner)
    Tournament.objects.filter(pk=cup.pk).update(
        state=TournamentState.CLOSED, finished_at=cup.created_at
    )
    addresses = [
        reverse("bot_feed", args=[versions[0].bot_id]),
        reverse("tournament_feed", args=[cup.pk]),
        reverse("game_feed", args=["tuned"]),
    ]
    client = Client()
    client.force_login(cup.owner)

    shown = [titles(read(client.get(address))) for address in addresses]

    assert shown == [[], [], []]


def test_feed_of_a_tournament_has_its_own_results() -> None:
    cup = make_tournament(state=TournamentState.RUNNING)
    match = make_match(state=MatchState.DONE, lane=cup.pk)
    make_match(state=MatchState.DONE)

    feed = read(Client().get(reverse("tournament_feed", args=[cup.pk])))

    assert [each.findtext(f"{ATOM}id") for each in feed.iter(f"{ATOM}entry")] == [
        f"urn:pentathlon:match:{match.pk}"
    ]


def test_draft_has_no_feed_even_for_its_owner() -> None:
    draft = make_tournament(state=TournamentState.DRAFT)
    client = Client()
    client.force_login(draft.owner)

    assert client.get(reverse("tournament_feed", args=[draft.pk])).status_code == 404


def test_feed_of_a_game_tells_what_ended_and_who_leads() -> None:
    match = make_match(state=MatchState.DONE)
    cup = make_tournament(name="Spring Cup")
    Tournament.objects.filter(pk=cup.pk).update(
        state=TournamentState.CLOSED, finished_at=match.finished_at
    )
    ladder = Ladder.objects.create(key="tuned", game="tuned", title="Tuned")
    Season.objects.create(
        ladder=ladder,
        number=3,
        state=SeasonState.CLOSED,
        closes_at=cup.created_at,
        closed_at=match.finished_at,
    )
    leader = match.seats.get(seat=0).version
    pool = open_live_pool(game="tuned")
    Rating.objects.create(pool=pool, version=leader, mu=30, sigma=1, matches=1)
    Rating.objects.create(pool=pool, version=make_version(), mu=20, sigma=1, matches=1)

    feed = read(Client().get(reverse("game_feed", args=["tuned"])))

    assert set(titles(feed)) == {
        "Spring Cup has closed",
        "Tuned: season 3 has ended",
        f"{leader.label} leads Tuned",
    }
    figure = Rating.objects.with_mean().get(version=leader).odds.sure
    assert f"beating an average bot at least {figure:.0%}".replace("%", " %") in " ".join(
        feed.itertext()
    )
    assert Client().get(reverse("game_feed", args=["chess"])).status_code == 404


def test_reader_who_has_it_gets_304_until_something_is_taken_back() -> None:
    match = make_match(state=MatchState.DONE)
    address = reverse("bot_feed", args=[match.seats.get(seat=0).version.bot_id])
    client = Client()
    first = client.get(address)

    again = client.get(address, headers={"if-none-match": first["ETag"]})
    since = client.get(address, headers={"if-modified-since": first["Last-Modified"]})
    Match.objects.filter(pk=match.pk).update(outcome_reason="deaths")
    changed = client.get(address, headers={"if-none-match": first["ETag"]})

    assert (again.status_code, again.content) == (304, b"")
    assert since.status_code == 304
    assert changed.status_code == 200


def test_empty_feed_does_not_change_by_being_read() -> None:
    address = reverse("bot_feed", args=[make_bot().pk])

    first, second = (read(Client().get(address)) for _ in range(2))

    assert ET.tostring(first) == ET.tostring(second)


def test_hostile_names_are_text() -> None:
    owner = make_user()
    version = make_version(owner=owner)
    Bot.objects.filter(pk=version.bot_id).update(name=HOSTILE)
    cup = make_tournament(owner, name=HOSTILE)
    match = make_match([version, make_version()], state=MatchState.DONE, lane=cup.pk)
    Tournament.objects.filter(pk=cup.pk).update(
        state=TournamentState.CLOSED, finished_at=match.finished_at
    )
    addresses = (
        reverse("bot_feed", args=[version.bot_id]),
        reverse("tournament_feed", args=[cup.pk]),
        reverse("game_feed", args=["tuned"]),
    )
    shown = HOSTILE.replace("\u0008", "\N{REPLACEMENT CHARACTER}")

    for address in addresses:
        feed = read(Client().get(address))
        told = [*titles(feed), feed.findtext(f"{ATOM}title") or ""]
        assert any(shown.strip() in title for title in told)
        for summary in feed.iter(f"{ATOM}summary"):
            # Readers take a summary for HTML.
            assert summary.attrib["type"] == "html"
            assert "<" not in (summary.text or "")


def test_pages_name_their_feeds() -> None:
    cup = make_tournament()
    bot = make_bot()
    pages = {
        reverse("bot", args=[bot.pk]): reverse("bot_feed", args=[bot.pk]),
        reverse("tournament", args=[cup.pk]): reverse("tournament_feed", args=[cup.pk]),
        reverse("game", args=["tuned"]): reverse("game_feed", args=["tuned"]),
    }

    for address, feed in pages.items():
        links = page_of(Client().get(address)).all("link")
        assert feed in [link["href"] for link in links if link.get("rel") == "alternate"]
