"""Which names the entries of an archive may have."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Final

from pentathlon_engines.errors import BadArchive

LONGEST_NAME: Final = 120
DEEPEST: Final = 8

_FORBIDDEN = frozenset("\\:")


def check_names(names: Iterable[str]) -> None:
    """Refuse names that other systems read differently, and two that could be the same there."""
    files: dict[str, str] = {}
    folders: dict[str, str] = {}
    for name in names:
        _check_name(name)
        folded = unicodedata.normalize("NFC", name).casefold()
        if not name.endswith("/"):
            _take(files, folded, name)
        for parent in _parents(folded):
            folders[parent] = name
    for folded in files.keys() & folders.keys():
        raise _duplicate(files[folded], folders[folded])


def _check_name(name: str) -> None:
    if len(name) > LONGEST_NAME:
        raise _bad_name(name, f"is longer than {LONGEST_NAME} characters")
    if any(letter in _FORBIDDEN or _is_control(letter) for letter in name):
        raise _bad_name(name, "has a backslash, a colon or a control character")
    parts = name.removesuffix("/").split("/")
    if len(parts) > DEEPEST:
        raise _bad_name(name, f"lies deeper than {DEEPEST} folders")
    if any(part in {"", ".", ".."} for part in parts):
        raise _bad_name(name, 'is absolute or has an empty, "." or ".." part')


def _is_control(letter: str) -> bool:
    return unicodedata.category(letter) in {"Cc", "Cf", "Cs", "Zl", "Zp"}


def _parents(name: str) -> list[str]:
    parts = name.split("/")[:-1]
    return ["/".join(parts[:depth]) for depth in range(1, len(parts) + 1)]


def _take(files: dict[str, str], folded: str, name: str) -> None:
    if folded in files:
        raise _duplicate(files[folded], name)
    files[folded] = name


def _bad_name(name: str, reason: str) -> BadArchive:
    shown = name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}…"
    return BadArchive(f"The name {shown!r} {reason}.", code="bad_name", path=shown)


def _duplicate(first: str, second: str) -> BadArchive:
    return BadArchive(
        f"{first!r} and {second!r} are the same name on some computers.",
        code="duplicate_name",
        path=second,
    )
