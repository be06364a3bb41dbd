"""`pentathlon fork` and `pentathlon replay --html` as people use them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pentathlon_engines.record.record import chain
from tests.deep import by_turns
from tests.engines.commands import Run
from tests.engines.record.random_records import tuned_record

Json = Any
Change = Callable[[Json], Any]

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

    assert (forked.code, drawn.code) == (1, 1)
    assert "does not verify: outcome: ranks" in forked.err
    assert "does not verify" in drawn.err
    assert not (tmp_path / "bad.html").exists()


WRONG: dict[str, Change] = {
    "limits": lambda it: it["limits"].update(action_cpu_s=-1, no_such=7),
    "large limit": lambda it: it["limits"].update(memory_mb=10**30),
    "no limits": lambda it: it["limits"].clear(),
    "true ranks": lambda it: it["outcome"].update(ranks=[bool(r) for r in it["outcome"]["ranks"]]),
    "ranks of nobody": lambda it: it["outcome"].update(ranks=[]),
    "no ranks": lambda it: it["outcome"].update(ranks=None),
    "reason": lambda it: it["outcome"].update(reason=["line"]),
    "name": lambda it: it["bots"][0].update(name=None),
    "fork": lambda it: it.update(fork={"chain": "", "ply": 0}),
    "person": lambda it: it.update(person=None),
    "time": lambda it: it["events"][0].__setitem__(2, 1.0),
    "event": lambda it: it["events"].__setitem__(0, None),
    "options": lambda it: it.update(options=[]),
}


@pytest.mark.parametrize(
    ("command", "name"),
    by_turns(
        [
            ("verify",), ("verify", "--json"), ("replay",), ("replay", "--ply", "1"),
            ("replay", "--json"), ("replay", "--html", "page.html"),
            ("fork", "--ply", "1", "random", "greedy"),
        ],
        zip(WRONG),
    ),
)  # fmt: skip
def test_record_of_a_wrong_shape_ends_every_command_with_1(
    run: Run, tmp_path: Path, command: tuple[str, ...], name: str
) -> None:
    record: Json = tuned_record()
    WRONG[name](record)
    record["chain"] = chain(record)
    (tmp_path / "bad.json").write_text(json.dumps(record))

    ended = run(command[0], "bad.json", *command[1:])

    assert ended.code == 1
    assert "Traceback" not in ended.err
    assert ("Try: pentathlon " in ended.err) is (command != ("verify", "--json"))


@pytest.mark.parametrize("command", ["verify", "replay", "fork"])
def test_record_with_a_field_twice_is_refused_by_its_name(
    run: Run, tmp_path: Path, command: str
) -> None:
    text = json.dumps(tuned_record())
    (tmp_path / "bad.json").write_text(text.replace('"seed":', '"seed": 8, "seed":'))
    more = ["--ply", "1", "random", "greedy"] if command == "fork" else []

    ended = run(command, "bad.json", *more)

    assert ended.code == 1
    assert "the field 'seed' occurs twice in one object" in ended.err


def test_page_of_a_replay_is_written(run: Run, tmp_path: Path, record_file: str) -> None:
    written = run("replay", record_file, "--html", "match.html")

    assert (written.code, written.out) == (0, "")
    assert "Page written: match.html" in written.err
    assert tuned_record()["chain"] in (tmp_path / "match.html").read_text()


def test_page_that_cannot_be_written_ends_with_3(run: Run, record_file: str) -> None:
    failed = run("replay", record_file, "--html", "missing/match.html")

    assert failed.code == 3
    assert "missing/match.html cannot be written" in failed.err
