"""Whoever reads a long tournament reads it in parts, which together are the whole."""

import csv
import json
from typing import Any

import pytest
from django.test import Client

from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.scheduling import secrecy
from pentathlon.tournaments.scheduling.secrecy import count_parts
from pentathlon_engines.tournament.proof import BadProof, check_proof, join_parts
from tests.pentathlon.tournaments.acting import matches_of, settle, started

pytestmark = pytest.mark.django_db


@pytest.fixture
def long(monkeypatch: pytest.MonkeyPatch) -> Tournament:
    """Return a running tournament whose twelve matches make three parts."""
    monkeypatch.setattr(secrecy, "LARGEST_PART", 5)
    return started(bots=4)


def rows_of(address: str) -> list[dict[str, str]]:
    answer = Client().get(address)
    assert answer.status_code == 200
    return list(csv.DictReader(answer.content.decode().splitlines()))


def proof_of(tournament: Tournament, part: int) -> Any:  # Any: JSON
    return Client().get(f"/api/v1/tournaments/{tournament.pk}/proof/?part={part}").json()


def test_part_holds_whole_blocks(long: Tournament) -> None:
    address = f"/tournaments/{long.pk}/results.csv"

    indexes = [[row["index"] for row in rows_of(f"{address}?part={n}")] for n in (1, 2, 3)]

    assert count_parts(long) == 3
    assert [sorted(set(map(int, part))) for part in indexes] == [
        [1, 2, 3, 4],
        [5, 6, 7, 8, 9, 10],
        [11, 12],
    ]


def test_long_results_are_not_given_as_if_a_part_were_all(long: Tournament) -> None:
    address = f"/tournaments/{long.pk}/results.csv"

    answers = [Client().get(address + query) for query in ("", "?part=0", "?part=4")]

    assert [answer.status_code for answer in answers] == [400, 404, 404]
    assert "?part=1 to ?part=3" in answers[0].content.decode()


def test_matches_tab_leads_to_every_part(long: Tournament) -> None:
    page = Client().get(f"/tournaments/{long.pk}/matches/").content.decode()

    assert [f"results.csv?part={number}" in page for number in (1, 2, 3, 4)] == [True] * 3 + [
        False
    ]


def test_short_results_are_one_file() -> None:
    tournament = started(bots=2)
    address = f"/tournaments/{tournament.pk}/results.csv"

    assert rows_of(address) == rows_of(f"{address}?part=1")
    assert "#export" not in Client().get(f"/tournaments/{tournament.pk}/").content.decode()


def test_result_changes_the_tag_of_its_part_alone(long: Tournament) -> None:
    addresses = [f"/tournaments/{long.pk}/results.csv?part={part}" for part in (1, 2)]
    before = [Client().get(address)["ETag"] for address in addresses]

    settle(matches_of(long)[:1])

    after = [Client().get(address)["ETag"] for address in addresses]
    assert [old == new for old, new in zip(before, after, strict=True)] == [False, True]


def test_parts_of_a_proof_are_one_proof(long: Tournament) -> None:
    told = [proof_of(long, part) for part in (1, 2, 3)]

    whole = join_parts(told)

    assert [row[0] for row in whole["matches"]] == list(range(1, 13))
    assert {check.state for check in check_proof(whole)} <= {"ok", "sealed"}


def test_part_of_a_proof_is_not_taken_for_the_whole(long: Tournament) -> None:
    with pytest.raises(BadProof, match="one of 3 parts"):
        check_proof(proof_of(long, 1))


@pytest.mark.parametrize("change", [{"state": "closed"}, {"matches": None}])
def test_parts_of_different_moments_are_not_join_parts(
    long: Tournament, change: dict[str, object]
) -> None:
    first, second = proof_of(long, 1), proof_of(long, 2)

    with pytest.raises(BadProof):
        join_parts([first, {**second, **change}])


@pytest.mark.parametrize(("part", "status"), [("4", 404), ("0", 400), ("x", 400)])
def test_part_of_a_proof_that_is_not_there(long: Tournament, part: str, status: int) -> None:
    answer = Client().get(f"/api/v1/tournaments/{long.pk}/proof/?part={part}")

    assert (answer.status_code, json.loads(answer.content)["status"]) == (status, status)


def test_round_of_many_matches_has_pages(
    long: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pentathlon.web.views.tournaments._MOST_SEATS", 4)
    address = f"/tournaments/{long.pk}/schedule/?round=2"

    pages = [Client().get(f"{address}&page={page}").context for page in (1, 2, 3)]

    indexes = [[row["place"].index for row in page["places"]] for page in pages]
    assert indexes == [[5, 6], [7, 8], []]
    assert [page["has_next_page"] for page in pages] == [True, False, False]
