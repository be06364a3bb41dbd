import uuid
from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

from pentathlon.core.errors import Conflict, InvalidInput
from pentathlon.matches import attempts, services
from pentathlon.matches.jobs import LEASE_S
from pentathlon.matches.models import (
    Attempt,
    AttemptState,
    Match,
    MatchKind,
    MatchSeat,
    MatchState,
    SeatLog,
)
from pentathlon.matches.specs import MatchSpec
from tests.factories import make_match, make_version
from tests.pentathlon.matches.acting import (
    claim_match,
    claimed,
    finish,
    let_lease_expire,
    renew,
    result,
)

pytestmark = pytest.mark.django_db


def _spec(*seating: int, game: str = "tuned", seed: int = 7) -> MatchSpec:
    return MatchSpec(kind=MatchKind.TOURNAMENT, game=game, seating=seating, seed=seed)


class TestSchedule:
    def test_matches_are_stored_in_order_with_their_seats(self) -> None:
        one, two = make_version(), make_version()

        matches = services.schedule_matches([_spec(one.pk, two.pk), _spec(two.pk, one.pk, seed=8)])

        assert [match.seed for match in matches] == [7, 8]
        assert [match.pk for match in matches] == sorted(match.pk for match in matches)
        seats = MatchSeat.objects.filter(match=matches[1]).order_by("seat")
        assert [seat.version for seat in seats] == [two, one]

    def test_wrong_number_of_bots_is_refused(self) -> None:
        version = make_version()

        with pytest.raises(InvalidInput) as caught:
            services.schedule_matches([_spec(version.pk)])

        assert caught.value.code == "bad_seats"
        assert not Match.objects.exists()


class TestClaim:
    def test_job_says_all_that_a_worker_needs(self) -> None:
        one, two = make_version(), make_version()
        match = make_match([one, two], limits={"memory_mb": 64}, options={})

        job = claimed(match, worker="host/5")

        assert (job.match_id, job.game, job.seed, job.limits) == (
            match.pk, "tuned", match.seed, {"memory_mb": 64},
        )  # fmt: skip
        assert [seat.content_hash for seat in job.seats] == [one.archive_id, two.archive_id]
        assert job.seats[0].name == str(one)

    def test_row_shows_worker_attempt_and_lease(self) -> None:
        match = make_match()

        job = claimed(match, worker="host/5")

        match.refresh_from_db()
        assert (match.state, match.worker, match.attempts_made) == ("running", "host/5", 1)
        assert match.token == job.token
        assert match.lease_until is not None
        left = match.lease_until - timezone.now()
        assert timedelta(seconds=25) < left <= timedelta(seconds=LEASE_S + 1)
        attempt = Attempt.objects.get()
        assert (attempt.number, attempt.token, attempt.state) == (1, job.token, "running")

    @pytest.mark.parametrize("state", [MatchState.RUNNING, MatchState.DONE, MatchState.VOID])
    def test_match_that_does_not_wait_is_refused(self, state: MatchState) -> None:
        match = make_match(state=state)

        assert claim_match(match_id=match.pk, worker="w") is None

    def test_held_match_is_refused(self) -> None:
        match = make_match(lane=7)
        services.hold_lane(7)

        assert claim_match(match_id=match.pk, worker="w") is None

    def test_unknown_match_is_refused(self) -> None:
        assert claim_match(match_id=10**17, worker="w") is None


class TestRenew:
    def test_holder_keeps_the_match_and_reports_progress(self) -> None:
        match = make_match()
        job = claimed(match)
        let_lease_expire(match.pk)

        assert renew(job, ply=12)

        match.refresh_from_db()
        assert match.ply == 12
        assert match.lease_until is not None
        assert match.lease_until > timezone.now()

    def test_other_token_is_refused(self) -> None:
        match = make_match()
        job = claimed(match)

        assert not renew(job, ply=12, token=uuid.uuid4())

    def test_worker_of_an_earlier_attempt_is_refused(self) -> None:
        match = make_match()
        stale = claimed(match)
        let_lease_expire(match.pk)
        services.return_expired_leases()
        claimed(match)

        assert not renew(stale, ply=12)


