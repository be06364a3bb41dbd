"""Observations of Tuned as numbers, without past positions except the count of this one."""

from __future__ import annotations

from typing import Any

from pentathlon_engines.encoding.features import Features
from pentathlon_engines.tuned.board import EACH, LETTERS, MAX_ACTIONS, REPETITION_DRAW, SQUARES


def features(view: dict[str, Any], seats: int) -> list[float]:
    """Return the numbers of an observation."""
    found = Features(you=view["you"], seats=seats)
    found.seat(view["to_move"])
    for square in SQUARES:
        found.marks(view["board"].get(square, ""), LETTERS)
    for hand in found.by_seat(view["hands"]):
        found.counts(hand, LETTERS, most=max(EACH))
    for rooster in found.by_seat(view["rooster"]):
        found.choice(rooster, ("add", "move"))
    _add_last(found, view["last"])
    found.number(view["actions"], most=MAX_ACTIONS)
    found.number(view["seen"], most=REPETITION_DRAW)
    return found.values


def _add_last(found: Features, last: str | None) -> None:
    """Add the last action if it was a move, for it may not be taken back."""
    words = (last or "").split()
    _, source, target, count = words if words[:1] == ["move"] else ("", "", "", "0")
    found.choice(source, SQUARES)
    found.choice(target, SQUARES)
    found.number(int(count), most=len(LETTERS))
