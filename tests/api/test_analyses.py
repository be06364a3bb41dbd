"""The win-chance curve of a match by API, and what the answer is while there is none."""

import pytest
from rest_framework.test import APIClient

from pentathlon.insight.analyses.models import Analysis, AnalysisState
from pentathlon.matches.hidden_lanes import HiddenLane
from pentathlon.matches.models import Match
from tests.api.client import V1, assert_problem, client_of
from tests.factories import make_match, make_user
from tests.pentathlon.insight.analyses.curves import analyse
from tests.pentathlon.matches.acting import claimed
from tests.pentathlon.matches.replays.playing import record_of, submit

pytestmark = pytest.mark.django_db


@pytest.fixture
def match() -> Match:
    job = claimed(make_match(lane=7))
    return submit(job, record_of(job))


def path(match: Match) -> str:
    return f"{V1}/matches/{match.pk}/analysis/"


def test_curve_is_told_in_shares(match: Match, anonymous: APIClient) -> None:
    analyse(match)

    told = anonymous.get(path(match)).json()

    assert told["match"] == match.pk
    assert told["points"][0]["chances"] == [0.5, 0.5]
    assert told["points"][-1]["ply"] == told["plies"] == match.ply
    assert told["marks"][0]["after"] == [0.7, 0.3]
    assert told["accuracies"][1]["value"] is None


def test_match_without_a_curve_comes_first_once_somebody_asks(
    match: Match, anonymous: APIClient
) -> None:
    assert_problem(anonymous.get(path(match)), status=404, code="analysis_not_ready")

    assert Analysis.objects.get(pk=match.pk).asked_at is not None


def test_curve_on_its_way_tells_how_far_it_is(match: Match, anonymous: APIClient) -> None:
    before = anonymous.get(path(match)).json()["detail"]

    Analysis.objects.update(measured={"method": 1, "rows": [[0, 0, 9], [1, 1, 9]]})
    after = anonymous.get(path(match)).json()["detail"]

    assert before.endswith("is being computed. Ask again in about two minutes.")
    assert after.endswith("Measured so far: 2 positions; the others follow.")


def test_curve_that_cannot_be_computed_is_told(match: Match, anonymous: APIClient) -> None:
    Analysis.objects.create(match=match, state=AnalysisState.FAILED, error="bad_record", method=1)

    answer = anonymous.get(path(match))

    assert_problem(answer, status=404, code="analysis_failed")
    assert "bad_record" in answer.json()["detail"]


def test_match_that_is_not_over_has_no_curve(anonymous: APIClient) -> None:
    assert_problem(anonymous.get(path(make_match())), status=404, code="match_not_done")


def test_hidden_result_has_no_curve_even_for_who_may_see_it(match: Match) -> None:
    organiser = make_user("organiser", organiser=True)
    HiddenLane.objects.create(lane=match.lane, organiser=organiser)

    assert_problem(client_of(organiser).get(path(match)), status=404, code="analysis_hidden")
    assert_problem(client_of(make_user()).get(path(match)), status=404, code="not_found")
    assert not Analysis.objects.exists()
