"""The `pentathlon` command run inside the test, and bots to run it with."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pentathlon_engines.cli.main import main
from pentathlon_engines.runner import MatchReport


class Result:
    """What one command left behind."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code = code
        self.out = out
        self.err = err

    @property
    def data(self) -> Any:
        """The JSON document that the command printed."""
        return json.loads(self.out)


Run = Callable[..., Result]
Play = Callable[..., MatchReport]


def run_in_process(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs the command in this process."""

    def run_command(*arguments: str) -> Result:
        monkeypatch.setattr(sys, "argv", ["pentathlon", *arguments])
        # Completion asks for the program's name, which would be "python -m pytest".
        monkeypatch.setattr(sys.modules["__main__"], "__package__", None, raising=False)
        with pytest.raises(SystemExit) as stop:
            main()
        captured = capsys.readouterr()
        return Result(int(stop.value.code or 0), captured.out, captured.err)

    return run_command


def write_bot(folder: Path, source: str, *, games: str = '["tuned"]') -> None:
    """Write the folder of a bot in Python."""
    folder.mkdir()
    (folder / "bot.toml").write_text(
        f'name = "{folder.name}"\ngames = {games}\nlanguage = "python"\n'
    )
    (folder / "main.py").write_text(source)
