"""The command itself: what it loads, how it is completed, and that it needs no colour."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from pentathlon_engines import GAMES, __version__
from pentathlon_engines.cli.main import COMMANDS, _load, _summarize
from pentathlon_engines.cli.options import complete_bot, complete_game
from pentathlon_engines.manifest import built_in_bots
from pentathlon_engines.match.plain_launcher import ENGINES
from tests.deep import mostly_deep
from tests.engines.commands import Run, write_bot
from tests.local.newcomer import lines_of_guides
from tests.patience import PATIENCE_S

# The name of the installed command is also part of a variable in completion.
_PROGRAM = (
    "import sys; sys.argv[0] = 'pentathlon'; from pentathlon_engines.cli.entry import main; main()"
)

_BARE = (
    "import sys; sys.path.append(sys.argv.pop()); "
    "from pentathlon_engines.cli.entry import main; main()"
)


def command(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the command as a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", _PROGRAM, *words],
        env={**os.environ, "PYTHONPATH": str(ENGINES), **variables},
        capture_output=True, text=True, check=False, timeout=PATIENCE_S,
    )  # fmt: skip


def test_every_command_explains_itself(run: Run) -> None:
    for name in COMMANDS:
        told = run(name, "--help")
        assert told.code == 0
        assert "--json" in told.out


def test_version_and_facts_of_games_are_told(run: Run) -> None:
    assert run("--version").out == f"{__version__}\n"
    assert repr(GAMES["tuned"].info) == "<Tuned, rules 1, 2 to 2 seats>"


def test_help_lists_all_commands_and_a_wrong_one_is_corrected(run: Run) -> None:
    listed = run("--help").out
    assert all(f" {name} " in listed for name in COMMANDS)
    wrong = run("submitt")
    assert wrong.code == 2
    assert "submit" in wrong.err


def test_commands_are_listed_with_their_own_words() -> None:
    for name in COMMANDS:
        assert _summarize(name).__doc__ == _load(name).__doc__


def test_interrupt_while_commands_are_imported_ends_without_a_traceback(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("pentathlon_engines.cli.main._load", interrupt)

    ended = run("whoami")

    assert (ended.code, ended.out, ended.err) == (130, "", "")


def test_command_without_its_packages_names_the_extra() -> None:
    # Without site-packages there is the standard library alone, as beside a worker's wheels.
    ended = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _BARE, str(ENGINES)],
        capture_output=True, text=True, check=False, timeout=PATIENCE_S,
    )  # fmt: skip

    assert (ended.returncode, ended.stdout) == (3, "")
    assert 'with its extra "cli"' in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    "name", mostly_deep(["whoami", "submit", "logs", "replay", "play"], keep=["submit", "play"])
)
def test_commands_load_neither_rich_nor_other_commands(name: str) -> None:
    # The imports of `rich` and of other commands take longer than these commands themselves.
    program = (
        "import sys; from pentathlon_engines.cli.main import _load; "
        f"_load('{name}'); print(*sorted(sys.modules))"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(ENGINES)},
        capture_output=True, text=True, check=True, timeout=PATIENCE_S,
    ).stdout.split()  # fmt: skip

    # A site is asked later, if at all.
    assert not {"rich", "pydantic", "urllib3"} & set(loaded)
    others = set(COMMANDS.values()) - {COMMANDS[name]}
    assert not {f"pentathlon_engines.cli.commands.{other}" for other in others} & set(loaded)


def test_shells_can_complete_commands() -> None:
    shown = command(_PENTATHLON_COMPLETE="source_bash")
    offered = command(
        _PENTATHLON_COMPLETE="complete_bash", COMP_WORDS="pentathlon lo", COMP_CWORD="1"
    )

    assert "complete" in shown.stdout, shown.stderr
    assert set(offered.stdout.split()) == {"login", "logout", "logs"}


def test_no_colour_where_none_is_wanted() -> None:
    told = command("--help", NO_COLOR="1", FORCE_COLOR="1")

    assert "Usage" in told.stdout
    assert "\x1b[3" not in told.stdout


def test_options_in_guides_exist(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    lines = [line.split() for line in lines_of_guides()]
    helps = {verb: run(verb, "--help").out for verb in {words[1] for words in lines}}

    options = {(words[1], word) for words in lines for word in words if word.startswith("--")}

    assert options
    assert {(verb, option) for verb, option in options if option not in helps[verb]} == set()


@pytest.mark.parametrize("name", ["init", "play", "dataset", "leaderboard", "tournament"])
def test_games_are_completed_wherever_one_is_named(
    run: Run, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("_PENTATHLON_COMPLETE", "complete_zsh")
    monkeypatch.setenv("_TYPER_COMPLETE_ARGS", f"pentathlon {name} tu")

    assert '"tuned"' in run().out


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
