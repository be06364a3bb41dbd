"""A worker without keys computes curves, and what it hands in is looked at."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

import pytest
from django.db.models.functions import Now

from pentathlon.core.errors import Conflict, InvalidInput
from pentathlon.fleet.announcements import ANALYSE_MATCH, Work
from pentathlon.insight.analyses.jobs import AnalysisJob, AnalysisResult
from pentathlon.insight.analyses.models import Analysis, AnalysisState
from pentathlon.insight.analyses.services import ask_for_analysis
from pentathlon.matches.models import Match
from tests.factories import make_match
from tests.pentathlon.insight.analyses.curves import make_curve
from tests.pentathlon.insight.analyses.test_services import make_played
from tests.workers.sites import make_worker_token, remote_platform
from tests.workers.test_platforms import announced
from workers.port import Lease
from workers.remote.adapter import RemotePlatform

pytestmark = pytest.mark.django_db


@pytest.fixture
def platform(tmp_path: Path) -> RemotePlatform:
    return remote_platform(tmp_path, make_worker_token()[1])


def claim(platform: RemotePlatform, match: Match) -> AnalysisJob | None:
    told = {"task": ANALYSE_MATCH, "slot": "host/1.0", "announcement": announced()}
    jobs = platform.claim([match.pk], **told)  # type: ignore[arg-type]
    return cast("AnalysisJob", jobs[0]) if jobs else None


def claimed(platform: RemotePlatform, match: Match) -> AnalysisJob:
    job = claim(platform, match)
    assert job is not None
    return job


def curve_of(job: AnalysisJob, match: Match, **broken: Any) -> AnalysisResult:
    curve = {**make_curve(match.ply), **broken}
    return AnalysisResult(id=job.id, token=job.token, curve=curve, cpu_ms=9)


@pytest.fixture
def match() -> Match:
    played = make_played()
    ask_for_analysis(played)
    return played


def test_curve_is_stored_once(platform: RemotePlatform, match: Match) -> None:
    job = claimed(platform, match)
    assert job.record["game"] == match.game
    assert claim(platform, match) is None
    assert platform.renew([Lease(job=job, ply=0)]) == []

    assert platform.hand_in([curve_of(job, match)]) == [None]

    stored = Analysis.objects.get()
    assert (stored.state, stored.cpu_ms) == (AnalysisState.DONE, 9)
    assert stored.curve == make_curve(match.ply)
    assert platform.renew([Lease(job=job, ply=0)]) == [job.id]


@pytest.mark.parametrize(
    "broken",
    [
        {"points": []},
        {"points": [[0, 96, [500], [50], [500]]]},
        {"points": [[0, 96, [5000, 0], [50, 50], [500, 500]]]},
        {"points": [[10**6, 96, [500, 500], [50, 50], [500, 500]]]},
        {"marks": [{"ply": 0, "kind": "<script>"}]},
        {"accuracies": []},
        {"plies": 10**6},
        {"method": 99},
        {"more": 1},
    ],
    ids=str,
)
def test_curve_that_cannot_be_one_is_refused(
    broken: dict[str, Any], platform: RemotePlatform, match: Match
) -> None:
    job = claimed(platform, match)

    (refusal,) = platform.hand_in([curve_of(job, match, **broken)])

    assert isinstance(refusal, InvalidInput)

    assert Analysis.objects.get().state == AnalysisState.RUNNING


def test_what_was_measured_comes_back_to_the_bit(platform: RemotePlatform, match: Match) -> None:
    row = [1, 0, 3, [1 / 3, 2 / 3], [0.1, 0.1], [1 / 3, 2 / 3]]
    job = claimed(platform, match)

    platform.give_back(job, measured=[row], cpu_ms=9)

    assert claimed(platform, match).measured == [row]


@pytest.mark.parametrize(
    "broken",
    [[10**6, 0, 3, [0, 1], [0, 0], [0, 1]], [0, 2, 3, [0, 1], [0, 0], [0, 1]], [0, 0, 3, [1]]],
    ids=str,
)
def test_measurement_that_cannot_be_one_is_refused(
    broken: list[Any], platform: RemotePlatform, match: Match
) -> None:
    job = claimed(platform, match)

    with pytest.raises(InvalidInput):
        platform.give_back(job, measured=[broken], cpu_ms=9)


def test_strangers_curve_changes_nothing(platform: RemotePlatform, match: Match) -> None:
    job = replace(claimed(platform, match), token=uuid4())

    (refusal,) = platform.hand_in([curve_of(job, match)])

    assert isinstance(refusal, Conflict)

    assert Analysis.objects.get().state == AnalysisState.RUNNING


def test_analysis_fails_or_goes_to_others(platform: RemotePlatform, match: Match) -> None:
    for has_died, state, attempts in (
        (False, AnalysisState.WAITING, 0),
        (True, AnalysisState.WAITING, 1),
    ):
        platform.give_back(claimed(platform, match), has_failed=has_died)
        found = Analysis.objects.get()
        assert (found.state, found.attempts) == (state, attempts)

    job = claimed(platform, match)
    platform.hand_in([AnalysisResult(id=job.id, token=job.token, error="too_long")])

    assert (Analysis.objects.get().state, Analysis.objects.get().error) == ("failed", "too_long")


def test_match_that_waits_is_told_of(platform: RemotePlatform) -> None:
    assert not platform.has_waiting_matches()

    make_match(sent_at=Now())

    assert platform.has_waiting_matches()


def test_worker_without_this_trust_gets_none(tmp_path: Path, match: Match) -> None:
    _, secret = make_worker_token(Work.RATED, Work.UNRATED)

    assert claim(remote_platform(tmp_path, secret), match) is None
