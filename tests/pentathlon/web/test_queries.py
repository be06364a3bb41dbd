"""Pages ask the database as often for 30 rows as for 3."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from pentathlon.bots.models import BotVersion
from pentathlon.matches.models import Match, MatchState
from pentathlon.ratings.models import Rating
from pentathlon.ratings.services import open_live_pool
from pentathlon.tournaments.models import Entry, Tournament, TournamentMatch, TournamentState
from tests.factories import make_match, make_tournament, make_user, make_version

pytestmark = pytest.mark.django_db


def queries_of(address: str) -> int:
    """Count the queries of a page for somebody who is signed in."""
    client = Client()
    client.force_login(make_user())
    client.get(address)  # what is asked once per process is asked here
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address).status_code == 200
    return len(queries)


def add_matches(count: int) -> None:
    versions = [make_version(), make_version()]
    for _ in range(count):
        make_match(versions, state=MatchState.DONE)


def add_bots(count: int) -> None:
    for _ in range(count):
        make_version()


def add_ratings(count: int) -> None:
    pool = open_live_pool(game="tuned")
    for number in range(count):
        Rating.objects.create(pool=pool, version=make_version(), mu=25 + number, sigma=2)


def add_tournaments(count: int) -> None:
    for _ in range(count):
        make_tournament(versions=[make_version()])


@pytest.mark.parametrize(
    ("name", "add"),
    [
        ("matches", add_matches),
        ("bots", add_bots),
        ("leaderboards", add_ratings),
        ("tournaments", add_tournaments),
    ],
)
def test_list_asks_as_often_for_8_rows_as_for_3(name: str, add: Callable[[int], None]) -> None:
    address = "/leaderboards/tuned/" if name == "leaderboards" else reverse(name)
    add(3)
    few = queries_of(address)

    add(5)

    assert queries_of(address) == few


@pytest.fixture
def tournament() -> Tournament:
    return make_tournament(versions=[make_version() for _ in range(3)])


def grow(tournament: Tournament, *, bots: int, matches: int) -> None:
    """Add entries, and finished matches between the first two."""
    first = tournament.entries.count()
    Entry.objects.bulk_create(
        Entry(tournament=tournament, version=make_version(), number=first + number)
        for number in range(bots)
    )
    versions = [entry.version for entry in tournament.entries.in_order()[:2]]
    start = TournamentMatch.objects.filter(tournament=tournament).count() + 1
    for index in range(start, start + matches):
        match = make_match(versions, state=MatchState.DONE)
        TournamentMatch.objects.create(
            tournament=tournament, match=match, round=1, block=index, index=index
        )


def test_tournament_asks_as_often_for_8_rows_as_for_3(tournament: Tournament) -> None:
    Tournament.objects.filter(pk=tournament.pk).update(state=TournamentState.RUNNING)
    parts = ("", "matches/", "schedule/", "faults/", "document/")
    addresses = [f"/tournaments/{tournament.pk}/{part}" for part in parts]
    grow(tournament, bots=0, matches=3)
    few = {address: queries_of(address) for address in addresses}

    grow(tournament, bots=5, matches=5)

    assert {address: queries_of(address) for address in addresses} == few


def test_open_tournament_asks_as_often_for_8_entries_as_for_3(tournament: Tournament) -> None:
    address = reverse("tournament", args=[tournament.pk])
    few = queries_of(address)

    grow(tournament, bots=5, matches=0)

    assert queries_of(address) == few


def test_bot_page_asks_as_often_for_8_versions_as_for_3() -> None:
    first = make_version()
    for _ in range(2):
        make_version(bot=first.bot)
    address = reverse("bot", args=[first.bot_id])
    few = queries_of(address)

    for _ in range(5):
        make_version(bot=first.bot)

    assert BotVersion.objects.filter(bot=first.bot).count() == 8
    assert queries_of(address) == few


def test_home_asks_as_often_on_a_busy_day() -> None:
    add_tournaments(4)
    add_ratings(5)
    make_match(state=MatchState.RUNNING)
    make_match(state=MatchState.RUNNING)
    make_match(state=MatchState.RUNNING)
    add_matches(1)
    queries_of("/")  # chooses what is on TV
    few = queries_of("/")

    add_tournaments(30)
    add_ratings(30)
    add_matches(30)

    assert Match.objects.count() == 34
    assert queries_of("/") == few
