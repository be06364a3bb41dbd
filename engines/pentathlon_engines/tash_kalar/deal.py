"""The result of a deal: hands, decks, legends, flares and tasks (4.1, 4.2)."""

from __future__ import annotations


class Deal:
    """The deal that a text describes, with decks from the top. It is immutable."""

    __slots__ = (
        "begins",
        "current",
        "decks",
        "flare_deck",
        "hands",
        "legend_deck",
        "tasks",
        "text",
    )

    def __init__(
        self, text: str, begins: int, groups: list[list[int]], tasks: list[list[int]]
    ) -> None:
        self.text = text
        self.begins = begins
        self.hands: list[list[int]] = [
            [*groups[seat], *groups[2 + seat], groups[4][seat]] for seat in (0, 1)
        ]
        self.decks: list[list[int]] = groups[5:7]
        self.legend_deck: list[int] = groups[7]
        self.flare_deck: list[int] = groups[8]
        self.current: list[int] = tasks[0] if tasks else []
        self.tasks: list[int] = tasks[1] if tasks else []
