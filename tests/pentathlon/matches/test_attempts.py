from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now
from django.utils import timezone

from pentathlon.bots.models import BotVersion, VersionState
from pentathlon.bots.services import settle_validation
from pentathlon.matches.attempts import MAX_ATTEMPTS, MOST_ATTEMPTS, worker_of
from pentathlon.matches.dispatch.publishing import publish_pending
from pentathlon.matches.dispatch.reasons import why_waiting
from pentathlon.matches.hidden_lanes import HiddenLane
from pentathlon.matches.jobs import Job
from pentathlon.matches.models import Attempt, Match, MatchKind, MatchState
from pentathlon.matches.services import fail_attempt, requeue_void_matches, return_match
from pentathlon.matches.uploads.services import validate_again
from tests.factories import make_match, make_user, make_version, make_worker
from tests.pentathlon.matches.acting import claim_match, claimed, finish, result

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


CRASH: dict[str, Any] = {"fault_kind": "crash", "fault_ply": 0, "fault_detail": "It ended."}


@pytest.fixture
def version() -> BotVersion:
    return make_version()


def _play(version: BotVersion, *, times: int = 1, **told: Any) -> None:
    """Play matches of a version, of which it is told how they went."""
    for _ in range(times):
        columns = {"limits": told.pop("limits", {}), "kind": told.pop("kind", "tournament")}
        match = make_match((version, make_version()), **columns)
        finish(claimed(match), result(**told))
        told.update(columns)


def _state(version: BotVersion) -> str:
    version.refresh_from_db()
    return version.state


def test_five_faults_at_the_start_in_a_row_stop_a_version(version: BotVersion) -> None:
    _play(version, times=4, actions=0, **CRASH)
    assert _state(version) == VersionState.ELIGIBLE

    _play(version, actions=0, fault_kind="startup", fault_ply=0, fault_detail="No ready line.")

    last = Match.objects.latest("pk")
    assert _state(version) == VersionState.STOPPED
    assert version.state_reason == (
        f"Stopped after 5 faults at its start in a row, the last in match {last.pk}: startup. "
        "No ready line."
    )
    assert version.stopped_at is not None
    assert abs((timezone.now() - version.stopped_at).total_seconds()) < 60


def test_hidden_matches_stop_nobody_until_their_release(version: BotVersion) -> None:
    lane = HiddenLane.objects.create(lane=7, organiser=make_user())
    for _ in range(5):
        match = make_match((version, make_version()), kind=MatchKind.TOURNAMENT, lane=7)
        finish(claimed(match), result(actions=0, **CRASH))
    assert _state(version) == VersionState.ELIGIBLE

    lane.delete()
    _play(version, actions=0, **CRASH)

    assert _state(version) == VersionState.STOPPED


def test_hidden_good_start_does_not_show_in_a_row_of_faults(version: BotVersion) -> None:
    HiddenLane.objects.create(lane=7, organiser=make_user())
    _play(version, times=4, actions=0, **CRASH)
    match = make_match((version, make_version()), kind=MatchKind.TOURNAMENT, lane=7)
    finish(claimed(match), result(actions=6))

    _play(version, actions=0, **CRASH)

    assert _state(version) == VersionState.STOPPED


def test_good_start_begins_the_row_anew(version: BotVersion) -> None:
    _play(version, times=4, actions=0, **CRASH)
    _play(version, actions=6)
    _play(version, times=4, actions=0, **CRASH)

    assert _state(version) == VersionState.ELIGIBLE


def test_match_in_which_it_was_never_asked_says_nothing(version: BotVersion) -> None:
    _play(version, times=4, actions=0, **CRASH)
    _play(version, actions=0)
    _play(version, actions=0, **CRASH)

    assert _state(version) == VersionState.STOPPED


@pytest.mark.parametrize(
    "told",
    [
        {"actions": 1, **CRASH},
        {"actions": 0, "limits": {"action_cpu_s": 0.01}, **CRASH},
        {"actions": 0, "limits": {"memory_mb": 32}, **CRASH},
        {"actions": 0, "kind": MatchKind.VALIDATION, **CRASH},
    ],
    ids=["later", "little time", "little memory", "validation"],
)
def test_other_faults_stop_nobody(version: BotVersion, told: dict[str, Any]) -> None:
    for _ in range(6):
        _play(version, **told)

    assert _state(version) == VersionState.ELIGIBLE


def test_more_than_the_usual_limits_excuse_nothing(version: BotVersion) -> None:
    for _ in range(5):
        _play(version, actions=0, limits={"action_cpu_s": 5}, **CRASH)

    assert _state(version) == VersionState.STOPPED


def test_matches_of_which_the_actions_were_not_counted_break_the_row(version: BotVersion) -> None:
    _play(version, times=4, actions=0, **CRASH)
    Match.objects.earliest("pk").seats.update(actions=None)
    _play(version, actions=0, **CRASH)

    assert _state(version) == VersionState.ELIGIBLE


def test_opponent_goes_on(version: BotVersion) -> None:
    _play(version, times=5, actions=0, **CRASH)

    others = BotVersion.objects.exclude(pk=version.pk)
    assert set(others.values_list("state", flat=True)) == {VersionState.ELIGIBLE}


@pytest.mark.parametrize(
    "state", [VersionState.STOPPED, VersionState.DISQUALIFIED, VersionState.RETIRED]
)
def test_version_out_of_play_is_not_started(version: BotVersion, state: VersionState) -> None:
    match = make_match((make_version(), version))
    BotVersion.objects.filter(pk=version.pk).update(state=state)

    assert not Match.objects.startable().exists()
    make_worker()
    hints: list[Sequence[int]] = []
    assert publish_pending(publish=hints.append) == len(hints) == 0
    assert claim_match(match_id=match.pk, worker="test/1") is None
    reason = why_waiting(Match.objects.with_needs().get(pk=match.pk))
    assert reason is not None
    assert reason.code == "out_of_play"


def test_author_has_a_stopped_version_checked_again(version: BotVersion) -> None:
    _play(version, times=5, actions=0, **CRASH)
    version.refresh_from_db()

    validate_again(actor=version.bot.owner, version=version)

    assert _state(version) == VersionState.VALIDATING
    checks = Match.objects.validations_of(version.pk).filter(state=MatchState.PENDING)
    assert checks.count() == 1
    finish(claimed(checks.get()), result(actions=9))
    assert _state(version) == VersionState.ELIGIBLE


def test_row_begins_anew_after_a_good_check(version: BotVersion) -> None:
    _play(version, times=5, actions=0, **CRASH)
    BotVersion.objects.update(state=VersionState.VALIDATING)
    settle_validation(version_id=version.pk, passed=True, reason="", log="")

    _play(version, times=4, actions=0, **CRASH)
    assert _state(version) == VersionState.ELIGIBLE

    _play(version, actions=0, **CRASH)
    assert _state(version) == VersionState.STOPPED
