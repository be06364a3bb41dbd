"""Positions of Maatatahay as JSON, as on its rules page (10); reading them is `reading.py`."""

from __future__ import annotations

from pentathlon_engines.maatatahay.board import FACES, SPACES, bits, tiles_of
from pentathlon_engines.maatatahay.table import PHASES, SETTING_UP, SETTLING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pentathlon_engines.maatatahay.state import MaatatahayState


def describe(state: MaatatahayState) -> dict[str, Any]:
    """Return a whole position as a JSON object; of decks and bag the next draw is the last."""
    hidden = {
        "decks": decks(state),
        "bag": list(state.bag),
    }
    return _round(state) | _map(state) | _seats(state) | hidden | _result(state)


def show(state: MaatatahayState) -> dict[str, Any]:
    """Return a position as anybody may see it; `you` and `legal` are not in it."""
    known = {
        "deck_left": len(state.deck),
        "unseen": [sorted(deck) for deck in decks(state)],
        "bag_mix": crystals(state.bag.count("s"), state.bag.count("e")),
    }
    return _round(state) | _map(state) | _seats(state) | known | _result(state)


def decks(state: MaatatahayState) -> list[list[int]]:
    """Return the hidden tiles of both tribes."""
    return [[tiles_of(pair)[seat] for pair in state.deck] for seat in (0, 1)]


def crystals(spirit: int, energy: int) -> dict[str, int]:
    """Return some crystals as a JSON object."""
    return {"spirit": spirit, "energy": energy}


def _round(state: MaatatahayState) -> dict[str, Any]:
    """Return what has been decided in this round."""
    hot = state.hot
    waits = state.phase == SETTLING and state.surrounded() >> hot & 1 == 1
    return {
        "game": "maatatahay",
        "options": {},
        "round": state.round,
        "active": None if state.phase == SETTING_UP else state.active,
        "to_move": state.to_move,
        "phase": PHASES[state.phase],
        "stream": [list(tiles_of(pair)) for pair in state.stream],
        "pair": list(tiles_of(state.pair)) if state.pair else None,
        "order": None if state.first < 0 else [state.first, 1 - state.first],
        "step": state.step,
        "hot": None if hot < 0 else SPACES[hot],
        "targets": [SPACES[space] for space in bits(state.targets)],
        "hot_target": waits,
    }


def _map(state: MaatatahayState) -> dict[str, Any]:
    board, ground = {}, {}
    for space, name in enumerate(SPACES):
        there = crystals(state.spirit[space], state.energy[space])
        if state.filled >> space & 1:
            board[name] = _tile(state, space) | there | {"alive": is_living(state, space)}
        elif any(there.values()):
            ground[name] = there
    relics = [SPACES[space] for space in bits(state.relics)]
    return {"board": board, "ground": ground, "relics_on_map": relics}


def _tile(state: MaatatahayState, space: int) -> dict[str, Any]:
    tile = state.tiles[space]
    return {"owner": tile & 1, "tile": tile >> 3, "face": FACES[tile >> 1 & 3]}


def is_living(state: MaatatahayState, space: int) -> bool:
    """Say whether a living tile is on a space."""
    return state.living >> space & 1 == 1


def _seats(state: MaatatahayState) -> dict[str, Any]:
    return {
        "storage": [crystals(state.stored_spirit[i], state.stored_energy[i]) for i in (0, 1)],
        "relics": list(state.owned),
        "last_relic": None if state.last_relic < 0 else state.last_relic,
        "deaths": list(state.deaths),
        "round_deaths": state.round_deaths,
        "track": state.track,
        "supply": crystals(state.supply_spirit, state.supply_energy),
    }


def _result(state: MaatatahayState) -> dict[str, Any]:
    return {"result": None if state.outcome is None else state.outcome.to_json()}
