import doctest

import pytest

from pentathlon.insight.search import words
from pentathlon.insight.search.words import (
    LONGEST_TERM,
    MOST_WORDS,
    grade,
    range_of,
    terms_of,
    words_of,
)


def test_examples_hold() -> None:
    assert doctest.testmod(words).failed == 0


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


def test_a_name_never_has_more_or_longer_terms_than_the_table_takes() -> None:
    terms = terms_of(" ".join(["ﷺ" * 30] * 40))

    assert len(terms) <= MOST_WORDS
    assert all(len(term) <= LONGEST_TERM for term in terms)


def test_exactly_the_terms_with_a_prefix_stand_between_its_bounds() -> None:
    low, high = range_of("ab")
    terms = ["aa", "ab", "ab c", "abz", "ab\U000e01ef", "ac", "b"]

    assert [term for term in terms if low <= term < high] == [
        term for term in terms if term.startswith("ab")
    ]


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
