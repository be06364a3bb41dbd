from typing import Any

import pytest

from pentathlon.bots.models import BotVersion, VersionState
from pentathlon.common.errors import DomainError, NotAllowed
from pentathlon.matches import services
from pentathlon.matches.models import Match, MatchKind
from pentathlon.matches.validation import submit_bot, submit_version
from tests.factories import make_match, make_upload, make_user
from tests.pentathlon.matches.acting import claimed, result

pytestmark = pytest.mark.django_db


def _uploaded() -> tuple[BotVersion, Match]:
    version = submit_bot(owner=make_user(), archive=make_upload())
    return version, Match.objects.get()


def _finish(match: Match, **first_seat: Any) -> None:
    job = claimed(match)
    services.finish_match(match_id=match.pk, token=job.token, result=result(**first_seat))


def test_upload_plays_itself_before_it_may_be_scheduled() -> None:
    version, match = _uploaded()

    assert version.state == VersionState.VALIDATING
    assert match.kind == MatchKind.VALIDATION
    assert [seat.version for seat in match.seats.all()] == [version, version]


def test_next_version_is_validated_too() -> None:
    version, _ = _uploaded()
    archive = make_upload(version.bot.name, salt="2")

    second = submit_version(actor=version.bot.owner, bot=version.bot, archive=archive)

    assert second.number == 2
    assert Match.objects.of_version(second.pk).count() == 1


def test_refused_upload_leaves_nothing() -> None:
    with pytest.raises(DomainError):
        submit_bot(owner=make_user(), archive=b"no zip")

    assert not BotVersion.objects.exists()
    assert not Match.objects.exists()


def test_somebody_elses_bot_is_refused() -> None:
    version, _ = _uploaded()

    with pytest.raises(NotAllowed):
        submit_version(actor=make_user(), bot=version.bot, archive=make_upload())


def test_faultless_match_makes_the_version_eligible() -> None:
    version, match = _uploaded()

    _finish(match, log="hello")

    version.refresh_from_db()
    assert version.state == VersionState.ELIGIBLE
    assert "hello" in version.validation_log


def test_fault_rejects_the_version_with_the_reason() -> None:
    version, match = _uploaded()

    _finish(match, fault_kind="cpu_time", fault_ply=3, fault_detail="used 1.2 s", log="thinking")

    version.refresh_from_db()
    assert version.state == VersionState.REJECTED
    assert version.state_reason == "tuned: cpu_time at ply 3. used 1.2 s"
    assert "thinking" in version.validation_log


def test_match_that_the_host_cannot_play_rejects_with_the_reason() -> None:
    version, match = _uploaded()

    for _ in range(services.MAX_ATTEMPTS):
        job = claimed(match)
        services.fail_attempt(match_id=match.pk, token=job.token, reason="host out of memory")

    version.refresh_from_db()
    assert version.state == VersionState.REJECTED
    assert "host out of memory" in version.state_reason


def test_version_waits_for_all_of_its_matches() -> None:
    version, match = _uploaded()
    other = make_match([version, version], kind=MatchKind.VALIDATION)

    _finish(match)
    version.refresh_from_db()
    assert version.state == VersionState.VALIDATING

    _finish(other)
    version.refresh_from_db()
    assert version.state == VersionState.ELIGIBLE


def test_other_matches_settle_nothing() -> None:
    version, _ = _uploaded()

    _finish(make_match([version, version]), fault_kind="crash", fault_ply=0, fault_detail="")

    version.refresh_from_db()
    assert version.state == VersionState.VALIDATING
