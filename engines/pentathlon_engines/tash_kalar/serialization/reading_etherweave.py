"""Reads the Etherweave's fields of a position from JSON (18.3.9)."""

from __future__ import annotations

from pentathlon_engines.contract.position import Fields, checked_integer, refuse
from pentathlon_engines.tash_kalar.board import bits, mask
from pentathlon_engines.tash_kalar.cards.catalogue import (
    BOUND_CARDS,
    CARDS,
    IDS,
    SCHOOL_CARDS,
    WARP_CARDS,
)
from pentathlon_engines.tash_kalar.cards.patterns import RANKS
from pentathlon_engines.tash_kalar.constants import RANKS_EACH
from pentathlon_engines.tash_kalar.serialization.etherweave import UNSEEN, weaver
from pentathlon_engines.tash_kalar.state import TashKalarPosition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def read_pending(state: TashKalarPosition, fields: Fields) -> None:
    """Read the pending card and the piece on it; a later check looks for it in the hand."""
    if fields.has("pending"):
        state.pending = 1 << _warp_card(state, "pending", fields.text("pending"))
    if not fields.has("on_card"):
        return
    piece = fields.mapping("on_card")
    if piece.get("rank") not in RANKS:
        refuse("on_card", "must be an object with owner and rank")
    owner = checked_integer("on_card.owner", piece.get("owner"), low=0, high=1)
    state.on_card = 1 + RANKS_EACH * owner + RANKS.index(piece["rank"])
    state.set_aside(state.on_card, 1)


def check_pending(state: TashKalarPosition) -> None:
    """Refuse a pending card that is in no hand, and a piece on a card that cannot hold one."""
    if state.pending & ~mask(state.hands[weaver(state)]):
        refuse("pending", "the card must be in the hand of its seat")
    played = 1 << state.card if state.card >= 0 else 0
    # While the card is lifting a piece, there is no piece on it yet.
    holds = BOUND_CARDS & (state.pending ^ played)
    if state.on_card and not holds:
        refuse("on_card", "there is no card that a piece can lie on")


def read_last_discard(state: TashKalarPosition, fields: Fields) -> None:
    """Read the most recent discard, which must lie in the pile."""
    seat = weaver(state)
    if seat < 0 or not fields.has("last_discard"):
        return
    lying = state.discards[seat]
    name = fields.text("last_discard")
    unseen = [card for card in bits(lying) if card not in state.played[seat]]
    cards = unseen if name == UNSEEN else [CARDS.get(name, -1)]
    if not cards or cards[0] < 0 or not lying >> cards[0] & 1:
        refuse("last_discard", f"{name!r} does not lie in the discard pile")
    state.latest = cards[0]


def read_warped(state: TashKalarPosition, names: object) -> None:
    """Read the cards whose warp effects were used in this turn."""
    if not isinstance(names, list) or len(names) > len(SCHOOL_CARDS[state.schools[0]]):
        refuse("progress.warped", "must be a list of cards")
    for name in names:
        state.warped |= 1 << _warp_card(state, "progress.warped", name)


def read_program(state: TashKalarPosition, data: dict[str, Any]) -> int:
    """Return the card whose effect resolves: the played one unless a warp effect is named."""
    if data.get("warp") is None:
        return state.card
    card = _warp_card(state, "progress.effect.warp", data["warp"])
    if card != state.card and BOUND_CARDS >> card & 1:
        refuse("progress.effect.warp", f"{IDS[card]} cannot be copied")
    return card


def _warp_card(state: TashKalarPosition, field: str, name: object) -> int:
    """Return the card of this name, which must have a warp effect and be in the match."""
    seat = weaver(state)
    cards = SCHOOL_CARDS[state.schools[seat]] if seat >= 0 else ()
    if not isinstance(name, str) or CARDS.get(name, -1) not in cards:
        refuse(field, f"{name!r} is not a card of a seat that may have a warp effect")
    if not WARP_CARDS >> CARDS[name] & 1:
        refuse(field, f"{IDS[CARDS[name]]} has no warp effect")
    return CARDS[name]
