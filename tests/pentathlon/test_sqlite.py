"""The whole of a match's life must hold on SQLite as well, which a single machine runs on."""

import subprocess
import sys
from pathlib import Path

from pentathlon.env import CHECKOUT, child_environment

_BELOW_TOURNAMENTS = ("common", "accounts", "bots", "matches", "replays", "ratings")
_PARTS = (*_BELOW_TOURNAMENTS, "tournaments/test_killed.py")


def test_everything_below_tournaments_holds_on_sqlite(tmp_path: Path) -> None:
    environment = child_environment(
        DATABASE_URL=f"sqlite:///{tmp_path}/pentathlon.sqlite3", PENTATHLON_DATA=str(tmp_path)
    )

    ended = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *(f"tests/pentathlon/{name}" for name in _PARTS)],
        cwd=CHECKOUT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert ended.returncode == 0, ended.stdout + ended.stderr
