"""Ladders over REST."""

import pytest
from pytest_django import DjangoAssertNumQueries
from rest_framework.test import APIClient

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
