"""Matches per second of kaggle-environments' connectx, measured beside ours on the same core.

Its agents are functions inside its own process: no process is started for them, nothing shuts
them in, nothing is stored, and whatever they keep they have in the next match.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Final

from pentathlon.env import child_environment

NAME: Final = "kaggle-environments connectx"
_SECONDS: Final = 3.0
_PROGRAM: Final = """
import contextlib, json, sys, time
with contextlib.redirect_stdout(sys.stderr):
    from kaggle_environments import make
    environment = make("connectx")
    environment.run(["random", "random"])
    matches, began, spent = 0, time.monotonic(), time.process_time()
    while time.monotonic() - began < float(sys.argv[1]):
        environment.run(["random", "random"])
        matches += 1
    lasted, spent = time.monotonic() - began, time.process_time() - spent
json.dump({"matches_per_s": matches / lasted, "cpu_ms": 1000 * spent / matches}, sys.stdout)
"""


class RivalFailed(Exception):
    """The other package did not play."""

    code = "rival_failed"


def measure_rival(python: Path) -> dict[str, float]:
    """Return matches per second and CPU milliseconds of a match, with two random agents."""
    ended = subprocess.run(
        [python, "-c", _PROGRAM, str(_SECONDS)],
        env=child_environment(PYTHONPATH=""),
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode:
        raise RivalFailed(f"{NAME} does not play:\n{ended.stderr.strip()[-500:]}")
    figures: dict[str, float] = json.loads(ended.stdout)
    return figures
