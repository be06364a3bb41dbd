"""The `pentathlon` command as people and scripts use it."""

import json
import os
import pty
import select
import subprocess
import sys
import termios
import time
from importlib import metadata
from pathlib import Path

import pytest

from pentathlon_engines.cli.output.stepper import Stepper
from pentathlon_engines.desk.match_pool import desk_alias
from pentathlon_engines.match.plain_launcher import ENGINES
from pentathlon_engines.record.record import chain
from tests.engines.commands import Run, write_bot
from tests.engines.record.random_records import tuned_record
from tests.patience import PATIENCE_S


@pytest.fixture
def record_file(tmp_path: Path) -> Path:
    """Return a file with a record."""
    path = tmp_path / "match.json"
    path.write_text(json.dumps(tuned_record()))
    return path


def test_play_prints_places_and_writes_the_record(run: Run, tmp_path: Path) -> None:
    played = run("play", "tuned", "greedy", "random", "--seed", "7", "--record", "f.json")

    assert played.code == 0
    assert played.out.startswith("tuned, seed 7: line after ")
    assert "pentathlon replay f.json" in played.err
    assert json.loads((tmp_path / "f.json").read_text())["match"] == desk_alias(7, leg=1)
    assert run("verify", "f.json").code == 0


def test_play_as_json_prints_one_document(run: Run) -> None:
    played = run("play", "tuned", "greedy", "random", "--seed", "7", "--json")

    assert played.err == ""
    assert played.data["outcome"]["ranks"] == [0, 1]
    assert played.data["plies"] > 0
    assert played.data["record"] is None


def test_play_without_seed_draws_one(run: Run) -> None:
    seeds = {run("play", "tuned", "random", "random", "--json").data["seed"] for _ in range(2)}

    assert len(seeds) == 2


def test_play_explains_a_fault_with_the_log(run: Run, tmp_path: Path) -> None:
    write_bot(tmp_path / "broken", "raise ValueError('no idea')")

    played = run("play", "tuned", "./broken", "random")

    assert played.code == 0
    assert "seat 0 (broken): startup at ply 0: the process ended with exit status 1" in played.err
    assert "ValueError: no idea" in played.err


def test_limits_are_taken_from_the_command_line(run: Run, tmp_path: Path) -> None:
    limits = '{"action_cpu_s": 0.5, "memory_mb": 128}'

    run("play", "tuned", "random", "random", "--limits", limits, "--record", "f.json")

    assert json.loads((tmp_path / "f.json").read_text())["limits"]["memory_mb"] == 128


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chess", "random", "random"], "There is no game 'chess'; the games are "),
        (["tuned", "random"], "Tuned has 2 seats, not 1"),
        (["tuned", "nobody", "random"], "no built-in bot of that name (first, flat_mc, greedy"),
        (["tuned", "random", "random", "--options", "3"], "--options must be a JSON object"),
        (["tuned", "random", "random", "--options", "{"], "--options must be a JSON object"),
        (["tuned", "random", "random", "--options", '{"fog": 1}'], "no option 'fog'"),
        (["tuned", "random", "random", "--limits", '{"luck": 1}'], "unknown limits: luck"),
        (["tuned", "random", "random", "--seed", "-1"], "--seed"),
        (["tuned"], "BOT BOT..."),
    ],
)
def test_wrong_use_of_play_ends_with_2(run: Run, arguments: list[str], message: str) -> None:
    failed = run("play", *arguments)

    assert failed.code == 2
    assert message in failed.err
    assert "Try" in failed.err
    assert failed.out == ""


def test_bad_manifest_is_explained(run: Run, tmp_path: Path) -> None:
    write_bot(tmp_path / "bad", "", games='["chess"]')

    failed = run("check", "./bad")

    assert failed.code == 2
    assert failed.err.startswith("games: no game 'chess'; the games are ")
    assert failed.err.endswith("Try: pentathlon init GAME\n")


def test_record_that_cannot_be_written_ends_with_3(run: Run) -> None:
    failed = run("play", "tuned", "random", "random", "--record", "missing/f.json")

    assert failed.code == 3
    assert "missing/f.json cannot be written" in failed.err


