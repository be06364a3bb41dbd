"""The hidden parts of Maatatahay: the order of the decks and of the bag."""

from __future__ import annotations

from pentathlon_engines.maatatahay.board import SETTING_UP, pair_of, tiles_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from random import Random

    from pentathlon_engines.maatatahay.state import MaatatahayPosition


def redeal(state: MaatatahayPosition, rng: Random) -> None:
    """Shuffle the decks of both tribes and the bag anew."""
    if state.phase == SETTING_UP:
        return
    balan, wazu = ([tiles_of(pair)[owner] for pair in state.deck] for owner in (0, 1))
    rng.shuffle(balan)
    rng.shuffle(wazu)
    state.deck = bytes(map(pair_of, balan, wazu))
    bag = list(state.bag)
    rng.shuffle(bag)
    state.bag = "".join(bag)
