"""`pentathlon check` as people and scripts use it."""

from pathlib import Path

import pytest

from pentathlon_engines import GAMES
from pentathlon_engines.cli.commands import check
from pentathlon_engines.desk import probes
from tests.engines.bot_sources import EACH, READY
from tests.engines.commands import Run, write_bot

PATIENT_READER = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type": "ready"}', flush=True)
    elif message["type"] == "act":
        print(json.dumps({"action": message["legal"][0]}), flush=True)
    elif message["type"] == "end":
        break
"""


@pytest.fixture(autouse=True)
def _no_long_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probes, "PAUSE_S", 0.01)


def test_smallest_and_largest_tables_are_tried() -> None:
    tried = check._seats_to_try(["tuned", "way_of_the_dragon"])

    assert tried == [
        *(("tuned", 2, seat) for seat in range(2)),
        *(("way_of_the_dragon", 2, seat) for seat in range(2)),
        *(("way_of_the_dragon", 5, seat) for seat in range(5)),
    ]


def test_import_that_no_worker_has_is_told_with_what_there_is(run: Run, tmp_path: Path) -> None:
    write_bot(
        tmp_path / "eager", "try:\n    import torch\nexcept ImportError: pass\n" + PATIENT_READER
    )

    told = run("check", "eager").err

    assert "It imports torch, which no worker has." in told
    assert '"python-numpy" also numpy and onnxruntime' in told


def test_honest_bot_passes_with_its_use_beside_the_limits(run: Run, tmp_path: Path) -> None:
    write_bot(tmp_path / "honest", PATIENT_READER)

    checked = run("check", "honest", "--json").data

    assert checked["ok"]
    assert [(each["seats"], each["seat"]) for each in checked["findings"]] == [(2, 0), (2, 1)]
    assert {each["detail"] for each in checked["findings"]} == {"ok"}
    assert [each["name"] for each in checked["probes"]] == [
        "unknown_fields",
        "unknown_message",
        "long_request",
        "late_turn",
        "end_without_act",
        "end_of_input",
    ]
    assert {each["detail"] for each in checked["probes"]} == {"ok"}
    names = {each["name"]: (each["used"], each["limit"]) for each in checked["measures"]}
    assert 0 < names["start, CPU time"][0] < names["start, CPU time"][1] == 5
    assert 0 < names["memory"][0] < names["memory"][1] == 256
    assert (checked["sandbox"], checked["walls_tested"]) == ("process", False)


def test_table_says_that_walls_were_not_tested(run: Run) -> None:
    checked = run("check", "random", "--game", "tuned")

    assert checked.code == 0
    assert "256 KiB more and 2,000 legal actions" in checked.out
    assert "Walls were not tested" in checked.err
    assert "pentathlon check random --sandbox" in checked.err


def test_faulty_bot_is_told_what_it_wrote_and_what_was_expected(run: Run, tmp_path: Path) -> None:
    write_bot(tmp_path / "liar", "print('{}')")

    failed = run("check", "./liar")

    assert failed.code == 1
    assert 'protocol: the first line must be {"type": "ready"}' in " ".join(failed.out.split())
    assert 'It wrote “{}”. Expected: {"type": "ready"} as the first line' in failed.err
    assert "liar does not keep the protocol" in failed.err
    assert failed.err.endswith("Try: pentathlon play tuned ./liar random\n")


def test_bot_that_reads_too_strictly_fails_only_there(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probes, "GRACE_S", 0.3)
    strict = EACH.replace("    action", "    assert ask['type'] == 'act'\n    action")
    write_bot(tmp_path / "strict", strict + "    say({'action': action})\ntime.sleep(9)")

    checked = run("check", "strict", "--json")

    bad = {each["name"]: each for each in checked.data["probes"] if not each["ok"]}
    assert checked.code == 1
    assert set(bad) == {"unknown_message", "end_without_act", "end_of_input"}
    assert bad["unknown_message"]["is_fault"]
    assert "AssertionError" in bad["unknown_message"]["log"]
    assert not bad["end_without_act"]["is_fault"]
    assert "ran on for 0.3 s" in bad["end_of_input"]["detail"]


def test_bot_that_never_is_ready_has_no_start_to_measure(run: Run, tmp_path: Path) -> None:
    write_bot(tmp_path / "dead", READY.replace('say({"type": "ready"})', "sys.exit(4)"))

    checked = run("check", "dead", "--json")

    assert checked.code == 1
    assert checked.data["start"] is None
    assert {each["detail"] for each in checked.data["probes"]} == {
        "startup: the process ended with exit status 4"
    }


def test_game_that_a_bot_does_not_play_is_wrong_use(run: Run, tmp_path: Path) -> None:
    write_bot(tmp_path / "mine", PATIENT_READER)

    refused = run("check", "mine", "--game", next(key for key in GAMES if key != "tuned"))

    assert refused.code == 2
    assert "mine plays tuned, not" in refused.err
