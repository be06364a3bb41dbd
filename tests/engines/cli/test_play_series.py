"""`pentathlon play --games` as people and scripts use it."""

import json
from pathlib import Path

import pytest

from pentathlon_engines.record.record import verify_record
from tests.engines.cli.interrupting import interrupt_after
from tests.engines.commands import Run

pytestmark = pytest.mark.usefixtures("_in_process")


def test_score_comes_with_its_interval(run: Run) -> None:
    played = run("play", "tuned", "random", "first", "--games", "20", "--swap", "--seed", "7")

    assert played.code == 0
    assert played.out.startswith("tuned: 20 matches")
    rows = [line.split() for line in played.out.splitlines()[2:]]
    assert rows[0][:2] == ["random", "100.0%"]
    assert rows[1][:2] == ["first", "0.0%"]
    assert [row[3:7] for row in rows] == [["20", "0", "0", "0"], ["0", "0", "20", "20"]]


def test_fault_is_explained_once_and_counted(run: Run) -> None:
    played = run("play", "tuned", "first", "random", "--games", "6")

    assert played.err.count("It wrote ") == 1
    assert 'It wrote “{"action": "sing"}”. Expected: {"action": "…"} with one of' in played.err
    assert "illegal_action: 6 times in all." in played.err


def test_swapped_matches_come_in_whole_blocks(run: Run) -> None:
    played = run(
        *("play", "tuned", "random", "greedy", "--games", "5", "--swap", "--seed", "7"),
        *("--concurrency", "2", "--json"),
    )

    assert (played.code, played.err) == (0, "")
    matches = played.data["matches"]
    assert [(each["seed"], each["seats"]) for each in matches] == [
        (seed, seats) for seed in (7, 8, 9) for seats in ([0, 1], [1, 0])
    ]
    assert (played.data["played"], played.data["interrupted"]) == (6, False)
    assert [bot["matches"] for bot in played.data["bots"]] == [6, 6]
    assert sum(bot["points"] for bot in played.data["bots"]) == 6


def test_five_seats_share_the_points(run: Run) -> None:
    bots = ["random"] * 5

    played = run("play", "way_of_the_dragon", *bots, "--games", "1", "--swap", "--json").data

    assert played["played"] == 10
    assert sum(bot["share"] for bot in played["bots"]) == pytest.approx(2.5, abs=0.001)
    assert [bot["matches"] for bot in played["bots"]] == [10] * 5


def test_records_are_written_and_verify(run: Run, tmp_path: Path) -> None:
    played = run("play", "tuned", "random", "first", "--games", "3", "--records", "kept", "--json")

    files = sorted((tmp_path / "kept").iterdir())
    assert sorted(each["record"] for each in played.data["matches"]) == [
        f"kept/{file.name}" for file in files
    ]
    for file in files:
        verify_record(json.loads(file.read_bytes()))


def test_interrupt_keeps_what_was_played_and_says_so(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupt_after(4, monkeypatch)

    stopped = run("play", "tuned", "random", "greedy", "--games", "50", "--records", "kept")

    assert stopped.code == 130
    assert stopped.out.startswith("tuned: 4 matches")
    assert "Interrupted after 4 of 50 matches. Their records are in kept." in stopped.err
    assert len(list((tmp_path / "kept").iterdir())) == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["tuned", "random", "greedy", "--games", "3", "--record", "f.json"],
            "--records writes many into a folder",
        ),
        (["tuned", "random", "--games", "3"], "Tuned has 2 seats, not 1"),
        (["tuned", "random", "greedy", "--games", "0"], "--games"),
        (["some.zip", "random", "--games", "3"], "leave --games out"),
    ],
)
def test_wrong_use_ends_with_2(run: Run, arguments: list[str], message: str) -> None:
    refused = run("play", *arguments)

    assert (refused.code, refused.out) == (2, "")
    assert message in refused.err
    assert "Try" in refused.err


def test_records_that_cannot_be_written_end_with_3(run: Run, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")

    failed = run("play", "tuned", "random", "greedy", "--games", "2", "--records", "taken")

    assert failed.code == 3
    assert "taken cannot be written" in failed.err
