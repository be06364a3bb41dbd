from pathlib import Path
from typing import Any

import pytest

from pentathlon_engines import GAMES, Game
from pentathlon_engines.cli.commands import fork
from pentathlon_engines.desk import match_pool
from pentathlon_engines.match.launcher import BotCommand
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.plain_launcher import PlainLauncher
from pentathlon_engines.runner import MatchReport, SeatBot, play_match
from tests.engines.bot_sources import QUICK
from tests.engines.commands import Play, Run, run_in_process
from tests.engines.desk.acting import play_in_process


@pytest.fixture
def run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Run:
    """Return a function that runs the command in this process, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return run_in_process(monkeypatch, capsys)


@pytest.fixture
def _in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let commands play their matches at random, without any process."""
    monkeypatch.setattr(match_pool, "play_match", play_in_process)
    monkeypatch.setattr(fork, "play_match", play_in_process)


@pytest.fixture
def play(tmp_path: Path) -> Play:
    """Return a function that plays bots given as source code."""

    def play_sources(
        *sources: str, game: Game = GAMES["tuned"], limits: Limits = QUICK, **more: Any
    ) -> MatchReport:
        seats = []
        for index, source in enumerate(sources):
            folder = tmp_path / f"bot{index}"
            folder.mkdir()
            (folder / "main.py").write_text(source)
            command = BotCommand(folder=folder, argv=["{python}", "-S", "-u", "{bot}/main.py"])
            seats.append(SeatBot(name=f"bot {index}", hash="sha256:00", command=command))
        return play_match(
            game=game,
            options=None,
            seats=seats,
            seed=7,
            limits=limits,
            launcher=PlainLauncher(),
            **more,
        )

    return play_sources
