import pytest
from pytest_django import DjangoAssertNumQueries
from rest_framework.test import APIClient

from pentathlon.ratings.arithmetic import fingerprint
from pentathlon.ratings.models import Rating
from pentathlon.ratings.services import apply_results, enter_matches, open_live_pool
from tests.api.client import V1, assert_problem
from tests.factories import make_match, make_version
from tests.pentathlon.matches.acting import claimed
from tests.pentathlon.replays.playing import record_of, submit

pytestmark = pytest.mark.django_db


def play_rated(luck: int = 1) -> None:
    match = make_match(rated=True)
    enter_matches(pool=open_live_pool(game="tuned"), matches=[match])
    job = claimed(match)
    submit(job, record_of(job, luck=luck))
    apply_results()


def test_table_is_ordered_and_ranked(anonymous: APIClient) -> None:
    play_rated()

    rows = anonymous.get(f"{V1}/leaderboards/tuned/").json()["results"]

    assert [row["rank"] for row in rows] == [1, 2]
    assert rows[0]["score"] > rows[1]["score"]
    assert (rows[0]["wins"], rows[1]["losses"]) == (1, 1)
    assert all(row["provisional"] for row in rows)


def test_game_without_results_has_an_empty_table(anonymous: APIClient) -> None:
    answer = anonymous.get(f"{V1}/leaderboards/tuned/")

    assert answer.json() == {"results": [], "next": None, "previous": None}


def test_list_shows_live_tables(anonymous: APIClient) -> None:
    play_rated()

    assert anonymous.get(f"{V1}/leaderboards/").json()["results"] == [
        {
            "game": "tuned",
            "title": "Tuned",
            "matches": 1,
            "draw_probability": 0.1,
            "fingerprint": fingerprint(),
        }
    ]


def test_unknown_game_is_not_found(anonymous: APIClient) -> None:
    assert_problem(anonymous.get(f"{V1}/leaderboards/chess/"), status=404, code="not_found")


def test_unchanged_table_is_not_sent_again(
    anonymous: APIClient, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    play_rated()
    path = f"{V1}/leaderboards/tuned/"
    tag = anonymous.get(path).headers["ETag"]

    with django_assert_max_num_queries(1):
        again = anonymous.get(path, headers={"If-None-Match": tag})
    play_rated(luck=2)
    changed = anonymous.get(path, headers={"If-None-Match": tag})

    assert again.status_code == 304
    assert changed.status_code == 200
    assert changed.headers["ETag"] != tag


@pytest.mark.parametrize("rows", [3, 30])
def test_table_takes_two_queries_for_any_length(
    rows: int, anonymous: APIClient, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    pool = open_live_pool(game="tuned")
    Rating.objects.bulk_create(
        Rating(pool=pool, version=make_version(), mu=25 + number, sigma=2)
        for number in range(rows)
    )

    with django_assert_num_queries(2):
        answer = anonymous.get(f"{V1}/leaderboards/tuned/")

    assert len(answer.json()["results"]) == rows


def test_pages_of_the_table_follow_each_other_through_ties(anonymous: APIClient) -> None:
    pool = open_live_pool(game="tuned")
    Rating.objects.bulk_create(
        Rating(pool=pool, version=make_version(), mu=25 + number // 4, sigma=25 / 3)
        for number in range(10)
    )

    address, ranks, names = f"{V1}/leaderboards/tuned/?page_size=3", [], []
    while address:
        page = anonymous.get(address).json()
        ranks += [row["rank"] for row in page["results"]]
        names += [row["version"]["label"] for row in page["results"]]
        address = page["next"]

    assert ranks == [1, 1, 3, 3, 3, 3, 7, 7, 7, 7]
    assert len(set(names)) == 10
