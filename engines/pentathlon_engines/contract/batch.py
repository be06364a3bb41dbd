"""Many matches in turns, for learners; compiled, such loops cost a fraction of those in Python."""

from __future__ import annotations

from pentathlon_engines.contract.game import CHANCE, State

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from pentathlon_engines.contract.info import Outcome

    Encode = Callable[[State, int, list[bytes]], None]


class Sight:
    """What the seats to move see and may do in some positions."""

    __slots__ = ("actions", "legal", "numbers", "to_move")

    def __init__(self, states: list[State], encode: Encode, rows: list[memoryview]) -> None:
        self.to_move: list[int] = []
        """The seats, -1 where a match is over; `rows` get what they see, then zeros."""
        self.legal: list[list[int]] = []
        self.actions: list[int] = []
        """All legal actions, and in `numbers` how many each position has."""
        self.numbers: list[int] = []
        for place, state in enumerate(states):
            legal = state.legal_actions()
            self.legal.append(legal)
            self.actions.extend(legal)
            self.numbers.append(len(legal))
            seat = state.to_move
            if seat is None:
                self.to_move.append(-1)
                rows[place][:] = bytes(len(rows[place]))
            else:
                pieces: list[bytes] = []
                encode(state, seat, pieces)
                self.to_move.append(seat)
                rows[place][:] = b"".join(pieces)


def advance(
    states: list[State], actions: list[int], sight: Sight, rng: Random
) -> dict[int, Outcome]:
    """Do one action in each match, then what chance decides; return how matches ended, by place.

    An illegal action raises before anything is done. Where a match is over, nothing happens.
    """
    for place, state in enumerate(states):
        if actions[place] not in sight.legal[place] and state.to_move is not None:
            state.apply(actions[place])  # refuses it
    ended: dict[int, Outcome] = {}
    for place, state in enumerate(states):
        if sight.legal[place]:
            state.apply_unchecked(actions[place])
            if state.to_move == CHANCE:
                draw_chance(state, rng)
            if state.outcome is not None:
                ended[place] = state.outcome
    return ended


def foresee(states: list[State], legal: list[list[int]], encode: Encode) -> bytes:
    """Return what the seats to move see after each legal action, match by match."""
    pieces: list[bytes] = []
    for place, state in enumerate(states):
        seat = state.to_move
        if seat is not None:
            for action in legal[place]:
                after = state.copy()
                after.apply_unchecked(action)
                encode(after, seat, pieces)
    return b"".join(pieces)


def draw_chance(state: State, rng: Random) -> None:
    """Do what chance decides until a seat does, or the match is over."""
    while state.to_move == CHANCE:
        state.apply_chance(state.sample_chance(rng))
