"""What the API tells about authors, about ratings match by match, and about the site."""

import itertools
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework.test import APIClient

from pentathlon.bots.models import BotVersion, VersionState
from pentathlon.core.services import RECONCILER, acquire_leadership
from pentathlon.matches.models import MatchKind, MatchState
from pentathlon.ratings.models import Rating
from pentathlon.ratings.rankings.services import refresh_ranking
from pentathlon.ratings.services import open_live_pool
from pentathlon.tournaments.models import Entry
from pentathlon_engines import GAMES
from tests.api.client import V1, assert_problem
from tests.factories import make_match, make_user, make_version, make_worker
from tests.pentathlon.insight.datasets.making import closed_cup
from tests.pentathlon.ratings.rankings.rated import rate

pytestmark = pytest.mark.django_db


def test_profile_tells_bots_place_and_titles(anonymous: APIClient) -> None:
    author = make_user("ada")
    versions = [make_version(owner=author), make_version()]
    cup = closed_cup(bots=2, versions=versions)
    rate(make_version(owner=author, games=("azure",)), mu=30, game="azure")
    refresh_ranking()

    told = anonymous.get(f"{V1}/people/ADA/").json()

    assert (told["username"], told["bots"]) == ("ada", 2)
    assert told["ranking"]["rank"] == 1
    (title,) = told["titles"]
    assert (title["tournament"], title["bot"]) == (cup.pk, versions[0].label)


def test_unknown_person_is_not_found(anonymous: APIClient) -> None:
    assert_problem(anonymous.get(f"{V1}/people/nobody/"), status=404, code="not_found")


def test_history_of_a_rating_leads_from_the_first_match_to_the_table(
    anonymous: APIClient,
) -> None:
    cup = closed_cup(bots=3)
    version = Entry.objects.filter(tournament=cup)[0].version
    path = f"{V1}/versions/{version.pk}"

    (rating,) = anonymous.get(f"{path}/ratings/").json()["results"]
    rows = []
    answer = anonymous.get(f"{path}/rating-history/?page_size=1&game=tuned").json()
    while True:
        rows += answer["results"]
        if answer["next"] is None:
            break
        answer = anonymous.get(answer["next"]).json()

    assert len(rows) == rating["matches"] == 4
    assert len({row["match"] for row in rows}) == 4
    in_turn = sorted(rows, key=lambda row: row["seq"])
    assert in_turn[-1]["mu_after"] == rating["mu"]
    assert all(one["mu_after"] == other["mu_before"] for one, other in itertools.pairwise(in_turn))
    assert Rating.objects.filter(version=version).count() == 2  # the cup's own is not told


def test_history_is_asked_for_without_a_query_for_leaderboards_inside(
    anonymous: APIClient,
) -> None:
    """With one, PostgreSQL read all results of these leaderboards for one page."""
    path = f"{V1}/versions/{make_version().pk}/rating-history/"
    open_live_pool(game="tuned")

    with CaptureQueriesContext(connection) as asked:
        anonymous.get(path)

    (changes,) = [each["sql"] for each in asked.captured_queries if "ratingchange" in each["sql"]]
    assert changes.count("SELECT") == 1


def test_history_of_another_game_is_empty_and_of_none_refused(anonymous: APIClient) -> None:
    version = make_version()
    path = f"{V1}/versions/{version.pk}/rating-history/"

    assert anonymous.get(path, {"game": "azure"}).json()["results"] == []
    assert_problem(
        anonymous.get(path, {"game": "chess"}), status=400, code="unknown_game", attr="game"
    )
    assert anonymous.get(f"{V1}/versions/9999999/ratings/").status_code == 404


def test_status_counts_what_runs(anonymous: APIClient) -> None:
    make_worker(slots=3)
    idle = anonymous.get(f"{V1}/status/").json()
    make_match(game="azure", state=MatchState.DONE, finished_at=timezone.now())
    make_match(created_at=timezone.now() - timedelta(seconds=90))

    told = anonymous.get(f"{V1}/status/").json()

    assert (told["slots"], told["running"], told["reconciler_silent"]) == (3, 0, True)
    assert (idle["oldest_wait_s"], idle["last_hour"]) == (None, 0)
    assert 90 <= told["oldest_wait_s"] < 300
    assert {each["game"]: each["last_hour"] for each in told["games"]} == {
        **dict.fromkeys(GAMES, 0),
        "azure": 1,
    }
    assert_problem(
        anonymous.get(f"{V1}/status/?x=1"), status=400, code="unknown_parameter", attr="x"
    )


def test_status_warns_where_new_versions_wait_for_long(anonymous: APIClient) -> None:
    make_worker()
    acquire_leadership(name=RECONCILER, holder="me", ttl_s=600)
    idle = anonymous.get(f"{V1}/status/").json()["newcomers"]
    version = make_version()
    for minutes in (1, 2, 3):
        waits = timezone.now() - timedelta(minutes=minutes)
        make_match([version] * 2, kind=MatchKind.VALIDATION, created_at=waits)
    usual, page = anonymous.get(f"{V1}/status/").json()["newcomers"], anonymous.get("/status/")
    waits = timezone.now() - timedelta(minutes=38)
    make_match(kind=MatchKind.LADDER, newcomer_of=version.bot.owner_id, created_at=waits)
    long = anonymous.get(f"{V1}/status/").json()["newcomers"]

    assert idle == {
        "waiting": 0,
        "median_wait_s": None,
        "oldest_wait_s": None,
        "wait_long": False,
    }
    assert (usual["waiting"], usual["wait_long"], long["wait_long"]) == (3, False, True)
    assert 120 <= usual["median_wait_s"] < 170 <= usual["oldest_wait_s"] < 400
    assert 2280 <= long["oldest_wait_s"] < 2600
    assert "All is well" in page.content.decode()
    told = anonymous.get("/status/").content.decode()
    assert "New versions wait for long" in told
    assert "All is well" not in told


def test_version_says_for_what_it_waits(anonymous: APIClient) -> None:
    acquire_leadership(name=RECONCILER, holder="me", ttl_s=600)
    make_worker()
    version = make_version(state=VersionState.VALIDATING)
    make_match([version] * 2, kind=MatchKind.VALIDATION)

    told = anonymous.get(f"{V1}/versions/{version.pk}/").json()["waiting"]

    assert told["code"] == "queued"
    assert told["before"] == {"matches": 0, "expected_s": 0}
    BotVersion.objects.update(state=VersionState.RETIRED)
    assert anonymous.get(f"{V1}/versions/{version.pk}/").json()["waiting"] is None


def test_leaderboard_is_there_as_csv(anonymous: APIClient) -> None:
    closed_cup(bots=2)

    answer = anonymous.get(f"{V1}/leaderboards/tuned/table.csv")

    lines = b"".join(answer).decode().splitlines()
    assert lines[0].startswith("rank,bot,version")
    assert len(lines) == 3
    assert anonymous.get(f"{V1}/leaderboards/chess/table.csv").status_code == 404
    assert anonymous.get(f"{V1}/leaderboards/tuned/table.csv?versions=x").status_code == 400
