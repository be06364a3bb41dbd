"""Names and queries as comparable words, without case, accents and punctuation."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from typing import Final

MOST_WORDS: Final = 8
LONGEST_QUERY: Final = 64
_WORD: Final = re.compile(r"[^\W_]+")
_LETTERS: Final = (range(0x41, 0x530), range(0x1E00, 0x2000), range(0x3040, 0x3100))
"""Latin, Greek and Cyrillic letters, and kana: those with case, or with accents of their own."""


def words_of(text: str) -> list[str]:
    """Return the first words of a text, in small letters without accents.

    >>> words_of("Château-d'Or_3")
    ['chateau', 'd', 'or', '3']
    """
    split = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(letter for letter in split if not unicodedata.combining(letter))
    return _WORD.findall(plain)[:MOST_WORDS]


def patterns_of(query: str) -> list[tuple[str, str]]:
    """Return each word of a query, with a regular expression for names in which a word begins so.

    Databases disagree on case and know nothing of accents, so the expression lists all letters.

    >>> bool(re.search(patterns_of("ole")[0][1], "Old Øle"))
    False
    >>> bool(re.search(patterns_of("oel")[0][1], "Old ÖEL"))
    True
    """
    words = _WORD.findall(query)[:MOST_WORDS]
    return [(word, rf"(^|\W|_){_pattern(''.join(words_of(word)))}") for word in words]


def grade(name: str, query: str) -> int | None:
    """Return how well a name fits a query, 0 best; None if it does not.

    0: it is the query; 1: it begins with it; 2: one of its words does; 3: it has all words of the
    query somewhere.

    >>> [grade(name, "blue") for name in ("Blue", "Bluebird", "Great Blue Bot", "Red")]
    [0, 1, 2, None]
    """
    asked, words = words_of(query), words_of(name)
    ends = [" ".join(words[start:]) for start in range(len(words))]
    if not asked or not ends:
        return None
    phrase = " ".join(asked)
    if ends[0] == phrase:
        return 0
    if ends[0].startswith(phrase):
        return 1
    if any(end.startswith(phrase) for end in ends):
        return 2
    return 3 if all(any(end.startswith(word) for end in ends) for word in asked) else None


def _pattern(word: str) -> str:
    classes = [f"[{_variants().get(letter, letter)}]" for letter in word]
    return "".join(classes).replace(_pattern_of_ss(), f"({_pattern_of_ss()}|[ßẞ])")


@cache
def _pattern_of_ss() -> str:
    return 2 * f"[{_variants()['s']}]"


@cache
def _variants() -> Mapping[str, str]:
    """Return all letters that are compared as one, by that one."""
    variants: dict[str, str] = defaultdict(str)
    for letter in (chr(code) for codes in _LETTERS for code in codes):
        if len(plain := "".join(words_of(letter))) == 1:
            variants[plain] += letter
    return variants
