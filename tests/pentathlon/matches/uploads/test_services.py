from typing import Any

import pytest

from pentathlon.bots.models import BotVersion, VersionState
from pentathlon.core.errors import Conflict, DomainError, InvalidInput, NotAllowed
from pentathlon.matches import attempts, services
from pentathlon.matches.models import Match, MatchKind
from pentathlon.matches.uploads.services import submit_version, validate_again
from tests.factories import (
    make_match,
    make_upload,
    make_user,
    make_version,
    make_worker,
    zip_files,
)
from tests.pentathlon.matches.acting import claimed, finish, result

pytestmark = pytest.mark.django_db


def _uploaded() -> tuple[BotVersion, Match]:
    version = submit_version(actor=make_user(), archive=make_upload())
    return version, Match.objects.get()


def _finish(match: Match, **first_seat: Any) -> None:
    job = claimed(match)
    finish(job, result(**first_seat))


def _fail_on_the_host(match: Match) -> None:
    for _ in range(attempts.MAX_ATTEMPTS):
        job = claimed(match)
        services.fail_attempt(match_id=match.pk, token=job.token, reason="host out of memory")


def test_upload_plays_itself_before_it_may_be_scheduled() -> None:
    version, match = _uploaded()

    assert version.state == VersionState.VALIDATING
    assert match.kind == MatchKind.VALIDATION
    assert [seat.version for seat in match.seats.all()] == [version, version]


def test_seed_of_a_validation_follows_from_nothing_that_is_known() -> None:
    versions = [submit_version(actor=make_user(), archive=make_upload()) for _ in range(4)]

    seeds = list(Match.objects.order_by("pk").values_list("seed", flat=True))

    assert len(set(seeds)) == 4
    # Four draws below 2**20 by chance: one in 2**132.
    assert max(seeds) > 2**20
    assert not set(seeds) & {version.pk for version in versions}
    assert len(set(Match.objects.values_list("alias", flat=True))) == 4


def test_next_version_is_validated_too() -> None:
    version, _ = _uploaded()
    archive = make_upload(version.bot.name, salt="2")

    second = submit_version(actor=version.bot.owner, bot=version.bot, archive=archive)

    assert second.number == 2
    assert Match.objects.of_version(second.pk).count() == 1


def test_refused_upload_leaves_nothing() -> None:
    with pytest.raises(DomainError):
        submit_version(actor=make_user(), archive=b"no zip")

    assert not BotVersion.objects.exists()
    assert not Match.objects.exists()


def _archive(start: str) -> bytes:
    manifest = f'name = "smith"\ngames = ["tuned"]\n{start}\n'
    return zip_files({"bot.toml": manifest, "main.js": "", "bot": ""})


@pytest.mark.parametrize(
    ("start", "code", "sentence"),
    [
        ('language = "node"', "no_worker_for_runtime", "No worker here runs bots in node,"),
        (
            'command = ["./bot"]\nbuild = ["/usr/bin/cargo", "build"]',
            "no_worker_for_build",
            "No worker here builds with cargo,",
        ),
    ],
)
def test_upload_that_no_worker_could_play_is_refused(start: str, code: str, sentence: str) -> None:
    make_worker(runtimes=["build:cc", "command", "python"])

    with pytest.raises(InvalidInput, match=sentence) as refused:
        submit_version(actor=make_user(), archive=_archive(start))

    assert (refused.value.code, refused.value.field) == (code, "archive")
    assert refused.value.allowed == {"languages": ["command", "python"], "build_tools": ["cc"]}
    assert "command, python, and build with cc." in str(refused.value)
    assert not BotVersion.objects.exists()


def test_next_version_that_no_worker_could_play_is_refused() -> None:
    version, _ = _uploaded()
    make_worker(runtimes=["python"])

    with pytest.raises(InvalidInput, match="and build with nothing"):
        submit_version(
            actor=version.bot.owner, bot=version.bot, archive=_archive('language = "node"')
        )


@pytest.mark.parametrize("worker", [None, {"runtimes": ["python"], "untried": ["node"]}])
def test_upload_waits_while_nobody_knows_what_workers_have(
    worker: dict[str, Any] | None,
) -> None:
    if worker is not None:
        make_worker(**worker)

    version = submit_version(actor=make_user(), archive=_archive('language = "node"'))

    assert version.state == VersionState.VALIDATING


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
    assert version.state_reason == "tuned: cpu_time at ply 3: used 1.2 s"
    assert "thinking" in version.validation_log


def test_match_that_the_host_cannot_play_is_no_verdict() -> None:
    version, match = _uploaded()

    _fail_on_the_host(match)

    version.refresh_from_db()
    assert version.state == VersionState.UNCHECKED
    assert version.state_reason.startswith("No fault of the bot:")
    assert "host out of memory" in version.state_reason
    assert version.validated_at is None


def test_host_failure_waits_for_the_other_games() -> None:
    version, match = _uploaded()
    other = make_match([version, version], kind=MatchKind.VALIDATION)

    _fail_on_the_host(other)
    version.refresh_from_db()
    assert version.state == VersionState.VALIDATING

    _finish(match)
    version.refresh_from_db()
    assert version.state == VersionState.UNCHECKED


def test_fault_of_the_bot_outweighs_a_host_failure() -> None:
    version, match = _uploaded()
    _fail_on_the_host(make_match([version, version], kind=MatchKind.VALIDATION))

    _finish(match, fault_kind="crash", fault_ply=0, fault_detail="it ended")

    version.refresh_from_db()
    assert version.state == VersionState.REJECTED


def test_owner_has_the_same_upload_validated_again() -> None:
    version, match = _uploaded()
    _fail_on_the_host(match)

    validate_again(actor=version.bot.owner, version=version)

    assert (version.state, version.state_reason) == (VersionState.VALIDATING, "")
    again = Match.objects.validations_of(version.pk).get()
    assert again.pk != match.pk
    _finish(again)
    version.refresh_from_db()
    assert version.state == VersionState.ELIGIBLE


def test_host_that_fails_again_can_be_tried_again() -> None:
    version, _ = _uploaded()

    for _ in range(3):
        _fail_on_the_host(Match.objects.validations_of(version.pk).get())
        validate_again(actor=version.bot.owner, version=version)

    assert version.state == VersionState.VALIDATING
    assert version.bot.versions.count() == 1


def test_only_what_the_host_failed_is_played_again() -> None:
    version, match = _uploaded()
    void = make_match([version, version], kind=MatchKind.VALIDATION)
    _finish(match)
    _fail_on_the_host(void)

    validate_again(actor=version.bot.owner, version=version)

    current = Match.objects.validations_of(version.pk)
    assert match in current
    assert void not in current
    assert current.count() == 2


@pytest.mark.parametrize(
    "state", sorted(set(VersionState) - {VersionState.UNCHECKED, VersionState.STOPPED})
)
def test_version_with_a_verdict_is_not_validated_again(state: VersionState) -> None:
    version = make_version(state=state)

    with pytest.raises(Conflict) as refusal:
        validate_again(actor=version.bot.owner, version=version)

    assert refusal.value.code == "nothing_to_validate"
    assert version.label in refusal.value.detail
    assert not Match.objects.exists()


def test_somebody_elses_version_is_not_validated_again() -> None:
    version = make_version(state=VersionState.UNCHECKED)

    with pytest.raises(NotAllowed):
        validate_again(actor=make_user(), version=version)

    version.refresh_from_db()
    assert version.state == VersionState.UNCHECKED


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
