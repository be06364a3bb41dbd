"""Positions of Tuned as JSON, as on its rules page (section 8).

`history` maps each position that counts for the draw by repetition to how often it has occurred. A
position is written as the number that `TunedPosition.key` gives, so that long endings stay short.
Only positions with empty hands can come back, so `history` is usually `{}`.
"""

from __future__ import annotations

from pentathlon_engines.contract.position import Fields, checked_integer, refuse
from pentathlon_engines.tuned import moves
from pentathlon_engines.tuned.actions import ACTIONS, GRAMMAR, TEXTS, join_move, split_move
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
_FIELDS: Final = ("board", "hands", "rooster", "last", "actions", "seen", "history")


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


def describe(state: TunedPosition) -> dict[str, Any]:
    """Return a position as a JSON object."""
    stacks = ((name, stack(state, square)) for square, name in enumerate(SQUARES))
    return {
        "game": "tuned",
        "options": {},
        "board": {name: letters for name, letters in stacks if letters},
        "hands": hands(state),
        "rooster": roosters(state),
        "to_move": state.to_move,
        "phase": "turn" if state.outcome is None else "over",
        "last": None if state.last < 0 else TEXTS[state.last],
        "actions": state.actions,
        "seen": state.seen(),
        "history": {str(key): count for key, count in (state.counts or {}).items()},
        "result": None if state.outcome is None else state.outcome.to_json(),
    }


def read(state: TunedPosition, data: dict[str, Any]) -> None:
    """Turn a fresh state into the position of `data`, or raise `BadPosition`."""
    fields = Fields(data, known=_FIELDS)
    result = fields.result(2)
    to_move = fields.seat_to_move(2)
    if (to_move is None) != (result is not None):
        refuse("result", "must be there when to_move is null, and only then")
    fields.check_phase("turn" if result is None else "over")
    board = fields.mapping("board")
    for name in board:
        if name not in SQUARES:
            refuse("board", f"{name!r} is not a square; the squares are {' '.join(SQUARES)}")
    state.donkeys, state.dogs, state.cats = _masks("board", [board.get(name) for name in SQUARES])
    state.actions = fields.integer("actions", low=0, high=MAX_ACTIONS, default=0)
    history = _read_history(fields.mapping("history", default={}))
    state.turn = _turn(state, to_move, result, history)
    _read_hands(state, fields.sequence("hands", length=2))
    _read_roosters(state, fields.sequence("rooster", length=2))
    if fields.has("last"):
        _read_last(state, fields.text("last"))
    _read_counts(state, fields, history)
    ending = moves.ending(state)
    if ending != result:
        refuse("result", f"must be {ending and ending.to_json()} in this position")
    state.to_move = to_move
    state.outcome = result


def _masks(field: str, stacks: list[Any]) -> tuple[int, int, int]:
    """Return one mask per kind for the stacks of all squares; None is an empty square."""
    masks = [0, 0, 0]
    for square, letters in enumerate(stacks):
        if letters is None:
            continue
        if letters not in _STACKS:
            refuse(f"{field}.{SQUARES[square]}", f"{letters!r} is not one of {', '.join(_STACKS)}")
        for letter in letters:
            masks[LETTERS.index(letter)] |= 1 << square
    return masks[0], masks[1], masks[2]


def _turn(
    state: TunedPosition, to_move: int | None, result: Outcome | None, history: dict[int, int]
) -> int:
    """Return whose turn it is or would be, had the match not ended."""
    if to_move is not None:
        return to_move
    if result is not None and 1 in result.ranks:
        return result.ranks.index(1)
    # In a draw by repetition, the last position has occurred most often.
    state.turn = 1
    return 1 if history.get(state.key(), 0) >= REPETITION_DRAW else 0


