"""Ladders over REST."""

import csv
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries
from rest_framework.test import APIClient

from pentathlon.ladders.seasons import close_seasons, end_season
from pentathlon.tournaments.services import close_finished
from tests.api.client import V1, assert_problem, client_of
from tests.factories import make_user, make_version
from tests.pentathlon.ladders.playing import (
    make_reference,
    open_ladder,
    play_waiting,
    seat_all,
    step,
)

pytestmark = pytest.mark.django_db


def test_list_has_every_ladder_with_its_season(anonymous: APIClient) -> None:
    open_ladder(all_others=True)
    make_version()
    seat_all()

    found = anonymous.get(f"{V1}/ladders/").json()["results"]

    tuned = next(each for each in found if each["key"] == "tuned")
    assert tuned["season"]["number"] == 1
    assert tuned["season"]["bots"] == 1
    assert tuned["season"]["divisions"][0]["commitment"]
    assert anonymous.get(f"{V1}/ladders/tuned/").json() == tuned


def test_table_ranks_authors_and_lists_reference_bots_without_a_rank(
    anonymous: APIClient,
) -> None:
    open_ladder()
    mark, version = make_reference(), make_version()
    seat_all()
    step()
    play_waiting(winner=mark.pk)

    rows = anonymous.get(f"{V1}/ladders/tuned/standings/").json()["results"]

    assert [(row["rank"], row["reference"]) for row in rows] == [(None, True), (1, False)]
    assert rows[1]["standing"]["version"]["id"] == version.pk


def test_number_of_queries_does_not_grow(
    anonymous: APIClient, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    open_ladder(all_others=True)
    for _ in range(6):
        make_version()
    seat_all()
    step()
    play_waiting()

    with django_assert_max_num_queries(5):
        anonymous.get(f"{V1}/ladders/")
    with django_assert_max_num_queries(12):
        anonymous.get(f"{V1}/ladders/tuned/standings/")


def test_author_joins_pauses_and_leaves() -> None:
    open_ladder()
    version = make_version()
    seat_all()
    client = client_of(version.bot.owner)
    address = f"{V1}/ladders/tuned"

    answers = [
        client.post(f"{address}/{verb}/", {"bot": version.bot_id}, format="json").json()
        for verb in ("pause", "join", "leave", "join")
    ]

    assert [answer["choice"] for answer in answers] == ["paused", "in", "out", "in"]
    playing = [answer["version"] and answer["version"]["id"] for answer in answers]
    assert playing == [version.pk, version.pk, None, version.pk]


def test_another_ones_bot_is_refused() -> None:
    open_ladder()
    version = make_version()
    seat_all()

    answer = client_of(make_user()).post(f"{V1}/ladders/tuned/leave/", {"bot": version.bot_id})

    assert_problem(answer, status=403, code="not_your_bot")


def test_unknown_names_are_refused(anonymous: APIClient) -> None:
    open_ladder()
    client = client_of(make_user())

    assert anonymous.get(f"{V1}/ladders/chess/").status_code == 404
    assert anonymous.get(f"{V1}/ladders/tuned/standings/?division=9").status_code == 404
    assert anonymous.get(f"{V1}/ladders/tuned/standings/?division=x").status_code == 400
    assert anonymous.get(f"{V1}/ladders/tuned/?since=1").status_code == 400
    assert client.post(f"{V1}/ladders/tuned/join/", {"bot": 10**9}).status_code == 404
    assert client.post(f"{V1}/ladders/tuned/join/", {"version": 1}).status_code == 400


def test_divisions_are_no_tournaments_of_the_list(anonymous: APIClient) -> None:
    open_ladder()
    tournament = anonymous.get(f"{V1}/ladders/tuned/").json()["season"]["divisions"][0]

    assert anonymous.get(f"{V1}/tournaments/").json()["results"] == []
    assert anonymous.get(f"{V1}/tournaments/{tournament['tournament']}/").status_code == 200
    proof = anonymous.get(f"{V1}/tournaments/{tournament['tournament']}/proof/").json()
    assert proof["commitment"] == tournament["commitment"]


class TestPastSeasons:
    def _two_seasons(self) -> tuple[str, int]:
        """Play and close a season; return the address of seasons and the version that won."""
        ladder = open_ladder()
        make_reference()
        version = make_version()
        seat_all()
        step()
        play_waiting(winner=version.pk)
        season = ladder.seasons.get()
        assert end_season(season_id=season.pk)
        close_finished()
        assert close_seasons()
        return f"{V1}/ladders/tuned/seasons", version.pk

    def test_table_of_a_closed_season_stays(self, anonymous: APIClient) -> None:
        address, version = self._two_seasons()

        rows = anonymous.get(f"{address}/1/standings/").json()["results"]

        assert rows[0]["rank"] == 1
        assert rows[0]["standing"]["version"]["id"] == version
        states = {each["number"]: each["state"] for each in _results(anonymous, f"{address}/")}
        assert (states[1], states[2]) == ("closed", "running")

    def test_csv_has_the_rows_of_the_table_on_page_and_api_alike(
        self, anonymous: APIClient
    ) -> None:
        address, _ = self._two_seasons()

        table = anonymous.get(f"{address}/1/standings/").json()["results"]
        by_api = anonymous.get(f"{address}/1/standings.csv")
        by_page = anonymous.get("/ladders/tuned/seasons/1/standings.csv?division=1")
        rows = list(csv.DictReader(by_api.content.decode().splitlines()))

        assert by_api.content == by_page.content
        assert "tuned-season-1-division-1.csv" in by_api.headers["Content-Disposition"]
        assert [(row["rank"], row["reference"]) for row in rows] == [
            (str(row["rank"] or ""), str(int(row["reference"]))) for row in table
        ]
        assert (
            b"/ladders/tuned/seasons/1/standings.csv"
            in anonymous.get("/ladders/tuned/seasons/1/").content
        )

    @pytest.mark.parametrize("end", ["standings/", "standings.csv"])
    def test_unknown_season_and_division_are_refused(self, end: str, anonymous: APIClient) -> None:
        open_ladder()
        address = f"{V1}/ladders/tuned/seasons"

        assert_problem(anonymous.get(f"{address}/9/{end}"), status=404, code="not_found")
        assert_problem(
            anonymous.get(f"{address}/1/{end}?division=7"),
            status=404,
            code="not_found",
            attr="division",
        )
        assert anonymous.get(f"{address}/1/{end}?division=x").status_code == 400


def _results(client: APIClient, address: str) -> list[dict[str, Any]]:  # Any: JSON
    found: list[dict[str, Any]] = client.get(address).json()["results"]
    return found
