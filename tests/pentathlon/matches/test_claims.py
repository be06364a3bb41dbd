"""Claims and endings of several matches at a time."""

from functools import partial

import pytest
from django.db import connection
from django.db.models.sql.compiler import SQLCompiler
from django.test.utils import CaptureQueriesContext
from pytest_django.fixtures import Settings

from pentathlon.fleet.capabilities import Capabilities
from pentathlon.matches import attempts, services
from pentathlon.matches.jobs import Job
from pentathlon.matches.models import Attempt, AttemptState, Match, MatchState
from pentathlon.matches.replays.services import accept_results
from pentathlon_engines.match.launcher import SandboxLevel
from tests.factories import make_match, make_version, make_worker
from tests.pentathlon.matches.acting import claimed, finish, let_lease_expire, result, result_of
from tests.pentathlon.matches.replays.playing import record_of, report_of, submission_of
from tests.pentathlon.together import all_at_once

pytestmark = pytest.mark.django_db

MOST_OF_CLAIM = 12
MOST_OF_HAND_IN = 16
"""Statements for any number of matches; savepoints count, too."""


def _claim(
    ids: list[int], capabilities: Capabilities | None = None, *, slot: str = "w.1"
) -> list[Job]:
    return services.claim_matches(match_ids=ids, worker=slot, capabilities=capabilities)


class TestBatch:
    def test_each_match_gets_a_token_and_an_attempt_of_its_own(self) -> None:
        ids = [make_match().pk for _ in range(3)]

        jobs = _claim(ids)

        assert [job.match_id for job in jobs] == ids
        assert len({job.token for job in jobs}) == 3
        running = Match.objects.order_by("pk").values_list("state", "token")
        assert list(running) == [("running", job.token) for job in jobs]
        attempts = Attempt.objects.order_by("match").values_list("token", flat=True)
        assert list(attempts) == [job.token for job in jobs]

    def test_what_is_not_to_be_had_is_left_out(self) -> None:
        free, held, done = (
            make_match(),
            make_match(lane=7),
            make_match(state=MatchState.DONE),
        )

        services.hold_lane(7)

        jobs = _claim([done.pk, held.pk, free.pk, 10**17])

        assert [job.match_id for job in jobs] == [free.pk]

    def test_expired_lease_gives_back_one_match_of_a_batch(self) -> None:
        first, second = _claim([make_match().pk, make_match().pk])
        let_lease_expire(first.match_id)

        services.return_expired_leases()

        states = dict(Match.objects.values_list("pk", "state"))
        assert states == {first.match_id: "pending", second.match_id: "running"}

    def test_endings_are_stored_for_current_tokens_only(self) -> None:
        kept, lost, again = _claim([make_match().pk for _ in range(3)])
        let_lease_expire(lost.match_id)
        services.return_expired_leases()
        claimed(Match.objects.get(pk=lost.match_id))

        counted = services.finish_matches(
            result_of(job, result(score=number)) for number, job in enumerate((kept, lost, again))
        )

        assert counted == {kept.match_id, again.match_id}
        scores = {
            match.pk: match.seats.get(seat=0).score for match in Match.objects.order_by("pk")
        }
        assert scores == {kept.match_id: 0, lost.match_id: None, again.match_id: 2}
        accepted = Attempt.objects.filter(state=AttemptState.ACCEPTED)
        assert set(accepted.values_list("match", flat=True)) == counted


def test_batch_is_claimed_and_handed_in_with_few_statements_that_are_compiled_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    make_worker()
    versions = [make_version(), make_version()]
    played = [_claim([make_match(versions).pk for _ in range(number)]) for number in (3, 1)]
    records = [[submission_of(job, report_of(record_of(job))) for job in jobs] for jobs in played]
    assert accept_results(records[0]) == [None] * 3
    ids = [make_match(versions).pk for _ in range(8)]
    monkeypatch.delattr(SQLCompiler, "as_sql")

    with CaptureQueriesContext(connection) as claiming:
        assert len(_claim(ids)) == 8
    with CaptureQueriesContext(connection) as handing_in:
        assert accept_results(records[1]) == [None]

    assert len(claiming) <= MOST_OF_CLAIM
    assert len(handing_in) <= MOST_OF_HAND_IN