def test_sandbox_that_is_not_installed_ends_with_3(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing = metadata.EntryPoints()
    monkeypatch.setattr(metadata, "entry_points", lambda **_: nothing)

    failed = run("play", "tuned", "random", "random", "--sandbox")

    assert failed.code == 3
    assert "The sandbox is not installed here" in failed.err


def test_verify_says_what_it_checked(run: Run, record_file: Path) -> None:
    verified = run("verify", str(record_file))

    assert verified.code == 0
    assert "verifies: " in verified.out
    assert tuned_record()["chain"] in verified.out
    assert run("verify", str(record_file), "--json").data["valid"] is True


def test_verify_of_doctored_record_names_the_event(run: Run, record_file: Path) -> None:
    record = tuned_record()
    record["events"][2][1] = "add cat a1 twice"
    record["chain"] = chain(record)
    record_file.write_text(json.dumps(record))

    failed = run("verify", str(record_file))

    assert failed.code == 1
    assert "does not verify: event 2: " in failed.err
    assert f"Try: pentathlon replay {record_file}" in failed.err
    assert run("verify", str(record_file), "--json").data["code"] == "bad_record"


@pytest.mark.parametrize("content", ["", "[]", "no json"])
@pytest.mark.parametrize("command", ["verify", "replay"])
def test_file_that_is_no_record_ends_with_2(
    run: Run, record_file: Path, command: str, content: str
) -> None:
    record_file.write_text(content)

    failed = run(command, str(record_file))

    assert failed.code == 2
    assert "Try: pentathlon play tuned greedy random --record match.json" in failed.err


def test_replay_without_terminal_prints_all_positions(run: Run, record_file: Path) -> None:
    last = len(tuned_record()["events"])

    shown = run("replay", str(record_file))

    assert shown.code == 0
    assert [f"ply {ply} of {last}:" in shown.out for ply in range(last + 1)] == [True] * (last + 1)
    assert "outcome: bot " in shown.out


def test_replay_of_one_ply_prints_it_alone(run: Run, record_file: Path) -> None:
    shown = run("replay", str(record_file), "--ply", "2")

    assert shown.out.count(" of ") == 1
    assert run("replay", str(record_file), "--ply", "2", "--json").data[0]["ply"] == 2


def test_replay_of_missing_ply_says_what_there_is(run: Run, record_file: Path) -> None:
    failed = run("replay", str(record_file), "--ply", "999")

    assert failed.code == 2
    assert "There is no ply 999: this record has 0 to " in failed.err


def test_replay_of_record_without_events_ends_with_1(run: Run, record_file: Path) -> None:
    record_file.write_text('{"game": "tuned", "rules": 1}')

    failed = run("replay", str(record_file))

    assert failed.code == 1
    assert "cannot be replayed" in failed.err


def test_new_bot_plays_at_once(run: Run) -> None:
    made = run("init", "tuned")

    assert made.code == 0
    assert "Next: pentathlon play tuned my-tuned-bot greedy" in made.out
    assert run("check", "my-tuned-bot").code == 0


def test_init_does_not_overwrite(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()

    failed = run("init", "tuned", "--folder", "mine")

    assert failed.code == 2
    assert "mine exists already" in failed.err


def test_program_is_built_before_it_plays(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "built"
    folder.mkdir()
    (folder / "bot.toml").write_text(
        'name = "built"\ngames = ["tuned"]\ncommand = ["./bot"]\nbuild = ["cp", "source", "bot"]\n'
    )
    (folder / "source").write_text('#!/bin/sh\nread line\necho \'{"type": "ready"}\'\nread line\n')
    (folder / "source").chmod(0o755)

    played = run("play", "tuned", "./built", "random", "--json")

    assert played.data["faults"][0]["kind"] == "crash"


def test_build_that_fails_ends_with_1(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "built"
    folder.mkdir()
    (folder / "bot.toml").write_text(
        'name = "built"\ngames = ["tuned"]\ncommand = ["./bot"]\nbuild = ["false"]\n'
    )

    failed = run("play", "tuned", "./built", "random")

    assert failed.code == 1
    assert "built: its build failed" in failed.err
    assert ".." not in failed.err


def test_module_runs_as_a_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pentathlon_engines.cli", "play", "chess", "a", "b"],
        env={"PYTHONPATH": str(ENGINES)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout) == (2, "")
    assert "\nTry: pentathlon play " in done.stderr


def test_replay_in_a_terminal_steps_with_keys(record_file: Path) -> None:
    shown, code = in_terminal("replay", str(record_file), keys=[b" ", b"G", b"p", b"g", b"q"])

    last = len(tuned_record()["events"])
    plies = [0, 1, last, last - 1, 0]
    assert code == 0
    assert [part.split(" of ")[0] for part in shown.split("\x1b[2Jply ")[1:]] == [
        str(ply) for ply in plies
    ]


def test_replay_in_a_terminal_steps_by_turn_and_number(record_file: Path) -> None:
    keys = [b"\x1b[B", b"\x1b[B", b"]", b"[", b"\x1b[A", b"5", b"\r", b"}", b"q"]

    shown, code = in_terminal("replay", str(record_file), keys=keys)

    stepper = Stepper(tuned_record()["events"])
    plies = [0]
    for key in keys[:-1]:
        stepper.press(key.decode())
        plies.append(stepper.ply)
    assert code == 0
    assert shown.count("to ply 5: Enter goes there") == 1
    assert [int(part.split(" of ")[0]) for part in shown.split("\x1b[2Jply ")[1:]] == plies
    assert len(set(plies)) > 4


def test_end_of_input_ends_a_replay(record_file: Path) -> None:
    _, code = in_terminal("replay", str(record_file), keys=[b"\x04"])

    assert code == 0


def test_interrupt_ends_with_130(record_file: Path) -> None:
    _, code = in_terminal("replay", str(record_file), keys=[b"\x03"])

    assert code == 130


def press(keyboard: int, key: bytes) -> None:
    """Press a key once the program reads single keys: what came before it would be lost."""
    deadline = time.monotonic() + PATIENCE_S
    while termios.tcgetattr(keyboard)[3] & termios.ICANON:
        assert time.monotonic() < deadline
        select.select([], [], [], 0.01)
    os.write(keyboard, key)


def in_terminal(*arguments: str, keys: list[bytes]) -> tuple[str, int]:
    """Run the command in a terminal of its own; press a key whenever it asks for one."""
    keyboard, terminal = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "pentathlon_engines.cli", *arguments],
        env={"PYTHONPATH": str(ENGINES), "TERM": "dumb"},
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        start_new_session=True,
    )
    os.close(terminal)
    shown = b""
    pending = list(keys)
    while True:
        try:
            data = os.read(keyboard, 65536)
        except OSError:
            break
        shown += data
        if pending and shown.count(b"quit: q") > len(keys) - len(pending):
            press(keyboard, pending.pop(0))
    os.close(keyboard)
    return shown.decode(), child.wait()
