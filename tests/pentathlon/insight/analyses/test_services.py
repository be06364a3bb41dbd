"""Analyses are the lowest lane: one worker each, stored whole, never before a match."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db.models.functions import Now

from pentathlon.insight.analyses import services
from pentathlon.insight.analyses.jobs import LONGEST_LOAN_S, PATIENCE_S
from pentathlon.insight.analyses.models import Analysis, AnalysisState
from pentathlon.insight.analyses.services import (
    GAVE_UP,
    MOST_ATTEMPTS,
    ask_for_analysis,
    claim_analysis,
    fail_analysis,
    renew_analyses,
    return_analysis,
    send_analyses,
    store_curve,
)
from pentathlon.matches.hidden_lanes import HiddenLane
from pentathlon.matches.models import Match, MatchKind, MatchState
from pentathlon_engines.analysis.curve import METHOD
from pentathlon_engines.match.faults import Fault, FaultKind
from tests.engines.record.random_records import tuned_record
from tests.factories import make_match, make_replay, make_user, make_worker
from tests.pentathlon.insight.analyses.curves import make_curve

pytestmark = pytest.mark.django_db
ROW = [0, 0, 24, [0.1, 0.9], [0.05, 0.05], [0.1, 0.9]]
RECORD = tuned_record(
    fault=Fault(FaultKind.CPU_TIME, seat=0, ply=2, detail="used 1.2 s of CPU time")
)


def make_played(**fields: Any) -> Match:  # Any: columns
    """Store a finished match with a replay."""
    match = make_match(state=MatchState.DONE, **fields)
    make_replay(match, RECORD)
    return Match.objects.with_privacy().get(pk=match.pk)


def sent() -> list[int]:
    return [match_id for match_id, is_lent in hints() if not is_lent]


def lent() -> list[int]:
    return [match_id for match_id, is_lent in hints() if is_lent]


def hints() -> list[tuple[int, bool]]:
    told: list[tuple[int, bool]] = []
    send_analyses(send=lambda match_id, *, is_lent: told.append((match_id, is_lent)))
    return told


def state_of(match: Match) -> str:
    return Analysis.objects.get(pk=match.pk).state


def test_match_that_somebody_opened_goes_before_the_latest() -> None:
    make_worker(slots=4)
    opened, latest = make_played(), make_played()
    ask_for_analysis(opened)

    assert sent() == [opened.pk]
    assert sent() == [], "one of four slots is the share"
    Analysis.objects.filter(pk=opened.pk).update(state=AnalysisState.DONE, curve={})
    assert sent() == [latest.pk]


def test_share_of_the_slots_is_bounded() -> None:
    make_worker(slots=8)
    for _ in range(5):
        make_played()

    assert len(sent()) == 2
    assert sent() == []


def test_nothing_is_sent_while_a_match_waits() -> None:
    make_worker(slots=8)
    make_played()
    make_match(sent_at=Now())

    assert sent() == []


def test_nothing_is_sent_while_all_slots_play() -> None:
    make_worker(slots=1)
    make_played()
    make_match(state=MatchState.RUNNING)

    assert sent() == []


def test_nothing_is_sent_without_a_worker() -> None:
    make_played()

    assert sent() == []


def test_lost_hint_is_sent_again() -> None:
    make_worker()
    match = make_played()
    assert sent() == [match.pk]

    Analysis.objects.update(sent_at=Now() - timedelta(seconds=services.RESEND_S + 1))

    assert sent() == [match.pk]


def test_second_worker_gets_nothing() -> None:
    match = make_played()
    ask_for_analysis(match)

    assert claim_analysis(match.pk) is not None
    assert claim_analysis(match.pk) is None


def test_killed_worker_costs_a_lease_and_another_computes_it_again() -> None:
    make_worker()
    match = make_played()
    ask_for_analysis(match)
    first = claim_analysis(match.pk)
    assert first is not None

    Analysis.objects.update(lease_until=Now() - timedelta(seconds=1))

    assert sent() == [match.pk]
    second = claim_analysis(match.pk)
    assert second is not None
    curve = make_curve(match.ply)
    assert not store_curve(match_id=match.pk, token=first.token, curve=curve, cpu_ms=1)
    assert Analysis.objects.get(pk=match.pk).curve is None
    assert store_curve(match_id=match.pk, token=second.token, curve=curve, cpu_ms=1)
    assert not store_curve(match_id=match.pk, token=second.token, curve=curve, cpu_ms=1)
    stored = Analysis.objects.get(pk=match.pk)
    assert (stored.state, stored.curve) == (AnalysisState.DONE, curve)


def test_analysis_that_kills_its_workers_is_given_up() -> None:
    make_worker()
    match = make_played()
    ask_for_analysis(match)

    for _ in range(MOST_ATTEMPTS):
        assert state_of(match) == AnalysisState.WAITING
        assert claim_analysis(match.pk) is not None
        Analysis.objects.update(lease_until=Now() - timedelta(seconds=1))
        hints()

    failed = Analysis.objects.get(pk=match.pk)
    assert (failed.state, failed.error) == (AnalysisState.FAILED, GAVE_UP)
    assert sent() == []


def test_giving_way_to_a_match_counts_as_no_attempt() -> None:
    match = make_played()
    ask_for_analysis(match)
    claimed = claim_analysis(match.pk)
    assert claimed is not None

    assert return_analysis(match_id=match.pk, token=claimed.token)

    given_back = Analysis.objects.get(pk=match.pk)
    assert (given_back.state, given_back.attempts) == (AnalysisState.WAITING, 0)


def test_next_worker_goes_on_with_what_was_measured() -> None:
    match = make_played()
    ask_for_analysis(match)
    first = claim_analysis(match.pk)
    assert first is not None
    assert first.measured == []

    return_analysis(match_id=match.pk, token=first.token, measured=[ROW], cpu_ms=900)

    second = claim_analysis(match.pk)
    assert second is not None
    assert second.measured == [ROW]
    curve = make_curve(match.ply)
    assert store_curve(match_id=match.pk, token=second.token, curve=curve, cpu_ms=100)
    stored = Analysis.objects.get(pk=match.pk)
    assert (stored.cpu_ms, stored.measured) == (1000, None)


def test_what_another_method_has_measured_is_not_used() -> None:
    match = make_played()
    ask_for_analysis(match)
    Analysis.objects.update(measured={"method": METHOD - 1, "rows": [ROW]})

    claimed = claim_analysis(match.pk)

    assert claimed is not None
    assert claimed.measured == []


def test_who_holds_it_no_more_keeps_nothing() -> None:
    match = make_played()
    ask_for_analysis(match)
    assert claim_analysis(match.pk) is not None

    assert not return_analysis(match_id=match.pk, token=uuid4(), measured=[ROW], cpu_ms=900)

    assert Analysis.objects.get(pk=match.pk).measured is None


def test_failed_analysis_is_not_tried_again() -> None:
    make_worker()
    match = make_played()
    ask_for_analysis(match)
    claimed = claim_analysis(match.pk)
    assert claimed is not None

    assert fail_analysis(match_id=match.pk, token=claimed.token, error="bad_record")
    ask_for_analysis(match)

    assert state_of(match) == AnalysisState.FAILED
    assert sent() == []


def test_curve_of_an_earlier_method_is_made_again_when_somebody_opens_it() -> None:
    match = make_played()
    Analysis.objects.create(match=match, state=AnalysisState.DONE, curve={"method": 0}, method=0)

    ask_for_analysis(match)

    again = Analysis.objects.get(pk=match.pk)
    assert (again.state, again.curve) == (AnalysisState.WAITING, {"method": 0})


def test_only_the_holder_renews() -> None:
    match = make_played()
    ask_for_analysis(match)
    claimed = claim_analysis(match.pk)
    assert claimed is not None

    asked = {claimed.token: (match.pk, 0), uuid4(): (match.pk, 0)}
    assert renew_analyses(asked) == {claimed.token}


def hide(match: Match) -> None:
    HiddenLane.objects.create(lane=match.lane, organiser=make_user())


def test_hidden_match_is_neither_noted_nor_sent() -> None:
    make_worker()
    hidden = make_played(lane=77)
    hide(hidden)
    validation = make_played(kind=MatchKind.VALIDATION)

    ask_for_analysis(Match.objects.with_privacy().get(pk=hidden.pk))
    ask_for_analysis(validation)

    assert sent() == []
    assert not Analysis.objects.exists()


def test_match_that_is_hidden_meanwhile_is_not_computed() -> None:
    match = make_played(lane=78)
    ask_for_analysis(match)
    hide(match)

    assert claim_analysis(match.pk) is None
    assert not Analysis.objects.exists()


def test_no_more_than_some_are_noted_for_being_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "MOST_ASKED", 1)
    first, second = make_played(), make_played()

    ask_for_analysis(first)
    ask_for_analysis(second)

    assert [each.pk for each in Analysis.objects.all()] == [first.pk]


def make_starving() -> Match:
    """Store a match that somebody opened a while ago, while another one waits."""
    match = make_played()
    ask_for_analysis(match)
    long_ago = Now() - timedelta(seconds=PATIENCE_S + 1)
    Analysis.objects.filter(pk=match.pk).update(asked_at=long_ago)
    return match


def begin_loan(match: Match) -> bool:
    return claim_analysis(match.pk, is_lent=True) is not None


def test_slot_is_lent_to_what_somebody_opened_while_matches_wait() -> None:
    make_worker(slots=2)
    latest, opened = make_played(), make_starving()
    make_match(sent_at=Now())

    assert lent() == [opened.pk]
    assert lent() == [], "it was told already"
    assert begin_loan(opened)
    assert not Analysis.objects.filter(pk=latest.pk).exists()


def test_slot_is_lent_too_while_all_slots_play() -> None:
    make_worker(slots=1)
    opened = make_starving()
    make_match(state=MatchState.RUNNING)

    assert lent() == [opened.pk]


def test_no_slot_is_lent_at_once() -> None:
    make_worker(slots=2)
    ask_for_analysis(make_played())
    make_match(sent_at=Now())

    assert hints() == []


def test_second_loan_waits_until_matches_have_had_their_share() -> None:
    make_worker(slots=2)
    make_match(sent_at=Now())
    first, second = make_starving(), make_starving()
    assert begin_loan(first)

    Analysis.objects.filter(pk=first.pk).update(lent_at=Now() - timedelta(seconds=6))
    return_analysis(match_id=first.pk, token=Analysis.objects.get(pk=first.pk).token or uuid4())

    assert lent() == []
    assert not begin_loan(second), "a hint that came late changes nothing"
    Analysis.objects.filter(pk=first.pk).update(lent_at=Now() - timedelta(seconds=101))
    assert lent() == [second.pk], "what was lent to comes last"
    assert begin_loan(second)


def test_loan_that_goes_on_or_was_killed_counts_as_a_long_one() -> None:
    make_worker(slots=2)
    first, second = make_starving(), make_starving()
    assert begin_loan(first)

    half_an_hour_ago = Now() - timedelta(seconds=1800)
    Analysis.objects.filter(pk=first.pk).update(lent_at=half_an_hour_ago)

    assert not begin_loan(second)


def test_loan_is_charged_once_and_for_its_length_at_most() -> None:
    make_worker(slots=2)
    match = make_starving()
    assert begin_loan(match)

    long_ago = Now() - timedelta(seconds=10 * LONGEST_LOAN_S)
    Analysis.objects.update(lent_at=long_ago)
    held = Analysis.objects.get()
    assert held.token is not None
    assert return_analysis(match_id=match.pk, token=held.token)
    assert claim_analysis(match.pk) is not None
    again = Analysis.objects.get()
    assert again.token is not None
    assert return_analysis(match_id=match.pk, token=again.token)

    assert Analysis.objects.get(pk=match.pk).lent_ms == 1000 * LONGEST_LOAN_S
