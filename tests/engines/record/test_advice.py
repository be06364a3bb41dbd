"""Every fault comes with what its author can do about it."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import pentathlon_engines
from pentathlon_engines.match.faults import FaultKind
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.record.advice import FAULT_WORDS, what_to_do


@pytest.mark.parametrize("kind", list(FaultKind))
def test_every_kind_of_fault_has_advice(kind: FaultKind) -> None:
    assert what_to_do(kind.value).endswith(".")


@pytest.mark.parametrize(
    ("log", "limit", "allowed"),
    [
        ("RuntimeError: can't start new thread", "tasks", "16 threads and processes"),
        ("OutOfMemoryError: unable to create native thread", "tasks", "16 threads and processes"),
        ("OSError: [Errno 24] Too many open files", "open_files", "64 open files"),
        ("OSError: [Errno 28] No space left on device", "scratch_mb", "16 MiB"),
        ("java.lang.OutOfMemoryError: Java heap space", "memory_mb", "256 MiB of memory"),
    ],
)
def test_log_of_a_crash_names_the_likely_limit(log: str, limit: str, allowed: str) -> None:
    told = what_to_do("crash", log=log, limits=Limits().to_json())

    assert f"The likely cause is its limit `{limit}`: {allowed}" in told
    assert told.endswith(what_to_do("crash"))


def test_missing_module_is_told_with_those_that_there_are() -> None:
    log = "Traceback …\nModuleNotFoundError: No module named 'torch.nn'\n"

    told = what_to_do("startup", log=log)

    assert "no module 'torch.nn'" in told
    assert '"python-numpy" also numpy and onnxruntime.' in told


@pytest.mark.parametrize("kind", ["crash", "illegal_action"])
def test_advice_names_what_repeats_the_match(kind: str) -> None:
    at_a_desk = what_to_do(kind, again="`play --seed 5`")

    assert "The match’s bundle brings your bot to the same request" in what_to_do(kind)
    assert "`play --seed 5` brings your bot to the same request" in at_a_desk
    assert "bundle" not in at_a_desk


def test_only_an_end_without_a_verdict_has_a_likely_cause() -> None:
    log = "RuntimeError: can't start new thread"

    assert what_to_do("security", log=log, limits={"tasks": 16}) == what_to_do("security")
    assert what_to_do("crash", log=log + "." * 5000, limits={"tasks": 16}) == what_to_do("crash")
    assert what_to_do("crash", log="segfault", limits={"tasks": 16}) == what_to_do("crash")


ENGINES = Path(pentathlon_engines.__file__).parent
SOURCES = [
    *(ENGINES / "match").glob("*.py"),
    *(Path(__file__).parents[3] / "workers/sandbox").rglob("*.py"),
]
LEAST_LETTERS = 9


def test_every_kind_of_fault_is_explained() -> None:
    assert set(FAULT_WORDS) == set(FaultKind)


@pytest.mark.parametrize("kind", FaultKind)
def test_examples_are_sentences_of_the_code(kind: FaultKind) -> None:
    patterns = _sentences()

    for example in FAULT_WORDS[kind].examples:
        assert any(pattern.fullmatch(example) for pattern in patterns), example


@cache
def _sentences() -> list[re.Pattern[str]]:
    """Return a pattern for each text of the code; what it fills in may be anything."""
    found = []
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            parts = node.values if isinstance(node, ast.JoinedStr) else [node]
            texts = [part.value if isinstance(part, ast.Constant) else None for part in parts]
            fixed = "".join(text for text in texts if isinstance(text, str))
            if sum(letter.isalpha() for letter in fixed) >= LEAST_LETTERS:
                words = (".+" if text is None else re.escape(str(text)) for text in texts)
                found.append(re.compile("".join(words)))
    return found


def test_debugger_that_waits_on_the_protocol_is_given_a_terminal() -> None:
    log = "> main.py(10)choose()\n-> state = turn.state()\n(Pdb) "

    assert "--debug` gives it your terminal" in what_to_do("wall_time", log=log)
