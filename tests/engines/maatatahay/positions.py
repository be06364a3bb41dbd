"""Positions of Maatatahay in few words, for tests."""

from typing import Any

from pentathlon_engines import GAMES
from pentathlon_engines.maatatahay import MaatatahayState

MAATATAHAY = GAMES["maatatahay"]
SHRINES = ("b2", "d2", "c3", "b4", "d4")
DEAD = "x"


def crystals(text: str) -> dict[str, int]:
    """Return `s1e2` as a JSON object."""
    spirit, energy = text.removeprefix("s").split("e")
    return {"spirit": int(spirit), "energy": int(energy)}


def tile(text: str) -> dict[str, Any]:
    """Return `1.5n s1e2`, tile 5 of seat 1 facing n; the face of a dead tile is x."""
    name, _, there = text.partition(" ")
    owner, _, figure = name.partition(".")
    face, alive = figure[-1], figure[-1] != DEAD
    shown = {"owner": int(owner), "tile": int(figure[:-1]), "face": face if alive else "n"}
    return shown | crystals(there or "s0e0") | {"alive": alive}


def fields(board: dict[str, str] | None = None, **more: Any) -> dict[str, Any]:
    """Return the JSON of a position in which seat 0 is about to place tile 5, then seat 1 tile 9.

    Storage, ground and supply are written as `s1e2`.
    """
    tiles = {space: tile(text) for space, text in (board or {}).items()}
    storage = [crystals(text) for text in more.pop("storage", ["s0e0", "s0e0"])]
    ground = {space: crystals(text) for space, text in more.pop("ground", {}).items()}
    deaths = more.get("deaths", [0, 0])
    data = {
        "round": 3,
        "active": 1,
        "to_move": 0,
        "phase": "place",
        "stream": [],
        "pair": [5, 9],
        "order": [0, 1],
        "step": 0,
        "hot": None,
        "targets": [],
        "board": tiles,
        "ground": ground,
        "relics_on_map": [shrine for shrine in SHRINES if shrine not in tiles],
        "storage": storage,
        "relics": [0, 0],
        "last_relic": None,
        "deaths": deaths,
        "round_deaths": 0,
        "track": sum(deaths) - more.get("round_deaths", 0),
        "supply": crystals(more.pop("supply", "s0e24")),
        "bag": list(more.pop("bag", "esesssseeees")),
    }
    return data | more


def position(board: dict[str, str] | None = None, **more: Any) -> MaatatahayState:
    """Return the position of `fields`."""
    state = MAATATAHAY.load(fields(board, **more))
    assert isinstance(state, MaatatahayState)
    return state


def do(state: MaatatahayState, *texts: str) -> MaatatahayState:
    """Do actions by their texts."""
    for text in texts:
        state.apply(state.parse(text))
    return state


def legal(state: MaatatahayState) -> list[str]:
    """Return the texts of the legal actions."""
    return [state.text(action) for action in state.legal_actions()]