class TestGivenBack:
    def test_match_that_nothing_is_wrong_with_waits_again(self) -> None:
        match = make_match()
        job = claimed(match)

        assert services.return_match(match_id=match.pk, token=job.token, reason="stopping")

        match.refresh_from_db()
        assert (match.state, match.state_reason, match.sent_at) == ("pending", "", None)
        attempt = Attempt.objects.get()
        assert (attempt.state, attempt.reason) == (AttemptState.RETURNED, "stopping")

    def test_giving_back_is_no_host_failure_however_often(self) -> None:
        match = make_match()

        for _ in range(attempts.MAX_ATTEMPTS + 1):
            job = claimed(match)
            services.return_match(match_id=match.pk, token=job.token, reason="stopping")

        match.refresh_from_db()
        assert (match.state, match.host_faults) == (MatchState.PENDING, 0)

    def test_worker_without_the_match_cannot_give_it_back(self) -> None:
        match = make_match()
        stale = claimed(match)
        let_lease_expire(match.pk)
        services.return_expired_leases()
        claimed(match)

        assert not services.return_match(match_id=match.pk, token=stale.token, reason="late")


class TestAbilities:
    def test_match_beyond_a_workers_abilities_is_published_again(self) -> None:
        fitting, beyond = make_match(), make_match(rules_version=99)
        Match.objects.update(sent_at="2026-01-01T00:00:00Z")

        jobs = _claim([fitting.pk, beyond.pk], Capabilities.of(make_worker()))

        assert [job.match_id for job in jobs] == [fitting.pk]
        beyond.refresh_from_db()
        assert (beyond.state, beyond.sent_at) == (MatchState.PENDING, None)

    def test_bots_without_walls_are_not_played_where_walls_are_demanded(
        self, settings: Settings
    ) -> None:
        settings.SANDBOX_LEVEL = SandboxLevel.NAMESPACES.value
        weak = Capabilities.of(make_worker(sandbox="landlock"))

        assert _claim([make_match().pk], weak) == []


class TestCap:
    @pytest.fixture(autouse=True)
    def _two_at_a_time(self, settings: Settings) -> None:
        settings.BOT_MATCHES = 2

    def test_bot_at_its_cap_gets_no_match(self) -> None:
        bot = make_version()
        first, second, third = (make_match([bot, make_version()]).pk for _ in range(3))
        Match.objects.update(sent_at="2026-01-01T00:00:00Z")
        _claim([first], slot="w.1")
        _claim([second], slot="w.2")

        assert _claim([third], slot="w.3") == []
        assert Match.objects.get(pk=third).sent_at is None

    def test_matches_that_one_slot_takes_together_count_once(self) -> None:
        bot = make_version()
        ids = [make_match([bot, make_version()]).pk for _ in range(9)]

        batches = [_claim(ids[at : at + 4], slot=f"w.{at}") for at in (0, 4)]

        assert [len(batch) for batch in batches] == [4, 4]
        assert _claim(ids[8:], slot="w.8") == []

    def test_next_match_is_to_be_had_when_a_slot_has_ended_its_own(self) -> None:
        bot = make_version()
        ids = [make_match([bot, make_version()]).pk for _ in range(4)]
        first, second = _claim(ids[:2], slot="w.1")
        _claim(ids[2:3], slot="w.2")
        finish(first, result())
        assert _claim(ids[3:], slot="w.3") == []

        finish(second, result())

        assert [job.match_id for job in _claim(ids[3:], slot="w.3")] == ids[3:]

    @pytest.mark.django_db(transaction=True)
    def test_claims_at_once_stay_within_the_cap(self) -> None:
        bot, other = make_version(), make_version()
        ids = [make_match([bot, other] if n % 2 else [other, bot]).pk for n in range(6)]

        claims = [partial(_claim, [pk], slot=f"w.{number}") for number, pk in enumerate(ids)]

        outcomes = all_at_once(claims)

        assert all(isinstance(outcome, list) for outcome in outcomes), outcomes
        assert sum(map(len, outcomes)) == 2
        assert Match.objects.live().count() == 2
