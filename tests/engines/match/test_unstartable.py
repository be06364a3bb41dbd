"""A program that cannot be started is explained by its file, in a match as in a build."""

import shutil
import struct
from pathlib import Path

import pytest

from pentathlon_engines import GAMES
from pentathlon_engines.manifest import BUILT_IN, bot_command, read_manifest
from pentathlon_engines.match.launcher import BotCommand
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.plain_launcher import PlainLauncher
from pentathlon_engines.match.unstartable import why_unstartable
from pentathlon_engines.record.advice import what_to_do
from pentathlon_engines.runner import SeatBot, play_match

OTHER = Path("/bin/sh").read_bytes()[:18] + struct.pack("<H", 40) + bytes(60)
MUSL = Path(shutil.which("true") or "/bin/true").read_bytes()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"#!/bin/sh\r\nexec true\r\n", "ends with CR"),
        (b"#!/no/such/python3\n", "names /no/such/python3, which is not here"),
        (b"#!/usr/bin/env no-such-python\n", "asks for no-such-python, which is not here"),
        (b"#!\n", "names no program"),
        (b"MZ\x90\0", "for Windows"),
        (b"\xcf\xfa\xed\xfe\0", "for macOS"),
        (b"\xca\xfe\xba\xbe\0\0\0\2\0", "for macOS"),
        (b"\xca\xfe\xba\xbe\0\0\0\x41\0", "a Java class"),
        (b"\x7fELF" + OTHER[4:], "another processor"),
        (MUSL.replace(b"/lib64/ld-linux", b"/lib64/no-linux"), "the loader /lib64/no-linux"),
        (b"print(1)\n", "without a line such as"),
        (b"", "is empty"),
        (b"\1\0\2", "no program that Linux knows"),
    ],
)
def test_file_shows_why_it_cannot_be_started(tmp_path: Path, data: bytes, words: str) -> None:
    (tmp_path / "run").write_bytes(data)
    (tmp_path / "run").chmod(0o755)

    for name in ("./run", "{bot}/run"):
        assert words in (why_unstartable(tmp_path, [name]) or "")


def test_program_that_is_all_right_has_no_reason(tmp_path: Path) -> None:
    shutil.copy("/bin/true", tmp_path / "bot")
    (tmp_path / "run").write_text("#!/usr/bin/env sh\nexec ./bot\n")
    (tmp_path / "run").chmod(0o755)

    assert why_unstartable(tmp_path, ["./bot"]) is None
    assert why_unstartable(tmp_path, ["./run"]) is None
    assert why_unstartable(tmp_path, ["sh", "run"]) is None


def test_name_without_a_slash_is_explained(tmp_path: Path) -> None:
    (tmp_path / "bot").write_text("#!/bin/sh\n")

    assert 'Write "./bot"' in (why_unstartable(tmp_path, ["bot"]) or "")
    assert "no such program" in (why_unstartable(tmp_path, ["no-such-program"]) or "")
    assert "chmod" in (why_unstartable(tmp_path, ["./bot"]) or "")
    assert "no such file" in (why_unstartable(tmp_path, ["./other"]) or "")


@pytest.mark.parametrize(
    ("data", "argv", "words"),
    [
        (b"#!/bin/sh\r\nexec true\r\n", "./run", "ends with CR"),
        (b"#!/bin/sh\nexec true\n", "run", 'Write "./run"'),
        (b"\xcf\xfa\xed\xfe\0", "./run", "for macOS"),
    ],
)
def test_match_is_lost_with_the_reason_in_the_log(
    tmp_path: Path, data: bytes, argv: str, words: str
) -> None:
    (tmp_path / "run").write_bytes(data)
    (tmp_path / "run").chmod(0o755)
    random = BUILT_IN / "random"
    seats = [
        BotCommand(folder=tmp_path, argv=[argv], language="command"),
        bot_command(random, read_manifest(random)),
    ]

    report = play_match(
        game=GAMES["tuned"],
        options=None,
        seats=[SeatBot(name="x", hash="", command=command) for command in seats],
        seed=7,
        limits=Limits(),
        launcher=PlainLauncher(),
    )

    (fault,) = report.record["faults"]
    assert (fault["seat"], fault["kind"]) == (0, "startup")
    assert fault["detail"].endswith("; its program cannot be started here")
    assert f"Why it did not start: {argv}: " in report.logs[0].decode()
    assert words in report.logs[0].decode()
    assert words in what_to_do("startup", log=report.logs[0].decode())
