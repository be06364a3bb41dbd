"""Versions that fail at their start again and again are stopped."""

from collections.abc import Sequence
from typing import Any

import pytest
from django.utils import timezone

from pentathlon.bots.models import BotVersion, VersionState
from pentathlon.bots.services import settle_validation
from pentathlon.matches.dispatch.publishing import publish_pending
from pentathlon.matches.dispatch.reasons import why_waiting
from pentathlon.matches.hidden_lanes import HiddenLane
from pentathlon.matches.models import Match, MatchKind, MatchState
from pentathlon.matches.uploads.services import validate_again
from tests.factories import make_match, make_user, make_version, make_worker
from tests.pentathlon.matches.acting import claim_match, claimed, finish, result

pytestmark = pytest.mark.django_db

CRASH: dict[str, Any] = {"fault_kind": "crash", "fault_ply": 0, "fault_detail": "It ended."}


@pytest.fixture
def version() -> BotVersion:
    return make_version()


def _play(version: BotVersion, *, times: int = 1, **told: Any) -> None:
    """Play matches of a version, of which it is told how they went."""
    for _ in range(times):
        columns = {"limits": told.pop("limits", {}), "kind": told.pop("kind", "tournament")}
        match = make_match((version, make_version()), **columns)
        finish(claimed(match), result(**told))
        told.update(columns)


def _state(version: BotVersion) -> str:
    version.refresh_from_db()
    return version.state


def test_five_faults_at_the_start_in_a_row_stop_a_version(version: BotVersion) -> None:
    _play(version, times=4, actions=0, **CRASH)
    assert _state(version) == VersionState.ELIGIBLE

    _play(version, actions=0, fault_kind="startup", fault_ply=0, fault_detail="No ready line.")

    last = Match.objects.latest("pk")
    assert _state(version) == VersionState.STOPPED
    assert version.state_reason == (
        f"Stopped after 5 faults at its start in a row, the last in match {last.pk}: startup. "
        "No ready line."
    )
    assert version.stopped_at is not None
    assert abs((timezone.now() - version.stopped_at).total_seconds()) < 60


def test_hidden_matches_stop_nobody_until_their_release(version: BotVersion) -> None:
    lane = HiddenLane.objects.create(lane=7, organiser=make_user())
    for _ in range(5):
        match = make_match((version, make_version()), kind=MatchKind.TOURNAMENT, lane=7)
        finish(claimed(match), result(actions=0, **CRASH))
    assert _state(version) == VersionState.ELIGIBLE

    lane.delete()
    _play(version, actions=0, **CRASH)

    assert _state(version) == VersionState.STOPPED


def test_hidden_good_start_does_not_show_in_a_row_of_faults(version: BotVersion) -> None:
    HiddenLane.objects.create(lane=7, organiser=make_user())
    _play(version, times=4, actions=0, **CRASH)
    match = make_match((version, make_version()), kind=MatchKind.TOURNAMENT, lane=7)
    finish(claimed(match), result(actions=6))

    _play(version, actions=0, **CRASH)

    assert _state(version) == VersionState.STOPPED


def test_good_start_begins_the_row_anew(version: BotVersion) -> None:
    _play(version, times=4, actions=0, **CRASH)
    _play(version, actions=6)
    _play(version, times=4, actions=0, **CRASH)

    assert _state(version) == VersionState.ELIGIBLE


def test_match_in_which_it_was_never_asked_says_nothing(version: BotVersion) -> None:
    _play(version, times=4, actions=0, **CRASH)
    _play(version, actions=0)
    _play(version, actions=0, **CRASH)

    assert _state(version) == VersionState.STOPPED


@pytest.mark.parametrize(
    "told",
    [
        {"actions": 1, **CRASH},
        {"actions": 0, "limits": {"action_cpu_s": 0.01}, **CRASH},
        {"actions": 0, "limits": {"memory_mb": 32}, **CRASH},
        {"actions": 0, "kind": MatchKind.VALIDATION, **CRASH},
    ],
    ids=["later", "little time", "little memory", "validation"],
)
def test_other_faults_stop_nobody(version: BotVersion, told: dict[str, Any]) -> None:
    for _ in range(6):
        _play(version, **told)

    assert _state(version) == VersionState.ELIGIBLE


def test_more_than_the_usual_limits_excuse_nothing(version: BotVersion) -> None:
    for _ in range(5):
        _play(version, actions=0, limits={"action_cpu_s": 5}, **CRASH)

    assert _state(version) == VersionState.STOPPED


def test_matches_of_which_the_actions_were_not_counted_break_the_row(version: BotVersion) -> None:
    _play(version, times=4, actions=0, **CRASH)
    Match.objects.earliest("pk").seats.update(actions=None)
    _play(version, actions=0, **CRASH)

    assert _state(version) == VersionState.ELIGIBLE


def test_opponent_goes_on(version: BotVersion) -> None:
    _play(version, times=5, actions=0, **CRASH)

    others = BotVersion.objects.exclude(pk=version.pk)
    assert set(others.values_list("state", flat=True)) == {VersionState.ELIGIBLE}


@pytest.mark.parametrize(
    "state", [VersionState.STOPPED, VersionState.DISQUALIFIED, VersionState.RETIRED]
)
def test_version_out_of_play_is_not_started(version: BotVersion, state: VersionState) -> None:
    match = make_match((make_version(), version))
    BotVersion.objects.filter(pk=version.pk).update(state=state)

    assert not Match.objects.startable().exists()
    make_worker()
    hints: list[Sequence[int]] = []
    assert publish_pending(publish=hints.append) == len(hints) == 0
    assert claim_match(match_id=match.pk, worker="test/1") is None
    reason = why_waiting(Match.objects.with_needs().get(pk=match.pk))
    assert reason is not None
    assert reason.code == "out_of_play"


def test_author_has_a_stopped_version_checked_again(version: BotVersion) -> None:
    _play(version, times=5, actions=0, **CRASH)
    version.refresh_from_db()

    validate_again(actor=version.bot.owner, version=version)

    assert _state(version) == VersionState.VALIDATING
    checks = Match.objects.validations_of(version.pk).filter(state=MatchState.PENDING)
    assert checks.count() == 1
    finish(claimed(checks.get()), result(actions=9))
    assert _state(version) == VersionState.ELIGIBLE


def test_row_begins_anew_after_a_good_check(version: BotVersion) -> None:
    _play(version, times=5, actions=0, **CRASH)
    BotVersion.objects.update(state=VersionState.VALIDATING)
    settle_validation(version_id=version.pk, passed=True, reason="", log="")

    _play(version, times=4, actions=0, **CRASH)
    assert _state(version) == VersionState.ELIGIBLE

    _play(version, actions=0, **CRASH)
    assert _state(version) == VersionState.STOPPED
