"""Results that are played again: who is drawn, who plays, who is believed."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now
from pytest_django import Settings

from pentathlon.fleet.announcements import Work
from pentathlon.fleet.capabilities import NO_TOKEN, Capabilities
from pentathlon.fleet.models import Worker, WorkerToken
from pentathlon.matches.models import Match, MatchKind, MatchState
from pentathlon.matches.replays.codec import unpack
from pentathlon.matches.services import claim_matches
from pentathlon.trust import spot_checks
from pentathlon.trust.models import CheckRun, CheckState, Quarantine, SpotCheck, UnsteadyVersion
from pentathlon.trust.spot_checks import PATIENCE, advance_spot_checks
from pentathlon_engines.match.faults import FaultKind
from pentathlon_engines.record.record import chain
from tests.factories import make_match, make_replay, make_version, make_worker
from tests.pentathlon.trust.acting import DIRECT, join, play, played_by

pytestmark = pytest.mark.django_db

SAME, OTHER, THIRD = ("a" * 32, "b" * 32, "c" * 32)


@pytest.fixture(autouse=True)
def every_result_is_drawn(settings: Settings) -> None:
    settings.SPOT_CHECKS = 1


@pytest.fixture
def first() -> WorkerToken:
    return join()


@pytest.fixture
def second(first: WorkerToken) -> WorkerToken:
    return join(Work.UNRATED, Work.BUILDS)


def advance() -> int:
    """Take the checks one step on, with all workers as alive as on a fast machine."""
    Worker.objects.update(seen_at=Now())
    return advance_spot_checks()


def waiting() -> list[CheckRun]:
    runs = CheckRun.objects.select_related("match").order_by("number")
    return list(runs.filter(match__state=MatchState.PENDING))


def only_check() -> SpotCheck:
    return SpotCheck.objects.get()


def disagree(first: WorkerToken, second: WorkerToken) -> None:
    """Have a result of the first worker played otherwise by the second, and a judge called."""
    play(make_match(), first, course=SAME)
    advance()
    play(waiting()[0].match, second, course=OTHER)
    advance()


def judge(*courses: str) -> None:
    """Have the third worker play both matches, and the check decided."""
    for run, course in zip(waiting(), courses, strict=True):
        assert run.party == NO_TOKEN
        play(run.match, None, course=course)
    advance()


@pytest.fixture
def third() -> Worker:
    return make_worker(DIRECT)


def test_result_that_is_played_the_same_agrees(first: WorkerToken, second: WorkerToken) -> None:
    original = make_match()
    play(original, first)
    advance()
    (run,) = waiting()

    assert run.party == second.pk
    for name in ("game", "seed", "alias", "options", "limits"):
        assert getattr(run.match, name) == getattr(original, name)
    assert (run.match.kind, run.match.rated) == (MatchKind.SPOT_CHECK, False)
    play(run.match, second)
    advance()

    assert only_check().state == CheckState.AGREED
    assert not Quarantine.objects.exists()


def test_only_the_party_it_is_reserved_for_may_play_it_again(
    first: WorkerToken, second: WorkerToken
) -> None:
    played_by(first)
    advance()
    (run,) = waiting()
    by_name = {worker.token_id: Capabilities.of(worker) for worker in Worker.objects.all()}

    def claims(party: int) -> int:
        ids = [run.match_id]
        return len(claim_matches(match_ids=ids, worker="w", capabilities=by_name[party]))

    assert claims(first.pk) == 0
    assert claims(second.pk) == 1


def test_results_of_workers_with_keys_are_not_drawn(first: WorkerToken) -> None:
    play(make_match(), None)

    assert not SpotCheck.objects.exists()


def test_what_was_played_again_and_uploads_are_not_drawn(first: WorkerToken) -> None:
    for kind in (MatchKind.SPOT_CHECK, MatchKind.VALIDATION):
        play(make_match(kind=kind), first)

    assert not SpotCheck.objects.exists()


def test_without_another_worker_a_check_proves_nothing(first: WorkerToken) -> None:
    played_by(first)

    advance()

    assert only_check().state == CheckState.UNPROVEN


def test_rated_match_is_played_again_only_by_who_may_play_rated_ones(
    first: WorkerToken, second: WorkerToken
) -> None:
    play(make_match(rated=True), first)

    advance()

    assert waiting() == []
    assert only_check().state == CheckState.UNPROVEN


@pytest.mark.parametrize(
    ("verdict", "wrong"), [(OTHER, "first"), (SAME, "second")], ids=["first", "second"]
)
def test_third_worker_finds_who_of_two_is_wrong(
    verdict: str, wrong: str, first: WorkerToken, second: WorkerToken, third: Worker
) -> None:
    parties = {"first": first, "second": second}
    # Otherwise the worker beside the database might play the first spot check.
    Worker.objects.filter(name=DIRECT).update(is_draining=True)
    play(make_match(), first, course=SAME)
    advance()
    play(waiting()[0].match, second, course=OTHER)
    Worker.objects.filter(name=DIRECT).update(is_draining=False)
    advance()

    judge(verdict, verdict)

    assert only_check().state == CheckState.OUTVOTED
    assert Quarantine.objects.get().token == parties[wrong]


def test_bot_that_differs_on_one_worker_proves_nothing(
    first: WorkerToken, second: WorkerToken, monkeypatch: pytest.MonkeyPatch
) -> None:
    disagree(first, second)
    assert only_check().state == CheckState.DISPUTED

    SpotCheck.objects.update(state=CheckState.OPEN, ended_at=None)
    make_worker(DIRECT)
    advance()
    runs = waiting()
    for run, action in zip(runs, ("c3", "d4"), strict=True):
        store_replay(run.match, events=[[0, "a1", 1, 1], [1, action, 1, 1]])
    # These matches end without a worker, and so with the chain of no record.
    monkeypatch.setattr(
        spot_checks, "read_record", lambda each: unpack(bytes(each.data), codec=each.codec)
    )
    judge(SAME, THIRD)

    assert only_check().state == CheckState.UNPROVEN
    assert not Quarantine.objects.exists()
    unsteady = UnsteadyVersion.objects.get().version
    assert unsteady == runs[0].match.seats.get(seat=1).version

    play(make_match([unsteady, make_version()]), first)
    assert SpotCheck.objects.count() == 1


def store_replay(match: Match, *, events: list[list[Any]]) -> None:
    record: Any = {"events": events, "faults": [], "outcome": {}, "chain": ""}  # Any: JSON
    make_replay(match, {**record, "chain": chain(record)})


def test_three_that_all_differ_are_for_people_to_decide(
    first: WorkerToken, second: WorkerToken
) -> None:
    disagree(first, second)
    SpotCheck.objects.update(state=CheckState.OPEN, ended_at=None)
    make_worker(DIRECT)
    advance()

    judge(THIRD, THIRD)

    assert only_check().state == CheckState.DISPUTED
    assert not Quarantine.objects.exists()


def test_run_of_another_party_than_the_one_asked_proves_nothing(
    first: WorkerToken, second: WorkerToken
) -> None:
    played_by(first)
    advance()
    # A claim by a process of the previous release does the same.
    play(waiting()[0].match, None, course=OTHER)

    advance()

    assert only_check().state == CheckState.UNPROVEN


def test_fault_of_time_proves_nothing(first: WorkerToken, second: WorkerToken) -> None:
    (match,) = played_by(first)
    match.seats.filter(seat=0).update(fault_kind=FaultKind.CPU_TIME)

    advance()

    assert only_check().state == CheckState.UNPROVEN


def test_match_that_nobody_plays_again_in_time_is_called_off(
    first: WorkerToken, second: WorkerToken
) -> None:
    played_by(first)
    advance()
    (run,) = waiting()
    assert advance() == 0
    Match.objects.filter(pk=run.match_id).update(
        created_at=Now() - PATIENCE - timedelta(seconds=1)
    )

    advance()

    assert only_check().state == CheckState.UNPROVEN
    assert Match.objects.get(pk=run.match_id).state == MatchState.VOID


def test_nobody_but_its_runner_sees_what_is_played_again(
    first: WorkerToken, second: WorkerToken
) -> None:
    (original,) = played_by(first)
    advance()
    (run,) = waiting()
    author = original.seats.get(seat=0).version.bot.owner
    again = Match.objects.filter(pk=run.match_id)

    assert not again.visible_to(None).exists()
    assert not again.visible_to(author).exists()
    assert not again.watchable().exists()
