"""Bots in seven languages: written by `init`, uploaded, built in the sandbox, and they play."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pentathlon.bots.models import BotVersion, BuildLog, VersionState
from pentathlon.matches.models import Match, MatchState, SeatLog
from pentathlon.matches.replays.services import read_record
from pentathlon_engines import GAMES
from tests.api.client import client_of, upload
from tests.deep import mostly_deep
from tests.e2e.languages import LANGUAGES, converse, packed_template, that_prints
from tests.factories import make_user
from tests.pentathlon.matches.acting import claimed
from tests.toolchains import need
from tests.workers.playing import bot_files, play_jobs
from workers.sandbox.launcher import SandboxLauncher
from workers.slots.bot_files import BotFiles

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def launcher() -> Iterator[SandboxLauncher]:
    launcher = SandboxLauncher()
    yield launcher
    launcher.close()


@pytest.fixture
def files() -> Iterator[BotFiles]:
    files = bot_files()
    yield files
    files.close()


@pytest.mark.parametrize("language", mostly_deep(LANGUAGES, keep=("python", "c")))
def test_new_bot_is_uploaded_built_and_plays(
    launcher: SandboxLauncher, files: BotFiles, tmp_path: Path, language: str
) -> None:
    need(language)
    answer = upload(client_of(make_user()), "/bots/", packed_template(language, tmp_path / "bot"))
    assert answer.status_code == 201, answer.content

    play_jobs([claimed(Match.objects.get())], launcher=launcher, files=files)

    version = BotVersion.objects.get()
    assert version.state == VersionState.ELIGIBLE, (
        version.state_reason,
        BuildLog.objects.filter(version=version).values_list("text"),
    )
    match = Match.objects.with_seats().get()
    assert match.state == MatchState.DONE
    assert read_record(match.replay)["faults"] == []
    _check_conversation(launcher, files, version)


@pytest.mark.parametrize("language", mostly_deep(LANGUAGES, keep=("python", "c")))
def test_what_a_new_bot_prints_goes_to_its_log(
    launcher: SandboxLauncher, files: BotFiles, tmp_path: Path, language: str
) -> None:
    need(language)
    archive = that_prints(language, tmp_path / "bot")
    assert upload(client_of(make_user()), "/bots/", archive).status_code == 201

    play_jobs([claimed(Match.objects.get())], launcher=launcher, files=files)

    match = Match.objects.with_seats().get()
    assert match.state == MatchState.DONE
    assert read_record(match.replay)["faults"] == []
    assert all("seen\n" in log.text for log in SeatLog.objects.all())


def _check_conversation(launcher: SandboxLauncher, files: BotFiles, version: BotVersion) -> None:
    """Let the bot read what later versions of the protocol may send, and see it end by itself."""
    long = "x" * 300_000
    odd = 'caf\N{LATIN SMALL LETTER E WITH ACUTE} \N{GRINNING FACE} "\\'
    news = {"type": "news", "seats": "none", "text": long}
    act = {
        "type": "act",
        "ply": 3,
        "events": [],
        "new": [{"deep": [[{}]], "n": -1.5e-3, "text": f'"]}}\\ {long}'}],
        "observation": {**GAMES["tuned"].start().observation(0), "you": 0},
        "legal": [odd],
        "clock": {},
    }

    said, exit_status = converse(launcher, files, version, [news, act, {"type": "end"}])

    assert said == [{"type": "ready"}, {"action": odd}]
    assert exit_status == 0
