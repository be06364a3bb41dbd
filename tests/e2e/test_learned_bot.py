"""A bot that has learned: trained by the example, uploaded, and validated in the sandbox."""

from pathlib import Path

import pytest

from pentathlon.bots.models import BotVersion
from pentathlon.matches.models import Match, MatchState
from pentathlon_engines.archive.packing import pack_bot
from pentathlon_engines.examples.self_play import train
from pentathlon_engines.match.launcher import SandboxLevel
from tests.api.client import client_of, upload
from tests.factories import make_user
from tests.pentathlon.matches.acting import claimed
from tests.workers.playing import bot_files, play_jobs
from workers.sandbox.launcher import SandboxLauncher

pytestmark = pytest.mark.django_db


def test_bot_of_the_self_play_example_plays_on_the_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(train, "BATCH", 100)
    player = train.train("tuned", minutes=0.001, seed=1)
    train.write_bot(tmp_path / "my-player", player, game="tuned")

    answer = upload(client_of(make_user()), "/bots/", pack_bot(tmp_path / "my-player").whole())

    assert answer.status_code == 201, answer.content
    version = BotVersion.objects.get()
    assert version.model is not None
    launcher, files = SandboxLauncher(SandboxLevel.NAMESPACES), bot_files()
    try:
        play_jobs([claimed(Match.objects.get())], launcher=launcher, files=files)
    finally:
        launcher.close()
        files.close()
    match = Match.objects.get()
    assert (match.state, match.sandbox) == (MatchState.DONE, SandboxLevel.NAMESPACES)
    assert not match.seats.exclude(fault_kind="").exists()
