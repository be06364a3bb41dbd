"""Every game in every language: `python3 manage.py test languages`, about a minute.

Each new bot is uploaded for all games. It plays them with the usual number of seats, and then
with the most. The usual run plays one game (`test_languages.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pentathlon.bots.models import BotVersion, VersionState
from pentathlon.fleet.capabilities import read_fleet
from pentathlon.matches.models import Match, MatchState, SeatLog
from pentathlon.matches.replays.services import read_record
from pentathlon_engines import GAMES
from tests.api.client import client_of, upload
from tests.e2e.languages import LANGUAGES, packed_template, that_prints
from tests.factories import make_match, make_user
from tests.pentathlon.matches.acting import claimed
from tests.toolchains import need
from tests.workers.playing import bot_files, play_jobs
from tests.workers.running import running_platform
from workers.sandbox.launcher import SandboxLauncher

MOST_PATIENCE_S = 240


@pytest.fixture(scope="module")
def launcher() -> Iterator[SandboxLauncher]:
    launcher = SandboxLauncher()
    yield launcher
    launcher.close()


@pytest.mark.django_db
@pytest.mark.parametrize("language", LANGUAGES)
def test_new_bot_plays_every_game_at_every_table(
    launcher: SandboxLauncher, tmp_path: Path, language: str
) -> None:
    need(language)
    archive = packed_template(language, tmp_path / "bot", game="*")
    assert upload(client_of(make_user()), "/bots/", archive).status_code == 201
    files = bot_files()

    play_jobs([claimed(each) for each in Match.objects.all()], launcher=launcher, files=files)
    version = BotVersion.objects.get()
    assert version.state == VersionState.ELIGIBLE, version.state_reason
    larger = {game.info.key: game.info.seats[-1] for game in GAMES.values()}
    tables = [
        make_match([version] * seats, game=key)
        for key, seats in larger.items()
        if seats != GAMES[key].info.default_seats
    ]
    play_jobs([claimed(each) for each in tables], launcher=launcher, files=files)

    files.close()
    played = Match.objects.with_seats()
    assert {each.state for each in played} == {MatchState.DONE}
    assert [read_record(each.replay)["faults"] for each in played] == [[]] * len(played)
    assert {(each.game, len(each.seats.all())) for each in played} >= set(larger.items())


@pytest.mark.django_db
@pytest.mark.parametrize("language", LANGUAGES)
def test_bot_that_prints_plays_on(
    launcher: SandboxLauncher, tmp_path: Path, language: str
) -> None:
    need(language)
    archive = that_prints(language, tmp_path / "bot")
    assert upload(client_of(make_user()), "/bots/", archive).status_code == 201
    files = bot_files()

    play_jobs([claimed(Match.objects.get())], launcher=launcher, files=files)

    files.close()
    match = Match.objects.with_seats().get()
    assert read_record(match.replay)["faults"] == []
    assert all("seen\n" in log.text for log in SeatLog.objects.all())


@pytest.mark.django_db(transaction=True)
def test_worker_of_a_server_builds_and_plays_all_languages(tmp_path: Path) -> None:
    for language in LANGUAGES:
        need(language)

    with running_platform(tmp_path) as platform:
        platform.start_worker()
        platform.start_reconciler()
        platform.eventually(lambda: read_fleet().capabilities)
        for language in LANGUAGES:
            archive = packed_template(language, tmp_path / language)
            assert upload(client_of(make_user()), "/bots/", archive).status_code == 201
        validating = BotVersion.objects.filter(state=VersionState.VALIDATING)
        platform.eventually(lambda: not validating.exists(), patience_s=MOST_PATIENCE_S)

    states = dict(BotVersion.objects.values_list("bot__name", "state"))
    assert states == {f"{language}-bot": VersionState.ELIGIBLE for language in LANGUAGES}
    assert read_fleet().untried == []
