"""`bench languages` on this machine, with the least of everything."""

import json

import pytest
from django.core.management import CommandError, call_command

from tools.benchmark import languages


def test_starts_turns_and_the_command_line_are_measured(
    capsys: pytest.CaptureFixture[str],
) -> None:
    call_command("bench", "languages", "python", "--starts", "1", "--turns", "3", "--json")

    told = json.loads(capsys.readouterr().out)
    (python,) = told["languages"]
    assert python["name"] == "python"
    assert python["start"]["cpu_ms"] > 0
    assert python["turn_us"] > 0
    assert told["raw"]["turn_us"] > 0
    assert set(told["cli"]) == {"--help", "whoami", "init tuned --folder made"}
    assert told["missing"] == {}


def test_language_that_cannot_be_built_here_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(languages, "which", lambda name: None)
    monkeypatch.setattr(languages, "_CLI", ())

    call_command("bench", "languages", "rust", "--starts", "1", "--turns", "1")

    assert "rust is not measured: no cargo on this machine." in capsys.readouterr().out


def test_unknown_language_is_refused() -> None:
    with pytest.raises(CommandError, match="no template in cobol"):
        call_command("bench", "languages", "cobol")
