"""Positions of Tuned as JSON, as on its rules page (section 8).

`history` maps each position that counts for the draw by repetition to how often it has occurred. A
position is written as the number that `TunedPosition.key` gives, so that long endings stay short.
Only positions with empty hands can come back, so `history` is usually `{}`.
"""

from __future__ import annotations

from pentathlon_engines.contract import kinds, position
from pentathlon_engines.contract.kinds import Integer, ListOf, MapOf, OneOf, Text, refuse
from pentathlon_engines.contract.position import Field
from pentathlon_engines.tuned import moves
from pentathlon_engines.tuned.actions import GRAMMAR, TEXTS, join_move, split_move
from pentathlon_engines.tuned.board import (
    AREA,
    EACH,
    FULL,
    KINDS,
    LETTERS,
    MAX_ACTIONS,
    MOVES,
    ONE,
    REPETITION_DRAW,
    SQUARES,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from pentathlon_engines.contract.info import Outcome
    from pentathlon_engines.tuned.state import TunedPosition

_KEYS: Final = 1 << 3 * AREA + 1
_STACKS: Final = ("D", "G", "C", "DG", "GC", "DGC")


def stack(state: TunedPosition, square: int) -> str:
    """Return the animals of a square from bottom to top, as letters."""
    masks = (state.donkeys, state.dogs, state.cats)
    return "".join(
        letter for letter, mask in zip(LETTERS, masks, strict=True) if mask >> square & 1
    )


def hand_letters(hand: int) -> str:
    """Return a hand as letters in the order donkey, dog, cat."""
    return "".join(letter * (hand // one % 4) for letter, one in zip(LETTERS, ONE, strict=True))


def hands(state: TunedPosition) -> list[str]:
    """Return the hands by seat."""
    by_turn = [hand_letters(state.hand), hand_letters(state.other_hand)]
    return by_turn if state.turn == 0 else by_turn[::-1]


def roosters(state: TunedPosition) -> list[str | None]:
    """Return by seat where the rooster stands: add, move, or None when the hand is empty."""
    mine = _rooster(state.hand, state.blocked)
    other = _rooster(state.other_hand, state.other_blocked)
    return [mine, other] if state.turn == 0 else [other, mine]


def _rooster(hand: int, blocked: bool) -> str | None:
    if not hand:
        return None
    return "move" if blocked else "add"


def _board(state: TunedPosition) -> dict[str, str]:
    stacks = ((name, stack(state, square)) for square, name in enumerate(SQUARES))
    return {name: letters for name, letters in stacks if letters}


class _History(kinds.Kind):
    """The counts of positions with all animals on the board, by their keys."""

    def read(self, field: str, data: Any) -> dict[int, int]:  # Any: JSON
        """Return the counts by key."""
        if not isinstance(data, dict):
            refuse(field, f"must be an object, not {data!r}")
        counts = {}
        for text, count in data.items():
            key = _read_key(text)
            if key is None:
                refuse(
                    f"{field}[{text!r}]",
                    "is not the number of a position with all animals on the board",
                )
            counts[key] = _TIMES.read(f"{field}[{text!r}]", count)
        return counts


def _read_key(text: str) -> int | None:
    if not text.isdecimal() or len(text) > len(str(_KEYS)):
        return None
    key = int(text)
    donkeys, dogs, cats = key & FULL, key >> AREA & FULL, key >> 2 * AREA & FULL
    placed = [mask.bit_count() for mask in (donkeys, dogs, cats)]
    if str(key) != text or key >= _KEYS or placed != [2 * each for each in EACH]:
        return None
    return None if donkeys & cats & ~dogs else key


_TIMES: Final = Integer(1, REPETITION_DRAW)
_ROOSTERS: Final = ListOf(kinds.Optional(Text()), 2)
_TABLE: Final = position.Fields(
    position.GAME,
    position.OPTIONS,
    Field("board", MapOf(SQUARES, OneOf(_STACKS), what="a square"), _board, is_required=True),
    Field(
        "hands", ListOf(Text(LETTERS, most=len(LETTERS) * max(EACH)), 2), hands, is_required=True
    ),
    Field("rooster", _ROOSTERS, roosters, is_required=True),
    position.TO_MOVE,
    Field("phase", get=lambda state: "turn" if state.outcome is None else "over"),
    Field("last", kinds.Optional(OneOf(TEXTS, what=GRAMMAR))),
    Field("actions", Integer(0, MAX_ACTIONS)),
    Field("seen", _TIMES, lambda state: state.seen()),
    Field(
        "history",
        _History(),
        lambda state: {str(key): count for key, count in (state.counts or {}).items()},
    ),
    Field("result", kinds.Result(2), position.RESULT.get),
)


def describe(state: TunedPosition) -> dict[str, Any]:
    """Return a position as a JSON object."""
    return _TABLE.write(state)


def read(state: TunedPosition, data: dict[str, Any]) -> None:
    """Turn a fresh state into the position of `data`, or raise `BadPosition`."""
    values = _TABLE.read(state, data)
    result, history = values["result"], values["history"] or {}
    phase, decides = ("turn", "a seat") if result is None else ("over", "null")
    position.read_mover(state, data, phase=phase, decides=decides)
    placed = [0, 0, 0]
    for square, number in values["board"].items():
        for letter in _STACKS[number]:
            placed[LETTERS.index(letter)] |= 1 << square
    state.donkeys, state.dogs, state.cats = placed
    state.turn = _turn(state, result, history)
    in_hand = [_hand(letters) for letters in values["hands"]]
    state.hand, state.other_hand = in_hand[state.turn], in_hand[1 - state.turn]
    for kind, name in enumerate(KINDS):
        total = placed[kind].bit_count() + sum(hand // ONE[kind] % 4 for hand in in_hand)
        if total != 2 * EACH[kind]:
            refuse("board and hands", f"need {2 * EACH[kind]} {name}s, not {total}")
    blocked = [text == "move" for text in values["rooster"]]
    state.blocked, state.other_blocked = blocked[state.turn], blocked[1 - state.turn]
    if state.last >= 0:
        _read_last(state, TEXTS[state.last])
    _read_counts(state, history, values["seen"] or 1)
    state.outcome = moves.ending(state)
    if result != state.outcome:
        refuse("result", f"must be {state.outcome and state.outcome.to_json()} here")
    position.check_written(state, data, typed=_TABLE.typed)


def _turn(state: TunedPosition, result: Outcome | None, history: dict[int, int]) -> int:
    """Return whose turn it is or would be, had the match not ended."""
    if state.to_move is not None:
        return state.to_move
    if result is not None and 1 in result.ranks:
        return result.ranks.index(1)
    # In a draw by repetition, the last position has occurred most often.
    state.turn = 1
    return 1 if history.get(state.key(), 0) >= REPETITION_DRAW else 0


def _hand(letters: str) -> int:
    return sum(letters.count(letter) * one for letter, one in zip(LETTERS, ONE, strict=True))


def _read_last(state: TunedPosition, text: str) -> None:
    """Check the last action: the other seat made it, so the position must show its traces."""
    is_move = state.last >= MOVES
    if state.other_hand and state.other_blocked != is_move:
        refuse("last", f"{text!r} does not fit the rooster of seat {1 - state.turn}")
    if not is_move:
        kind, square = divmod(state.last, AREA)
        if not stack(state, square).endswith(LETTERS[kind]):
            refuse("last", f"{text!r}, but no {KINDS[kind]} is on top of {SQUARES[square]}")
        return
    source, above, target = split_move(state.last)
    block = stack(state, target)[-1 - above :]
    if source == target or len(block) <= above or stack(state, source) + block not in _STACKS:
        refuse("last", f"{text!r} cannot have led to this position")
    state.banned = join_move(target, above, source)


def _read_counts(state: TunedPosition, history: dict[int, int], seen: int) -> None:
    """Set the counts of positions; without `history` counting starts with `seen` here."""
    if state.hand or state.other_hand:
        if history:
            refuse("history", "must be empty while a hand is not: no position has come back yet")
        return
    if history and state.key() not in history:
        refuse("history", "does not contain the position itself")
    state.counts = history or {state.key(): seen}
