"""`pentathlon fork` and `pentathlon replay --html` as people use them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pentathlon_engines.record.record import chain
from tests.engines.commands import Run
from tests.engines.record.random_records import tuned_record

pytestmark = pytest.mark.usefixtures("_in_process")


@pytest.fixture
def record_file(tmp_path: Path) -> str:
    """Return a file with a record."""
    (tmp_path / "match.json").write_text(json.dumps(tuned_record()))
    return "match.json"


def test_forked_match_begins_as_the_other_and_verifies(
    run: Run, tmp_path: Path, record_file: str
) -> None:
    forked = run("fork", record_file, "--ply", "3", "random", "greedy", "--record", "new.json")

    record = json.loads((tmp_path / "new.json").read_text())
    assert forked.code == 0
    assert record["fork"] == {"chain": tuned_record()["chain"], "ply": 3}
    assert [event[:2] for event in record["events"][:3]] == [
        event[:2] for event in tuned_record()["events"][:3]
    ]
    verified = run("verify", "new.json")
    assert verified.code == 0
    assert f"forked at ply 3 from {tuned_record()['chain']}: unrated" in verified.out


def test_fork_as_json_names_its_source(run: Run, record_file: str) -> None:
    forked = run("fork", record_file, "--ply", "0", "random", "greedy", "--json").data

    assert forked["fork"] == {"chain": tuned_record()["chain"], "ply": 0}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--ply", "999", "random", "greedy"], "there is no ply 999"),
        (["--ply", str(len(tuned_record()["events"])), "random", "greedy"], "is the end of the"),
        (["--ply", "1", "random"], "This match has 2 seats, not 1"),
        (["--ply", "1", "random", "nobody"], "no built-in bot of that name"),
    ],
)
def test_what_cannot_be_forked_is_explained(
    run: Run, record_file: str, arguments: list[str], message: str
) -> None:
    refused = run("fork", record_file, *arguments)

    assert (refused.code, refused.out) == (2, "")
    assert message in refused.err
    assert "Try: pentathlon " in refused.err


def test_record_that_does_not_verify_is_neither_forked_nor_drawn(run: Run, tmp_path: Path) -> None:
    record = tuned_record()
    record["outcome"]["ranks"].reverse()
    record["chain"] = chain(record)
    (tmp_path / "bad.json").write_text(json.dumps(record))

    forked = run("fork", "bad.json", "--ply", "1", "random", "greedy")
    drawn = run("replay", "bad.json", "--html", "bad.html")

    assert (forked.code, drawn.code) == (2, 1)
    assert "cannot be forked: outcome: ranks" in forked.err
    assert "does not verify" in drawn.err
    assert not (tmp_path / "bad.html").exists()


def test_page_of_a_replay_is_written(run: Run, tmp_path: Path, record_file: str) -> None:
    written = run("replay", record_file, "--html", "match.html")

    assert (written.code, written.out) == (0, "")
    assert "Page written: match.html" in written.err
    assert tuned_record()["chain"] in (tmp_path / "match.html").read_text()


def test_page_that_cannot_be_written_ends_with_3(run: Run, record_file: str) -> None:
    failed = run("replay", record_file, "--html", "missing/match.html")

    assert failed.code == 3
    assert "missing/match.html cannot be written" in failed.err
