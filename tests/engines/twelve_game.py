"""A tiny game with chance, secrets and two to four seats, for what Tuned does not have.

Chance deals a secret card to each seat, then rolls a die before each round. In a round each seat
may stay or take the die's points. Closest to 12 without going over wins.
"""

from __future__ import annotations

from random import Random
from typing import Any

from pentathlon_engines import CHANCE, BadAction, BadChance, Game, GameInfo, Outcome, State

STAY, TAKE = 0, 1
TEXTS = ("stay", "take")
ROUNDS = 3
GOAL = 12


class TwelveState(State):
    """Cards, points, the die, and who is next."""

    def __init__(self, seats: int) -> None:
        self.options = {}
        self.seats = seats
        self.cards: list[int] = []
        self.points = [0] * seats
        self.die = 0
        self.acted = 0
        self.to_move = CHANCE
        self.outcome = None

    @property
    def game(self) -> Game:
        return TWELVE

    def legal_actions(self) -> list[int]:
        return [] if self.to_move in (None, CHANCE) else [STAY, TAKE]

    def text(self, action: int) -> str:
        return TEXTS[action]

    def parse(self, text: str) -> int:
        if text not in TEXTS:
            raise BadAction(text, reason="write stay or take")
        return TEXTS.index(text)

    def apply_unchecked(self, action: int) -> None:
        assert self.to_move is not None
        self.points[self.to_move] += self.die * action
        self.acted += 1
        self.to_move = self.acted % self.seats
        if self.acted == ROUNDS * self.seats:
            self._finish()
        elif self.to_move == 0:
            self.to_move = CHANCE

    def sample_chance(self, rng: Random) -> str:
        if not self.cards:
            return " ".join(["deal", *(str(rng.randint(1, 6)) for _ in range(self.seats))])
        return f"roll {rng.randint(1, 6)}"

    def apply_chance(self, text: str) -> None:
        name, *numbers = text.split()
        values = [int(number) for number in numbers]
        expected = ("roll", 1) if self.cards else ("deal", self.seats)
        if (name, len(values)) != expected or not all(1 <= value <= 6 for value in values):
            raise BadChance(f"{text!r} cannot happen here")
        if name == "deal":
            self.cards = values
        else:
            self.die = values[0]
            self.to_move = 0

    def copy(self) -> TwelveState:
        twin = TwelveState(self.seats)
        twin.cards, twin.points = list(self.cards), list(self.points)
        twin.die, twin.acted = self.die, self.acted
        twin.to_move, twin.outcome = self.to_move, self.outcome
        return twin

    def to_json(self) -> dict[str, Any]:
        return {
            "game": "twelve",
            "cards": list(self.cards),
            "points": list(self.points),
            "die": self.die,
            "acted": self.acted,
            "to_move": self.to_move,
            "result": self.outcome and self.outcome.to_json(),
        }

    def observation(self, seat: int | None) -> dict[str, Any]:
        data = self.to_json()
        data["cards"] = [card if owner == seat else None for owner, card in enumerate(self.cards)]
        return self._seen_by(data, seat)

    def event_for(self, seat: int | None, text: str) -> str:
        name, *cards = text.split()
        if name != "deal":
            return text
        seen = [card if owner == seat else "?" for owner, card in enumerate(cards)]
        return " ".join([name, *seen])

    def determinize(self, seat: int, rng: Random) -> TwelveState:
        twin = self.copy()
        for other in range(self.seats):
            if other != seat:
                twin.cards[other] = rng.randint(1, 6)
        return twin

    def _finish(self) -> None:
        totals = [card + own for card, own in zip(self.cards, self.points, strict=True)]
        scores = tuple(total if total <= GOAL else 0 for total in totals)
        ranks = tuple(sum(other > score for other in scores) for score in scores)
        self.to_move = None
        self.outcome = Outcome(ranks, "closest", scores)


class Twelve(Game):
    """The game of `TwelveState`."""

    def _start(self, seats: int, options: dict[str, Any]) -> State:
        return TwelveState(seats)

    def _load(self, data: dict[str, Any], options: dict[str, Any]) -> State:
        state = TwelveState(len(data["points"]))
        state.cards = [card or 1 for card in data["cards"]]
        state.points, state.die, state.acted = list(data["points"]), data["die"], data["acted"]
        state.to_move = data["to_move"]
        return state


TWELVE = Twelve(
    GameInfo(
        "twelve",
        title="Twelve",
        version=3,
        seats=(2, 4),
        default_seats=3,
        hidden=True,
        chance=True,
        actions=len(TEXTS),
        longest=40,
    )
)
GAME = TWELVE
"""The name by which the registry finds the game."""
