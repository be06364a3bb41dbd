import copy
from dataclasses import replace
from typing import Any

import pytest

from pentathlon.bots.models import VersionState
from pentathlon.core.errors import Conflict, InvalidInput, NotFound
from pentathlon.matches import services as matches
from pentathlon.matches.jobs import Job
from pentathlon.matches.models import Attempt, AttemptState, Match, MatchKind, MatchState
from pentathlon.matches.replays.models import Replay
from pentathlon.matches.replays.services import read_record
from pentathlon_engines.record.record import canonical, chain, course
from tests.factories import make_match, make_version
from tests.pentathlon.matches.acting import claimed, let_lease_expire
from tests.pentathlon.matches.replays.playing import record_of, submit

pytestmark = pytest.mark.django_db


@pytest.fixture
def job() -> Job:
    return claimed(make_match())


def _nothing_is_stored(job: Job) -> bool:
    is_running = Match.objects.get(pk=job.match_id).state == MatchState.RUNNING
    return is_running and not Replay.objects.exists()


class TestAccepted:
    def test_result_and_replay_are_stored_together(self, job: Job) -> None:
        record = record_of(job)

        match = submit(job, record, logs=["hello", ""])

        assert match.state == MatchState.DONE
        assert (match.chain, match.sandbox) == (record["chain"], "namespaces")
        assert match.course == course(record)
        assert match.outcome_reason == record["outcome"]["reason"]
        assert read_record(match.replay) == record
        assert match.replay.raw_bytes == len(canonical(record))
        first, second = match.seats.order_by("seat")
        assert [first.rank, second.rank] == record["outcome"]["ranks"]
        assert (first.cpu_ms, first.memory_peak_mb) == (50, 12.5)
        assert first.wall_ms == sum(event[3] for event in record["events"] if event[0] == 0)
        assert first.log.text == "hello"

    def test_all_lose_where_all_failed(self, job: Job) -> None:
        match = submit(job, record_of(job, all_fail=True))

        seats = match.seats.order_by("seat").values_list("rank", "fault_kind", "actions")
        assert list(seats) == [(1, "startup", 0)] * 2

    def test_actions_of_stand_ins_are_not_the_bots(self) -> None:
        versions = [make_version(games=["way_of_the_dragon"]) for _ in range(3)]
        job = claimed(make_match(versions, game="way_of_the_dragon", ranks=(0, 1, 2)))
        record = record_of(job, fault_at=20)
        seat = record["faults"][0]["seat"]

        match = submit(job, record, logs=[""] * 3)

        own = [event for event in record["events"][:20] if event[0] == seat]
        assert any(event[0] == seat for event in record["events"][20:])
        assert match.seats.get(seat=seat).actions == len(own)

    def test_same_record_again_gets_the_same_answer(self, job: Job) -> None:
        record = record_of(job)
        first = submit(job, record)

        second = submit(job, record, logs=["other", "log"])

        assert (second.pk, second.chain) == (first.pk, first.chain)
        assert Replay.objects.count() == 1
        assert Attempt.objects.get().state == AttemptState.ACCEPTED

    def test_fault_is_a_result(self, job: Job) -> None:
        match = submit(job, record_of(job, fault_at=4))

        assert (match.state, match.outcome_reason) == ("done", "fault")
        loser = match.seats.get(rank=1)
        assert (loser.fault_kind, loser.fault_ply) == ("cpu_time", 4)
        assert loser.fault_detail == "used 1.2 s of CPU time"

    def test_logs_that_databases_refuse_are_mended(self, job: Job) -> None:
        match = submit(job, record_of(job), logs=["a\0b", ""])

        assert match.seats.get(seat=0).log.text == "a\N{REPLACEMENT CHARACTER}b"

    def test_validation_settles_the_version(self) -> None:
        version = make_version(state=VersionState.VALIDATING)
        job = claimed(make_match([version, version], kind=MatchKind.VALIDATION))

        submit(job, record_of(job))

        version.refresh_from_db()
        assert version.state == VersionState.ELIGIBLE


class TestRefused:
    def test_other_record_of_the_same_attempt(self, job: Job) -> None:
        accepted = submit(job, record_of(job))

        with pytest.raises(Conflict) as caught:
            submit(job, record_of(job, luck=2))

        assert caught.value.code == "different_result"
        assert Match.objects.get().chain == accepted.chain

    def test_worker_whose_lease_ran_out(self, job: Job) -> None:
        let_lease_expire(job.match_id)
        matches.return_expired_leases()

        with pytest.raises(Conflict) as caught:
            submit(job, record_of(job))

        assert caught.value.code == "stale_token"
        assert not Replay.objects.exists()

    def test_worker_that_was_overtaken(self, job: Job) -> None:
        let_lease_expire(job.match_id)
        matches.return_expired_leases()
        second = claimed(Match.objects.get())
        submit(second, record_of(second, luck=2))

        with pytest.raises(Conflict) as caught:
            submit(job, record_of(job))

        assert caught.value.code == "stale_token"

    def test_unknown_match(self, job: Job) -> None:
        with pytest.raises(NotFound):
            submit(replace(job, match_id=10**17), record_of(job))

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("seed", 12345),
            ("game", "azure"),
            ("rules", 99),
            ("match", "local"),
            ("options", {"more": 1}),
            ("limits", {}),
            ("bots", []),
            ("seats", 3),
            ("fork", {"chain": "c", "ply": 0}),
        ],
    )
    def test_record_of_another_match(self, job: Job, field: str, value: Any) -> None:
        record: Any = record_of(job)
        record[field] = value
        record["chain"] = chain(record)

        with pytest.raises(InvalidInput) as caught:
            submit(job, record)

        assert caught.value.code == "bad_record"
        assert field in caught.value.detail
        assert _nothing_is_stored(job)

    def test_record_that_does_not_re_simulate(self, job: Job) -> None:
        record = copy.deepcopy(record_of(job))
        record["outcome"]["ranks"].reverse()
        record["chain"] = chain(record)

        with pytest.raises(InvalidInput) as caught:
            submit(job, record)

        assert caught.value.code == "bad_record"
        assert "ranks" in caught.value.detail
        assert _nothing_is_stored(job)

    def test_record_without_a_shape(self, job: Job) -> None:
        record: Any = record_of(job)
        del record["outcome"]

        with pytest.raises(InvalidInput):
            submit(job, record)

        assert _nothing_is_stored(job)
