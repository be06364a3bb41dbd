import doctest

import pytest

from pentathlon.insight.search import lookup
from pentathlon.insight.search.lookup import grade, words_of


def test_examples_hold() -> None:
    assert doctest.testmod(lookup).failed == 0


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("", []),
        ("---", []),
        ("<script>alert(1)</script>", ["script", "alert", "1", "script"]),
        ("ÅNGSTRÖM", ["angstrom"]),
        ("STRASSE straße", ["strasse", "strasse"]),
        ("將棋 bot", ["將棋", "bot"]),
        ("\ud800 lone", ["lone"]),
        ("a" * 200, ["a" * 200]),
        ("1 2 3 4 5 6 7 8 9 10", ["1", "2", "3", "4", "5", "6", "7", "8"]),
    ],
)
def test_words_are_small_letters_and_digits(name: str, expected: list[str]) -> None:
    assert words_of(name) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("great blue bot", 0),
        ("GREAT", 1),
        ("great bl", 1),
        ("blue-bot", 2),
        ("bot great", 3),
        ("lue", None),
        ("bot red", None),
        ("!", None),
    ],
)
def test_names_are_graded_by_how_well_they_fit(query: str, expected: int | None) -> None:
    assert grade("Great Blue Bot", query) == expected