class TestFinish:
    def test_rows_show_the_result(self) -> None:
        match = make_match()
        job = claimed(match)

        told = result(score=5, log="hello", notes=((3, "hm"),))
        assert finish(job, told)

        match.refresh_from_db()
        assert (match.state, match.outcome_reason, match.ply) == ("done", "line", 7)
        assert (match.token, match.lease_until) == (None, None)
        assert match.finished_at is not None
        first, second = match.seats.order_by("seat")
        assert (first.rank, first.score, first.cpu_ms) == (0, 5, 12)
        assert (second.rank, second.score) == (1, None)
        assert (first.log.text, first.log.notes) == ("hello", [[3, "hm"]])
        assert Attempt.objects.get().state == AttemptState.ACCEPTED

    def test_second_token_changes_nothing(self) -> None:
        match = make_match()
        job = replace(claimed(match), token=uuid.uuid4())

        assert not finish(job, result(log="stale"))

        match.refresh_from_db()
        assert match.state == MatchState.RUNNING
        assert not SeatLog.objects.exists()

    def test_fault_is_stored_with_its_seat(self) -> None:
        match = make_match()
        job = claimed(match)

        told = result(fault_kind="cpu_time", fault_ply=3, fault_detail="x" * 400)
        finish(job, told)

        seat = match.seats.get(seat=0)
        assert (seat.fault_kind, seat.fault_ply, len(seat.fault_detail)) == ("cpu_time", 3, 300)


class TestHostFailure:
    def test_match_waits_again_with_the_reason(self) -> None:
        match = make_match(sent_at=timezone.now())
        job = claimed(match)

        assert services.fail_attempt(match_id=match.pk, token=job.token, reason="no bwrap")

        match.refresh_from_db()
        assert (match.state, match.state_reason) == ("pending", "no bwrap")
        assert (match.token, match.lease_until, match.sent_at) == (None, None, None)
        attempt = Attempt.objects.get()
        assert (attempt.state, attempt.reason) == (AttemptState.FAILED, "no bwrap")

    def test_last_attempt_calls_the_match_off(self) -> None:
        match = make_match()

        for _ in range(attempts.MAX_ATTEMPTS):
            job = claimed(match)
            services.fail_attempt(match_id=match.pk, token=job.token, reason="no bwrap")

        match.refresh_from_db()
        assert (match.state, match.state_reason) == ("void", "no bwrap")
        assert match.finished_at is not None
        assert Attempt.objects.count() == attempts.MAX_ATTEMPTS

    def test_worker_without_the_match_cannot_fail_it(self) -> None:
        match = make_match()
        claimed(match)

        assert not services.fail_attempt(match_id=match.pk, token=uuid.uuid4(), reason="late")

    def test_expired_lease_gives_the_match_back(self) -> None:
        match = make_match()
        claimed(match, worker="host/5")
        let_lease_expire(match.pk)

        assert services.return_expired_leases() == [match]

        match.refresh_from_db()
        assert match.state == MatchState.PENDING
        assert "host/5" in match.state_reason
        assert Attempt.objects.get().state == AttemptState.EXPIRED

    def test_live_lease_is_left_alone(self) -> None:
        claimed(make_match())

        assert services.return_expired_leases() == []


class TestVoid:
    def test_waiting_and_running_matches_are_called_off(self) -> None:
        waiting, running, done = make_match(), make_match(), make_match(state=MatchState.DONE)
        job = claimed(running)

        assert services.void_matches(matches=Match.objects.all(), reason="cancelled") == 2

        states = dict(Match.objects.values_list("pk", "state"))
        assert states == {waiting.pk: "void", running.pk: "void", done.pk: "done"}
        assert not renew(job, ply=1)
        assert Attempt.objects.get().state == AttemptState.FAILED

    def test_result_after_the_end_is_refused(self) -> None:
        match = make_match()
        job = claimed(match)
        services.void_matches(matches=Match.objects.all(), reason="cancelled")

        assert not finish(job, result())


def test_only_void_matches_are_queued_again() -> None:
    void, done = make_match(state=MatchState.VOID), make_match(state=MatchState.DONE)

    with pytest.raises(Conflict, match="only void matches are requeued") as refused:
        services.requeue_void_matches(match_ids=[void.pk, done.pk])

    assert refused.value.code == "not_void"
    void.refresh_from_db()
    assert void.state == MatchState.VOID, "all of them, or none"