def _read_hands(state: TunedPosition, letters: list[Any]) -> None:
    hands_by_seat = [_hand(f"hands[{seat}]", letters[seat]) for seat in (0, 1)]
    state.hand = hands_by_seat[state.turn]
    state.other_hand = hands_by_seat[1 - state.turn]
    masks: tuple[int, ...] = (state.donkeys, state.dogs, state.cats)
    for kind, one in enumerate(ONE):
        in_hand = sum(hand // one % 4 for hand in hands_by_seat)
        total = masks[kind].bit_count() + in_hand
        if total != 2 * EACH[kind]:
            refuse("board and hands", f"need {2 * EACH[kind]} {KINDS[kind]}s, not {total}")


def _hand(field: str, letters: object) -> int:
    if not isinstance(letters, str) or any(letter not in LETTERS for letter in letters):
        refuse(field, f"must be a string of the letters {LETTERS}, not {letters!r}")
    hand = 0
    for letter, one, each in zip(LETTERS, ONE, EACH, strict=True):
        if letters.count(letter) > each:
            refuse(field, f"{letters!r} has more than {each} of {letter}")
        hand += letters.count(letter) * one
    if hand_letters(hand) != letters:
        refuse(field, f"write the letters in the order {LETTERS}: {hand_letters(hand)!r}")
    return hand


def _read_roosters(state: TunedPosition, values: list[Any]) -> None:
    for seat, hand in enumerate(hands(state)):
        allowed = ("add", "move") if hand else (None,)
        if values[seat] not in allowed:
            names = " or ".join("null" if name is None else name for name in allowed)
            refuse(f"rooster[{seat}]", f"must be {names} with hand {hand!r}")
    state.blocked = values[state.turn] == "move"
    state.other_blocked = values[1 - state.turn] == "move"


def _read_last(state: TunedPosition, text: str) -> None:
    """Read the last action: the other seat made it, so the position must show its traces."""
    action = ACTIONS.get(text)
    if action is None:
        refuse("last", f"{text!r} is not an action; write {GRAMMAR}")
    state.last = action
    is_move = action >= MOVES
    if state.other_hand and state.other_blocked != is_move:
        refuse("last", f"{text!r} does not fit the rooster of seat {1 - state.turn}")
    if not is_move:
        kind, square = divmod(action, AREA)
        if not stack(state, square).endswith(LETTERS[kind]):
            refuse("last", f"{text!r}, but no {KINDS[kind]} is on top of {SQUARES[square]}")
        return
    source, above, target = split_move(action)
    block = stack(state, target)[-1 - above :]
    if source == target or len(block) <= above or stack(state, source) + block not in _STACKS:
        refuse("last", f"{text!r} cannot have led to this position")
    state.banned = join_move(target, above, source)


def _read_history(data: dict[str, Any]) -> dict[int, int]:
    """Return the counts of positions by their keys."""
    counts = {}
    for text, count in data.items():
        field = f"history[{text!r}]"
        key = _read_key(text)
        if key is None:
            refuse(field, "is not the number of a position with all animals on the board")
        counts[key] = checked_integer(field, count, low=1, high=REPETITION_DRAW)
    return counts


def _read_key(text: object) -> int | None:
    if not isinstance(text, str) or not text.isdecimal() or len(text) > len(str(_KEYS)):
        return None
    key = int(text)
    masks = (key & FULL, key >> AREA & FULL, key >> 2 * AREA & FULL)
    donkeys, dogs, cats = masks
    placed = [mask.bit_count() for mask in masks]
    if str(key) != text or key >= _KEYS or placed != [2 * each for each in EACH]:
        return None
    return None if donkeys & cats & ~dogs else key


def _read_counts(state: TunedPosition, fields: Fields, history: dict[int, int]) -> None:
    """Set the counts of positions; without `history` counting starts with `seen` here."""
    all_placed = not state.hand and not state.other_hand
    if history and not all_placed:
        refuse("history", "must be empty while a hand is not: no position has come back yet")
    if history and state.key() not in history:
        refuse("history", "does not contain the position itself")
    known = history.get(state.key(), 1)
    low, high = (known, known) if history or not all_placed else (1, REPETITION_DRAW)
    seen = fields.integer("seen", low=low, high=high, default=known)
    if all_placed:
        state.counts = history or {state.key(): seen}
