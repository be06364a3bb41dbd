import pytest

from pentathlon.bots import services
from pentathlon.bots.archives import BadArchive, read_archive
from pentathlon.bots.models import Archive, Bot, BotVersion, VersionState
from pentathlon.core.errors import Conflict, InvalidInput, NotAllowed
from pentathlon_engines.archive.archives import CheckedArchive
from tests.factories import make_bot, make_upload, make_user, make_version, zip_files
from tests.pentathlon.bots.hostile import HONEST

pytestmark = pytest.mark.django_db


def checked(name: str = "", *, salt: str = "") -> CheckedArchive:
    return read_archive(make_upload(name, salt=salt))


def test_first_upload_makes_bot_and_version_one() -> None:
    owner = make_user()

    version = services.store_version(actor=owner, archive=checked("Tiger"), notes=" first ")

    assert (version.bot.name, version.bot.owner, version.number) == ("Tiger", owner, 1)
    assert version.state == VersionState.VALIDATING
    assert version.notes == "first"
    assert version.game_keys == ["tuned"]
    assert version.manifest["main"] == "main.py"


def test_taken_name_is_refused_in_any_case_and_stores_nothing() -> None:
    make_bot("Tiger")

    with pytest.raises(Conflict) as refusal:
        services.store_version(actor=make_user(), archive=checked("tiGER"))

    assert refusal.value.code == "name_taken"
    assert not BotVersion.objects.exists()
    assert not Archive.objects.exists()


def test_own_name_again_points_to_versions() -> None:
    owner = make_user()
    make_bot("Tiger", owner=owner)

    with pytest.raises(Conflict, match="next version") as refusal:
        services.store_version(actor=owner, archive=checked("Tiger"))

    assert refusal.value.code == "bot_exists"


def test_versions_count_upwards() -> None:
    first = make_version(name="Tiger")

    second = services.store_version(
        actor=first.bot.owner, bot=first.bot, archive=checked("Tiger", salt="new")
    )

    assert second.number == 2
    assert str(second) == "Tiger v2"


def test_same_content_again_is_refused_by_name() -> None:
    owner = make_user()
    upload = checked("Tiger")
    bot = services.store_version(actor=owner, archive=upload).bot

    with pytest.raises(Conflict, match="already Tiger v1") as refusal:
        services.store_version(actor=owner, bot=bot, archive=upload)

    assert refusal.value.code == "same_content"
    assert bot.versions.count() == 1


def test_same_content_under_another_bot_is_stored_once() -> None:
    upload = read_archive(zip_files(HONEST))
    first = services.store_version(actor=make_user(), archive=upload)
    Bot.objects.filter(pk=first.bot.pk).update(name="renamed")

    second = services.store_version(actor=first.bot.owner, archive=upload)

    assert first.archive_id == second.archive_id
    assert Archive.objects.count() == 1


def test_version_of_somebody_elses_bot_is_not_allowed() -> None:
    bot = make_bot("Tiger")

    with pytest.raises(NotAllowed, match="belongs to"):
        services.store_version(actor=make_user(), bot=bot, archive=checked("Tiger"))


def test_version_under_another_name_is_refused() -> None:
    bot = make_bot("Tiger")

    with pytest.raises(BadArchive) as refusal:
        services.store_version(actor=bot.owner, bot=bot, archive=checked("Lion"))

    assert refusal.value.code == "other_name"


@pytest.mark.parametrize("notes", ["x" * 201, "two\nlines", "bell\x07"])
def test_unusable_notes_are_refused(notes: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        services.store_version(actor=make_user(), archive=checked(), notes=notes)

    assert refusal.value.field == "notes"
    assert not Bot.objects.exists()


def test_retired_version_is_no_longer_eligible() -> None:
    version = make_version()

    services.retire_version(actor=version.bot.owner, version=version)

    assert version.state == VersionState.RETIRED
    assert not BotVersion.objects.eligible("tuned").exists()


def test_retiring_twice_is_a_conflict() -> None:
    version = make_version(state=VersionState.RETIRED)

    with pytest.raises(Conflict) as refusal:
        services.retire_version(actor=version.bot.owner, version=version)

    assert refusal.value.code == "already_retired"


def test_only_the_owner_retires() -> None:
    version = make_version()

    with pytest.raises(NotAllowed):
        services.retire_version(actor=make_user(), version=version)

    version.refresh_from_db()
    assert version.state == VersionState.ELIGIBLE


@pytest.mark.parametrize(
    ("passed", "state", "reason"),
    [(True, VersionState.ELIGIBLE, ""), (False, VersionState.REJECTED, "no ready line")],
)
def test_validation_settles_a_version_once(
    passed: bool,
    state: VersionState,
    reason: str,
) -> None:
    version = make_version(state=VersionState.VALIDATING)

    services.settle_validation(
        version_id=version.pk, passed=passed, reason="no ready line", log="hello"
    )
    services.settle_validation(
        version_id=version.pk, passed=not passed, reason="changed", log="changed"
    )

    version.refresh_from_db()
    assert (version.state, version.state_reason) == (state, reason)
    assert version.validation_log == "hello"
    assert version.validated_at is not None


def test_long_log_keeps_its_end() -> None:
    version = make_version(state=VersionState.VALIDATING)

    services.settle_validation(
        version_id=version.pk, passed=True, reason="", log="a" * 70_000 + "end"
    )

    version.refresh_from_db()
    assert len(version.validation_log) == services.LONGEST_LOG
    assert version.validation_log.endswith("aend")
