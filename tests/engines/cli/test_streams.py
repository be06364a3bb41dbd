"""The words of others cannot command a terminal, and reach files and pipes as they are."""

import io
import json
from collections.abc import Callable

import pytest

from pentathlon_engines.cli.output.streams import print_json, print_text, say, show_log


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


def terminal_of(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Return a terminal that is standard output and standard error; call it within the test."""
    both = Terminal()
    monkeypatch.setattr("sys.stdout", both)
    monkeypatch.setattr("sys.stderr", both)
    return both


@pytest.mark.parametrize("write", [print_text, say])
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é\t1\nline 2", "plain é\t1\nline 2"),
        ("\x1b[2J\x1b]0;mine\x07", r"\u001b[2J\u001b]0;mine\u0007"),
        ("fine\rlost", r"fine\rlost"),
        ("\x9b31m", r"\u009b31m"),
        ("a\u202eb\u2066c", r"a\u202eb\u2066c"),
    ],
)
def test_terminal_shows_what_would_command_it(
    write: Callable[[str], None], text: str, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = terminal_of(monkeypatch)

    write(text)

    assert terminal.getvalue() == f"{shown}\n"


def test_log_of_a_bot_commands_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = terminal_of(monkeypatch)

    show_log(b"\x1b[31mred", [(0, "\x1b[1mnote")])

    assert "\x1b" not in terminal.getvalue()


def test_json_on_a_terminal_is_json(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal, data = terminal_of(monkeypatch), {"log": "\x1b[31mréd \u202e \x7f \x9b"}

    print_json(data)

    assert json.loads(terminal.getvalue()) == data
    assert "réd" in terminal.getvalue()
    assert not {"\x1b", "\u202e", "\x7f", "\x9b"} & set(terminal.getvalue())


@pytest.mark.parametrize("write", [print_text, say])
def test_pipe_gets_the_text_as_it_is(
    write: Callable[[str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    write("\x1b[31mred\u202e")

    assert "".join(capsys.readouterr()) == "\x1b[31mred\u202e\n"
