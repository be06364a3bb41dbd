"""Parameters of a bot: what bot.toml says, what the bot is told, and what they make of it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pentathlon_engines
from pentathlon_engines.bot_parameters import read_parameters, values_of
from pentathlon_engines.errors import BadManifest, BadParameter, UnknownGame
from pentathlon_engines.manifest import Manifest, bot_command, read_manifest
from tests.engines.commands import Run, run_in_process, write_bot

PARAMETERS = """
[parameters]
depth = {type = "integer", min = 1, max = 12, default = 4}
weight = {type = "number", min = 0, default = 0.5}
style = {type = "choice", choices = ["calm", "wild"], default = "calm"}
pruned = {type = "flag", default = true}
"""
DEFAULTS = {"depth": 4, "weight": 0.5, "style": "calm", "pruned": True}
TELLING = """
import json, sys
from pentathlon_engines.bot import play
def choose(turn):
    turn.note = json.dumps(turn.parameters)
    return turn.legal[0]
play(choose)
"""


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    """Return the folder of a bot that notes its parameters."""
    folder = tmp_path / "mine"
    write_bot(folder, TELLING)
    with (folder / "bot.toml").open("a") as file:
        file.write(PARAMETERS)
    return folder


@pytest.fixture
def run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Run:
    """Return a function that runs the command in this process."""
    monkeypatch.chdir(tmp_path)
    return run_in_process(monkeypatch, capsys)


def test_manifest_with_parameters_survives_json(bot: Path) -> None:
    manifest = read_manifest(bot)

    again = Manifest.from_json(json.loads(json.dumps(manifest.to_json())))
    assert again == manifest
    assert bot_command(bot, again).parameters == DEFAULTS


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ([], "write a table"),
        ({"Depth": {"type": "flag", "default": True}}, "small letters"),
        ({"a": 3}, 'parameters.a: write {type = "integer"'),
        ({"a": {"type": "text"}}, "types: integer, number, choice, flag"),
        ({"a": {"type": "flag"}}, "default may be true or false"),
        ({"a": {"type": "flag", "default": 1}}, "default may be true or false"),
        ({"a": {"type": "flag", "default": True, "min": 1}}, "'min' does not belong"),
        ({"a": {"type": "integer", "default": 4.0}}, "default may be a whole number"),
        ({"a": {"type": "integer", "default": True}}, "default may be a whole number"),
        ({"a": {"type": "integer", "default": 10**400}}, "default may be a whole number"),
        ({"a": {"type": "number", "default": float("nan")}}, "default may be a number"),
        ({"a": {"type": "number", "default": 1, "max": 10**400}}, "min and max as numbers"),
        ({"a": {"type": "number", "default": 1, "min": "0"}}, "min and max as numbers"),
        ({"a": {"type": "number", "default": 3, "min": 0, "max": 2}}, "from 0 to 2"),
        ({"a": {"type": "choice", "choices": [], "default": "x"}}, "choices as a list"),
        ({"a": {"type": "choice", "choices": [1], "default": 1}}, "choices as a list"),
        ({"a": {"type": "choice", "choices": ["y"], "default": "x"}}, "one of y"),
        ({f"a{i}": {} for i in range(65)}, "at most 64"),
    ],
)
def test_wrong_table_is_refused_with_what_to_write(table: Any, said: str) -> None:
    with pytest.raises(BadManifest) as refused:
        read_parameters(table)

    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"deep": 3}, "there is no parameter 'deep': it has depth, weight, style, pruned"),
        ({"depth": 13}, "depth may be a whole number from 1 to 12, not 13"),
        ({"style": "mad"}, "style may be one of calm, wild"),
    ],
)
def test_wrong_value_is_refused(bot: Path, given: dict[str, object], said: str) -> None:
    with pytest.raises(BadParameter) as refused:
        values_of(read_manifest(bot).parameters, given)

    assert said in str(refused.value)


@pytest.mark.parametrize("whose", ["mine", "./mine", "0"])
def test_bot_is_told_its_parameters_and_is_another_one_with_others(
    run: Run, bot: Path, whose: str
) -> None:
    usual = run("play", "tuned", "./mine", "first", "--seed", "3", "--json").data
    words = [f"{whose}.depth=3", f"{whose}.style=wild", f"{whose}.weight=0.5"]
    changed = run(
        "play", "tuned", "./mine", "first", "--seed", "3", "--json",
        *[part for word in words for part in ("--set", word)],
    ).data  # fmt: skip

    assert json.loads(usual["notes"][0][0][1]) == DEFAULTS
    assert json.loads(changed["notes"][0][0][1]) == {**DEFAULTS, "depth": 3, "style": "wild"}
    assert usual["bots"][0]["name"] == "mine"
    assert changed["bots"][0]["name"] == "mine (depth=3, style=wild)"
    assert changed["bots"][0]["hash"] != usual["bots"][0]["hash"]
    assert changed["bots"][1] == usual["bots"][1]


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("mine.depth", "write BOT.NAME=VALUE"),
        ("other.depth=3", "write BOT.NAME=VALUE"),
        ("mine.depth=deep", "depth may be a whole number from 1 to 12, not 'deep'"),
        ("first.depth=3", "there is no parameter 'depth'"),
    ],
)
def test_wrong_word_on_the_command_line_is_wrong_use(
    run: Run, bot: Path, word: str, said: str
) -> None:
    ended = run("play", "tuned", "./mine", "first", "--set", word)

    assert ended.code == 2
    assert said in ended.err


def test_tuner_plays_from_python(bot: Path) -> None:
    play: Callable[..., Any] = pentathlon_engines.play

    report = play("tuned", [bot, "first"], seed=3, parameters=[{"depth": 2}, {}])

    assert json.loads(report.notes[0][0][1])["depth"] == 2
    assert sorted(report.record["outcome"]["ranks"]) == [0, 1]
    with pytest.raises(UnknownGame):
        play("azure", [bot, "first"])


def test_library_tells_its_version() -> None:
    assert pentathlon_engines.__version__.startswith("1.")
