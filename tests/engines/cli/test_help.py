"""The help of the command: an example for each subcommand, and completion."""

from importlib import import_module
from pathlib import Path

import pytest

from pentathlon_engines import GAMES
from pentathlon_engines.cli.main import COMMANDS
from pentathlon_engines.cli.options import complete_bot, complete_game
from pentathlon_engines.manifest import built_in_bots
from tests.engines.commands import Run, write_bot

AT_THE_DESK = ("play", "check", "replay", "fork", "tournament", "compare")


@pytest.mark.parametrize("name", AT_THE_DESK)
def test_help_ends_with_an_example_of_the_command(name: str) -> None:
    module = import_module(f"pentathlon_engines.cli.commands.{COMMANDS[name]}")

    told = (getattr(module, name).__doc__ or "").strip().splitlines()

    assert told[-1].strip().startswith(f"Example: pentathlon {name} ")


@pytest.mark.parametrize("name", AT_THE_DESK)
def test_help_has_no_colour_where_none_is_wanted(
    run: Run, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")

    told = run(name, "--help")

    assert told.code == 0
    assert "\x1b[3" not in told.out
    assert "--json" in told.out


def test_games_are_completed() -> None:
    assert complete_game("t") == [key for key in GAMES if key.startswith("t")]


def test_bots_are_completed_from_names_and_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_bot(tmp_path / "grizzly", "")
    (tmp_path / "other").mkdir()

    assert complete_bot("gr") == [*(n for n in built_in_bots() if n.startswith("gr")), "grizzly"]
    assert complete_bot("./g") == ["./grizzly"]
    assert complete_bot("other/") == []
    assert "grizzly" in complete_bot("")
