from datetime import timedelta

import pytest
from django.db.models import F

from pentathlon.core.models import Leadership
from pentathlon.matches.jobs import LEASE_S
from pentathlon.matches.leases import GAP_S, watch_leases
from pentathlon.matches.models import AttemptState, Match, MatchState
from tests.factories import make_match
from tests.pentathlon.matches.acting import claimed, let_lease_expire, renew

pytestmark = pytest.mark.django_db


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
