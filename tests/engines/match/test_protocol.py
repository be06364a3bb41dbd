"""What a bot may answer and what it may not."""

import json
import re
from dataclasses import fields
from pathlib import Path

import pytest

from pentathlon_engines import GAMES
from pentathlon_engines.errors import BadMessage
from pentathlon_engines.match import protocol, table
from pentathlon_engines.match.faults import FaultKind
from pentathlon_engines.match.launcher import BotCommand
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.plain_launcher import PlainLauncher
from pentathlon_engines.match.protocol import Reply, read_ready, read_reply
from pentathlon_engines.runner import SeatBot, play_match

FACTS = protocol.MatchFacts("tuned", 1, 2, {}, Limits(), "local", ("0123", "4567"))


@pytest.mark.parametrize(
    ("line", "reply"),
    [
        (b'{"action":"add dog b2"}', Reply("add dog b2")),
        (b' { "action" : "add dog b2" } \r', Reply("add dog b2")),
        (b'{"action": "add \\u0064og b2"}', Reply("add dog b2")),
        (b'{"action": "x", "ply": 3}', Reply("x")),
        (b'{"action": "x", "note": "52 %"}', Reply("x", "52 %")),
        (b'{"action": "x", "note": "a\\u0000b\\nc"}', Reply("x", "a b c")),
        (b'{"action": "x", "note": "a\\udfffb"}', Reply("x", "a b")),
        (b'{"action": "x", "thoughts": [[1.5e300]], "colour": null}', Reply("x")),
        ('{"action": "é"}'.encode(), Reply("é")),
        (b'{"note": "[[[[[[[[[[[[[[[[[[[[", "action": "x"}', Reply("x", "[" * 20)),
    ],
)
def test_answer_that_is_right_is_read(line: bytes, reply: Reply) -> None:
    assert read_reply(line, ply=3) == reply


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"", "not JSON"),
        (b"add dog b2", "not JSON"),
        (b'{"action": "x"', "not JSON"),
        (b'{"action": "x"} {}', "not JSON"),
        (b'\xef\xbb\xbf{"action": "x"}', "not JSON"),
        (b'"add dog b2"', "not a JSON object"),
        (b'["add dog b2"]', "not a JSON object"),
        (b"{}", '"action", a text'),
        (b'{"action": 3}', '"action", a text'),
        (b'{"action": null}', '"action", a text'),
        (b'{"action": "x", "action": "y"}', "occurs twice"),
        (b'{"action": "x", "deep": {"a": 1, "a": 2}}', "occurs twice"),
        (b'{"action": "x", "value": NaN}', "NaN is not JSON"),
        (b'{"action": "x", "value": -Infinity}', "-Infinity is not JSON"),
        (b'{"action": "x", "ply": 4}', '"ply" must be 3'),
        (b'{"action": "x", "ply": 3.0}', '"ply" must be 3'),
        (b'{"action": "x", "ply": true}', '"ply" must be 3'),
        (b'{"action": "x", "note": 1}', '"note" must be a text'),
        (b'{"action": "\xff"}', "not UTF-8"),
        (b'{"action": "\xed\xa0\x80"}', "not UTF-8"),
        (b'{"action": "\\ud800"}', "half of a surrogate pair"),
        (b'{"action": "x", "value": ' + b"9" * 5000 + b"}", "not JSON"),
        (b'{"action": "x", "value": ' + b"[" * 17 + b"]" * 17 + b"}", "deeper than 16"),
        (b'{"a":' * 10_000, "deeper than 16"),
    ],
)
def test_answer_that_is_wrong_is_named(line: bytes, reason: str) -> None:
    with pytest.raises(BadMessage, match=reason):
        read_reply(line, ply=3)


@pytest.mark.parametrize("bomb", [b"[" * 60_000, b'{"a":' * 12_000, b'"\\"' * 20_000 + b"[" * 20])
def test_json_bomb_is_refused_in_linear_time(bomb: bytes) -> None:
    with pytest.raises(BadMessage):
        read_reply(bomb, ply=0)


def test_long_note_is_cut() -> None:
    line = json.dumps({"action": "x", "note": "n" * 2000}).encode()

    assert len(read_reply(line, ply=0).note) == protocol.NOTE_CHARACTERS


def test_ready_with_more_fields_is_accepted() -> None:
    read_ready(b'{"type": "ready", "author": "me"}')


@pytest.mark.parametrize("line", [b'{"type": "act"}', b"{}", b"ready", b'{"type": ["ready"]}'])
def test_first_line_that_is_not_ready_is_refused(line: bytes) -> None:
    with pytest.raises(BadMessage):
        read_ready(line)


def test_hello_tells_the_facts_of_the_match() -> None:
    message = json.loads(protocol.encode(protocol.hello(FACTS, seat=1)))

    assert message.pop("limits") == Limits().to_json()
    assert message == {
        "type": "hello",
        "protocol": 1,
        "game": "tuned",
        "rules": 1,
        "seat": 1,
        "seats": 2,
        "options": {},
        "match": "local",
        "dice": "4567",
        "parameters": {},
    }


def test_message_is_one_line_of_utf8() -> None:
    line = protocol.encode({"type": "end", "reason": "first\nsecond é"})

    assert line == '{"type":"end","reason":"first\\nsecond é"}'.encode()


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
