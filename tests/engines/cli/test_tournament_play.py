"""`pentathlon tournament` plays any document, and goes on where it stopped."""

import json
from pathlib import Path
from typing import Any

import pytest

from pentathlon_engines.archive.packing import content_hash
from pentathlon_engines.manifest import built_in_bots
from pentathlon_engines.seeds import commitment_to
from tests.engines.cli.interrupting import interrupt_after
from tests.engines.commands import Run, write_bot

pytestmark = pytest.mark.usefixtures("_in_process")

FIELD = ("tuned", "random", "greedy", "first")
SECRET = bytes(range(32))


def _document(folder: Path, **changes: Any) -> str:
    names = [name for name in built_in_bots() if name in {"random", "greedy", "first"}]
    entries = [{"bot": name, "hash": content_hash(built_in_bots()[name])} for name in names]
    document = {"format": 4, "scheduler": "swiss/1", "game": "tuned", "entries": entries}
    (folder / "cup.json").write_text(json.dumps({**document, **changes}))
    return "cup.json"


def _results(data: Any) -> Any:
    return [(each["seats"], each["seed"], each["ranks"]) for each in data["matches"]]


def test_table_crosstable_and_report_come_out(run: Run, tmp_path: Path) -> None:
    played = run("tournament", *FIELD, "--seed", "5")

    assert played.code == 0
    lines = [line.split() for line in played.out.splitlines()]
    assert lines[0][:6] == ["#", "bot", "strength", "ranks", "best", "points"]
    assert lines[3][1:3] == ["first", "v1"]
    assert [line[0] for line in lines[1:4]] == ["1", "1", "3"]
    assert lines[4] == ["points", "against", "1.", "1.", "3."]
    assert "Report: tuned-round_robin-records/report.html" in played.err
    assert "It wrote " in played.err
    page = (tmp_path / "tuned-round_robin-records" / "report.html").read_text()
    assert "<svg" in page


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        ("gauntlet", []),
        ("swiss", ["--param", "rounds=2"]),
        ("knockout", []),
        ("finals", ["--param", "blocks=12"]),
    ],
)
def test_every_format_plays(run: Run, kind: str, more: list[str]) -> None:
    played = run("tournament", *FIELD, "--format", kind, "--json", "--concurrency", "2", *more)

    assert (played.code, played.err) == (0, "")
    assert played.data["complete"]
    assert played.data["document"]["scheduler"].startswith(kind)
    assert len(played.data["standings"]) == 3
    names = {each["bot"] for each in played.data["standings"]}
    assert names == {"random v1", "greedy v1", "first v1"}


def test_document_of_a_server_plays_with_its_own_seeds(run: Run, tmp_path: Path) -> None:
    file = _document(tmp_path, commitment=commitment_to(SECRET))

    first = run("tournament", file, "--secret", SECRET.hex(), "--records", "a", "--json").data
    again = run("tournament", file, "--secret", SECRET.hex(), "--records", "b", "--json").data
    other = run("tournament", file, "--records", "c", "--json").data

    assert _results(first) == _results(again)
    assert {seed for _, seed, _ in _results(first)} != {seed for _, seed, _ in _results(other)}


def test_wrong_secret_is_refused(run: Run, tmp_path: Path) -> None:
    file = _document(tmp_path, commitment=commitment_to(SECRET))

    refused = run("tournament", file, "--secret", "00" * 32)

    assert refused.code == 2
    assert "does not match the document's commitment" in refused.err


def test_stopped_tournament_goes_on_and_ends_as_if_it_had_not(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ("tournament", *FIELD, "--format", "swiss", "--seed", "5")
    whole = run(*command, "--records", "whole", "--json").data
    with monkeypatch.context() as patch:
        interrupt_after(3, patch)
        stopped = run(*command, "--records", "parts")
    resumed = run(*command, "--records", "parts", "--json")

    assert stopped.code == 130
    assert "Interrupted: 3 records are kept. Run the same command to continue." in stopped.err
    assert resumed.code == 0
    assert "3 records are in parts: the tournament continues from there." in resumed.err
    assert _results(resumed.data) == _results(whole)
    assert resumed.data["standings"] == whole["standings"]


def test_folder_of_another_tournament_is_left_alone(run: Run) -> None:
    run("tournament", *FIELD, "--records", "cup")

    refused = run("tournament", *FIELD, "--format", "swiss", "--records", "cup")

    assert refused.code == 2
    assert "cup holds another tournament" in refused.err
    assert "another --records" in refused.err


def test_entries_find_their_bots_by_name_and_say_if_files_differ(run: Run, tmp_path: Path) -> None:
    write_bot(tmp_path / "ann", "mine")
    write_bot(tmp_path / "bob", "his")
    entries = [{"bot": name, "hash": f"sha256:{name}"} for name in ("ann", "bob", "random")]
    file = _document(tmp_path, entries=entries, scheduler="round_robin/2")

    played = run("tournament", file, "./bob")

    assert played.code == 0
    assert "Their files differ from those in the document: ann, bob, random." in played.err


def test_entry_without_a_bot_is_named(run: Run, tmp_path: Path) -> None:
    entries = [{"bot": name, "hash": f"sha256:{name}"} for name in ("ann", "random")]
    file = _document(tmp_path, entries=entries, scheduler="round_robin/2")

    refused = run("tournament", file)

    assert (refused.code, refused.out) == (2, "")
    assert "There is no bot here for ann" in refused.err
    assert "Try: pentathlon tournament cup.json FOLDER FOLDER..." in refused.err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["tuned", "random"], 1, "tuned is not a valid tournament"),
        (["tuned", "random", "greedy", "--format", "chess"], 1, "/scheduler"),
        (["tuned", "random", "greedy", "--param", "cycles"], 2, "write NAME=VALUE"),
        (["tuned", "random", "greedy", "--param", "cycles=many"], 2, "write NAME=VALUE"),
        (["tuned", "random", "greedy", "--param", "cycles=0"], 1, "/params/cycles"),
        (["cup.json", "--format", "swiss"], 2, "leave --format out"),
    ],
)
def test_wrong_use_is_explained(run: Run, arguments: list[str], code: int, message: str) -> None:
    refused = run("tournament", *arguments)

    assert (refused.code, refused.out) == (code, "")
    assert message in refused.err
    assert "Try: " in refused.err
