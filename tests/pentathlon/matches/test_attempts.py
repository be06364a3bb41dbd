from datetime import timedelta

import pytest
from django.db.models.functions import Now

from pentathlon.matches.attempts import MAX_ATTEMPTS, MOST_ATTEMPTS, worker_of
from pentathlon.matches.jobs import Job
from pentathlon.matches.models import Attempt, Match, MatchState
from pentathlon.matches.services import (
    fail_attempt,
    requeue_void_matches,
    return_match,
)
from tests.factories import make_match, make_worker
from tests.pentathlon.matches.acting import claim_match, claimed

pytestmark = pytest.mark.django_db

BROKEN, HEALTHY = "broken/1", "healthy/2"


@pytest.fixture
def match() -> Match:
    return make_match()


def fail(match: Match, *, on: str, suspect: int | None = None, slow: bool = False) -> None:
    """Let a match fail on a slot of a worker, long enough ago to be tried there again."""
    job = claimed(match, worker=f"{on}.0")
    fail_attempt(
        match_id=match.pk, token=job.token, reason="?", suspect=suspect, was_too_slow=slow
    )
    Attempt.objects.update(ended_at=Now() - timedelta(minutes=5))
    match.refresh_from_db()


def blamed(job: Job) -> list[bool]:
    return [seat.is_blamed for seat in job.seats]


@pytest.mark.parametrize(
    ("slot", "worker"),
    [("host.example/17.3", "host.example/17"), ("host/17", "host/17"), ("quiet", "quiet")],
)
def test_slot_belongs_to_the_worker_that_it_names(slot: str, worker: str) -> None:
    assert worker_of(slot) == worker


class TestVoid:
    def test_one_broken_worker_voids_nothing_while_another_is_alive(self, match: Match) -> None:
        make_worker(BROKEN)
        make_worker(HEALTHY)

        for _ in range(MAX_ATTEMPTS):
            fail(match, on=BROKEN)

        assert match.state == MatchState.PENDING

    def test_failures_on_two_workers_void_the_match(self, match: Match) -> None:
        make_worker(BROKEN)
        make_worker(HEALTHY)

        for worker in (BROKEN, BROKEN, HEALTHY):
            fail(match, on=worker)

        assert match.state == MatchState.VOID

    def test_match_is_not_void_while_a_bot_is_to_blame(self, match: Match) -> None:
        make_worker(BROKEN)
        make_worker(HEALTHY)
        suspect = match.seats.get(seat=0).version_id

        for worker in (BROKEN, BROKEN, HEALTHY):
            fail(match, on=worker, suspect=suspect)

        assert match.state == MatchState.PENDING
        assert blamed(claimed(match)) == [True, False]

    def test_only_worker_voids_after_the_usual_number(self, match: Match) -> None:
        make_worker(BROKEN)

        for _ in range(MAX_ATTEMPTS):
            fail(match, on=BROKEN)

        assert match.state == MatchState.VOID

    def test_worker_that_cannot_play_the_match_does_not_count(self, match: Match) -> None:
        make_worker(BROKEN)
        make_worker(HEALTHY, runtimes=["node"])

        for _ in range(MAX_ATTEMPTS):
            fail(match, on=BROKEN)

        assert match.state == MatchState.VOID

    def test_no_match_fails_for_ever(self, match: Match) -> None:
        make_worker(BROKEN)
        make_worker(HEALTHY)

        for _ in range(MOST_ATTEMPTS):
            fail(match, on=BROKEN)

        assert match.state == MatchState.VOID

    def test_match_that_is_given_back_is_never_void(self, match: Match) -> None:
        for _ in range(MAX_ATTEMPTS - 1):
            fail(match, on=BROKEN)
        job = claimed(match)

        return_match(match_id=match.pk, token=job.token, reason="asked to stop")

        match.refresh_from_db()
        assert (match.state, match.host_faults) == (MatchState.PENDING, MAX_ATTEMPTS - 1)


class TestPreference:
    def fail_now(self, match: Match) -> None:
        job = claimed(match, worker=f"{BROKEN}.0")
        fail_attempt(match_id=match.pk, token=job.token, reason="no disk")

    def test_match_is_left_to_another_worker_for_a_while(self, match: Match) -> None:
        make_worker(BROKEN)
        make_worker(HEALTHY)

        self.fail_now(match)

        assert claim_match(match_id=match.pk, worker=f"{BROKEN}.1") is None
        assert claim_match(match_id=match.pk, worker=f"{HEALTHY}.0") is not None

    def test_match_comes_back_after_that_while(self, match: Match) -> None:
        make_worker(BROKEN)
        make_worker(HEALTHY)

        fail(match, on=BROKEN)

        assert claim_match(match_id=match.pk, worker=f"{BROKEN}.0") is not None

    def test_only_worker_tries_again_at_once(self, match: Match) -> None:
        make_worker(BROKEN)

        self.fail_now(match)

        assert claim_match(match_id=match.pk, worker=f"{BROKEN}.0") is not None


class TestBlame:
    def test_failures_of_one_bot_on_two_workers_are_its_own(self, match: Match) -> None:
        suspect = match.seats.get(seat=1).version_id

        fail(match, on=BROKEN, suspect=suspect)
        fail(match, on=HEALTHY, suspect=suspect)

        assert blamed(claimed(match)) == [False, True]

    def test_one_worker_is_not_enough(self, match: Match) -> None:
        suspect = match.seats.get(seat=1).version_id

        fail(match, on=BROKEN, suspect=suspect)
        fail(match, on=BROKEN, suspect=suspect)

        assert blamed(claimed(match)) == [False, False]

    def test_only_worker_that_is_too_slow_for_one_bot_twice_is_enough(self, match: Match) -> None:
        suspect = match.seats.get(seat=1).version_id

        fail(match, on=BROKEN, suspect=suspect, slow=True)
        fail(match, on=BROKEN, suspect=suspect, slow=True)

        assert blamed(claimed(match)) == [False, True]

    def test_another_worker_tries_before_a_bot_is_blamed_for_a_slow_one(
        self, match: Match
    ) -> None:
        make_worker(HEALTHY)
        suspect = match.seats.get(seat=1).version_id

        fail(match, on=BROKEN, suspect=suspect, slow=True)
        fail(match, on=BROKEN, suspect=suspect, slow=True)

        assert blamed(claimed(match)) == [False, False]

    def test_failures_of_different_bots_blame_neither(self, match: Match) -> None:
        for seat, worker in ((0, BROKEN), (1, HEALTHY)):
            fail(match, on=worker, suspect=match.seats.get(seat=seat).version_id)

        assert blamed(claimed(match)) == [False, False]

    def test_requeued_match_begins_without_blame(self, match: Match) -> None:
        suspect = match.seats.get(seat=1).version_id
        for worker in (BROKEN, HEALTHY, BROKEN) * 3:
            fail(match, on=worker, suspect=suspect)

        requeue_void_matches(match_ids=[match.pk])

        assert blamed(claimed(match)) == [False, False]
