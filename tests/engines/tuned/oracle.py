"""Tuned once more, slowly, written from its rules page alone; and a comparison with the engine.

    python -m tests.engines.tuned.oracle --matches 2000

Stacks are strings from bottom to top, hands are strings, every position is remembered as text.
The numbers in comments are those of the rules page.
"""

import argparse
import random
import sys
from typing import Any

from pentathlon_engines.tuned import TunedState
from pentathlon_engines.tuned.game import first_position

SQUARES = ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"]
LINES = [
    ["a1", "b1", "c1"],
    ["a2", "b2", "c2"],
    ["a3", "b3", "c3"],
    ["a1", "a2", "a3"],
    ["b1", "b2", "b3"],
    ["c1", "c2", "c3"],
    ["a1", "b2", "c3"],
    ["a3", "b2", "c1"],
]
NAMES = {"D": "donkey", "G": "dog", "C": "cat"}


class Oracle:
    """One match of Tuned."""

    def __init__(self) -> None:
        self.board = dict.fromkeys(SQUARES, "")  # 2.1
        self.hands = ["DDGGCC", "DDGGCC"]
        self.rooster: list[str | None] = ["move", "move"]  # 2.2
        self.player = 0  # 2.3
        self.actions: list[str] = []
        self.result: dict[str, Any] | None = None
        self.positions = [self.position()]  # 7.5: the one before the first action counts

    def position(self) -> str:
        return str((self.board, self.hands, self.rooster, self.player))

    def may_stand(self, animal: str, square: str) -> bool:
        """4.1"""
        stack = self.board[square]
        if stack == "":
            return True
        return (stack[-1] + animal) in ("DG", "GC")

    def legal(self) -> list[str]:
        """3, 5, 6 in the order of 9."""
        if self.result is not None:
            return []
        return self.adds() + self.moves()

    def adds(self) -> list[str]:
        return [
            f"add {NAMES[animal]} {square}"
            for animal in "DGC"
            for square in SQUARES
            if animal in self.hands[self.player] and self.may_stand(animal, square)
        ]

    def moves(self) -> list[str]:
        if self.rooster[self.player] == "move":  # 3.2; 3.3: null without animals in hand
            return []
        moves = []
        for source in SQUARES:
            for n in range(1, len(self.board[source]) + 1):
                block = self.board[source][-n:]
                moves += [
                    f"move {source} {target} {n}"
                    for target in SQUARES
                    if target != source and self.may_stand(block[0], target)  # 6.1, 6.2
                ]
        return [move for move in moves if not self.takes_back(move)]

    def takes_back(self, move: str) -> bool:
        """6.4: the last action is always the opponent's."""
        if not self.actions or not self.actions[-1].startswith("move"):
            return False
        _, source, target, n = self.actions[-1].split()
        return move == f"move {target} {source} {n}"

    def do(self, action: str) -> None:
        words = action.split()
        if words[0] == "add":
            letter = {name: letter for letter, name in NAMES.items()}[words[1]]
            self.board[words[2]] += letter
            self.hands[self.player] = self.hands[self.player].replace(letter, "", 1)
        else:
            _, source, target, n = words
            block = self.board[source][-int(n) :]
            self.board[source] = self.board[source][: -int(n)]
            self.board[target] += block
        self.rooster[self.player] = words[0] if self.hands[self.player] else None  # 3.2, 3.3
        self.actions.append(action)
        self.player = 1 - self.player
        self.positions.append(self.position())
        self.result = self.ending()

    def ending(self) -> dict[str, Any] | None:
        """7"""
        mover, other = 1 - self.player, self.player
        tops = {square: self.board[square][-1:] for square in SQUARES}
        if any(tops[a] and tops[a] == tops[b] == tops[c] for a, b, c in LINES):
            return {"ranks": [int(seat != mover) for seat in (0, 1)], "reason": "line"}
        if not self.legal():
            return {"ranks": [int(seat == other) for seat in (0, 1)], "reason": "stuck"}
        if self.seen() >= 3:
            return {"ranks": [0, 0], "reason": "repetition"}
        if len(self.actions) == 200:
            return {"ranks": [0, 0], "reason": "limit"}
        return None

    def seen(self) -> int:
        return self.positions.count(self.positions[-1])

    def observation(self) -> dict[str, Any]:
        """8.1, without `history`, which only the engine needs."""
        return {
            "game": "tuned",
            "options": {},
            "board": {square: stack for square, stack in self.board.items() if stack},
            "hands": list(self.hands),
            "rooster": list(self.rooster),
            "to_move": self.player if self.result is None else None,
            "phase": "turn" if self.result is None else "over",
            "last": self.actions[-1] if self.actions else None,
            "actions": len(self.actions),
            "seen": self.seen(),
            "result": self.result,
        }


def compare_match(seed: int) -> str:
    """Play one match on both, compare after every action, and return the reason of its end.

    Most matches choose at random. One in ten avoids all endings and so meets the limit, another
    one goes back to old positions where it can, and so meets the draw by repetition.
    """
    rng = random.Random(seed)
    oracle, state = Oracle(), first_position()
    while True:
        compare_position(oracle, state)
        if oracle.result is not None:
            return str(oracle.result["reason"])
        options = oracle.legal()
        rng.shuffle(options)
        if seed % 5 == 0:
            options.sort(key=lambda action: dullness(state, action, returns=seed % 10 == 0))
        oracle.do(options[0])
        state.apply(state.parse(options[0]))


def compare_position(oracle: Oracle, state: TunedState) -> None:
    """Compare actions, result and what is seen."""
    assert [state.text(action) for action in state.legal_actions()] == oracle.legal()
    observation = state.observation(None)
    del observation["history"]
    assert observation == oracle.observation()


def dullness(state: TunedState, action: str, *, returns: bool) -> int:
    """Rate an action: lowest is what keeps the match going, by old positions or by new ones."""
    after = state.copy()
    after.apply(after.parse(action))
    if after.outcome is not None and after.outcome.reason in ("line", "stuck"):
        return 100
    return -after.seen() if returns else after.seen()


def main() -> int:
    """Compare many matches and print how they ended."""
    parser = argparse.ArgumentParser(prog="tests.engines.tuned.oracle")
    parser.add_argument("--matches", type=int, default=2000)
    given = parser.parse_args()
    ends: dict[str, int] = {}
    for seed in range(given.matches):
        reason = compare_match(seed)
        ends[reason] = ends.get(reason, 0) + 1
    sys.stdout.write(f"{given.matches} matches agree; they ended by {ends}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
