"""Errors in card files."""

from __future__ import annotations

from pentathlon_engines.errors import EngineError


class BadCard(EngineError):
    """A card that cannot be played as its file describes it; the message names the card."""

    code = "bad_card"

    def __init__(self, card: str, problem: str) -> None:
        super().__init__(f"{card}: {problem}")
        self.card = card
