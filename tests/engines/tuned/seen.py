"""Observations of Tuned as numbers, without past positions except the count of this one."""

from __future__ import annotations

from typing import Any

from pentathlon_engines.tuned.board import EACH, LETTERS, MAX_ACTIONS, REPETITION_DRAW, SQUARES
from tests.engines.seen import Features


def features(view: dict[str, Any], seats: int) -> list[float]:
    """Return the numbers of an observation."""
    encoded = Features(you=view["you"], seats=seats)
    encoded.seat(view["to_move"])
    for square in SQUARES:
        encoded.marks(view["board"].get(square, ""), LETTERS)
    for hand in encoded.by_seat(view["hands"]):
        encoded.counts(hand, LETTERS, most=max(EACH))
    for rooster in encoded.by_seat(view["rooster"]):
        encoded.choice(rooster, ("add", "move"))
    _add_last(encoded, view["last"])
    encoded.number(view["actions"], most=MAX_ACTIONS)
    encoded.number(view["seen"], most=REPETITION_DRAW)
    return encoded.values


def _add_last(encoded: Features, last: str | None) -> None:
    """Add the last action if it was a move, for it may not be taken back."""
    words = (last or "").split()
    _, source, target, count = words if words[:1] == ["move"] else ("", "", "", "0")
    encoded.choice(source, SQUARES)
    encoded.choice(target, SQUARES)
    encoded.number(int(count), most=len(LETTERS))
