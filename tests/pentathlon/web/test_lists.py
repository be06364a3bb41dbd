"""Long lists come in pages, and searches find what they should."""

import csv

import pytest
from django.test import Client, RequestFactory
from django.urls import reverse
from django.views.defaults import server_error

from pentathlon.matches.models import Match, MatchState
from pentathlon.ratings.models import Rating
from pentathlon.ratings.services import open_live_pool
from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.results.standings import standings
from tests.factories import make_bot, make_match, make_tournament, make_user, make_version
from tests.pentathlon.web.pages import Page, page_of
from tests.pentathlon.web.scene import make_scene

pytestmark = pytest.mark.django_db


def test_pages_of_matches_hold_each_match_once_both_ways() -> None:
    versions = [make_version(), make_version()]
    ids = [make_match(versions, state=MatchState.DONE).pk for _ in range(65)]
    client, address, seen = Client(), reverse("matches"), list[int]()
    while address:
        page = client.get(address).context["page"]
        seen += [match.pk for match in page.rows]
        newer = page.newer
        address = reverse("matches") + page.older if page.older else ""

    back = client.get(reverse("matches") + newer).context["page"]

    assert seen == sorted(ids, reverse=True)
    assert [match.pk for match in back.rows] == seen[30:60]


def test_matches_can_be_narrowed_to_a_state() -> None:
    running = make_match(state=MatchState.RUNNING)
    make_match(state=MatchState.DONE)

    page = Client().get(reverse("matches"), {"state": "running"}).context["page"]

    assert [match.pk for match in page.rows] == [running.pk]


@pytest.mark.parametrize("query", ["before=x", "after=-3", "before=" + "9" * 40, "state=odd"])
def test_senseless_query_shows_the_first_page(query: str) -> None:
    match = make_match(state=MatchState.DONE)

    page = Client().get(f"/matches/?{query}").context["page"]

    assert [row.pk for row in page.rows] == [match.pk]


def test_search_finds_bots_in_any_case() -> None:
    make_bot("Copper Heron")
    make_bot("Tidewater")

    text = page_of(Client().get(reverse("bots"), {"q": "heron"})).text

    assert "Copper Heron" in text
    assert "Tidewater" not in text


def test_search_without_result_says_so_and_keeps_the_words() -> None:
    page = page_of(Client().get(reverse("bots"), {"q": '"><b>none'}))

    assert "No bot has that in its name." in page.text
    assert [each["value"] for each in page.all("input") if each.get("id") == "q"] == ['"><b>none']


def test_bots_of_one_author_stand_alone() -> None:
    mine = make_bot("Mine")
    make_bot("Other")

    text = page_of(Client().get(reverse("bots"), {"author": mine.owner.username})).text

    assert "Mine" in text
    assert "Other" not in text


def csv_lines(address: str) -> list[str]:
    response = Client().get(address)
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    return response.getvalue().decode().splitlines()


def rated(count: int) -> None:
    pool = open_live_pool(game="tuned")
    for number in range(count):
        Rating.objects.create(pool=pool, version=make_version(), mu=40 - number / 4, sigma=1.5)


def test_leaderboard_of_60_goes_on_where_it_stopped() -> None:
    rated(60)

    first = Client().get("/leaderboards/tuned/").context["table"]
    second = Client().get("/leaderboards/tuned/" + first.older).context["table"]

    assert [row.rank for row in first.rows] == list(range(1, 51))
    assert [row.rank for row in second.rows] == list(range(51, 61))
    assert (second.first, second.last, second.total) == (51, 60, 60)


def test_leaderboard_marks_what_is_provisional_and_own() -> None:
    rated(1)
    user = make_user()
    Rating.objects.create(
        pool=open_live_pool(game="tuned"), version=make_version(owner=user), mu=25, sigma=4
    )
    client = Client()
    client.force_login(user)

    rows = client.get("/leaderboards/tuned/").context["table"].rows

    assert [(row.provisional, row.own) for row in rows] == [(False, False), (True, True)]


def test_leaderboard_as_csv_has_every_bot_in_order() -> None:
    rated(60)

    lines = csv_lines("/leaderboards/tuned/table.csv")

    assert lines[0].startswith("rank,bot,version,author,beats_average,rating,mu,sigma")
    assert [line.split(",")[0] for line in lines[1:]] == [str(n) for n in range(1, 61)]


@pytest.mark.parametrize(
    "address", ["/leaderboards/chess/", "/games/chess/", "/games/chess/rules/"]
)
def test_unknown_game_is_not_here(address: str) -> None:
    assert "There is no page at this address." in page_of(Client().get(address)).text


def test_results_as_csv_have_a_line_for_every_seat() -> None:
    scene = make_scene()

    lines = csv_lines(reverse("tournament_csv", args=[scene.closed.pk]))

    assert len(lines) == 1 + 2 * Match.objects.filter(place__tournament=scene.closed).count()
    assert lines[1].startswith("1,1,1,")


def test_standings_as_csv_are_those_of_the_page() -> None:
    found = make_scene().closed
    Tournament.objects.filter(pk=found.pk).update(tie_breaks=["wins", "points"])
    found.refresh_from_db()
    address = reverse("standings_csv", args=[found.pk])

    lines = list(csv.DictReader(csv_lines(address)))

    rows = standings(found)
    assert [(line["bot"], line["place"], float(line["strength"])) for line in lines] == [
        (row.version.bot.name, str(row.place), row.bar.strength) for row in rows
    ]
    ranks = [row.rank_interval for row in rows]
    assert [line["rank_low"] for line in lines] == [str(each.best) for each in ranks if each]
    assert all(float(line["points"]) == row.points for line, row in zip(lines, rows, strict=True))
    assert list(lines[0])[-2:] == ["tie_break_wins", "tie_break_points"]
    page = Client().get(reverse("tournament", args=[found.pk]))
    assert address in page.content.decode()


def test_standings_as_csv_are_not_made_again_for_who_has_them() -> None:
    address = reverse("standings_csv", args=[make_scene().closed.pk])
    tag = Client().get(address).headers["ETag"]

    again = Client(headers={"If-None-Match": tag}).get(address)

    assert again.status_code == 304


def test_ratings_lead_to_a_table_with_results() -> None:
    make_scene()

    assert Client().get(reverse("leaderboards"))["Location"] == "/leaderboards/tuned/"


def test_mistake_of_ours_is_told_in_words() -> None:
    response = server_error(RequestFactory().get("/"))

    page = Page(response.content.decode())
    assert response.status_code == 500
    assert page.mistakes == []
    assert "This is our mistake, not yours." in page.text


def test_results_as_csv_are_not_made_again_for_who_has_them() -> None:
    found = make_tournament(versions=[make_version(), make_version()])
    address = f"/tournaments/{found.pk}/results.csv"
    etag = Client().get(address)["ETag"]

    again = Client().get(address, headers={"If-None-Match": etag})

    assert (again.status_code, again.content) == (304, b"")
