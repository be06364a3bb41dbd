"""PROTOCOL.md says what the program does."""

import json
import re
from dataclasses import fields
from pathlib import Path

import pytest

from pentathlon_engines import GAMES
from pentathlon_engines.match import protocol, table
from pentathlon_engines.match.faults import FaultKind
from pentathlon_engines.match.launcher import BotCommand
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.plain_launcher import PlainLauncher
from pentathlon_engines.runner import SeatBot, play_match

PAGE = (Path(__file__).parents[3] / "engines/PROTOCOL.md").read_text()
TRANSCRIPT = re.findall(r"```transcript\n(.*?)```", PAGE, re.DOTALL)[0].splitlines()
SAID = [line[2:] for line in TRANSCRIPT if line.startswith("> ")]
ANSWERED = [line[2:] for line in TRANSCRIPT if line.startswith("< ")]

PARROT = """
import sys
for answer in {answers!r}:
    sys.stderr.write(sys.stdin.readline())
    print(answer)
sys.stderr.write(sys.stdin.readline())
"""


def parrot(folder: Path, answers: list[str]) -> SeatBot:
    folder.mkdir()
    (folder / "main.py").write_text(PARROT.format(answers=answers))
    command = BotCommand(folder=folder, argv=["{python}", "-S", "-u", "{bot}/main.py"])
    return SeatBot(name=folder.name, hash="sha256:00", command=command)


def test_transcript_is_what_a_match_says(tmp_path: Path) -> None:
    other = ['{"type": "ready"}', '{"action": "add donkey a3"}']

    report = play_match(
        game=GAMES["tuned"],
        options=None,
        seats=[parrot(tmp_path / "page", ANSWERED), parrot(tmp_path / "other", other)],
        seed=7,
        limits=Limits(),
        launcher=PlainLauncher(),
        match="page",
    )

    heard = report.logs[0].decode().splitlines()
    assert report.record["faults"] == []
    assert len(heard) == len(SAID)
    for line, pattern in zip(heard, SAID, strict=True):
        assert re.fullmatch(".*".join(map(re.escape, pattern.split("…"))), line), pattern


@pytest.mark.parametrize("kind", FaultKind)
def test_every_fault_is_on_the_page(kind: FaultKind) -> None:
    assert f"| `{kind}` |" in PAGE


@pytest.mark.parametrize("field", [field.name for field in fields(Limits)])
def test_every_limit_is_on_the_page_with_its_default(field: str) -> None:
    row = re.search(rf"^\| [^|]*`{field}`.*", PAGE, re.MULTILINE)

    assert row is not None
    assert re.search(rf"\b{Limits().to_json()[field]}\b", row[0])


def test_numbers_on_the_page_are_those_of_the_program() -> None:
    assert f"{table.FAREWELL_S * 1000:.0f} ms later" in PAGE
    assert f"{protocol.NOTE_CHARACTERS} characters" in PAGE
    assert f"at most {protocol.DEEPEST_NESTING} deep" in PAGE
    assert json.dumps({"type": "ready"}) in ANSWERED
