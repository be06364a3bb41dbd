"""Reference bots: built-in policies that the site uploads itself, and keeps up to date."""

import shutil
from pathlib import Path

import pytest
from pytest_django.fixtures import Settings
from structlog.testing import capture_logs

from pentathlon.bots.models import Bot, BotVersion, VersionState
from pentathlon.ladders import reference
from pentathlon.ladders.reference import (
    PREFIX,
    reference_policies,
    revalidate_reference_bots,
    upload_reference_bots,
)
from tests.factories import make_bot, make_version
from tests.pentathlon.ladders.playing import make_reference

pytestmark = pytest.mark.django_db

_POLICY = 'name = "calm"\ngames = ["tuned"]\nlanguage = "python"\n'


@pytest.fixture(autouse=True)
def policies(settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return the folder of the site's policies, `calm` and `wild`; nothing is uploaded yet."""
    settings.HAS_REFERENCE_BOTS = True
    monkeypatch.setattr(reference, "_stored", {})
    for name in ("calm", "wild"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "bot.toml").write_text(_POLICY.replace("calm", name))
        (folder / "main.py").write_text(f"print('{name}')\n")
    found = {name: tmp_path / name for name in ("calm", "wild")}
    monkeypatch.setattr(reference, "built_in_bots", lambda: dict(found))
    return tmp_path


def names() -> list[str]:
    return sorted(Bot.objects.filter(is_reference=True).values_list("name", flat=True))


def validate_all() -> None:
    BotVersion.objects.update(state=VersionState.ELIGIBLE)


def test_policies_are_uploaded_one_after_the_other() -> None:
    assert upload_reference_bots() == 1
    assert upload_reference_bots() == 0, "the first one is being validated"
    validate_all()

    assert [upload_reference_bots() for _ in range(3)] == [1, 0, 0]

    assert names() == [f"{PREFIX}calm", f"{PREFIX}wild"]


def test_policy_that_is_there_is_not_uploaded_again_by_another_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for _ in range(2):
        upload_reference_bots()
        validate_all()
    monkeypatch.setattr(reference, "_stored", {})

    assert upload_reference_bots() == 0

    assert BotVersion.objects.count() == 2


def test_policy_of_a_new_release_is_a_new_version(
    policies: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(2):
        upload_reference_bots()
        validate_all()
    monkeypatch.setattr(reference, "_stored", {})
    (policies / "calm" / "main.py").write_text("print('calmer')\n")

    assert upload_reference_bots() == 1

    bot = Bot.objects.get(name=f"{PREFIX}calm")
    assert list(bot.versions.order_by("number").values_list("number", flat=True)) == [1, 2]
    assert names() == [f"{PREFIX}calm", f"{PREFIX}wild"]


def test_name_of_an_author_is_left_to_them() -> None:
    make_bot(f"{PREFIX}calm")

    with capture_logs() as logs:
        made = [upload_reference_bots() for _ in range(2)]

    assert made == [1, 1]
    assert names() == [f"{PREFIX}wild"]
    assert [line["event"] for line in logs] == ["reference bot left out"]


def test_site_without_reference_bots_uploads_none(settings: Settings) -> None:
    settings.HAS_REFERENCE_BOTS = False

    assert upload_reference_bots() == 0

    assert names() == []


def test_policies_that_search_for_seconds_are_no_reference(
    policies: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(policies / "calm", policies / "mcts")
    found = {name: policies / name for name in ("calm", "mcts")}
    monkeypatch.setattr(reference, "built_in_bots", lambda: found)

    assert list(reference_policies()) == ["calm"]


@pytest.mark.parametrize(
    ("state", "is_tried"),
    [
        (VersionState.UNCHECKED, True),
        (VersionState.STOPPED, True),
        (VersionState.ELIGIBLE, False),
        (VersionState.REJECTED, False),
    ],
)
def test_reference_bot_that_our_machines_failed_is_tried_again(
    state: VersionState, is_tried: bool
) -> None:
    own, authors = make_reference(), make_version(state=state)
    BotVersion.objects.filter(pk=own.pk).update(state=state)

    assert revalidate_reference_bots() == int(is_tried)

    own.refresh_from_db()
    authors.refresh_from_db()
    assert own.state == (VersionState.VALIDATING if is_tried else state)
    assert authors.state == state
