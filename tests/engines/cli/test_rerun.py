"""`pentathlon play BUNDLE BOT` as people and scripts use it."""

import json
from pathlib import Path

import pytest

from pentathlon_engines.record.bundle import pack_bundle
from tests.engines.commands import Run, write_bot
from tests.engines.record.random_records import tuned_record

BOT = """
import sys
from pentathlon_engines.bot import Turn, play
def choose(turn: Turn) -> str:
    {}
    return turn.legal[0]
play(choose)
"""
CRASHING = BOT.format("if turn.ply >= 2: raise ValueError('no idea')")
SOUND = BOT.format("pass")


@pytest.fixture
def bundle(run: Run, tmp_path: Path) -> Path:
    """Return the bundle of a match in which the bot of seat 0 crashed at ply 2."""
    write_bot(tmp_path / "crashing", CRASHING)
    write_bot(tmp_path / "sound", SOUND)
    run("play", "tuned", "./crashing", "./sound", "--seed", "3", "--record", "match.json")
    record = json.loads((tmp_path / "match.json").read_text())
    path = tmp_path / "bundle.zip"
    path.write_bytes(pack_bundle(record, seat=0))
    return path


def test_crash_is_reproduced_with_0(run: Run, bundle: Path) -> None:
    again = run("play", str(bundle), "./crashing")

    assert again.code == 0
    assert "record: crash at ply 2: the process ended with exit status 1" in again.out
    assert "now:    crash at ply 2: the process ended with exit status 1" in again.out
    assert "Reproduced" in again.out
    assert "ValueError: no idea" in again.err
    assert "The files of this bot" not in again.err


def test_mended_bot_ends_with_1_and_says_what_it_played(run: Run, bundle: Path) -> None:
    again = run("play", str(bundle), "./sound")

    assert again.code == 1
    assert "no fault in 2 requests; in place of the fault it played" in again.out
    assert "The fault is gone" in again.out
    assert "The files of this bot are not those that played the match." in again.err


def test_again_as_json_prints_one_document(run: Run, bundle: Path) -> None:
    data = run("play", str(bundle), "./crashing", "--json").data

    assert (data["verdict"], data["agrees"], data["is_same_bot"]) == ("reproduced", True, True)
    assert data["fault"] == data["recorded_fault"]
    assert data["fault"]["ply"] == 2
    assert data["differences"] == []
    assert [line["way"] for line in data["lines"]][-1] == ">"
    assert "ValueError: no idea" in data["log"]


def test_differences_are_told_with_ply_and_texts(run: Run, tmp_path: Path) -> None:
    record = tuned_record()
    path = tmp_path / "bundle.zip"
    path.write_bytes(pack_bundle(record, seat=0))
    write_bot(tmp_path / "sound", SOUND)

    again = run("play", str(path), "./sound")

    recorded = record["events"][0][1]
    assert again.code == 1
    assert f"ply 0: the record has {recorded!r}, now it would play " in again.out
    assert "Differs" in again.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["./sound", "random"], "A bundle needs one bot, for seat 0"),
        (["./sound", "--seed", "3"], "leave --seed out"),
        (["./sound", "--limits", "{}", "--record", "x"], "leave --limits and --record out"),
        (["nobody"], "no built-in bot of that name"),
    ],
)
def test_wrong_use_of_a_bundle_ends_with_2(
    run: Run, bundle: Path, arguments: list[str], message: str
) -> None:
    failed = run("play", str(bundle), *arguments)

    assert failed.code == 2
    assert message in " ".join(failed.err.split())
    assert failed.out == ""


def test_file_that_is_no_bundle_ends_with_2(run: Run, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")

    failed = run("play", "notes.txt", "random")

    assert failed.code == 2
    assert "notes.txt is not a valid bundle: it is not a readable zip file" in failed.err


def test_bundle_that_is_not_there_ends_with_2(run: Run) -> None:
    failed = run("play", "match-1-seat-0.zip", "random")

    assert failed.code == 2
    assert "No such file" in failed.err


def test_file_named_like_a_game_does_not_hide_it(run: Run, tmp_path: Path) -> None:
    (tmp_path / "tuned").write_text("hello")

    assert run("play", "tuned", "random", "random", "--json").data["game"] == "tuned"
