"""The public fields of the Etherweave in positions of Tash-Kalar (18.3.9).

The fields exist only if a seat plays that school; `reading_etherweave.py` reads them.
"""

from __future__ import annotations

from pentathlon_engines.tash_kalar.board import bits
from pentathlon_engines.tash_kalar.cards.catalogue import (
    IDS,
    PROGRAMS,
    WARP_CARDS,
    WARP_SCHOOLS,
)
from pentathlon_engines.tash_kalar.cards.patterns import LEGENDARY, RANKS
from pentathlon_engines.tash_kalar.constants import RANKS_EACH
from pentathlon_engines.tash_kalar.effect import Effect
from pentathlon_engines.tash_kalar.state import TashKalarPosition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any, Final

UNSEEN: Final = "being"
"""The text for a seat that may not see which card was discarded."""


def weaver(state: TashKalarPosition) -> int:
    """Return the seat that plays the Etherweave, or -1 if none does."""
    for seat, school in enumerate(state.schools):
        if school in WARP_SCHOOLS:
            return seat
    return -1


def board_fields(state: TashKalarPosition) -> dict[str, Any]:
    """Return the pending card and the piece on it."""
    if weaver(state) < 0:
        return {}
    piece = None
    if state.on_card:
        owner, rank = divmod(state.on_card - 1, RANKS_EACH)
        piece = {"owner": owner, "rank": RANKS[rank]}
    card = state.pending.bit_length() - 1
    return {"pending": None if card < 0 else IDS[card], "on_card": piece}


def stock_with_held(state: TashKalarPosition) -> list[int]:
    """Return the stock of pieces, including one on a card, which is still in the game."""
    stock = state.stock[:]
    if state.on_card:
        owner, rank = divmod(state.on_card - 1, RANKS_EACH)
        stock[2 + owner if rank == LEGENDARY else owner] += 1
    return stock


def discard_fields(state: TashKalarPosition, secrets_of: Collection[int]) -> dict[str, Any]:
    """Return the most recent discard as seen by those who know the secrets of these seats."""
    seat = weaver(state)
    if seat < 0:
        return {}
    card = state.latest
    if card < 0:
        return {"last_discard": None}
    is_seen = seat in secrets_of or card in state.played[seat]
    return {"last_discard": IDS[card] if is_seen else UNSEEN}


def progress_fields(state: TashKalarPosition) -> dict[str, Any]:
    """Return the warp effects used in this turn."""
    if weaver(state) < 0:
        return {}
    return {"warped": sorted(IDS[card] for card in bits(state.warped))}


def effect_fields(state: TashKalarPosition, effect: Effect) -> dict[str, Any]:
    """Return the card whose warp effect resolves, and the moves counted by owner."""
    if weaver(state) < 0:
        return {}
    card = effect.program
    is_warp = WARP_CARDS >> card & 1 == 1 and effect.at >= PROGRAMS[card].free
    return {"warp": IDS[card] if is_warp else None, "own_moves": effect.own_moves}
