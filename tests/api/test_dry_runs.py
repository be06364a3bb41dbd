"""Dry runs: what a tournament would be like, with nothing stored."""

import itertools
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from pentathlon.accounts.models import User
from pentathlon.matches.models import Match, MatchSeat, MatchState
from pentathlon.tournaments.documents.document import draft_document
from pentathlon.tournaments.estimates.dry_runs import MOST_SHOWN
from pentathlon.tournaments.models import Entry, Tournament
from pentathlon.tournaments.services import start_tournament
from tests.api.client import V1, assert_problem, client_of
from tests.factories import make_match, make_user, make_version, make_worker
from tests.pentathlon.tournaments.acting import open_cup, started

pytestmark = pytest.mark.django_db

DRY_RUN = f"{V1}/tournaments/dry-run/"


@pytest.fixture
def organiser() -> User:
    return make_user(organiser=True)


def _document(organiser: User, **asked: Any) -> dict[str, Any]:
    versions = [make_version().pk for _ in range(4)]
    cup = open_cup(organiser, versions=versions, **asked)
    return dict(client_of(organiser).get(f"{V1}/tournaments/{cup.pk}/document/").json())


def _play(*, wall_s: float, cpu_ms: int, begun: datetime | None = None) -> None:
    begun = begun or datetime(2026, 11, 1, tzinfo=UTC)
    match = make_match(state=MatchState.DONE)
    ended = begun + timedelta(seconds=wall_s)
    Match.objects.filter(pk=match.pk).update(started_at=begun, finished_at=ended)
    MatchSeat.objects.filter(match=match).update(cpu_ms=cpu_ms)


def test_dry_run_of_a_document_stores_nothing(organiser: User) -> None:
    document = _document(organiser)
    before = Tournament.objects.count(), Entry.objects.count()

    answer = client_of(organiser).post(DRY_RUN, document)

    assert answer.status_code == 200, answer.json()
    found = answer.json()
    assert (found["fewest"], found["expected"], found["most"]) == (12, 12, 12)
    assert (found["left_out"], found["needs_results"], found["warnings"]) == (0, False, [])
    assert [block["number"] for block in found["blocks"]] == [1, 2, 3, 4, 5, 6]
    assert [block["first_match"] for block in found["blocks"]] == [1, 3, 5, 7, 9, 11]
    pairs = {tuple(sorted(block["seatings"][0])) for block in found["blocks"]}
    assert pairs == {(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)}
    assert all(block["seatings"][1] == block["seatings"][0][::-1] for block in found["blocks"])
    assert [entry["hash"] for entry in found["document"]["entries"]] == [
        entry["hash"] for entry in document["entries"]
    ]
    assert (Tournament.objects.count(), Entry.objects.count()) == before


def test_dry_run_of_an_open_tournament_is_public(organiser: User) -> None:
    cup = open_cup(organiser, versions=[make_version().pk for _ in range(6)], format="swiss")

    answer = client_of(make_user()).get(f"{V1}/tournaments/{cup.pk}/dry-run/")

    found = answer.json()
    assert found["needs_results"]
    assert len(found["blocks"]) == 3
    assert {block["round"] for block in found["blocks"]} == {1}
    shown = sum(len(block["seatings"]) for block in found["blocks"])
    assert found["left_out"] == found["expected"] - shown > 0


def test_long_schedule_is_cut_and_counted(organiser: User) -> None:
    document = _document(organiser, cycles=50)

    found = client_of(organiser).post(DRY_RUN, document).json()

    assert (len(found["blocks"]), found["expected"], found["left_out"]) == (300, 600, 0)

    document = _document(organiser, cycles=100)
    found = client_of(organiser).post(DRY_RUN, document).json()
    assert (len(found["blocks"]), found["expected"], found["left_out"]) == (500, 1200, 200)


def test_cycles_of_a_game_without_chance_are_warned_of(organiser: User) -> None:
    found = client_of(organiser).post(DRY_RUN, _document(organiser, cycles=2)).json()

    (warning,) = found["warnings"]
    assert (warning["code"], warning["pointer"]) == ("repeated_matches", "/params/cycles")
    assert "Set cycles to 1" in warning["detail"]


def test_own_bots_of_a_rated_tournament_are_warned_of(organiser: User) -> None:
    versions = [make_version(owner=organiser), make_version(owner=organiser), make_version()]
    ids = [version.pk for version in versions]
    rated = open_cup(organiser, versions=ids)
    unrated = open_cup(organiser, versions=ids, rated=False)

    warned = client_of(organiser).get(f"{V1}/tournaments/{rated.pk}/dry-run/").json()["warnings"]
    silent = client_of(organiser).get(f"{V1}/tournaments/{unrated.pk}/dry-run/").json()["warnings"]

    assert [(each["code"], each["pointer"]) for each in warned] == [("own_bots", "/entries")]
    assert organiser.username in warned[0]["detail"]
    assert silent == []


def test_effort_follows_from_the_latest_matches_and_the_free_slots(organiser: User) -> None:
    # One slot claimed these two matches together, and each took half of the time.
    for _ in range(2):
        _play(wall_s=120, cpu_ms=18_000)
    for hour in (1, 2, 3):
        _play(wall_s=60, cpu_ms=18_000, begun=datetime(2026, 11, 1, hour, tzinfo=UTC))
    make_worker(slots=4, held_slots=1)
    make_worker(slots=3)

    before = datetime.now(tz=UTC)
    found = client_of(organiser).post(DRY_RUN, _document(organiser)).json()

    assert found["measured_matches"] == 5
    assert found["cpu_hours"] == pytest.approx(12 * 36 / 3600)
    assert found["takes_s"] == pytest.approx(12 * 60 / 6)
    finish = datetime.fromisoformat(found["finishes_at"])
    assert before + timedelta(seconds=120) <= finish <= datetime.now(tz=UTC) + timedelta(minutes=3)
    assert found["reason"] == ""


