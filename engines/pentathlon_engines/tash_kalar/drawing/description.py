"""Descriptions of Tash-Kalar positions for pictures: pieces, turn and end.

The words are made from an observation, so they tell no more than their reader may know.
"""

from __future__ import annotations

from typing import Any, Final

from pentathlon_engines.commentary.words import count
from pentathlon_engines.contract.game import CHANCE
from pentathlon_engines.tash_kalar.board import RULES
from pentathlon_engines.tash_kalar.cards.catalogue import (
    FROST_SCHOOLS,
    TASK_FILE,
    WARP_SCHOOLS,
    card_data,
)
from pentathlon_engines.tash_kalar.chance import DRAWN

Seen = dict[str, Any]
"""An observation (16.4); its values are JSON."""

TASKS: Final[dict[str, dict[str, Any]]] = {task["id"]: task for task in TASK_FILE["cards"]}
_COLOURS: Final = {square: colour for colour in ("red", "green") for square in RULES[colour]}
_SAID: Final = {
    "draw": "the schools are not drawn yet",
    "deal": "the cards are not dealt yet",
    "shuffle": "a discard pile is shuffled",
    "setup": "the first commons are laid",
    "main": "an action is due",
    "place_at": "the piece picked up is placed",
    "shortage": "a piece to pick up is chosen",
    "return": "more cards may be returned",
    "turn_end": "the turn may end",
    "effect": "an effect is resolved",
}
"""The decision that each phase waits for (16.2)."""


def colour_of(square: str) -> str:
    """Return red, green or an empty text."""
    return _COLOURS.get(square, "")


def school_of(seen: Seen, seat: int) -> str:
    """Return the name of a seat's school, if it is known."""
    school: str = seen["options"]["decks"][seat]
    return "any school" if school == DRAWN else school.replace("_", " ").title()


def of_square(seen: Seen, square: str) -> str:
    """Describe a square: `e5, red: heroic of seat 0`."""
    piece = seen["board"].get(square)
    held = f"{piece['rank']} of seat {piece['owner']}" if piece else "empty"
    if square == seen.get("gateway"):
        held += ", the Gateway"
    name = f"{square}, {colour_of(square)}" if colour_of(square) else square
    return f"{name}: {held}"


def of_seat(seen: Seen, seat: int) -> str:
    """Return hand, supply and points of a seat in a line."""
    hand, supply = seen["hand_sizes"][seat], seen["supply"][seat]
    held = [count(hand["beings"], "being"), count(hand["legends"], "legend")]
    held.append(count(hand["flare"], "flare"))
    left = f"supply {supply['common_heroic']} + {supply['legendary']}"
    deck = f"deck {seen['deck_sizes']['beings'][seat]}"
    points = count(seen["scores"][seat], "point")
    said = [f"seat {seat}: {school_of(seen, seat)}", *held, left, deck, points]
    if seen.get("frozen") and seat == frost_seat(seen):
        said.append(f"frozen effect of {card_data(seen['frozen'])['name']}")
    if seat == seen["progress"].get("slowed"):
        said.append("next turn one action less")
    if seat == warp_seat(seen):
        said += _of_pending(seen)
    return ", ".join(said)


def _of_pending(seen: Seen) -> list[str]:
    """Return the pending being, and the piece on a card (18.3)."""
    said = []
    if seen["pending"]:
        said.append(f"{card_data(seen['pending'])['name']} pending")
    if seen["on_card"]:
        piece = seen["on_card"]
        said.append(f"{piece['rank']} of seat {piece['owner']} on a card")
    return said


def frost_seat(seen: Seen) -> int:
    """Return the seat that plays the Everfrost, or -1 if none does."""
    return _seat_of(seen, FROST_SCHOOLS)


def warp_seat(seen: Seen) -> int:
    """Return the seat that plays the Etherweave, or -1 if none does."""
    return _seat_of(seen, WARP_SCHOOLS)


def _seat_of(seen: Seen, schools: tuple[str, ...]) -> int:
    decks: list[str] = seen["options"]["decks"]
    return next((seat for seat, school in enumerate(decks) if school in schools), -1)


def of_turn(seen: Seen) -> str:
    """Return the number of the turn and the actions left."""
    return f"turn {seen['turn']}, {of_actions(seen)}"


def of_actions(seen: Seen) -> str:
    """Return the actions left: `2 actions left`."""
    return f"{count(seen['actions_left'], 'action')} left"


def of_destroyed(seen: Seen) -> str:
    """Return the pieces destroyed this turn, or an empty text."""
    counts = seen["counters"]["destroyed"]
    parts = [f"{n} {rank}" for rank, n in counts.items() if n]
    return f"destroyed this turn: {', '.join(parts)}" if parts else ""


def of_now(seen: Seen) -> str:
    """Describe the decision that is due, or the end."""
    if seen["result"] is not None:
        return _of_result(seen["result"])
    said = _SAID[seen["phase"]]
    if "summon_now" in seen["permissions"]:
        said = "a summoning is due"
    if seen["card"] is not None:
        said = f"{card_data(seen['card'])['name']}: {said}"
    if seen["to_move"] not in (None, CHANCE):
        said = f"seat {seen['to_move']}: {said}"
    if seen["end"] is not None:
        said = f"{said}; {count(seen['end']['turns_left'], 'final turn')} left"
    return said


def _of_result(result: dict[str, Any]) -> str:
    mine, other = result["scores"]
    if result["ranks"] == [0, 0]:
        return f"a draw, {mine} : {other} ({result['reason']})"
    return f"seat {result['ranks'].index(0)} won, {mine} : {other} ({result['reason']})"


def of_task(name: str) -> str:
    """Return a task's name, points and condition."""
    task = TASKS[name]
    return f"{task['name']} ({task['points']}): {task['text']}"


def of_tasks(seen: Seen) -> list[str]:
    """Return a line for each open task, and one for the claimed ones."""
    if "tasks" not in seen:
        return []
    tasks = seen["tasks"]
    lines = [f"task: {of_task(name)}" for name in tasks["current"]]
    if tasks["next"] is not None:
        lines.append(f"next: {of_task(tasks['next'])}")
    for seat, claimed in enumerate(tasks["claimed"]):
        if claimed:
            names = ", ".join(TASKS[name]["name"] for name in claimed)
            lines.append(f"claimed by seat {seat}: {names}")
    return lines


def describe(seen: Seen) -> str:
    """Return the position in sentences."""
    said = [of_seat(seen, 0), of_seat(seen, 1), of_turn(seen), of_destroyed(seen), of_now(seen)]
    lines = [*said[:2], *of_tasks(seen), *said[2:]]
    return " ".join(_sentence(line) for line in lines if line)


def _sentence(line: str) -> str:
    return f"{line[0].upper()}{line[1:].rstrip('.')}."
