"""Turns the sentences of commentaries into sentences to the person in one of the seats."""

from __future__ import annotations

import re
from typing import Final

from pentathlon_engines.commentary.words import COLOURS, name_seat

_BREAKS: Final = re.compile(r"(; |: |, and |, | and )")
_PLAIN: Final = {"has": "have", "is": "are", "does": "do", "passes": "pass"}
"""Verbs that lose more than an "s"."""


def speak_to(seat: int, said: str) -> str:
    """Return a sentence as the person in the seat would be told it.

    >>> speak_to(0, "Violet moves its cat and uncovers a dog; Violet's next turn must be an add")
    'You move your cat and uncover a dog; your next turn must be an add'
    >>> speak_to(1, "Violet moves the cat; Amber's cat is free")
    'Violet moves the cat; your cat is free'
    """
    name, is_subject = name_seat(seat), False
    parts = _BREAKS.split(said)
    for at in range(0, len(parts), 2):
        first = parts[at].partition(" ")[0].removesuffix("'s")
        if first in COLOURS:
            is_subject = first == name
        if is_subject:
            parts[at] = _in_second_person(parts[at], name)
    told = "".join(parts).replace(f"{name}'s", "your").replace(name, "you")
    return told[:1].upper() + told[1:]


def _in_second_person(part: str, name: str) -> str:
    """Return a part of a sentence whose subject is the seat, with the verb that fits "you"."""
    subject = f"{name} " if part.startswith(f"{name} ") else ""
    verb, space, rest = part.removeprefix(subject).partition(" ")
    if verb.endswith("s") and verb.islower():
        verb = _PLAIN.get(verb, verb[:-1])
    return subject + verb + space + rest.replace("its ", "your ")
