"""What nobody knows in Maatatahay: the order of the decks and of the bag."""

from __future__ import annotations

from pentathlon_engines.maatatahay.board import SETTING_UP, pair_of, tiles_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from random import Random

    from pentathlon_engines.maatatahay.state import MaatatahayState


def redeal(state: MaatatahayState, seat: int, rng: Random) -> MaatatahayState:
    """Return a twin with decks and bag shuffled anew: nobody knows their order (10.2)."""
    twin = state.copy()
    if state.phase == SETTING_UP:
        return twin
    balan, wazu = ([tiles_of(pair)[seat] for pair in state.deck] for seat in (0, 1))
    rng.shuffle(balan)
    rng.shuffle(wazu)
    twin.deck = bytes(map(pair_of, balan, wazu))
    bag = list(state.bag)
    rng.shuffle(bag)
    twin.bag = "".join(bag)
    return twin
