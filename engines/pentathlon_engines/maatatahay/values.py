"""Values in positions of Maatatahay: spaces, pairs, decks and crystals, checked one by one."""

from __future__ import annotations

from pentathlon_engines.maatatahay.board import SPACES, TILES, TRIBES, pair_of
from pentathlon_engines.position import checked_integer, refuse


def read_space(field: str, name: object) -> int:
    """Return a space by its name."""
    if not isinstance(name, str) or name not in SPACES:
        refuse(field, f"{name!r} is not a space; there are {SPACES[0]} to {SPACES[-1]}")
    return SPACES.index(name)


def read_pair(field: str, value: object) -> int:
    """Return a Balan and a Wazu tile as one number."""
    if not isinstance(value, list) or len(value) != len(TRIBES):
        refuse(field, f"must be a list of a tile of each tribe, not {value!r}")
    balan, wazu = (checked_integer(field, tile, low=1, high=TILES) for tile in value)
    return pair_of(balan, wazu)


def read_deck(field: str, value: object) -> list[int]:
    """Return different tiles of one tribe."""
    if not isinstance(value, list):
        refuse(field, f"must be a list of two lists of tiles, not {value!r}")
    deck = [checked_integer(field, tile, low=1, high=TILES) for tile in value]
    if len(set(deck)) != len(deck):
        refuse(field, f"has a tile twice: {deck}")
    return deck


def read_crystals(field: str, value: object, *, most: int) -> tuple[int, int]:
    """Return spirit and energy of a JSON object, together at most so many."""
    if not isinstance(value, dict) or set(value) != {"spirit", "energy"}:
        refuse(field, f"must be an object with spirit and energy, not {value!r}")
    spirit, energy = (
        checked_integer(f"{field}.{name}", value[name], low=0, high=most)
        for name in ("spirit", "energy")
    )
    if spirit + energy > most:
        refuse(field, f"must be at most {most} crystals, not {spirit + energy}")
    return spirit, energy
