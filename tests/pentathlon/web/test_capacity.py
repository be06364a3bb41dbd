"""The page of capacities computes from what was measured, and says what was wrong."""

from __future__ import annotations

import pytest
from django.test import Client

from pentathlon.web.views.status import MatchCost, Workload, compute, cost_of, measured
from pentathlon_engines import GAMES

PAGE = "/docs/capacity/"

COST = MatchCost(plies=20, fixed_ms=100, ply_ms=5, database_ms=4, replay_bytes=300)
WORKLOAD = Workload(matches_a_day=1_000_000, plies=40, cores=10, database_cores=2)


def test_capacity_follows_from_the_cost_of_a_match() -> None:
    found = compute(COST, WORKLOAD, row_bytes=1400)

    assert found.match_ms == 300
    assert found.matches_a_day_per_core == pytest.approx(86_400_000 * 0.8 / 300)
    assert found.matches_a_day == pytest.approx(10 * found.matches_a_day_per_core)
    assert found.cores_needed == pytest.approx(4.34, abs=0.01)
    assert found.database_load == pytest.approx(1_000_000 * 4 / 86_400_000)
    assert found.bytes_a_match == 1400 + 2 * 300
    assert found.gib_a_million == pytest.approx(2e9 / 1024**3)
    assert found.days_to_full == pytest.approx(2 * 1024**4 / 2e9)
    assert found.has_enough_workers
    assert found.has_enough_database


def test_what_ends_first_is_told() -> None:
    many = Workload(matches_a_day=30_000_000, plies=20, cores=10_000, database_cores=2)

    found = compute(COST, many, row_bytes=1400)

    assert found.has_enough_workers
    assert not found.has_enough_database


def test_every_game_was_measured() -> None:
    assert measured()["games"].keys() == GAMES.keys()
    for game in GAMES:
        cost = cost_of(game)
        assert min(cost.plies, cost.fixed_ms, cost.ply_ms, cost.database_ms) > 0
    assert {"cpu", "cores", "postgresql", "sandbox"} <= measured()["machine"].keys()


def test_page_computes_without_a_script(client: Client) -> None:
    few = client.get(f"{PAGE}?game=azure&matches_a_day=10&cores=2").content.decode()
    many = client.get(f"{PAGE}?game=azure&matches_a_day=1000000000&cores=2").content.decode()

    assert "It can play that." in few
    assert "Workers run out first" in many
    assert 'value="1000000000"' in many


def test_plies_that_are_left_out_are_as_measured(client: Client) -> None:
    page = client.get(f"{PAGE}?game=tuned").content.decode()

    assert f"with {cost_of('tuned').plies:.0f} plies" in page


@pytest.mark.parametrize(
    "query", ["cores=0", "cores=many", "game=chess", "matches_a_day=-1", "plies=0"]
)
def test_number_that_cannot_be_meant_is_named_and_the_rest_is_kept(
    client: Client, query: str
) -> None:
    answer = client.get(f"{PAGE}?{query}&database_cores=7")

    page = answer.content.decode()
    assert answer.status_code == 200
    assert "One thing needs a change" in page
    assert 'value="7"' in page


def test_page_says_what_then(client: Client) -> None:
    page = client.get(PAGE).content.decode()

    for word in ("Partitions by time", "A replica", "Replays into a bucket", "bench capacity"):
        assert word in page
