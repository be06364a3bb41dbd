"""What an author sees of a bot: its words as they come, and a debugger that stops in it."""

import json
import os
import sys
from pathlib import Path

import pytest

from pentathlon_engines.record.record import verify_record
from tests.engines.commands import Run, write_bot

BOT = """
import os, sys
from pentathlon_engines.bot import Turn, play
def choose(turn: Turn) -> str:
    {}
    return turn.legal[0]
if __name__ == "__main__":
    play(choose)
"""
TALKING = BOT.format("print('I', turn.seat, 'of', os.getppid(), file=sys.stderr)")
HERE = BOT.format("print(os.getpid(), turn.clock, file=sys.stderr); breakpoint()")
CRASHING = BOT.format("print('so far', file=sys.stderr); raise ValueError('no idea')")
RAW = """
import json, sys
sys.stdin.readline()
print('{"type": "ready"}', flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "act":
        print(json.dumps({"action": message["legal"][0]}), flush=True)
"""


def test_words_of_bots_come_with_ply_and_seat(run: Run, tmp_path: Path) -> None:
    write_bot(tmp_path / "talker", TALKING)

    ended = run("play", "tuned", "./talker", "first", "--seed", "3", "-v")

    said = ended.err.splitlines()
    assert ended.code == 0
    assert said[:2] == [f"ply {ply}, seat 0 | I 0 of {os.getpid()}" for ply in (0, 2)]


def test_debugger_stops_in_the_bot_and_no_clock_runs(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stops: list[object] = []
    monkeypatch.setattr(
        sys, "breakpointhook", lambda: stops.append(sys._getframe(1).f_code.co_name)
    )
    write_bot(tmp_path / "mine", HERE)
    limits = '{"action_cpu_s": 0.0001, "startup_wall_s": 0.0001}'

    ended = run(
        "play", "tuned", "first", "./mine", "--debug", "--limits", limits, "--record", "match.json"
    )

    record = json.loads((tmp_path / "match.json").read_text())
    verify_record(record)
    said = ended.err.splitlines()
    assert ended.code == 0
    assert record["faults"] == []
    assert said[0] == "ply 1: seat 1 is to move"
    assert said[1].startswith(f"ply 1, seat 1 | {os.getpid()} {{'cpu_left_ms': 0, ")
    assert stops
    assert set(stops) == {"choose"}
    assert Path.cwd() == tmp_path


def test_failure_in_the_debugged_bot_is_a_fault_with_its_traceback(
    run: Run, tmp_path: Path
) -> None:
    write_bot(tmp_path / "mine", CRASHING)

    ended = run("play", "tuned", "./mine", "first", "--debug")

    assert ended.code == 0
    assert "ply 0, seat 0 | so far\n" in ended.err
    assert "ValueError: no idea" in ended.err
    assert "crash at ply 0: the process ended with exit status 1" in ended.err


def test_bot_with_a_protocol_of_its_own_is_a_process_to_attach_to(
    run: Run, tmp_path: Path
) -> None:
    write_bot(tmp_path / "raw", RAW)

    ended = run("play", "tuned", "./raw", "first", "--debug")

    assert ended.code == 0
    assert ended.err.startswith("seat 0 is process ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["first", "last", "--debug"], "All of these bots are built in"),
        (["first", "last", "--debug", "--games", "2"], "show one match, not many"),
        (["first", "last", "--debug", "--json"], "is for people, without a sandbox"),
    ],
)
def test_what_cannot_be_debugged_is_explained(run: Run, arguments: list[str], said: str) -> None:
    ended = run("play", "tuned", *arguments)

    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
