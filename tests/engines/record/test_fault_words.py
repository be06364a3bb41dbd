"""The guide explains every kind of fault, with sentences that the code really writes."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import pentathlon_engines
from pentathlon_engines.match.faults import FaultKind
from pentathlon_engines.record.advice import FAULT_WORDS

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
