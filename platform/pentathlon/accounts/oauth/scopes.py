"""The scopes that apps may ask for: those of API tokens, and the identity of the user."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pentathlon.accounts.models import Scope

IDENTITY: Final = "identity:read"
"""Who signs in: the account's name and number, which are public anyway, but no e-mail address."""
SCOPES: Final[dict[str, str]] = {
    IDENTITY: "know who you are: your username",
    **dict(Scope.choices),
}


def in_words(scopes: Iterable[str]) -> list[str]:
    """Return what scopes allow, in the order of the list, for people."""
    asked = set(scopes)
    return [words for scope, words in SCOPES.items() if scope in asked]
