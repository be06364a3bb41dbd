"""`pentathlon step`: a bot goes through a recorded match, and shows what it does."""

import json
import os
from pathlib import Path

import pytest

from pentathlon_engines.record.record import chain
from pentathlon_engines.record.shape import Record
from tests.engines.cli.test_debugging import BOT, CRASHING
from tests.engines.commands import Run, write_bot
from tests.engines.record.random_records import tuned_record

NOTING = BOT.format("print('here', os.getpid(), file=sys.stderr); turn.note = 'as ever'")


@pytest.fixture
def recorded(run: Run, tmp_path: Path) -> Record:
    """Return the record in match.json, in which the bot `mine` played seat 1."""
    write_bot(tmp_path / "mine", NOTING)
    run("play", "tuned", "first", "./mine", "--seed", "3", "--record", "match.json")
    record: Record = json.loads((tmp_path / "match.json").read_text())
    return record


@pytest.mark.parametrize("how", [[], ["--debug"]])
def test_every_request_is_shown_with_answer_words_and_note(
    run: Run, recorded: Record, how: list[str]
) -> None:
    ended = run("step", "match.json", "./mine", *how)

    own = [ply for ply, event in enumerate(recorded["events"]) if event[0] == 1]
    assert ended.code == 0
    assert ended.out.count("seat 1 (mine) has ") == len(own)
    assert ended.out.count("in the record: the same") == len(own)
    assert ended.out.count("note: as ever") == len(own)
    assert ended.out.count("\n1   ") == len(own)  # the board
    assert "before: seat 0: add donkey a1" in ended.out
    said = [line.rpartition(" ") for line in ended.err.splitlines()]
    assert [head for head, _, _ in said] == [f"ply {ply}, seat 1 | here" for ply in own]
    assert ({process for *_, process in said} == {str(os.getpid())}) is (how == ["--debug"])


def test_script_gets_all_steps_and_the_verdict(run: Run, recorded: Record) -> None:
    ended = run("step", "match.json", "./mine", "--json")

    first = ended.data["steps"][0]
    assert ended.data["verdict"] == "played_through"
    assert first["request"]["ply"] == 1
    assert first["answer"] == first["recorded"] == recorded["events"][1][1]
    assert ended.data["log"].startswith("here ")


def test_other_bot_is_seated_by_number_and_its_fault_is_told(
    run: Run, tmp_path: Path, recorded: Record
) -> None:
    write_bot(tmp_path / "other", CRASHING)

    unknown = run("step", "match.json", "./other")
    seated = run("step", "match.json", "./other", "--seat", "0")

    assert unknown.code == 2
    assert "No seat of this match had 'other', but first and mine" in unknown.err
    assert seated.code == 1
    assert "crash at ply 0: the process ended with exit status 1" in seated.err


def test_version_on_a_site_is_known_by_the_name_of_its_bot(run: Run, tmp_path: Path) -> None:
    record = tuned_record()
    record["bots"][1]["name"] = "mine v3"
    record["chain"] = chain(record)
    write_bot(tmp_path / "mine", NOTING)
    (tmp_path / "match.json").write_text(json.dumps(record))

    assert "ply 1: seat 1 (mine v3)" in run("step", "match.json", "./mine").out
