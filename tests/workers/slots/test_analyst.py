"""A worker computes analyses in a process of its own, and gives way to matches at once."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Sequence
from dataclasses import replace
from uuid import uuid4

import pytest
from django.db.models.functions import Now

from pentathlon.insight.analyses.jobs import AnalysisJob
from pentathlon.insight.analyses.models import Analysis, AnalysisState
from pentathlon.insight.analyses.services import ask_for_analysis, claim_analysis
from pentathlon.matches.replays.codec import pack
from pentathlon.matches.replays.models import Replay
from pentathlon_engines.analysis.curve import METHOD
from tests.factories import make_match
from tests.pentathlon.insight.analyses.test_services import RECORD, ROW, make_played
from tests.workers.playing import NEVER_S
from workers.direct import DirectPlatform
from workers.drain import Drain
from workers.port import Lease
from workers.slots import analyst
from workers.slots.analyst import TOO_LONG, analyse
from workers.slots.lease import LeaseKeeper

pytestmark = pytest.mark.django_db
DIRECT = DirectPlatform()
HANGS = f"""import sys, time
sys.stdin.read()
print('{json.dumps({"measured": ROW, "cpu_ms": 700})}', flush=True)
time.sleep(600)"""
IN_EARNEST = (
    "import os; os.nice = lambda n: 0; "  # tests share the machine with much else
    "from pentathlon_engines.analysis.__main__ import main; main()"
)


def wanted() -> int:
    match = make_played(ply=len(RECORD["events"]))
    ask_for_analysis(match)
    return match.pk


def run(
    match_id: int,
    program: str | None = None,
    *,
    drain: Drain | None = None,
    is_lent: bool = False,
) -> Analysis:
    watch(claimed(match_id, is_lent=is_lent), DIRECT, program=program, drain=drain)
    return Analysis.objects.get(pk=match_id)


def claimed(match_id: int, *, is_lent: bool = False) -> AnalysisJob | None:
    return claim_analysis(match_id, is_lent=is_lent)


def watch(
    job: AnalysisJob | None,
    platform: DirectPlatform,
    *,
    program: str | None = None,
    drain: Drain | None = None,
    every_s: float = NEVER_S,
) -> None:
    """Analyse; leases are renewed only on request, as the thread sees no rows of a test."""
    if job is None:
        return
    command = analyst.COMMAND if program is None else (sys.executable, "-c", program)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LeaseKeeper.__init__, "__kwdefaults__", {"every_s": every_s})
        analyse(job, platform=platform, drain=drain or Drain(grace_s=0), command=command)


def test_curve_is_computed_and_stored() -> None:
    stored = run(wanted(), IN_EARNEST)

    assert stored.state == AnalysisState.DONE
    assert stored.curve is not None
    assert stored.curve["points"][0][0] == 0
    assert stored.cpu_ms > 0


def test_broken_record_gives_an_error_and_no_loop() -> None:
    match_id = wanted()
    Replay.objects.filter(pk=match_id).update(data=pack(b'{"game": "tuned"}'))

    failed = run(match_id)

    assert (failed.state, failed.error, failed.curve) == (
        AnalysisState.FAILED,
        "replay_damaged",
        None,
    )


def test_match_that_waits_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DirectPlatform, "look_s", 0.01)
    match_id = wanted()
    make_match(sent_at=Now())

    given_back = run(match_id, HANGS)

    assert (given_back.state, given_back.attempts) == (AnalysisState.WAITING, 0)


def test_match_that_waits_does_not_end_it_on_a_slot_that_is_lent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(DirectPlatform, "look_s", 0.01)
    match_id = wanted()
    make_match(sent_at=Now())

    stored = run(match_id, IN_EARNEST, is_lent=True)

    assert stored.state == AnalysisState.DONE
    assert stored.lent_at is not None
    assert stored.lent_ms is not None


def test_lent_slot_is_given_back_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DirectPlatform, "look_s", 0.01)
    monkeypatch.setattr(analyst, "LOAN_S", 0.05)
    match_id = wanted()
    make_match(sent_at=Now())

    given_back = run(match_id, HANGS, is_lent=True)

    assert (given_back.state, given_back.attempts) == (AnalysisState.WAITING, 0)
    assert given_back.lent_ms is not None
    assert given_back.measured is not None
    assert (given_back.measured["rows"], given_back.cpu_ms) == ([ROW], 700)


def test_loan_that_has_measured_nothing_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DirectPlatform, "look_s", 0.01)
    monkeypatch.setattr(analyst, "LOAN_S", 0)
    match_id = wanted()
    make_match(sent_at=Now())

    given_back = run(match_id, HANGS, is_lent=True)

    assert given_back.measured is not None


def test_worker_goes_on_where_another_gave_way() -> None:
    match_id = wanted()
    again = [ROW[0], 1, *ROW[2:]]  # so different from what follows that it is measured twice
    kept = {"method": METHOD, "rows": [ROW, again]}
    Analysis.objects.filter(pk=match_id).update(measured=kept)

    stored = run(match_id, IN_EARNEST)

    assert stored.curve is not None
    assert stored.curve["points"][0] == [0, 24, [100, 900], [50, 50], [100, 900]]


def test_process_that_is_killed_counts_as_an_attempt() -> None:
    died = run(wanted(), "import os; os.kill(os.getpid(), 9)")

    assert (died.state, died.attempts) == (AnalysisState.WAITING, 1)


def test_half_a_line_is_not_stored() -> None:
    died = run(wanted(), "print('{\"curve\": {', end='')")

    assert (died.state, died.curve) == (AnalysisState.WAITING, None)


def test_process_that_computes_for_too_long_is_not_tried_again() -> None:
    failed = run(wanted(), "import os, signal; os.kill(os.getpid(), signal.SIGXCPU)")

    assert (failed.state, failed.error) == (AnalysisState.FAILED, TOO_LONG)


def test_process_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DirectPlatform, "look_s", 0.01)
    monkeypatch.setattr(analyst, "SILENCE_S", 0.05)

    died = run(wanted(), HANGS)

    assert (died.state, died.attempts) == (AnalysisState.WAITING, 1)


class Told(DirectPlatform):
    """A platform on which somebody else has the analysis, or about which nothing can be asked."""

    look_s = 0.01

    def __init__(self, error: Exception | None = None) -> None:
        super().__init__()
        self._error = error

    def renew(self, leases: Sequence[Lease]) -> Collection[int]:
        return [lease.job.id for lease in leases]

    def has_waiting_matches(self) -> bool:
        if self._error is not None:
            raise self._error
        return False

    def leave_thread(self) -> None:
        """Nothing was opened."""


def test_analysis_that_another_worker_has_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    match_id = wanted()

    watch(claimed(match_id), Told(), program=HANGS, every_s=0.01)

    assert Analysis.objects.get(pk=match_id).attempts == 0


def test_failure_of_ours_counts_as_an_attempt_and_is_not_hidden() -> None:
    match_id = wanted()

    with pytest.raises(RuntimeError, match="a bug"):
        watch(claimed(match_id), Told(RuntimeError("a bug")), program=HANGS)

    given_back = Analysis.objects.get(pk=match_id)
    assert (given_back.state, given_back.attempts) == (AnalysisState.WAITING, 1)


def test_request_to_stop_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    drain = Drain(grace_s=60)
    monkeypatch.setattr(DirectPlatform, "look_s", 0.01)
    monkeypatch.setattr(DirectPlatform, "has_waiting_matches", lambda _: drain.ask())
    match_id = wanted()

    given_back = run(match_id, HANGS, drain=drain)

    assert (given_back.state, given_back.attempts) == (AnalysisState.WAITING, 0)


def test_lease_is_kept_by_its_owner_only() -> None:
    job = claimed(wanted())
    assert job is not None
    stranger = replace(job, token=uuid4())

    assert DIRECT.renew([Lease(job=job, ply=0)]) == []
    assert DIRECT.renew([Lease(job=stranger, ply=0)]) == [job.id]
