"""Many workers at once on the real database."""

from functools import partial

import pytest

from pentathlon.bots.models import BotVersion, VersionState
from pentathlon.matches import services
from pentathlon.matches.jobs import Job
from pentathlon.matches.models import Attempt, AttemptState, Match, MatchKind, MatchState
from pentathlon.matches.uploads.services import validate_again
from tests.factories import make_match, make_version
from tests.pentathlon.matches.acting import claim_match, claimed, finish, let_lease_expire, result
from tests.pentathlon.together import all_at_once

pytestmark = pytest.mark.django_db(transaction=True)


def test_one_of_many_claimers_gets_the_match() -> None:
    match = make_match()

    outcomes = all_at_once([lambda: claim_match(match_id=match.pk, worker="w") for _ in range(6)])

    assert sum(isinstance(outcome, Job) for outcome in outcomes) == 1
    assert outcomes.count(None) == 5
    assert Attempt.objects.count() == 1


def test_every_match_is_claimed_once_by_greedy_workers() -> None:
    ids = [make_match().pk for _ in range(8)]

    outcomes = all_at_once(
        [
            lambda: [claim_match(match_id=match_id, worker="w") for match_id in ids]
            for _ in range(4)
        ]
    )

    jobs = [job for jobs in outcomes if isinstance(jobs, list) for job in jobs if job]
    assert sorted(job.match_id for job in jobs) == ids


def test_one_of_many_submissions_counts() -> None:
    job = claimed(make_match())
    results = [result(record=digit.encode(), log=digit) for digit in "abcd"]

    outcomes = all_at_once([partial(finish, job, told) for told in results])

    assert sorted(map(bool, outcomes)) == [False, False, False, True]
    won = results[outcomes.index(True)]
    assert Attempt.objects.get().result_hash == won.result_hash


def test_match_is_either_finished_or_given_back() -> None:
    for _ in range(5):
        job = claimed(make_match())
        let_lease_expire(job.match_id)

        finished, given_back = all_at_once(
            [partial(finish, job, result()), services.return_expired_leases]
        )

        state = Match.objects.get(pk=job.match_id).state
        assert bool(finished) is (state == MatchState.DONE)
        assert bool(given_back) is (state == MatchState.PENDING)
        assert finished or given_back


def test_two_reconcilers_give_a_match_back_once() -> None:
    job = claimed(make_match())
    let_lease_expire(job.match_id)

    outcomes = all_at_once([services.return_expired_leases] * 3)

    assert sum(len(returned) for returned in outcomes if isinstance(returned, list)) == 1
    assert Attempt.objects.get().state == AttemptState.EXPIRED


def test_one_of_many_requests_for_validation_counts() -> None:
    version = make_version(state=VersionState.UNCHECKED)
    make_match([version, version], kind=MatchKind.VALIDATION, state=MatchState.VOID)
    owner = version.bot.owner

    outcomes = all_at_once(
        [
            lambda: validate_again(actor=owner, version=BotVersion.objects.get(pk=version.pk))
            for _ in range(4)
        ]
    )

    assert sum(isinstance(outcome, BotVersion) for outcome in outcomes) == 1
    assert Match.objects.validations_of(version.pk).count() == 1


def test_validation_that_ends_in_two_places_at_once_is_settled() -> None:
    version = make_version(state=VersionState.VALIDATING)
    jobs = [claimed(make_match([version, version], kind=MatchKind.VALIDATION)) for _ in range(3)]

    all_at_once([partial(finish, job, result()) for job in jobs])

    version.refresh_from_db()
    assert version.state == VersionState.ELIGIBLE
