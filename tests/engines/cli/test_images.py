"""Boards as images: which terminals get them, and how they are asked."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import pytest

from pentathlon_engines.cli.client.events import ServerEvent
from pentathlon_engines.cli.client.patience import Patience
from pentathlon_engines.cli.commands import watch
from pentathlon_engines.cli.failure import CommandFailed
from pentathlon_engines.cli.output import images
from pentathlon_engines.cli.output.images import BoardStyle, find_screen, has_sixels
from tests.engines.commands import Run, run_in_process

ENGINES = Path(images.__file__).parents[2]
XTERM = b"\x1b[?63;1;2;4;6;9;15;16;17;18;21;22;28c"
VTE = b"\x1b[?65;1;9c"


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Return the far end of the terminal that standard input and output are."""
    far, near = pty.openpty()
    monkeypatch.setenv("TERM", "xterm-256color")
    with os.fdopen(near, "r+b", buffering=0) as stream:
        # Replace `sys` of the module only: pytest replaces the streams of the real one.
        monkeypatch.setattr(images, "sys", SimpleNamespace(stdin=stream, stdout=stream))
        yield far
    os.close(far)


@pytest.mark.parametrize(
    ("answer", "draws"), [(XTERM, True), (VTE, False), (b"a key" + XTERM, True)]
)
def test_terminal_says_whether_it_draws_images(terminal: int, answer: bytes, draws: bool) -> None:
    os.write(terminal, answer)

    assert has_sixels() == draws


def test_terminal_that_does_not_answer_is_not_waited_for(terminal: int) -> None:
    before = termios.tcgetattr(terminal)

    assert not has_sixels(longest_s=0.01)
    assert termios.tcgetattr(terminal) == before


def test_terminal_that_cannot_answer_is_not_asked(
    terminal: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "dumb")
    os.write(terminal, XTERM)

    assert not has_sixels()


def test_images_that_nobody_demands_give_way_to_text(
    terminal: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.write(terminal, VTE)

    assert find_screen(BoardStyle.AUTO) is None
    os.write(terminal, VTE)
    with pytest.raises(CommandFailed, match="does not report that it can show images"):
        find_screen(BoardStyle.IMAGE)
    monkeypatch.setitem(images._PACKAGES, "no_such_module", "no-such-package")
    assert find_screen(BoardStyle.AUTO) is None
    with pytest.raises(CommandFailed, match="no-such-package is not installed"):
        find_screen(BoardStyle.IMAGE)


def test_without_a_terminal_there_are_no_images(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = run_in_process(monkeypatch, capsys)
    record = play(run, tmp_path)

    plain = run("replay", record)
    refused = run("replay", record, "--board", "image")

    assert (plain.code, "\x1b" in plain.out) == (0, False)
    assert refused.code == 2
    assert "Images are drawn on a terminal only." in refused.err
    assert "Try: the same command with --board text" in refused.err


def test_replay_draws_the_board_on_a_terminal_that_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    record = play(run_in_process(monkeypatch, capsys), tmp_path)

    shown = show(["replay", record, "--ply", "1"], answer=XTERM)

    assert images._QUESTION in shown
    size = re.search(rb'\x1bP0;[01];0q"1;1;(\d+);(\d+)', shown)
    assert size, shown[:2000]
    assert 300 < int(size[1]) <= 1200
    assert 300 < int(size[2]) <= 40 * 20


def play(run: Run, folder: Path) -> str:
    """Play a short match; return where its record is."""
    record = folder / "match.json"
    assert run("play", "tuned", "random", "random", "--record", str(record)).code == 0
    return str(record)


def show(arguments: list[str], *, answer: bytes) -> bytes:
    """Run the command on a terminal of 120 by 40 that has an answer; return what was shown."""
    far, near = pty.openpty()
    os.write(far, answer)  # ahead of the question: how busy this machine is must not matter
    fcntl.ioctl(near, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 1200, 800))
    with subprocess.Popen(
        [sys.executable, "-m", "pentathlon_engines.cli", *arguments],
        env={"PYTHONPATH": str(ENGINES), "TERM": "xterm-256color"},
        stdin=near,
        stdout=near,
        stderr=near,
        start_new_session=True,
    ) as child:
        os.close(near)
        shown = b""
        while True:
            try:
                shown += os.read(far, 65536)
            except OSError:
                break
    os.close(far)
    assert child.returncode == 0, shown
    return shown


def test_board_stands_until_the_next_one_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    stood: list[str] = []

    class Images:
        def draw(self, svg: str, *, lines: int = 0) -> str:
            stood.append(terminal.getvalue())
            return f"[{svg}, {lines} lines beside]\n"

    screen = watch._Screen(Images(), as_json=False)
    match = {"game": "tuned", "state": "running", "seats": []}
    for ply in (1, 2):
        plies = {"ply": ply, "svg": f"board {ply}", "cpu_ms": [5, 0], "limit_ms": 20_000}
        screen.show(ServerEvent("plies", plies), match, Patience(9, what="", try_next=""))

    assert images.CLEAR not in stood[0]
    assert stood[1].endswith(
        "[board 1, 6 lines beside]\nCPU time of 20 s: seat 0 0.0 s, seat 1 0.0 s"
    )


class Terminal(StringIO):
    """A stream that somebody looks at."""

    def isatty(self) -> bool:
        return True
