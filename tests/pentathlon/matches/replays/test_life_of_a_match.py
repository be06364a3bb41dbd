"""Whatever workers, clocks and organisers do, a match ends once: done or void."""

from dataclasses import dataclass, field

import pytest
from hypothesis import settings
from hypothesis.stateful import (
    Bundle,
    MultipleResults,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
    run_state_machine_as_test,
)
from hypothesis.strategies import booleans, integers

from pentathlon.core.errors import Conflict
from pentathlon.matches import attempts, services
from pentathlon.matches.jobs import Job
from pentathlon.matches.models import Attempt, AttemptState, Match
from pentathlon.matches.replays.models import Replay
from tests.factories import make_match, make_version
from tests.pentathlon.matches.acting import claim_match, let_lease_expire, renew
from tests.pentathlon.matches.replays.playing import record_of, submit


@dataclass
class Expected:
    """What a match should look like."""

    state: str = "pending"
    attempts: int = 0
    holder: Job | None = None
    accepted: tuple[Job, int] | None = None
    """The job that handed in the accepted record, and the luck of that record."""
    expired: bool = False
    on_hold: bool = False
    endings: list[str] = field(default_factory=list)

    def give_back(self) -> None:
        """Take the match from its holder after a failure of the host."""
        self.holder, self.expired = None, False
        self.end("void") if self.attempts == attempts.MAX_ATTEMPTS else self.wait()

    def wait(self) -> None:
        """Wait for the next worker."""
        self.state = "pending"

    def end(self, state: str) -> None:
        """Come to an end."""
        self.state, self.holder, self.expired = state, None, False
        self.endings.append(state)


class LifeOfAMatch(RuleBasedStateMachine):
    """Plays workers, clocks and an organiser against the services and a model of them."""

    jobs = Bundle("jobs")

    @initialize()
    def start(self) -> None:
        versions = [make_version(), make_version()]
        self.match = make_match(versions)
        self.expected = Expected()

    @rule(target=jobs)
    def follow_hint(self) -> Job | MultipleResults[Job]:
        job = self._claim()
        return multiple() if job is None else job

    @rule(job=jobs, ply=integers(0, 50))
    def renew(self, job: Job, ply: int) -> None:
        kept = renew(job, ply=ply)
        assert kept == (job == self.expected.holder)
        if kept:
            self.expected.expired = False

    @rule()
    def fall_silent(self) -> None:
        if self.expected.state == "running":
            let_lease_expire(self.match.pk)
            self.expected.expired = True

    @rule()
    def reconcile(self) -> None:
        returned = [match.pk for match in services.return_expired_leases()]
        assert returned == ([self.match.pk] if self.expected.expired else [])
        if self.expected.expired:
            self.expected.give_back()

    @rule(job=jobs)
    def fail(self, job: Job) -> None:
        given_back = services.fail_attempt(match_id=job.match_id, token=job.token, reason="host")
        assert given_back == (job == self.expected.holder)
        if given_back:
            self.expected.give_back()

    @rule(job=jobs, luck=integers(1, 2))
    def hand_in(self, job: Job, luck: int) -> None:
        self._hand_in(job, luck)

    @rule(hold=booleans())
    def pause_or_resume(self, hold: bool) -> None:
        change = services.hold_lane if hold else services.release_lane
        change(self.match.lane)
        self.expected.on_hold = hold

    @precondition(lambda self: self.expected.attempts > 1)  # else little is ever played
    @rule()
    def cancel(self) -> None:
        voided = services.void_matches(
            matches=Match.objects.filter(pk=self.match.pk), reason="cancelled"
        )
        assert voided == (not self.expected.endings)
        if voided:
            self.expected.end("void")

    @invariant()
    def rows_agree(self) -> None:
        if not hasattr(self, "match"):
            return
        expected = self.expected
        self.match.refresh_from_db()
        assert (self.match.state, self.match.attempts_made) == (expected.state, expected.attempts)
        assert self.match.token == (expected.holder.token if expected.holder else None)
        accepted = Attempt.objects.filter(match=self.match, state=AttemptState.ACCEPTED).count()
        assert accepted == (expected.state == "done")
        assert Replay.objects.filter(match=self.match).count() == accepted
        assert len(expected.endings) <= 1

    def teardown(self) -> None:
        """In the end an ordinary worker finds every match that is still open."""
        if not hasattr(self, "match"):
            return
        self.pause_or_resume(hold=False)
        while not self.expected.endings:
            self.fall_silent()
            self.reconcile()
            self._claim()
            if self.expected.holder is not None:
                self._hand_in(self.expected.holder, 1)
        self.rows_agree()

    def _claim(self) -> Job | None:
        expected = self.expected
        job = claim_match(match_id=self.match.pk, worker="w")
        assert (job is not None) == (expected.state == "pending" and not expected.on_hold)
        if job is not None:
            expected.state, expected.holder = "running", job
            expected.attempts += 1
            assert job.attempt == expected.attempts
        return job

    def _hand_in(self, job: Job, luck: int) -> None:
        answer = "accepted"
        try:
            submit(job, record_of(job, luck=luck))
        except Conflict as error:
            answer = error.code
        assert answer == self._answer(job, luck)
        if job == self.expected.holder:
            self.expected.accepted = (job, luck)
            self.expected.end("done")

    def _answer(self, job: Job, luck: int) -> str:
        accepted = self.expected.accepted
        if accepted is not None and accepted[0] == job:
            return "accepted" if accepted[1] == luck else "different_result"
        return "accepted" if job == self.expected.holder else "stale_token"


@pytest.mark.django_db
def test_match_ends_once_done_or_void() -> None:
    limits = settings(max_examples=settings().max_examples // 2, stateful_step_count=20)

    run_state_machine_as_test(LifeOfAMatch, settings=limits)
