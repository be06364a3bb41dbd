"""The demo's people and bots; `test_up.py` plays the whole of it."""

from pathlib import Path

import pytest

from pentathlon.accounts.models import User
from pentathlon.local.demo import BOTS
from pentathlon.local.demo_logins import demo_logins
from pentathlon_engines import GAMES
from pentathlon_engines.limits import Limits
from pentathlon_engines.manifest import bot_command, content_hash, read_manifest
from pentathlon_engines.plain_launcher import PlainLauncher
from pentathlon_engines.runner import SeatBot, play_match

FOLDERS = sorted(path.parent for path in BOTS.glob("*/bot.toml"))


def test_there_are_six_different_bots() -> None:
    assert len({content_hash(folder) for folder in FOLDERS}) == 6
    assert [read_manifest(folder).name for folder in FOLDERS] == [f.name for f in FOLDERS]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_bot_plays_without_fault(folder: Path) -> None:
    command = bot_command(folder, read_manifest(folder))
    seats = [
        SeatBot(name=folder.name, hash=content_hash(folder), command=command) for _ in range(2)
    ]

    report = play_match(
        game=GAMES["tuned"],
        options={},
        seats=seats,
        seed=1,
        limits=Limits(),
        launcher=PlainLauncher(),
    )

    assert report.record["faults"] == []


@pytest.mark.django_db
def test_log_ins_are_kept_private_and_work(tmp_path: Path) -> None:
    logins = demo_logins(tmp_path)

    assert (tmp_path / "demo_logins.json").stat().st_mode & 0o777 == 0o600
    for login in logins:
        assert User.objects.get(username=login.username).check_password(login.password)


@pytest.mark.django_db
def test_log_ins_are_the_same_the_next_time(tmp_path: Path) -> None:
    assert demo_logins(tmp_path) == demo_logins(tmp_path)


@pytest.mark.django_db
def test_two_installations_have_different_passwords(tmp_path: Path) -> None:
    passwords = {
        login.password for name in ("one", "two") for login in demo_logins(folder(tmp_path, name))
    }

    assert len(passwords) == 8


@pytest.mark.django_db
def test_interrupted_start_gets_passwords_that_work(tmp_path: Path) -> None:
    demo_logins(tmp_path)
    (tmp_path / "demo_logins.json").unlink()

    again = demo_logins(tmp_path)

    assert User.objects.count() == len(again)
    assert all(
        User.objects.get(username=login.username).check_password(login.password) for login in again
    )


def folder(base: Path, name: str) -> Path:
    (base / name).mkdir()
    return base / name
