"""What monitoring is told of the platform, and that asking costs the same at any size."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import F
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext
from prometheus_client import CollectorRegistry

from pentathlon.accounts.models import Letter, LetterKind
from pentathlon.core.services import RECONCILER, acquire_leadership
from pentathlon.matches.hidden_lanes import HeldLane
from pentathlon.matches.models import Attempt, AttemptState, Match, MatchKind, MatchState
from pentathlon.operations.backups import note_backup
from pentathlon.operations.gauges import gauges, register_gauges
from pentathlon.ratings.models import LedgerRow, LedgerState
from pentathlon.ratings.services import enter_matches
from pentathlon.trust.quarantine import FEWEST_RESULTS
from tests.factories import make_match, make_version, make_worker
from tests.pentathlon.insight.rivalry.playing import live_pool, play
from tests.pentathlon.trust.acting import claim, join

pytestmark = pytest.mark.django_db


@pytest.fixture
def told() -> Iterator[CollectorRegistry]:
    """What an exporter knows, asked again by each test."""
    registry = CollectorRegistry(auto_describe=False)
    gauges.forget()
    register_gauges(registry)
    yield registry
    gauges.forget()


def _end(match: Match, *, after_s: float) -> None:
    Match.objects.filter(pk=match.pk).update(
        finished_at=Now(), started_at=Now() - timedelta(seconds=after_s)
    )


def test_waiting_matches_are_told_by_kind(told: CollectorRegistry) -> None:
    versions = [make_version(), make_version()]
    for _ in range(3):
        make_match(versions)
    HeldLane.objects.create(lane=77)
    make_match(versions, kind=MatchKind.CHALLENGE, lane=77)
    make_match(versions, kind=MatchKind.LADDER, lane=77)
    Match.objects.update(created_at=F("created_at") - timedelta(minutes=5))

    assert told.get_sample_value("pentathlon_gauges_up") == 1
    waiting = {
        kind: told.get_sample_value("pentathlon_matches_waiting", {"kind": kind})
        for kind in MatchKind.values
    }
    others = dict.fromkeys(("ladder", "challenge", "spot_check", "validation"), 0)
    assert waiting == {"tournament": 3, **others}
    oldest = told.get_sample_value("pentathlon_oldest_wait_seconds", {"kind": "tournament"})
    assert oldest is not None
    assert 300 <= oldest < 3000


def test_latest_hour_is_told_by_end_game_and_fault(told: CollectorRegistry) -> None:
    versions = [make_version(), make_version()]
    for seconds in (10, 20, 30):
        _end(make_match(versions, state=MatchState.DONE, faults={1: "crash"}), after_s=seconds)
    match = make_match(versions, state=MatchState.DONE, faults={0: "memory"})
    Match.objects.filter(pk=match.pk).update(finished_at=Now() - timedelta(hours=2))
    for number, state in enumerate((AttemptState.EXPIRED, AttemptState.ACCEPTED)):
        Attempt.objects.create(match=match, number=number, worker="w/1", state=state)
    for number, seconds in ((5, 4), (6, 8)):
        ended = Now() + timedelta(seconds=seconds)
        Attempt.objects.create(
            match=match, number=number, worker="w/1", state=AttemptState.ACCEPTED, ended_at=ended
        )
    old = Attempt.objects.create(match=match, number=9, worker="w/1", state=AttemptState.FAILED)
    Attempt.objects.filter(pk=old.pk).update(started_at=Now() - timedelta(hours=2))

    def attempts(end: AttemptState) -> float | None:
        return told.get_sample_value("pentathlon_attempts_recent", {"end": end})

    assert [attempts(end) for end in AttemptState] == [0, 3, 1, 0, 0, 0]
    assert told.get_sample_value("pentathlon_attempt_seconds", {"quantile": "0.5"}) == (
        pytest.approx(6)
    )
    assert told.get_sample_value("pentathlon_faults_recent", {"kind": "crash"}) == 3
    assert told.get_sample_value("pentathlon_faults_recent", {"kind": "memory"}) is None
    median = {"game": "tuned", "quantile": "0.5"}
    assert told.get_sample_value("pentathlon_match_duration_seconds", median) == 20


def test_matches_that_do_not_go_on_are_told_by_token(told: CollectorRegistry) -> None:
    token = join()
    claim(make_match(), token)
    claim(make_match(), None)
    Match.objects.update(progressed_at=Now() - timedelta(minutes=2))
    claim(make_match(), token)

    def still(name: str) -> float | None:
        return told.get_sample_value("pentathlon_matches_without_progress", {"token": name})

    assert (still(token.name), still("")) == (1, 1)


def test_ratings_that_lag_are_told(told: CollectorRegistry) -> None:
    assert told.get_sample_value("pentathlon_rating_lag_seconds") == 0
    gauges.forget()
    enter_matches(pool=live_pool(), matches=[make_match(state=MatchState.DONE)])
    LedgerRow.objects.update(state=LedgerState.READY, ended_at=Now() - timedelta(minutes=10))

    assert told.get_sample_value("pentathlon_ratings_waiting") == 1
    lag = told.get_sample_value("pentathlon_rating_lag_seconds")
    assert lag is not None
    assert 600 <= lag < 6000


def test_worker_whose_results_surprise_stands_out(told: CollectorRegistry) -> None:
    strong, weak = make_version(), make_version()
    play(strong, weak, times=60, worker="good/1")
    play(strong, weak, times=FEWEST_RESULTS, worker="bad/2", ranks=(1, 0))
    make_match([strong, weak], state=MatchState.DONE, worker="new/1")

    def surprise(worker: str) -> float | None:
        return told.get_sample_value("pentathlon_worker_surprise", {"worker": worker})

    good, bad = surprise("good"), surprise("bad")
    assert good is not None
    assert bad is not None
    assert good < 1 < bad
    assert surprise("new") is None


def test_fleet_is_told(told: CollectorRegistry) -> None:
    make_worker("one/1", slots=3, held_slots=1)
    make_match(state=MatchState.RUNNING)
    acquire_leadership(name=RECONCILER, holder="test", ttl_s=60)

    names = ("workers_alive", "slots", "slots_held", "matches_running", "reconciler_up")
    values = [told.get_sample_value(f"pentathlon_{name}") for name in names]
    assert values == [1, 3, 1, 1, 1]
    assert (told.get_sample_value("pentathlon_database_bytes") or 0) > 100_000


def test_questions_are_as_many_however_much_there_is(told: CollectorRegistry) -> None:
    def questions() -> int:
        gauges.forget()
        with CaptureQueriesContext(
            connection,
        ) as captured:
            list(told.collect())
        return len(captured)

    versions = [make_version(), make_version()]
    make_match(versions, state=MatchState.DONE)
    few = questions()
    for state in (MatchState.DONE, MatchState.PENDING, MatchState.RUNNING) * 4:
        make_match(versions, state=state, faults={1: "crash"})

    assert questions() == few
    with CaptureQueriesContext(connection) as captured:
        list(told.collect())
    assert len(captured) == 0


def test_no_question_reads_a_whole_history(told: CollectorRegistry) -> None:
    """Each table that grows with every match is read by an index, and no more than is told."""
    with CaptureQueriesContext(connection) as captured:
        list(told.collect())
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            # Otherwise small tables are read as a whole.
            cursor.execute("SET LOCAL enable_seqscan = off")
    asked = [query["sql"] for query in captured if query["sql"].startswith("SELECT")]

    assert len(asked) >= 10
    for sql in asked:
        with connection.cursor() as cursor:
            explain = "EXPLAIN" if connection.vendor == "postgresql" else "EXPLAIN QUERY PLAN"
            cursor.execute(f"{explain} {sql}")
            plan = "\n".join(str(row) for row in cursor.fetchall())
        for table in ("match", "attempt", "matchseat"):
            assert f"Seq Scan on matches_{table} " not in plan, plan
        assert "Seq Scan on ratings_" not in plan, plan


def test_letters_that_were_refused_are_told(told: CollectorRegistry) -> None:
    for tries in (0, 1, 3):
        Letter.objects.create(
            kind=LetterKind.PASSWORD_CHANGED, email="a@example.org", site="", tries=tries
        )

    assert told.get_sample_value("pentathlon_letters_failing") == 2


def test_backup_is_missed_on_any_installation(told: CollectorRegistry) -> None:
    MigrationRecorder.Migration.objects.update(applied=Now() - timedelta(days=3))
    never = told.get_sample_value("pentathlon_backup_age_seconds")
    gauges.forget()

    note_backup()

    assert never is not None
    assert never > 2 * 86_400
    assert (told.get_sample_value("pentathlon_backup_age_seconds") or 0) < 600


def test_free_share_of_the_disk_is_told(told: CollectorRegistry) -> None:
    share = told.get_sample_value("pentathlon_disk_free_ratio")

    assert share is not None
    assert 0 <= share <= 1
