"""Describes what happens in Tuned; sections are those of its rules page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pentathlon_engines.commentary.words import enumerate_all, name_seat, tell_ranks
from pentathlon_engines.contract.presentation import Change, Position

_NAMES: Final = {"D": "donkey", "G": "dog", "C": "cat"}
_LINES: Final = (
    *([column + row for column in "abc"] for row in "123"),
    *([column + row for row in "123"] for column in "abc"),
    ["a1", "b2", "c3"],
    ["a3", "b2", "c1"],
)


def tell(change: Change) -> str:
    """Describe an add or a move, and its effect on the next turn of its seat (3.2, 3.3)."""
    words = change.text.split(" ")
    said = _tell_add(change, words) if words[0] == "add" else _tell_move(change, words)
    if change.after["result"] is None:
        said += _tell_rooster(change)
    return f"{change.who} {said}"


def _tell_add(change: Change, words: list[str]) -> str:
    _, animal, square = words
    return f"puts a {animal} on {square}{_tell_below(change.before, square)}"


def _tell_move(change: Change, words: list[str]) -> str:
    _, source, target, n = words
    stack = change.before["board"][source]
    block, rest = stack[-int(n) :], stack[: -int(n)]
    animals = enumerate_all([_NAMES[letter] for letter in reversed(block)])
    said = f"moves the {animals} from {source} to {target}{_tell_below(change.before, target)}"
    return f"{said}, and uncovers a {_NAMES[rest[-1]]}" if rest else said


def _tell_below(before: Position, square: str) -> str:
    stack = before["board"].get(square)
    return f", on top of a {_NAMES[stack[-1]]}" if stack else ""


def _tell_rooster(change: Change) -> str:
    if not change.after["hands"][change.seat]:
        was_last = change.before["hands"][change.seat] != ""
        return (
            f"; that empties {change.who}'s hand, so every further turn is a move"
            if was_last
            else ""
        )
    if change.after["rooster"][change.seat] == "move":
        return f"; {change.who}'s next turn must be an add"
    return ""


def ask(position: Position) -> str:
    """Return whether to add or to move (3.1)."""
    if not position["hands"][position["you"]]:
        return "Move one of your stacks: your hand is empty."
    if _must_add(position):
        return "Add an animal of your hand to the board: choose it, then its square."
    return "Add an animal of your hand, or move animals from one square to another."


def _must_add(position: Position) -> bool:
    return all(text.startswith("add ") for text in position["legal"])


def refuse(position: Position, name: str) -> str:
    """Return what an animal or a square lacks (3.2, 4.1)."""
    if name not in position["board"]:
        return f"No {name} of yours fits anywhere now." if name in _NAMES.values() else ""
    top = _NAMES[position["board"][name][-1]]
    fits = {"donkey": "Only a dog may stand", "dog": "Only a cat may stand"}.get(
        top, "Nothing may stand"
    )
    why = "you must add in this turn" if _must_add(position) else "no move begins there"
    return f"{fits} on the {top} of {name}, and {why}."


def tell_end(position: Position) -> str:
    """Return the line, who is stuck, or why it is a draw (7)."""
    result = position["result"]
    wins = tell_ranks(result["ranks"])
    if result["reason"] == "line":
        return f"{_tell_lines(position['board'])}: {wins}"
    if result["reason"] == "stuck":
        loser = name_seat(result["ranks"].index(1))
        return f"{loser} must add and no animal in the hand fits anywhere, so {wins}"
    if result["reason"] == "repetition":
        return "The same position for the third time: a draw"
    return f"No line after {position['actions']} actions: a draw"


def _tell_lines(board: Mapping[str, Any]) -> str:
    tops = {square: stack[-1] for square, stack in board.items()}
    found = [
        f"three {_NAMES[tops[line[0]]]}s on {enumerate_all(line)}"
        for line in _LINES
        if line[0] in tops and {tops.get(square) for square in line} == {tops[line[0]]}
    ]
    said = enumerate_all(found)
    return said[0].upper() + said[1:]


def endings() -> Mapping[str, str]:
    """Return how each reason decides a match, after who has won."""
    return {
        "line": "with three of one kind in a row",
        "stuck": "because no animal in the other hand fitted",
        "repetition": "after the same position came three times",
        "limit": "because nobody had a row after the last action",
    }


def points(position: Position) -> None:
    """Return None: Tuned has no points."""


def hands(_position: Position) -> None:
    """Return None, because hands are drawn beside the board."""


def cards() -> Mapping[str, str]:
    """Return what each animal may stand on (4.1)."""
    return {
        "donkey": "A donkey stands on an empty square only.",
        "dog": "A dog stands on an empty square or on a donkey.",
        "cat": "A cat stands on an empty square or on a dog.",
    }
