"""Matches per second of other programs, measured beside ours on the same core.

None of them uses a sandbox, stores a match or plays it again.
"""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pentathlon.env import child_environment

_SECONDS: Final = 3.0
_CONNECTX: Final = """
import contextlib, json, sys
with contextlib.redirect_stdout(sys.stderr):
    from kaggle_environments import make
    environment = make("connectx")

def play():
    environment.run(["random", "random"])
"""
_CHESS: Final = """
import json, sys
import chess, chess.engine

ENGINE = '''
import sys
KNIGHTS = ("g1f3", "g8f6", "f3g1", "f6g8")
played = 0
for line in sys.stdin:
    words = line.split()
    if words[0] == "quit":
        break
    if words[0] == "position":
        played = len(words) - words.index("moves") - 1 if "moves" in words else 0
    answers = {"uci": "uciok", "isready": "readyok", "go": "bestmove " + KNIGHTS[played % 4]}
    if words[0] in answers:
        print(answers[words[0]], flush=True)
'''

def play():
    command = [sys.executable, "-I", "-S", "-c", ENGINE]
    seats = [chess.engine.SimpleEngine.popen_uci(command) for _ in range(2)]
    board = chess.Board()
    for ply in range(50):
        board.push(seats[ply % 2].play(board, chess.engine.Limit(time=1)).move)
    for seat in seats:
        seat.quit()
"""
_METER: Final = """
import os, time

def spent():
    return sum(os.times()[:4])

play()
matches, began, before = 0, time.monotonic(), spent()
while time.monotonic() - began < float(sys.argv[1]):
    play()
    matches += 1
lasted, cpu = time.monotonic() - began, spent() - before
json.dump({"matches_per_s": matches / lasted, "cpu_ms": 1000 * cpu / matches}, sys.stdout)
"""


class RivalFailed(Exception):
    """The other package did not play."""

    code = "rival_failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rival:
    """Another program that plays matches: Python code that defines `play`, for one match."""

    name: str
    program: str


RIVALS: Final = (
    Rival(name="connectx by kaggle", program=_CONNECTX),
    Rival(name="python-chess", program=_CHESS),
)
"""Two agents as functions in one process; 50 plies of two fresh UCI processes that answer at once.
fastchess and cutechess are available neither from PyPI nor from Debian."""


def measure_rival(rival: Rival, python: Path) -> dict[str, float]:
    """Return matches per second, and CPU milliseconds of a match, children included."""
    ended = subprocess.run(
        [python, "-c", rival.program + _METER, str(_SECONDS)],
        env=child_environment(PYTHONPATH=""),
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode:
        raise RivalFailed(f"{rival.name} does not play:\n{ended.stderr.strip()[-500:]}")
    figures: dict[str, float] = json.loads(ended.stdout)
    return figures
