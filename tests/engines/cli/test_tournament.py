"""`pentathlon tournament DOCUMENT --dry-run` as people and scripts use it."""

import json
from pathlib import Path
from typing import Any

import pytest

from pentathlon_engines import GAMES
from tests.engines.commands import Run


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
