"""Leases last as long as matches go on, and no longer than their clocks allow."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db.models import F
from django.db.models.functions import Now

from pentathlon.core.models import Leadership
from pentathlon.matches.jobs import LEASE_S, Job
from pentathlon.matches.leases import BUILD_S, GAP_S, SLACK_S, renew_leases, watch_leases
from pentathlon.matches.models import Attempt, AttemptState, Match, MatchState
from pentathlon.matches.services import claim_matches, return_match
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.wall_clock import longest_request_s, longest_start_s
from tests.factories import make_match, make_version
from tests.pentathlon.matches.acting import claimed, let_lease_expire, renew

pytestmark = pytest.mark.django_db

LIMITS = Limits()
STILL_S = SLACK_S + 2 * longest_start_s(LIMITS) + longest_request_s(LIMITS)


def let_pass(seconds: float) -> None:
    """Let time pass in which the leases are renewed, without progress."""
    length = timedelta(seconds=seconds)
    Match.objects.update(
        started_at=F("started_at") - length, progressed_at=F("progressed_at") - length
    )


def state_of(job: Job) -> tuple[str, int]:
    match = Match.objects.get(pk=job.match_id)
    return match.state, match.host_faults


def test_match_that_stands_still_goes_to_another_worker_and_costs_nobody_anything() -> None:
    job = claimed(make_match())
    let_pass(STILL_S + 1)

    assert not renew(job, ply=0)

    assert state_of(job) == (MatchState.PENDING, 0)
    assert Match.objects.get().sent_at is None
    assert Attempt.objects.get().state == AttemptState.STALLED


def test_bots_that_think_as_long_as_they_may_keep_their_match() -> None:
    job = claimed(make_match())

    for ply in range(1, 12):
        let_pass(STILL_S - 1)
        assert renew(job, ply=ply)


def test_plies_that_fall_and_grow_again_are_no_progress() -> None:
    job = claimed(make_match())
    renew(job, ply=5)
    let_pass(STILL_S + 1)
    renew(job, ply=4)

    assert not renew(job, ply=5)


def test_match_lasts_no_longer_than_its_clocks_allow_however_its_plies_grow() -> None:
    short = {"startup_wall_s": 0.5, "match_cpu_s": 1, "match_wall_s": 1}
    job = claimed(make_match(limits=short))
    let_pass(3600)

    assert not renew(job, ply=90)


def test_longer_clocks_give_longer_leases() -> None:
    job = claimed(make_match(limits={"action_cpu_s": 60, "action_wall_s": 180}))
    let_pass(STILL_S + 60)

    assert renew(job, ply=0)


def test_build_has_time() -> None:
    built = make_version()
    built.manifest["build"] = ["cc", "-o", "bot", "main.c"]
    built.save()
    job = claimed(make_match([built, make_version()]))
    let_pass(STILL_S + BUILD_S - 1)

    assert renew(job, ply=0)
    let_pass(2)
    assert not renew(job, ply=0)


def test_matches_that_a_slot_plays_later_wait_for_the_first() -> None:
    jobs = claim_matches(match_ids=[make_match().pk, make_match().pk], worker="host/1.0")
    first, second = jobs
    let_pass(STILL_S - 1)

    kept = renew_leases({first.token: (first.match_id, 3), second.token: (second.match_id, 0)})
    let_pass(STILL_S - 1)

    assert kept == {first.token, second.token}
    assert renew(second, ply=0)


def test_time_in_which_we_were_away_does_not_count() -> None:
    job = claimed(make_match())
    let_pass(7200)
    Match.objects.update(lease_until=Now() - timedelta(seconds=7170))

    assert renew(job, ply=0)


def test_worker_that_gave_its_match_back_is_told_so() -> None:
    job = claimed(make_match())
    return_match(match_id=job.match_id, token=job.token, reason="draining")

    assert not renew(job, ply=1)


@pytest.fixture
def match() -> Match:
    """A match whose worker is silent, on a platform that was watched until now."""
    watch_leases()
    return make_match()


def pass_time(seconds: float) -> None:
    """Let so many seconds pass for all that the database has noted, without a look."""
    Leadership.objects.update(until=F("until") - timedelta(seconds=seconds))


def test_match_of_a_silent_worker_is_given_back(match: Match) -> None:
    claimed(match)
    let_lease_expire(match.pk)

    assert watch_leases() == [match]


def test_first_look_ever_waits_for_nothing() -> None:
    match = make_match()
    claimed(match)
    let_lease_expire(match.pk)

    assert watch_leases() == [match]


def test_worker_may_speak_up_for_one_lease_after_an_outage(match: Match) -> None:
    job = claimed(match)
    let_lease_expire(match.pk)
    pass_time(GAP_S + 1)

    assert watch_leases() == []
    pass_time(GAP_S - 1)
    assert watch_leases() == []
    assert renew(job, ply=7)

    for _ in range(LEASE_S // (GAP_S - 1) + 1):
        pass_time(GAP_S - 1)
        assert watch_leases() == []
    match.refresh_from_db()
    assert (match.state, match.host_faults) == (MatchState.RUNNING, 0)


def test_worker_that_stays_silent_after_an_outage_loses_its_match(match: Match) -> None:
    claimed(match)
    let_lease_expire(match.pk)
    pass_time(GAP_S + 1)
    watch_leases()

    found = []
    for _ in range(LEASE_S // (GAP_S - 1) + 1):
        pass_time(GAP_S - 1)
        found += watch_leases()

    assert found == [match]
    assert match.attempts.get().state == AttemptState.EXPIRED


def test_short_gap_is_no_outage(match: Match) -> None:
    claimed(match)
    let_lease_expire(match.pk)
    pass_time(GAP_S - 1)

    assert watch_leases() == [match]
