"""`pentathlon tournament DOCUMENT --dry-run` as people and scripts use it."""

import json
from pathlib import Path
from typing import Any

import pytest

from pentathlon_engines import GAMES
from pentathlon_engines.archive.packing import content_hash
from pentathlon_engines.manifest import built_in_bots
from pentathlon_engines.seeds import commitment_to
from tests.engines.cli.interrupting import interrupt_after
from tests.engines.commands import Run, write_bot


def _write(folder: Path, **changes: Any) -> str:
    document = {
        "format": 4,
        "scheduler": "round_robin/2",
        "game": "tuned",
        "entries": [{"bot": name, "hash": f"sha256:{name}"} for name in ("ann", "bob", "cid")],
    }
    (folder / "cup.json").write_text(json.dumps({**document, **changes}))
    return "cup.json"


def test_pairings_are_a_table(run: Run, tmp_path: Path) -> None:
    shown = run("tournament", _write(tmp_path), "--dry-run")

    assert shown.code == 0
    lines = shown.out.splitlines()
    assert lines[0].split() == ["round", "block", "match", "seats"]
    assert len(lines) == 1 + 6
    assert {"ann v1", "bob v1", "cid v1"} == {
        name for line in lines[1:] for name in line.split("  ")[-1].strip().split(" – ")
    }
    assert "6 at least, 6 expected, 6 at most" in shown.err
    assert "Warning" not in shown.err


def test_json_has_blocks_and_warnings(run: Run, tmp_path: Path) -> None:
    shown = run("tournament", _write(tmp_path, params={"cycles": 2}), "--dry-run", "--json")

    assert (shown.code, shown.err, shown.data["valid"]) == (0, "", True)
    assert (shown.data["expected"], len(shown.data["blocks"])) == (12, 6)
    assert [each["code"] for each in shown.data["warnings"]] == ["repeated_matches"]


def test_cpu_hours_and_the_finish_are_estimated(run: Run, tmp_path: Path) -> None:
    plain = run("tournament", _write(tmp_path), "--dry-run")
    told = run("tournament", _write(tmp_path), "--dry-run", "--json").data["effort"]
    two = run("tournament", "cup.json", "--dry-run", "--json", "--concurrency", "2").data["effort"]

    # Six matches of two bots, who are asked about 16 times and may think for a second each time.
    assert told["basis"] == "estimated"
    assert told["cpu_hours"] == pytest.approx([6 * 0.216 / 3600, 6 * 16.2 / 3600])
    assert told["takes_s"] == pytest.approx([6 * 0.216, 6 * 16.2])
    assert two["takes_s"] == pytest.approx([3 * 0.216, 3 * 16.2])
    assert "CPU hours, estimated: 0.00036 to 0.027." in plain.err
    assert "Finish, estimated: " in plain.err
    assert "Nothing was measured" in plain.err


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_an_estimate(run: Run, tmp_path: Path, game: str) -> None:
    told = run("tournament", _write(tmp_path, game=game), "--dry-run", "--json").data["effort"]

    assert 0 < told["cpu_hours"][0] < told["cpu_hours"][1]


def test_site_is_asked_in_dry_runs_alone(run: Run, tmp_path: Path) -> None:
    refused = run("tournament", _write(tmp_path), "--site", "localhost:1")

    assert refused.code == 2
    assert "--dry-run --site localhost:1" in refused.err


def test_document_that_was_shown_can_be_shown_again(run: Run, tmp_path: Path) -> None:
    first = run("tournament", _write(tmp_path, scheduler="swiss/1"), "--dry-run", "--json").data
    (tmp_path / "again.json").write_text(json.dumps(first["document"]))

    assert run("tournament", "again.json", "--dry-run", "--json").data == first


@pytest.mark.parametrize(
    ("changes", "pointer", "code"),
    [
        ({"game": "chess"}, "/game", "unknown_game"),
        ({"scheduler": "swiss/99"}, "/scheduler", "other_scheduler"),
        ({"scheduler": "luck"}, "/scheduler", "unknown_format"),
        ({"limits": {"wishes": 3}}, "/limits/wishes", "unknown_limit"),
        ({"limits": {"memory_mb": 4096}}, "/limits/memory_mb", "bad_limit"),
        ({"limits": {"memory_mb": 100.5}}, "/limits/memory_mb", "bad_limit"),
        ({"limits": {"action_cpu_s": True}}, "/limits/action_cpu_s", "bad_limit"),
        ({"tie_breaks": ["points", "luck"]}, "/tie_breaks/1", "unknown_tie_break"),
        ({"tie_breaks": ["points", "points"]}, "/tie_breaks/1", "duplicate_tie_break"),
        ({"rules": 99}, "/rules", "other_release"),
        ({"draw_probability": 0.9}, "/draw_probability", "invalid"),
        ({"entries": [{"hash": "a"}, {"hash": "a"}]}, "/entries/1", "duplicate_bots"),
        ({"entries": [{"hash": str(n)} for n in range(301)]}, "/entries", "too_large"),
        ({"params": {"cycles": 0}}, "/params/cycles", "bad_parameter"),
        ({"params": 3}, "/params", "bad_type"),
        ({"table_seats": True}, "/table_seats", "bad_type"),
        ({"table_seats": 5}, "/table_seats", "bad_seats"),
        ({"options": {"colour": 1}}, "/options/colour", "bad_option"),
        ({"entries": []}, "/entries", "too_few_bots"),
        (
            {"entries": [{"hash": str(n)} for n in range(200)], "params": {"cycles": 9}},
            "/entries",
            "too_many_matches",
        ),
        ({"entries": [{"bot": "ann"}]}, "/entries/0/hash", "required"),
        ({"entries": ["ann"]}, "/entries/0", "bad_type"),
        ({"format": 99}, "/format", "bad_value"),
        ({"starts_at": "now"}, "/starts_at", "unknown_field"),
    ],
)
def test_what_is_wrong_is_named(
    run: Run, tmp_path: Path, changes: dict[str, Any], pointer: str, code: str
) -> None:
    file = _write(tmp_path, **changes)
    as_json = run("tournament", file, "--dry-run", "--json")
    plain = run("tournament", file, "--dry-run")

    assert (as_json.code, plain.code, as_json.data["valid"]) == (1, 1, False)
    assert (pointer, code) in [
        (each["pointer"], each["code"]) for each in as_json.data["problems"]
    ]
    assert f"{pointer}: " in plain.err
    assert "Try: correct it, then pentathlon tournament cup.json --dry-run" in plain.err


def test_everything_that_is_wrong_is_named_at_once(run: Run, tmp_path: Path) -> None:
    file = _write(
        tmp_path,
        params={"cycles": 0, "rounds": 3},
        limits={"wishes": 3, "memory_mb": 1},
        tie_breaks=["luck"],
        options={"colour": 1, "shape": 2},
    )

    shown = run("tournament", file, "--dry-run", "--json")

    assert sorted(each["pointer"] for each in shown.data["problems"]) == [
        "/limits/memory_mb",
        "/limits/wishes",
        "/options/colour",
        "/options/shape",
        "/params/cycles",
        "/params/rounds",
        "/tie_breaks/0",
    ]


@pytest.mark.parametrize("text", [None, "no JSON", "[" * 100_000])
def test_file_that_cannot_be_read_is_wrong_use(run: Run, tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "cup.json").write_text(text)

    refused = run("tournament", "cup.json", "--dry-run")

    assert (refused.code, refused.out) == (2, "")
    assert "Try: pentathlon tournament cup.json" in refused.err


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
