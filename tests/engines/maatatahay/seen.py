"""Observations of Maatatahay as numbers, which contain everything that a position shows."""

from __future__ import annotations

from typing import Any, Final

from pentathlon_engines.maatatahay.board import (
    FACES,
    PHASES,
    ROUNDS,
    RULES,
    SPACES,
    TILES,
    TRACK_END,
)
from tests.engines.seen import Features

_CRYSTALS: Final[int] = sum(RULES["bag"].values())
_SUPPLY: Final = 60
_ON_SPACE: Final = 6
_STORED: Final = 8
_IDS: Final = range(1, TILES + 1)
_NOTHING: Final[dict[str, Any]] = {}


def features(view: dict[str, Any], seats: int) -> list[float]:
    """Return the numbers of an observation."""
    encoded = Features(you=view["you"], seats=seats)
    encoded.seat(view["to_move"])
    encoded.seat(view["active"])
    encoded.choice(view["phase"], PHASES)
    encoded.number(view["round"], most=ROUNDS)
    for space in SPACES:
        _add_space(encoded, view, space)
    encoded.choice(view["hot"], SPACES)
    encoded.marks(view["relics_on_map"], SPACES)
    encoded.marks(view["targets"], SPACES)
    _add_draft(encoded, view)
    for store in encoded.by_seat(view["storage"]):
        _add_crystals(encoded, store, most=_STORED)
    encoded.numbers(encoded.by_seat(view["relics"]), most=len(RULES["shrines"]))
    encoded.seat(view["last_relic"])
    encoded.numbers(encoded.by_seat(view["deaths"]), most=TRACK_END)
    encoded.numbers((view["round_deaths"], view["track"]), most=TRACK_END)
    _add_crystals(encoded, view["supply"], most=_SUPPLY)
    _add_crystals(encoded, view["bag_mix"], most=_CRYSTALS)
    return encoded.values


def _add_space(encoded: Features, view: dict[str, Any], space: str) -> None:
    tile = view["board"].get(space, _NOTHING)
    encoded.seat(tile.get("owner"))
    encoded.choice(tile.get("tile"), _IDS)
    encoded.choice(tile.get("face"), FACES)
    encoded.flag(tile.get("alive"))
    _add_crystals(encoded, tile or view["ground"].get(space, _NOTHING), most=_ON_SPACE)


def _add_draft(encoded: Features, view: dict[str, Any]) -> None:
    """Add the tiles to come, by seat, and the choices made in this round."""
    pairs = [*view["stream"], *[(None, None)] * (RULES["stream_pairs"] - len(view["stream"]))]
    for pair in (*pairs, view["pair"] or (None, None)):
        for tile in encoded.by_seat(pair):
            encoded.choice(tile, _IDS)
    for unseen in encoded.by_seat(view["unseen"]):
        encoded.marks(unseen, _IDS)
    encoded.number(view["deck_left"], most=TILES)
    encoded.seat(view["order"][0] if view["order"] else None)
    encoded.flag(view["step"])
    encoded.flag(view["hot_target"])


def _add_crystals(encoded: Features, crystals: dict[str, Any], *, most: int) -> None:
    encoded.numbers((crystals.get("spirit"), crystals.get("energy")), most=most)
