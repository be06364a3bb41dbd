"""Names and queries as comparable words, without case, accents and punctuation."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

LONGEST_TERM: Final = 80
MOST_WORDS: Final = 8
LONGEST_QUERY: Final = 64
_WORD: Final = re.compile(r"[^\W_]+")
_AFTER_ALL: Final = "\U0010ffff"
"""A character that sorts after every letter; no word has it."""


def words_of(text: str) -> list[str]:
    """Return the first words of a text, in small letters without accents.

    >>> words_of("Château-d'Or_3")
    ['chateau', 'd', 'or', '3']
    """
    split = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(letter for letter in split if not unicodedata.combining(letter))
    return _WORD.findall(plain)[:MOST_WORDS]


def terms_of(name: str) -> list[str]:
    """Return the terms by which a name is found: the name from each of its words on.

    >>> terms_of("Great Blue Bot")
    ['great blue bot', 'blue bot', 'bot']
    """
    words = words_of(name)
    ends = (" ".join(words[start:])[:LONGEST_TERM] for start in range(len(words)))
    return list(dict.fromkeys(ends))


def range_of(prefix: str) -> tuple[str, str]:
    """Return bounds between which exactly the terms with this prefix stand, byte by byte."""
    return prefix, prefix + _AFTER_ALL


def grade(name: str, query: str) -> int | None:
    """Return how well a name fits a query, 0 best; None if it does not.

    0: it is the query; 1: it begins with it; 2: one of its words does; 3: it has all words of the
    query somewhere.

    >>> [grade(name, "blue") for name in ("Blue", "Bluebird", "Great Blue Bot", "Red")]
    [0, 1, 2, None]
    """
    wanted = words_of(query)
    if not wanted:
        return None
    terms, phrase = terms_of(name), " ".join(wanted)[:LONGEST_TERM]
    if terms and terms[0] == phrase:
        return 0
    if terms and terms[0].startswith(phrase):
        return 1
    if any(term.startswith(phrase) for term in terms):
        return 2
    return 3 if all(any(term.startswith(each) for term in terms) for each in wanted) else None
