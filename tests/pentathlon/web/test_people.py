"""The page of a person: bots, ranking, titles, matches and rivals."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from pentathlon.accounts.models import User
from pentathlon.matches.hidden_lanes import HiddenLane
from pentathlon.ratings.rankings.models import FormerPlace, RankingDay
from pentathlon.ratings.rankings.services import keep_ranking, refresh_ranking
from pentathlon.tournaments.models import FinalRow, Tournament, TournamentState
from pentathlon.tournaments.results.final_table import titles_of
from tests.factories import make_tournament, make_user, make_version
from tests.pentathlon.insight.rivalry.playing import play
from tests.pentathlon.ratings.rankings.rated import rate
from tests.pentathlon.web.pages import Page, page_of

pytestmark = pytest.mark.django_db


def _profile(username: str) -> Page:
    return page_of(Client().get(reverse("profile", args=[username])))


def _won_cup(name: str) -> Tournament:
    """Store a closed tournament that `ada` has won."""
    version = make_version(owner=make_user("ada"), name="Ada-1")
    now = datetime.now(tz=UTC)
    cup = make_tournament(
        versions=[version], state=TournamentState.CLOSED, name=name, finished_at=now
    )
    FinalRow.objects.create(
        entry=cup.entries.get(), place=1, group=1, mu=25, sigma=1, chance_of_best=1
    )
    return cup


def test_bots_come_with_ratings_matches_and_rivals() -> None:
    ada, bob = make_user("ada"), make_user("bob")
    own, other = make_version(owner=ada, name="Ada-1"), make_version(owner=bob, name="Bob-1")
    make_version(owner=ada, name="Ada-idle")
    play(own, other, times=3)

    page = _profile("Ada")  # in any case

    assert "Ada-1" in page.text
    assert "not rated" in page.text
    assert "2 bots" in page.text
    assert reverse("profile", args=["bob"]) in page.links()
    assert "100 %" in page.text
    assert len([link for link in page.links() if link.startswith("/matches/")]) == 3


def test_titles_are_told() -> None:
    cup = _won_cup("Spring Cup")

    page = _profile("ada")

    assert "1st" in page.text
    assert reverse("tournament", args=[cup.pk]) in page.links()


def test_title_of_a_hidden_tournament_is_not_told() -> None:
    cup = _won_cup("Secret Cup")
    HiddenLane.objects.create(lane=cup.pk, organiser=cup.owner)

    assert "Secret Cup" not in _profile("ada").text


def test_ranking_of_each_day_is_remembered_once() -> None:
    ada = make_user("ada")
    rate(make_version(owner=ada), mu=30)
    rate(make_version(), mu=20)
    refresh_ranking()

    assert [keep_ranking(), keep_ranking()] == [2, 0]

    assert FormerPlace.objects.get(author=ada).rank == 1
    assert "1 of 2" in _profile("ada").text


def test_day_that_was_cut_off_is_finished() -> None:
    ada = make_user("ada")
    rate(make_version(owner=ada), mu=30)
    refresh_ranking()
    keep_ranking()
    RankingDay.objects.update(is_complete=False)
    FormerPlace.objects.update(rank=7)

    keep_ranking()

    assert FormerPlace.objects.get().rank == 7
    assert RankingDay.objects.get().is_complete


def test_history_has_a_line_from_two_days_on() -> None:
    ada = make_user("ada")
    for age in (2, 1, 0):
        day = datetime.now(tz=UTC).date() - timedelta(days=age)
        made = RankingDay.objects.create(day=day, authors=5, is_complete=True)
        FormerPlace.objects.create(author=ada, day=made, rank=age + 1, share=0.5)

    page = _profile("ada")

    assert len(page.all("polyline")) == 1
    assert "3 of 5" in page.text


def test_unknown_person_is_not_found() -> None:
    for name in ("nobody-here", "x" * 300):
        assert Client().get(f"/people/{name}/").status_code == 404


def test_queries_do_not_grow_with_the_bots() -> None:
    ada = make_user("ada")
    play(make_version(owner=ada), make_version())
    before = _queries()
    for _ in range(3):
        play(make_version(owner=ada), make_version())

    assert _queries() == before


def _queries() -> int:
    with CaptureQueriesContext(connection) as queries:
        _profile("ada")
    return len(queries)


def test_titles_are_found_by_the_entries_of_an_author() -> None:
    """SQLite looked for each version in each closed tournament of the site otherwise."""
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL knows how many rows the tables have")
    _won_cup("Cup")

    plan = titles_of(User.objects.get(username="ada")).explain()

    assert "tournaments_entry_version_id" in plan
    assert "AUTOMATIC" not in plan