def test_what_was_not_measured_is_null_with_a_reason(organiser: User) -> None:
    document = _document(organiser)
    make_worker()

    found = client_of(organiser).post(DRY_RUN, document).json()
    assert (found["cpu_hours"], found["takes_s"], found["finishes_at"]) == (None, None, None)
    assert "nothing is measured" in found["reason"]


def test_without_workers_the_finish_is_not_known(organiser: User) -> None:
    for _ in range(5):
        _play(wall_s=60, cpu_ms=18_000)

    found = client_of(organiser).post(DRY_RUN, _document(organiser)).json()

    assert found["cpu_hours"] is not None
    assert found["takes_s"] is None
    assert "No worker" in found["reason"]


def test_refusals_are_those_of_a_creation_and_of_a_start(organiser: User) -> None:
    document = _document(organiser)
    other = client_of(make_user()).post(DRY_RUN, document)
    wrong = client_of(organiser).post(DRY_RUN, {**document, "params": {"cycles": 0}})
    few = client_of(organiser).post(DRY_RUN, {**document, "entries": document["entries"][:1]})
    begun = started(bots=3, owner=organiser)
    late = client_of(organiser).get(f"{V1}/tournaments/{begun.pk}/dry-run/")

    assert_problem(other, status=403, code="not_an_organiser")
    assert wrong.json()["errors"][0]["pointer"] == "/params/cycles"
    assert_problem(few, status=409, code="too_few_bots", attr="entries")
    assert_problem(late, status=409, code="wrong_state")
    assert late.json()["errors"][0]["allowed"] == ["draft", "open"]


def test_count_of_queries_does_not_depend_on_the_field(organiser: User) -> None:
    client = client_of(organiser)
    small, large = _document(organiser), _document(organiser)
    for entry in small["entries"] + large["entries"]:
        entry["strength"] = 1.0
    large["entries"] += small["entries"]
    client.post(DRY_RUN, small)
    counts = []
    for document in (small, large):
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert client.post(DRY_RUN, document).status_code == 200
        counts.append(len(queries))

    assert counts[0] == counts[1]


def test_progress_says_the_fewest_and_the_most_matches(organiser: User) -> None:
    versions = [make_version().pk for _ in range(4)]
    cup = open_cup(organiser, versions=versions, format="knockout")
    expected = client_of(organiser).get(f"{V1}/tournaments/{cup.pk}/dry-run/").json()
    start_tournament(actor=organiser, tournament=cup)

    found = client_of(organiser).get(f"{V1}/tournaments/{cup.pk}/progress/").json()

    assert (found["fewest"], found["most"]) == (expected["fewest"], expected["most"])
    assert found["fewest"] < found["most"]


def test_page_of_an_open_tournament_says_how_long_it_would_take(
    organiser: User, client: Client
) -> None:
    versions = [make_version().pk for _ in range(4)]
    cup = open_cup(organiser, versions=versions, format="knockout")
    bare = client.get(f"/tournaments/{cup.pk}/").content.decode()
    for _ in range(5):
        _play(wall_s=60, cpu_ms=18_000)
    make_worker(slots=2)
    measured = client.get(f"/tournaments/{cup.pk}/").content.decode()

    assert all(f"{word} matches" in bare for word in ("Fewest", "Expected", "Most"))
    assert "nothing is measured" in bare
    assert "CPU time" not in bare
    (expected,) = re.findall(r"Expected matches</dt><dd>(\d+)<", measured)
    assert f"CPU time</dt><dd>about {round(int(expected) * 36 / 60)} min<" in measured
    assert "finishes about" in measured


def test_page_of_an_open_tournament_shows_its_blocks(organiser: User, client: Client) -> None:
    names = ["ann", "bob", "cid"]
    cup = open_cup(organiser, versions=[make_version(name=name).pk for name in names])

    page = client.get(f"/tournaments/{cup.pk}/").content.decode()

    shown = page.split("<details><summary>Blocks")[1].split("</details>")[0]
    pairs = {frozenset(pair) for pair in re.findall(r"<td>(\w+) v1 – (\w+) v1</td>", shown)}
    assert pairs == {frozenset(pair) for pair in itertools.combinations(names, 2)}
    assert f"/api/v1/tournaments/{cup.pk}/dry-run/" in shown


def test_page_of_a_large_tournament_shows_the_first_blocks(
    organiser: User, client: Client
) -> None:
    cup = open_cup(organiser, versions=[make_version().pk for _ in range(20)])

    page = client.get(f"/tournaments/{cup.pk}/").content.decode()

    assert page.count(" v1 – ") == MOST_SHOWN
    assert f"These are the first\n{MOST_SHOWN}" in page


def test_document_has_the_beta_of_the_pool(organiser: User) -> None:
    cup = started(bots=3, owner=organiser)
    assert cup.pool is not None
    cup.pool.beta = 5.5

    assert draft_document(cup).beta == 5.5


def test_page_of_an_open_tournament_warns_of_repeated_matches(
    organiser: User, client: Client
) -> None:
    versions = [make_version().pk for _ in range(4)]
    once = open_cup(organiser, versions=versions, cycles=1)
    twice = open_cup(organiser, versions=versions, cycles=2)

    pages = [client.get(f"/tournaments/{cup.pk}/").content.decode() for cup in (once, twice)]

    assert ["repeat the same matches" in page for page in pages] == [False, True]
