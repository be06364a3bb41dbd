"""Positions of Way of the Dragon for tests, written short."""

from typing import Any

from pentathlon_engines import GAMES
from pentathlon_engines.way_of_the_dragon import WayOfTheDragonState

DRAGON = GAMES["way_of_the_dragon"]
ELEMENTS = ("water", "fire", "metal", "earth", "wood")


def pieces(**places: int) -> dict[str, int | None]:
    """Return the pieces of a seat; what is not named is off the board."""
    return {element: places.get(element) for element in ELEMENTS}


def position(
    *seats: dict[str, int | None],
    dice: str,
    phase: str = "move",
    seat: int = 0,
    **more: Any,  # any field of a position
) -> WayOfTheDragonState:
    """Return a position in which a seat decides."""
    fields = {
        "positions": list(seats),
        "to_move": seat,
        "phase": phase,
        "dice": dice,
        "rolls_left": 0,
        "power_used": [False] * len(seats),
        "turn": 1,
    }
    state = DRAGON.load(fields | more)
    assert isinstance(state, WayOfTheDragonState)
    return state


def do(state: WayOfTheDragonState, *texts: str) -> WayOfTheDragonState:
    """Do actions and rolls by their texts."""
    for text in texts:
        if text.split()[0] in ("roll", "start", "dead"):
            state.apply_chance(text)
        else:
            state.apply(state.parse(text))
    return state


def legal(state: WayOfTheDragonState) -> list[str]:
    """Return the texts of the legal actions."""
    return [state.text(action) for action in state.legal_actions()]
