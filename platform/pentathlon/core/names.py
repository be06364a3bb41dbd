"""Names compared as they look, and the names that belong to the house.

Two names look alike if they differ only in case, in separators, in marks that nobody sees, or in
letters that a reader takes for each other, as in `r-mac`, `R Mac` and `rnac`.
"""

from __future__ import annotations

import unicodedata
from typing import Final

from pentathlon_engines.manifest import built_in_bots

_INVISIBLE: Final = ("Z", "P", "C")
"""The categories of spaces, punctuation and control characters."""
_ALIKE: Final = str.maketrans(
    {
        **dict(zip("01i|", "olll", strict=True)),
        **dict(zip("авгеікмнорстухѕјԁһԛԝӏ", "abrelkmhopctyxsjdhqwl", strict=True)),
        **dict(zip("αβγεζηικμνορτυχω", "abyezhlkmnoptyxw", strict=True)),
    }
)
"""Digits, Cyrillic and Greek letters by the Latin letter that they look like, as a small letter
or as a capital one."""
_PAIRS: Final = (("rn", "m"), ("vv", "w"))
_OF_THE_HOUSE: Final = (
    "admin",
    "administrator",
    "anonymous",
    "moderator",
    "nobody",
    "pentathlon",
    "root",
    "staff",
    "superuser",
    "system",
)
_FAMILIES: Final = ("deleted", "reference", "pentathlon")
"""Beginnings of names that the platform gives: deleted accounts and reference bots."""


def name_key(name: str) -> str:
    """Return a key that names have in common if they look alike.

    >>> {name_key(name) for name in ("r-mac", "R Mac ", "r.rnac", "rmac")}
    {'rmac'}
    """
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    shown = (each for each in text if unicodedata.category(each)[0] not in _INVISIBLE)
    key = "".join(shown).translate(_ALIKE)
    for pair, letter in _PAIRS:
        key = key.replace(pair, letter)
    # A name of punctuation alone is compared as it stands.
    return key or " ".join(text.split())


def is_of_the_house(name: str) -> bool:
    """Return whether only the platform itself may give this name."""
    key = name_key(name)
    return key.startswith(tuple(map(name_key, _FAMILIES))) or key in _house_keys()


def _house_keys() -> frozenset[str]:
    return frozenset(map(name_key, (*_OF_THE_HOUSE, *built_in_bots())))
