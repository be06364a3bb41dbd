"""Test vectors: those in the files are those of the rules, and they find wrong rules."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pentathlon_engines import GAMES
from pentathlon_engines.desk.vectors import make_vectors, path_of, perft, read_vectors, to_text
from tests.engines.commands import Run, run_in_process

ANSWERING = """
import json, sys
from pentathlon_engines import CHANCE, GAMES
from pentathlon_engines.desk.vectors import perft
for line in sys.stdin:
    question = json.loads(line)
    state = GAMES[sys.argv[1]].load(question["position"])
    if question["ask"] == "legal":
        answer = [state.text(action) for action in state.legal_actions()]
    elif question["ask"] == "after":
        text = question["action"]
        state.apply_chance(text) if state.to_move == CHANCE else state.apply(state.parse(text))
        answer = state.to_json()
    elif question["ask"] == "observation":
        answer = state.observation(question["seat"])
        answer.pop("legal", None)
    else:
        answer = perft(state, question["depth"])
    {}
    print(json.dumps(answer), flush=True)
"""


@pytest.fixture
def check(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Callable[..., Any]:
    """Return a function that checks our rules with a change of their answers."""
    run: Run = run_in_process(monkeypatch, capsys)
    monkeypatch.setenv("PYTHONPATH", str(Path("engines").resolve()))

    def check_rules(change: str, *options: str, game: str = "tuned") -> Any:
        program = tmp_path / "rules.py"
        program.write_text(ANSWERING.format(change))
        return run("vectors", game, *options, "--", sys.executable, str(program), game)

    return check_rules


@pytest.mark.parametrize("key", GAMES)
def test_vectors_are_those_of_the_rules(key: str) -> None:
    """If they differ on purpose: python -m pentathlon_engines.tools.vectors."""
    text = path_of(GAMES[key]).read_text(encoding="utf-8")

    assert to_text(make_vectors(GAMES[key])) == text


@pytest.mark.parametrize("key", GAMES)
def test_vectors_have_decisions_ends_and_what_chance_does(key: str) -> None:
    cases = read_vectors(GAMES[key])["cases"]

    assert sum(bool(case["legal"]) for case in cases) >= 12
    assert any(not case["legal"] and not case["after"] for case in cases)
    has_chance = any(not case["legal"] and case["after"] for case in cases)
    assert has_chance == GAMES[key].info.chance
    assert any(len(case["perft"]) > 1 for case in cases)


def test_perft_counts_lines_of_actions() -> None:
    state = GAMES["tuned"].start()

    assert perft(state, 1) == len(state.legal_actions())
    assert str(state) == str(GAMES["tuned"].start())


@pytest.mark.parametrize("game", ["tuned", "way_of_the_dragon"])
def test_right_rules_pass(check: Callable[..., Any], game: str) -> None:
    ended = check("", game=game)

    assert (ended.code, ended.err) == (0, "")
    assert all(f"{ask}: " in ended.out for ask in ("legal", "after", "observation", "perft"))


@pytest.mark.parametrize(
    ("change", "ask", "said"),
    [
        ("answer = answer[1:] if type(answer) is list else answer", "legal", "missing ['"),
        ("answer = answer + ['sing'] if type(answer) is list else answer", "legal", "['sing']"),
        ("answer = answer + 1 if type(answer) is int else answer", "perft", "it is 27, not 28"),
        (
            "answer = {**answer, 'to_move': 7} if type(answer) is dict else answer",
            "after",
            "not 7",
        ),
    ],
)
def test_wrong_rules_are_shown_where_they_differ(
    check: Callable[..., Any], change: str, ask: str, said: str
) -> None:
    ended = check(change)

    assert ended.code == 1
    assert f"{ask}: 0 of " in ended.out or ask == "legal"
    assert said in ended.err


def test_what_a_program_does_not_know_is_not_wrong(check: Callable[..., Any]) -> None:
    ended = check("answer = answer if question['ask'] == 'legal' else None", "--json")

    assert ended.code == 0
    assert ended.data["legal"]["right"] > 0
    assert ended.data["perft"] == {
        "right": 0,
        "unknown": ended.data["perft"]["unknown"],
        "wrong": [],
    }
    assert ended.data["perft"]["unknown"] > 0


@pytest.mark.parametrize(
    ("change", "said"),
    [("sys.exit()", "the program ended at"), ("print('{')", "its answer is not JSON")],
)
def test_program_that_fails_is_told(check: Callable[..., Any], change: str, said: str) -> None:
    ended = check(change)

    assert ended.code == 1
    assert said in ended.err
