"""Results that come together: each is judged by itself, whatever is wrong with another."""

import copy
import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, cast

import pytest
from django.db import IntegrityError, connection
from django.test.utils import CaptureQueriesContext

from pentathlon.core.errors import DomainError
from pentathlon.matches.jobs import Job, MatchResult, Submission
from pentathlon.matches.models import Attempt, AttemptState, Match, MatchState
from pentathlon.matches.replays import services
from pentathlon.matches.replays.models import Replay
from pentathlon.matches.replays.services import accept_results
from pentathlon.matches.services import (
    claim_matches,
    finish_matches,
    return_expired_leases,
    void_matches,
)
from pentathlon_engines.record.record import chain
from pentathlon_engines.record.shape import Record
from tests.factories import make_match, make_version
from tests.pentathlon.matches.acting import claimed, let_lease_expire
from tests.pentathlon.matches.replays.playing import record_of, report_of, submission_of, usage
from tests.pentathlon.together import all_at_once

pytestmark = pytest.mark.django_db


def _batch(size: int = 3) -> list[Job]:
    """Claim matches together."""
    versions = [make_version(), make_version()]
    ids = [make_match(versions).pk for _ in range(size)]
    return claim_matches(match_ids=ids, worker="host/1")


def _told(job: Job, *, luck: int = 1, **changes: Any) -> Submission:
    record = cast("Record", {**record_of(job, luck=luck), **changes})
    return submission_of(job, report_of(record))


def _codes(answers: list[DomainError | None]) -> list[str | None]:
    return [None if answer is None else answer.code for answer in answers]


def _rows(match_id: int) -> dict[str, Any]:
    """Return all that a refused result could have changed."""
    return {
        "match": Match.objects.filter(pk=match_id).values().get(),
        "seats": list(Match.objects.get(pk=match_id).seats.order_by("seat").values()),
        "attempts": list(Attempt.objects.filter(match=match_id).order_by("number").values()),
        "replays": list(Replay.objects.filter(match=match_id).values("codec", "raw_bytes")),
    }


def _not_held(job: Job) -> Submission:
    return replace(_told(job), token=uuid.uuid4())


def _too_late(job: Job) -> Submission:
    let_lease_expire(job.match_id)
    return_expired_leases()
    return _told(job)


def _overtaken(job: Job) -> Submission:
    told = _too_late(job)
    claimed(Match.objects.get(pk=job.match_id), worker="host/2")
    return told


def _cancelled(job: Job) -> Submission:
    mine = Match.objects.filter(pk=job.match_id)
    void_matches(matches=mine, reason="The tournament was cancelled.")
    return _told(job)


def _other_record(job: Job) -> Submission:
    assert accept_results([_told(job)]) == [None]
    return _told(job, luck=2)


def _illegal_record(job: Job) -> Submission:
    record = copy.deepcopy(record_of(job))
    record["events"][0][1] = "add dragon z9"
    record["chain"] = chain(record)
    return replace(_told(job), report=report_of(record))


def _other_match(job: Job) -> Submission:
    return _told(job, seed=job.seed + 1)


def _no_json(job: Job) -> Submission:
    return _told(job, extra={1, 2})


def _no_object(job: Job) -> Submission:
    return replace(_told(job), report=report_of(cast("Record", ["no", "object"])))


def _seat_without_usage(job: Job) -> Submission:
    return replace(_told(job), report=report_of(record_of(job), usage=[usage()]))


def _unknown_match(job: Job) -> Submission:
    return replace(_told(job), match_id=404_404)


BAD = {
    _not_held: "stale_token",
    _too_late: "stale_token",
    _overtaken: "stale_token",
    _cancelled: "stale_token",
    _other_record: "different_result",
    _illegal_record: "bad_record",
    _other_match: "bad_record",
    _no_json: "bad_record",
    _no_object: "bad_record",
    _seat_without_usage: "bad_result",
    _unknown_match: "not_found",
}

Bad = pytest.mark.parametrize(
    ("make", "code"), BAD.items(), ids=[make.__name__.strip("_") for make in BAD]
)


@Bad
def test_bad_result_is_refused_by_code_and_changes_nothing(
    make: Callable[[Job], Submission], code: str
) -> None:
    (job,) = _batch(1)
    told = make(job)
    before = _rows(job.match_id)

    assert _codes(accept_results([told])) == [code]

    assert _rows(job.match_id) == before


@Bad
def test_bad_result_in_a_batch_sinks_no_other(
    make: Callable[[Job], Submission], code: str
) -> None:
    first, bad, last = _batch(3)
    told = make(bad)
    before = _rows(bad.match_id)

    answers = accept_results([_told(first), told, _told(last)])

    assert _codes(answers) == [None, code, None]
    assert _rows(bad.match_id) == before
    for job in (first, last):
        rows = _rows(job.match_id)
        assert rows["match"]["state"] == MatchState.DONE
        assert len(rows["replays"]) == 1


def test_same_results_again_change_nothing_and_get_the_same_answers() -> None:
    jobs = _batch()
    told = [_told(job) for job in jobs]
    assert accept_results(told) == [None, None, None]
    before = [_rows(job.match_id) for job in jobs]

    assert accept_results(told) == [None, None, None]

    assert [_rows(job.match_id) for job in jobs] == before


def test_match_twice_in_one_batch_counts_once() -> None:
    (job,) = _batch(1)

    answers = accept_results([_told(job), _told(job), _told(job, luck=2)])

    assert _codes(answers) == [None, None, "different_result"]
    assert Replay.objects.count() == 1
    assert Attempt.objects.get().state == AttemptState.ACCEPTED


@pytest.mark.django_db(transaction=True)
def test_result_that_the_database_refuses_sinks_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    first, bad, last = _batch(3)

    def refuse_one(results: Sequence[MatchResult]) -> set[int]:
        counted = finish_matches(results)
        if bad.match_id in counted:
            raise IntegrityError("no such thing")
        return counted

    monkeypatch.setattr(services, "finish_matches", refuse_one)

    answers = accept_results([_told(job) for job in (first, bad, last)])

    assert _codes(answers) == [None, "bad_result", None]
    states = dict(Match.objects.values_list("pk", "state"))
    assert states == {first.match_id: "done", bad.match_id: "running", last.match_id: "done"}
    assert not Replay.objects.filter(match=bad.match_id).exists()


@pytest.mark.django_db(transaction=True)
def test_batch_that_two_hand_in_at_once_counts_once() -> None:
    told = [_told(job) for job in _batch()]

    outcomes = all_at_once([lambda: accept_results(told) for _ in range(3)])

    assert outcomes == [[None] * 3] * 3
    assert Replay.objects.count() == 3
    assert Attempt.objects.filter(state=AttemptState.ACCEPTED).count() == 3


def test_number_of_queries_does_not_grow_with_the_batch() -> None:
    counts = []

    for size in (1, 4):
        told = [_told(job) for job in _batch(size)]
        with CaptureQueriesContext(connection) as queries:
            accept_results(told)
        counts.append(len(queries))

    assert counts[0] == counts[1]
