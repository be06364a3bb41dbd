"""What the API tells the owner of a bot about a match, with files to take home."""

from typing import Any

import pytest

from pentathlon.matches.models import Match, MatchSeat
from pentathlon_engines.record.bundle import read_bundle
from tests.api.client import V1, assert_problem, client_of
from tests.factories import make_match
from tests.pentathlon.matches.acting import claimed
from tests.pentathlon.matches.replays.playing import record_of, submit, trace

pytestmark = pytest.mark.django_db


def failed() -> Match:
    """Store a match that seat 0 lost by a fault at ply 2."""
    job = claimed(make_match())
    logs = ("Traceback: no idea", "mine")
    return submit(job, record_of(job, fault_at=2), logs=logs, traces=[trace(), trace()])


def ask(match: Match, path: str, *, seat: int = 0) -> Any:
    owner = MatchSeat.objects.get(match=match, seat=seat).version.bot.owner
    return client_of(owner).get(f"{V1}/matches/{match.pk}/{path}")


def test_loss_is_explained_with_cause_use_and_last_lines() -> None:
    (told,) = ask(failed(), "logs/").json()

    assert (told["seat"], told["code"], told["ply"]) == (0, "cpu_time", 2)
    assert (told["is_fault"], told["has_lost"], told["exit_status"]) == (True, True, 0)
    assert "used 1.2 s of CPU time" in told["what_happened"]
    assert told["what_to_do"]
    assert told["limits"]["action_cpu_s"] == 1
    assert told["turns"][-1] == {"ply": 2, "cpu_ms": 1200, "wall_ms": 1300, "is_fault": True}
    assert {"name": "action_cpu", "used": 1.2, "limit": 1, "unit": "s"} in told["uses"]
    assert told["lines"][1] == {"way": "<", "text": '{"act', "size": 5, "is_whole": False}
    assert told["text"] == "Traceback: no idea"


def test_text_is_plain() -> None:
    match = failed()

    answer = ask(match, "seats/0/log.txt")

    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert f"match-{match.pk}-seat-0.txt" in answer.headers["Content-Disposition"]
    assert "Cause: cpu_time" in answer.content.decode()


def test_bundle_is_a_zip_of_the_record() -> None:
    match = failed()

    answer = ask(match, "seats/0/bundle.zip")

    assert answer.headers["Content-Type"] == "application/zip"
    assert read_bundle(answer.content).record["chain"] == match.chain


@pytest.mark.parametrize("path", ["logs/", "seats/0/log.txt", "seats/0/bundle.zip"])
def test_match_that_is_not_done_has_nothing_to_tell(path: str) -> None:
    assert_problem(ask(make_match(), path), status=404, code="not_found")


@pytest.mark.parametrize("file", ["log.txt", "bundle.zip"])
def test_seat_that_is_not_there_is_not_found(file: str) -> None:
    assert_problem(ask(failed(), f"seats/7/{file}"), status=404, code="not_found")
