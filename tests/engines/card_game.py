"""A tiny game with chance and hidden hands, and ways to break the promises of the contract.

Chance deals each seat one card of 0 to 4. Then each seat in turn keeps its card or plays it, which
shows it; a 0 cannot be played. The highest card played wins.
"""

from __future__ import annotations

from random import Random
from typing import Any

from pentathlon_engines import (
    CHANCE,
    BadAction,
    BadChance,
    Game,
    GameInfo,
    NotToMove,
    Option,
    Outcome,
    State,
)
from pentathlon_engines.contract.kinds import checked_integer
from pentathlon_engines.contract.position import check_written

ACTIONS = ("keep", "play")
CARDS = 5


class CardState(State):
    """A position of the card game."""

    def __init__(self, game: Game, seats: int, options: dict[str, Any]) -> None:
        self._game = game
        self.seats = seats
        self.options = options
        self.to_move: int | None = CHANCE
        self.outcome: Outcome | None = None
        self.hands: list[int] = []
        self.choices: list[int] = []

    @property
    def game(self) -> Game:
        return self._game

    def copy(self) -> CardState:
        twin = type(self)(self._game, self.seats, self.options)
        twin.to_move, twin.outcome = self.to_move, self.outcome
        twin.hands, twin.choices = self.hands.copy(), self.choices.copy()
        return twin

    def legal_actions(self) -> list[int]:
        if self.to_move is None or self.to_move == CHANCE:
            return []
        return [0, 1] if self.hands[self.to_move] else [0]

    def text(self, action: int) -> str:
        return ACTIONS[action]

    def parse(self, text: str) -> int:
        if text not in ACTIONS:
            raise BadAction(text, reason="write keep or play")
        return ACTIONS.index(text)

    def apply_unchecked(self, action: int) -> None:
        self.choices.append(action)
        self._settle()

    def _settle(self) -> None:
        self.to_move = len(self.choices) if len(self.choices) < self.seats else None
        if self.to_move is None:
            scores = tuple(c * h for c, h in zip(self.choices, self.hands, strict=True))
            ranks = tuple(sum(other > score for other in scores) for score in scores)
            self.outcome = Outcome(ranks, "cards", scores)

    def _deal(self, rng: Random) -> list[int]:
        return rng.sample(range(CARDS), self.seats)

    def sample_chance(self, rng: Random) -> str:
        if self.to_move != CHANCE:
            raise NotToMove("the cards are dealt")
        return " ".join(str(card) for card in self._deal(rng))

    def apply_chance(self, text: str) -> None:
        if self.to_move != CHANCE:
            raise NotToMove("the cards are dealt")
        cards = text.split(" ")
        if len(set(cards) & {str(card) for card in range(CARDS)}) != self.seats:
            raise BadChance(f"{text!r}: deal {self.seats} different cards")
        self.hands = [int(card) for card in cards]
        self.to_move = 0

    def chance_outcomes(self) -> list[tuple[str, int]]:
        if self.to_move != CHANCE:
            raise NotToMove("the cards are dealt")
        return []

    def _sees(self, seat: int | None, owner: int) -> bool:
        shown = owner < len(self.choices) and self.choices[owner] == 1
        return shown or seat == owner

    def event_for(self, seat: int | None, text: str) -> str:
        if self.to_move != CHANCE:
            return text
        cards = text.split(" ")
        return " ".join(card if seat == owner else "?" for owner, card in enumerate(cards))

    def to_json(self) -> dict[str, Any]:
        return {
            "game": "cards",
            "options": self.options,
            "seats": self.seats,
            "to_move": self.to_move,
            "phase": "over" if self.outcome else "deal" if self.to_move == CHANCE else "turn",
            "hands": list(self.hands),
            "choices": list(self.choices),
            "result": self.outcome and self.outcome.to_json(),
        }

    def observation(self, seat: int | None) -> dict[str, Any]:
        view = self.to_json()
        view["hands"] = [
            card if self._sees(seat, owner) else None for owner, card in enumerate(self.hands)
        ]
        return self._seen_by(view, seat)

    def determinize(self, seat: int, rng: Random) -> CardState:
        twin = self.copy()
        hidden = [owner for owner in range(len(self.hands)) if not self._sees(seat, owner)]
        known = {card for owner, card in enumerate(self.hands) if owner not in hidden}
        cards = rng.sample(sorted(set(range(CARDS)) - known), len(hidden))
        for owner, card in zip(hidden, cards, strict=True):
            twin.hands[owner] = card
        if twin.outcome is not None:
            twin._settle()
        return twin


class CardGame(Game):
    """The card game, made of any kind of state."""

    def __init__(
        self, kind: type[CardState] = CardState, *, actions: int = 2, longest: int = 4
    ) -> None:
        super().__init__(
            GameInfo(
                "cards",
                title="Cards",
                version=1,
                seats=(2, 3),
                default_seats=2,
                hidden=True,
                chance=True,
                actions=actions,
                longest=longest,
                options=(Option("loud", kind="flag", default=False),),
            )
        )
        self._kind = kind

    def _start(self, seats: int, options: dict[str, Any]) -> CardState:
        return self._kind(self, seats, options)

    def _load(self, data: dict[str, Any], options: dict[str, Any]) -> CardState:
        seats = checked_integer("seats", data["seats"], low=2, high=3)
        state = self._kind(self, seats, options)
        state.hands, state.choices = list(data["hands"]), list(data["choices"])
        if state.hands:
            state._settle()
        check_written(state, data)
        return state


GAME = CardGame()
