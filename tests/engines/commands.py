"""The `pentathlon` command run inside the test, and bots to run it with."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

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


def write_bot(folder: Path, source: str, *, games: str = '["tuned"]') -> None:
    """Write the folder of a bot in Python."""
    folder.mkdir()
    (folder / "bot.toml").write_text(
        f'name = "{folder.name}"\ngames = {games}\nlanguage = "python"\n'
    )
    (folder / "main.py").write_text(source)
