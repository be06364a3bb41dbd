"""Observations of Maatatahay as numbers, which contain everything that a position shows."""

from __future__ import annotations

from typing import Any, Final

from pentathlon_engines.encoding.features import Features
from pentathlon_engines.maatatahay.board import (
    FACES,
    PHASES,
    ROUNDS,
    RULES,
    SPACES,
    TILES,
    TRACK_END,
)

_CRYSTALS: Final[int] = sum(RULES["bag"].values())
_SUPPLY: Final = 60
_ON_SPACE: Final = 6
_STORED: Final = 8
_IDS: Final = range(1, TILES + 1)
_NOTHING: Final[dict[str, Any]] = {}


def features(view: dict[str, Any], seats: int) -> list[float]:
    """Return the numbers of an observation."""
    found = Features(you=view["you"], seats=seats)
    found.seat(view["to_move"])
    found.seat(view["active"])
    found.choice(view["phase"], PHASES)
    found.number(view["round"], most=ROUNDS)
    for space in SPACES:
        _add_space(found, view, space)
    _add_draft(found, view)
    for store in found.by_seat(view["storage"]):
        _add_crystals(found, store, most=_STORED)
    found.numbers(found.by_seat(view["relics"]), most=len(RULES["shrines"]))
    found.seat(view["last_relic"])
    found.numbers(found.by_seat(view["deaths"]), most=TRACK_END)
    found.numbers((view["round_deaths"], view["track"]), most=TRACK_END)
    _add_crystals(found, view["supply"], most=_SUPPLY)
    _add_crystals(found, view["bag_mix"], most=_CRYSTALS)
    return found.values


def _add_space(found: Features, view: dict[str, Any], space: str) -> None:
    tile = view["board"].get(space, _NOTHING)
    found.seat(tile.get("owner"))
    found.choice(tile.get("tile"), _IDS)
    found.choice(tile.get("face"), FACES)
    found.flag(tile.get("alive"))
    _add_crystals(found, tile or view["ground"].get(space, _NOTHING), most=_ON_SPACE)
    found.flag(space in view["relics_on_map"])
    found.flag(space in view["targets"])
    found.flag(space == view["hot"])


def _add_draft(found: Features, view: dict[str, Any]) -> None:
    """Add the tiles to come, by seat, and the choices made in this round."""
    pairs = [*view["stream"], *[(None, None)] * (RULES["stream_pairs"] - len(view["stream"]))]
    for pair in (*pairs, view["pair"] or (None, None)):
        for tile in found.by_seat(pair):
            found.choice(tile, _IDS)
    for unseen in found.by_seat(view["unseen"]):
        found.marks(unseen, _IDS)
    found.number(view["deck_left"], most=TILES)
    found.seat(view["order"][0] if view["order"] else None)
    found.flag(view["step"])
    found.flag(view["hot_target"])


def _add_crystals(found: Features, crystals: dict[str, Any], *, most: int) -> None:
    found.numbers((crystals.get("spirit"), crystals.get("energy")), most=most)
