"""A worker without keys computes curves, and what it hands in is looked at."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.db.models.functions import Now

from pentathlon.core.errors import InvalidInput
from pentathlon.fleet.announcements import Work
from pentathlon.insight.analyses.models import Analysis, AnalysisState
from pentathlon.insight.analyses.services import ask_for_analysis
from pentathlon.matches.models import Match
from tests.factories import make_match
from tests.pentathlon.insight.analyses.curves import make_curve
from tests.pentathlon.insight.analyses.test_services import make_played
from tests.workers.sites import make_worker_token, remote_platform
from workers.remote.analyses import RemoteAnalyses

pytestmark = pytest.mark.django_db


def remote(folder: Path, *work: Work) -> RemoteAnalyses:
    return RemoteAnalyses(remote_platform(folder, make_worker_token(*work)[1]))


@pytest.fixture
def analyses(tmp_path: Path) -> RemoteAnalyses:
    return remote(tmp_path)


@pytest.fixture
def match() -> Match:
    played = make_played()
    ask_for_analysis(played)
    return played


def test_curve_is_stored_once(analyses: RemoteAnalyses, match: Match) -> None:
    claimed = analyses.claim(match.pk)
    assert claimed is not None
    token, record, _ = claimed
    assert record["game"] == match.game
    assert analyses.claim(match.pk) is None
    assert analyses.renew(match.pk, token)

    analyses.store(match.pk, token, curve=make_curve(match.ply), cpu_ms=9)

    stored = Analysis.objects.get()
    assert (stored.state, stored.cpu_ms) == (AnalysisState.DONE, 9)
    assert stored.curve == make_curve(match.ply)
    assert not analyses.renew(match.pk, token)


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
    broken: dict[str, Any], analyses: RemoteAnalyses, match: Match
) -> None:
    claimed = analyses.claim(match.pk)
    assert claimed is not None

    with pytest.raises(InvalidInput):
        analyses.store(match.pk, claimed[0], curve={**make_curve(match.ply), **broken}, cpu_ms=9)

    assert Analysis.objects.get().state == AnalysisState.RUNNING


def test_what_was_measured_comes_back_to_the_bit(analyses: RemoteAnalyses, match: Match) -> None:
    row = [1, 0, 3, [1 / 3, 2 / 3], [0.1, 0.1], [1 / 3, 2 / 3]]
    claimed = analyses.claim(match.pk)
    assert claimed is not None

    analyses.give_back(match.pk, claimed.token, measured=[row], cpu_ms=9)

    again = analyses.claim(match.pk)
    assert again is not None
    assert again.measured == [row]


@pytest.mark.parametrize(
    "broken",
    [[10**6, 0, 3, [0, 1], [0, 0], [0, 1]], [0, 2, 3, [0, 1], [0, 0], [0, 1]], [0, 0, 3, [1]]],
    ids=str,
)
def test_measurement_that_cannot_be_one_is_refused(
    broken: list[Any], analyses: RemoteAnalyses, match: Match
) -> None:
    claimed = analyses.claim(match.pk)
    assert claimed is not None

    with pytest.raises(InvalidInput):
        analyses.give_back(match.pk, claimed.token, measured=[broken], cpu_ms=9)


def test_strangers_curve_changes_nothing(analyses: RemoteAnalyses, match: Match) -> None:
    analyses.claim(match.pk)

    analyses.store(match.pk, uuid4(), curve=make_curve(match.ply), cpu_ms=9)

    assert Analysis.objects.get().state == AnalysisState.RUNNING


def test_analysis_fails_or_goes_to_others(analyses: RemoteAnalyses, match: Match) -> None:
    for has_died, state, attempts in (
        (False, AnalysisState.WAITING, 0),
        (True, AnalysisState.WAITING, 1),
    ):
        claimed = analyses.claim(match.pk)
        assert claimed is not None
        analyses.give_back(match.pk, claimed[0], has_died=has_died)
        found = Analysis.objects.get()
        assert (found.state, found.attempts) == (state, attempts)

    claimed = analyses.claim(match.pk)
    assert claimed is not None
    analyses.fail(match.pk, claimed[0], error="too_long")

    assert (Analysis.objects.get().state, Analysis.objects.get().error) == ("failed", "too_long")


def test_match_that_waits_is_told_of(analyses: RemoteAnalyses) -> None:
    assert not analyses.has_waiting_matches()

    make_match(sent_at=Now())

    assert analyses.has_waiting_matches()


def test_worker_without_this_trust_gets_none(tmp_path: Path, match: Match) -> None:
    assert remote(tmp_path, Work.RATED, Work.UNRATED).claim(match.pk) is None
