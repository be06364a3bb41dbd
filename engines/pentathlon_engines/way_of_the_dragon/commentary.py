"""Describes what happens in Way of the Dragon; sections are those of its rules page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pentathlon_engines.commentary.words import (
    count,
    enumerate_all,
    enumerate_any,
    name_seat,
    tell_ranks,
)
from pentathlon_engines.contract.game import CHANCE
from pentathlon_engines.contract.presentation import Change, Position
from pentathlon_engines.way_of_the_dragon.actions import ELEMENTS, PATHS
from pentathlon_engines.way_of_the_dragon.board import board_of
from pentathlon_engines.way_of_the_dragon.dice import DICE, FACES

_FACE_NAMES: Final = dict(zip(FACES, (*ELEMENTS, "dragon"), strict=True))


def tell(change: Change) -> str:
    """Return a roll, a choice of dice or an action (4, 7)."""
    word, _, rest = change.text.partition(" ")
    if change.seat == CHANCE:
        return _TELLERS[word](change, rest)
    return f"{change.who} {_TELLERS[word](change, rest)}"


def _tell_dead(_change: Change, rest: str) -> str:
    return f"A dead piece stands on {rest}"


def _tell_start(_change: Change, rest: str) -> str:
    return f"{name_seat(int(rest))} begins"


def _tell_roll(change: Change, dice: str) -> str:
    who = name_seat(change.after["turn_of"])
    verb = "has" if change.before["kept"] else "rolls"
    return f"{who} {verb} {_name_dice(dice)}{_tell_pattern(dice)}"


def _tell_pattern(dice: str) -> str:
    """Describe what makes five dice special (4.5 to 4.7)."""
    dragons = dice.count("d")
    if dragons >= DICE - 1:
        return ": the dragon may be called"
    if len(set(dice)) == DICE and not dragons:
        return ": equilibrium"
    return ": perfection" if len(set(dice)) == 1 else ""


def _tell_stop(change: Change, _rest: str) -> str:
    return f"stops with {_name_dice(change.before['dice'])}"


def _tell_keep(_change: Change, kept: str) -> str:
    if kept == "-":
        return f"rolls all {DICE} dice again"
    left = DICE - len(kept)
    return f"keeps {_name_dice(kept)} and rolls {left} {'die' if left == 1 else 'dice'} again"


def _tell_eye(change: Change, kept: str) -> str:
    return f"uses the Eye of the tiger, {_tell_keep(change, kept)}"


def _tell_move(change: Change, element: str) -> str:
    origin = change.before["positions"][change.seat][element]
    target = change.after["positions"][change.seat][element]
    counts = _points_at(change.after, element, target)
    where = f"{target}, worth {count(counts, 'point')}" if counts else str(target)
    if origin is None:
        return f"enters the {element} path at {where}"
    return f"moves along the {element} path from {origin} to {where}"


def _tell_jump(change: Change, element: str) -> str:
    return f"uses Anxiety: {_tell_move(change, element)}"


def _tell_wild(change: Change, rest: str) -> str:
    return f"uses the Dragon: {_tell_move(change, rest.split(' ', maxsplit=1)[0])}"


def _tell_swap(change: Change, rest: str) -> str:
    element, *ends = rest.split(" ")
    pieces = [f"{_owner_at(change.before, element, int(at))} on {at}" for at in ends]
    return f"calls the dragon and swaps {enumerate_all(pieces)} on the {element} path"


def _owner_at(position: Position, element: str, at: int) -> str:
    seats = enumerate(position["positions"])
    return next(name_seat(seat) for seat, places in seats if places[element] == at)


def _tell_equilibrium(change: Change, rest: str) -> str:
    before, after = (side["positions"][change.seat] for side in (change.before, change.after))
    moved = [element for element in ELEMENTS if before[element] != after[element]]
    power = "uses Anxiety in an equilibrium" if rest else "has an equilibrium"
    return f"{power}: {enumerate_all(moved)} advance{'s' if len(moved) == 1 else ''} one space"


def _tell_pass(_change: Change, _rest: str) -> str:
    return "passes: no piece can move"


def _tell_fear(_change: Change, _rest: str) -> str:
    return "uses Fear and does nothing"


def _tell_end_of_turn(_change: Change, _rest: str) -> str:
    return "ends the turn"


def _tell_again(_change: Change, _rest: str) -> str:
    return "takes another turn, for perfection"


def _tell_rebirth(_change: Change, _rest: str) -> str:
    return "uses Rebirth and takes another turn"


_TELLERS: Final = {
    "dead": _tell_dead,
    "start": _tell_start,
    "roll": _tell_roll,
    "stop": _tell_stop,
    "keep": _tell_keep,
    "eye": _tell_eye,
    "move": _tell_move,
    "jump": _tell_jump,
    "wild": _tell_wild,
    "swap": _tell_swap,
    "equilibrium": _tell_equilibrium,
    "pass": _tell_pass,
    "fear": _tell_fear,
    "end": _tell_end_of_turn,
    "again": _tell_again,
    "rebirth": _tell_rebirth,
}


def _name_dice(dice: str) -> str:
    """Return dice in words.

    >>> _name_dice("wwmdd")
    '2 water, 1 metal and 2 dragons'
    """
    words = []
    for face in dict.fromkeys(dice):
        n, name = dice.count(face), _FACE_NAMES[face]
        words.append(count(n, name) if name == "dragon" else f"{n} {name}")
    return enumerate_all(words)


def _points_at(position: Position, element: str, at: int | None) -> int:
    board = board_of(tuple(position["plain_spaces"]))
    return board.points[ELEMENTS.index(element)][at or 0]


def ask(position: Position) -> str:
    """Return which decision of the turn is due (4, 7)."""
    verbs = {text.partition(" ")[0] for text in position["legal"]}
    if position["phase"] == "extra":
        return "End your turn, or take another one."
    if position["phase"] == "keep":
        more = (
            "use the Eye of the tiger to roll again" if "eye" in verbs else "roll the others again"
        )
        return f"Choose the dice to keep and {more}, or stop with all of them."
    if len(position["legal"]) == 1:
        return "The dice leave you one action: confirm it."
    choices = [words for verb, words in _ASKED.items() if verb in verbs]
    said = enumerate_any(choices)
    return f"{said[0].upper()}{said[1:]}."


_ASKED: Final = {
    "move": "choose the piece that goes as far as the dice of its element allow",
    "jump": "jump by Anxiety",
    "wild": "let dragons stand in by the Dragon",
    "swap": "swap two pieces of one path",
    "equilibrium": "let every piece advance one space",
    "pass": "pass",
    "fear": "do nothing by Fear",
}


def refuse(position: Position, name: str) -> str:
    """Return that no piece gets there, while a piece has to move (4.3)."""
    is_space = position["phase"] == "move" and not name.startswith("die ")
    return f"No piece of yours comes to {name} with these dice." if is_space else ""


def tell_end(position: Position) -> str:
    """Return whose pieces all stand on numbers, and who has the most points (5)."""
    result = position["result"]
    scores, ranks = result["scores"], result["ranks"]
    best, winners = max(scores), ranks.count(0)
    done = [name_seat(seat) for seat, n in enumerate(result["numbered"]) if n == PATHS]
    why = f"{enumerate_all(done)} {_have(done)} all pieces on numbers" if done else _CAP
    said = f"{why}; {tell_ranks(ranks)} with {count(best, 'point')}{' each' * (winners > 1)}"
    others = ", ".join(
        f"{name_seat(seat)} {scores[seat]}"
        for seat in sorted(range(len(ranks)), key=lambda seat: ranks[seat])
        if ranks[seat]
    )
    if scores.count(best) > winners:
        said += " and more pieces on numbers"
    return f"{said} ({others})" if others else said


_CAP: Final = "The last turn is over"


def _have(seats: list[str]) -> str:
    return "has" if len(seats) == 1 else "have"


def endings() -> Mapping[str, str]:
    """Return how each reason decides a match, after who has won."""
    return {"race": "when one seat had all pieces on numbers", "cap": "after the last turn"}


def points(position: Position) -> list[int]:
    """Return the sum of the numbers under the pieces of each seat (5.2)."""
    return [
        sum(_points_at(position, element, at) for element, at in places.items())
        for places in position["positions"]
    ]


def hands(_position: Position) -> None:
    """Return None: nobody has a hand."""


def cards() -> Mapping[str, str]:
    """Return what the powers do (7)."""
    return {
        "equilibrium": "Five different elements: every piece that can advances one space.",
        "perfection": "Five dice of one element: another turn may follow.",
        "the dragon may be called": "Four or five dragons: two pieces on one path may be swapped.",
        "Fear": "Once: do nothing instead of a compulsory move.",
        "Rebirth": "Once: take one extra turn.",
        "Eye of the tiger": "Once: roll a fourth time.",
        "Dragon": "Once: rolled dragons stand in for an element in one move.",
        "Anxiety": "Once: a piece whose space is taken goes on to the next empty one.",
    }
