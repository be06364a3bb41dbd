"""A worker computes analyses in a process of its own, and gives way to matches at once."""

from __future__ import annotations

import json
import sys
from uuid import UUID, uuid4

import pytest
from django.db.models.functions import Now

from pentathlon.insight.analyses.models import Analysis, AnalysisState
from pentathlon.insight.analyses.services import ask_for_analysis
from pentathlon.matches.replays.codec import pack
from pentathlon.matches.replays.models import Replay
from pentathlon_engines.analysis.curve import METHOD
from tests.factories import make_match
from tests.pentathlon.insight.analyses.test_services import ROW, make_played
from workers.direct.analyses import DirectAnalyses
from workers.drain import Drain
from workers.slots import analyst
from workers.slots.analyst import TOO_LONG, analyse

pytestmark = pytest.mark.django_db
DIRECT = DirectAnalyses()
HANGS = f"""import sys, time
sys.stdin.read()
print('{json.dumps({"measured": ROW, "cpu_ms": 700})}', flush=True)
time.sleep(600)"""
IN_EARNEST = (
    "import os; os.nice = lambda n: 0; "  # tests share the machine with much else
    "from pentathlon_engines.analysis.__main__ import main; main()"
)


def wanted() -> int:
    match = make_played()
    ask_for_analysis(match)
    return match.pk


def run(
    match_id: int,
    program: str | None = None,
    *,
    drain: Drain | None = None,
    is_lent: bool = False,
) -> Analysis:
    command = analyst.COMMAND if program is None else (sys.executable, "-c", program)
    analyse(
        match_id,
        analyses=DIRECT,
        drain=drain or Drain(grace_s=0),
        is_lent=is_lent,
        command=command,
    )
    return Analysis.objects.get(pk=match_id)


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
    monkeypatch.setattr(DirectAnalyses, "look_s", 0.01)
    match_id = wanted()
    make_match(sent_at=Now())

    given_back = run(match_id, HANGS)

    assert (given_back.state, given_back.attempts) == (AnalysisState.WAITING, 0)


def test_match_that_waits_does_not_end_it_on_a_slot_that_is_lent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(DirectAnalyses, "look_s", 0.01)
    match_id = wanted()
    make_match(sent_at=Now())

    stored = run(match_id, IN_EARNEST, is_lent=True)

    assert stored.state == AnalysisState.DONE
    assert stored.lent_at is not None
    assert stored.lent_ms


def test_lent_slot_is_given_back_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DirectAnalyses, "look_s", 0.01)
    monkeypatch.setattr(analyst, "LOAN_S", 0.05)
    match_id = wanted()
    make_match(sent_at=Now())

    given_back = run(match_id, HANGS, is_lent=True)

    assert (given_back.state, given_back.attempts) == (AnalysisState.WAITING, 0)
    assert given_back.lent_ms is not None
    assert given_back.measured is not None
    assert (given_back.measured["rows"], given_back.cpu_ms) == ([ROW], 700)


def test_loan_that_has_measured_nothing_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DirectAnalyses, "look_s", 0.01)
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


def test_worker_that_drains_begins_nothing() -> None:
    drain = Drain(grace_s=60)
    drain.ask()

    assert run(wanted(), HANGS, drain=drain).state == AnalysisState.WAITING


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
    monkeypatch.setattr(DirectAnalyses, "look_s", 0.01)
    monkeypatch.setattr(analyst, "SILENCE_S", 0.05)

    died = run(wanted(), HANGS)

    assert (died.state, died.attempts) == (AnalysisState.WAITING, 1)


class Told(DirectAnalyses):
    """Analyses that somebody else has taken, or about which nothing can be asked."""

    look_s = 0.01

    def __init__(self, error: Exception | None = None) -> None:
        self._error = error

    def renew(self, match_id: int, token: UUID) -> bool:
        if self._error is not None:
            raise self._error
        return False


def watch(match_id: int, analyses: Told) -> None:
    analyse(
        match_id,
        analyses=analyses,
        drain=Drain(grace_s=0),
        command=(sys.executable, "-c", HANGS),
    )


def test_analysis_that_another_worker_has_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analyst, "RENEW_S", 0.0)
    match_id = wanted()

    watch(match_id, Told())

    assert Analysis.objects.get(pk=match_id).attempts == 0


def test_failure_of_ours_counts_as_an_attempt_and_is_not_hidden(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(analyst, "RENEW_S", 0.0)
    match_id = wanted()

    with pytest.raises(RuntimeError, match="a bug"):
        watch(match_id, Told(RuntimeError("a bug")))

    given_back = Analysis.objects.get(pk=match_id)
    assert (given_back.state, given_back.attempts) == (AnalysisState.WAITING, 1)


def test_request_to_stop_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    drain = Drain(grace_s=60)
    monkeypatch.setattr(DirectAnalyses, "look_s", 0.01)
    monkeypatch.setattr(DirectAnalyses, "has_waiting_matches", lambda _: drain.ask())
    match_id = wanted()

    given_back = run(match_id, HANGS, drain=drain)

    assert (given_back.state, given_back.attempts) == (AnalysisState.WAITING, 0)


def test_lease_is_kept_by_its_owner_only() -> None:
    match_id = wanted()
    claimed = DIRECT.claim(match_id, is_lent=False)
    assert claimed is not None

    assert DIRECT.renew(match_id, claimed.token)
    assert not DIRECT.renew(match_id, uuid4())
