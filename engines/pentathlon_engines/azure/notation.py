"""Positions of Azure as JSON, as on its rules page (12); reading them is `reading.py`.

Beside the fields of the page there are `known`, what the other seat knows of each hand, `events`
with the index in `since` at which the last decision of each seat begins, and, while chance makes a
new hidden deck, `draws`, the cards still to be drawn.
"""

from __future__ import annotations

from pentathlon_engines.azure import events
from pentathlon_engines.azure.board import (
    BEASTS,
    CELLS,
    COLOURS,
    HOME,
    cells_of,
    letters,
    size,
)
from pentathlon_engines.azure.table import PHASES, SETUP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pentathlon_engines.azure.state import AzureState


def describe(state: AzureState) -> dict[str, Any]:
    """Return a whole position as a JSON object."""
    hidden = "".join(COLOURS[colour] for colour in state.hidden)
    cards = {"hands": [letters(side.hand) for side in state.sides], "hidden": hidden}
    before = events.show_all(state.before, state.realm, secrets_of=(0, 1))
    log = events.show_all(state.log, state.realm, secrets_of=(0, 1))
    since = [len(before) if seat == state.decider else 0 for seat in range(state.seats)]
    history = {"known": _known(state), "events": before + log, "since": since}
    return _frame(state) | cards | _open(state) | history


def show(state: AzureState, seat: int | None) -> dict[str, Any]:
    """Return a position as a seat or a spectator may see it; `you` and `legal` are not in it.

    A spectator hears of what has happened since the last decision of anybody.
    """
    realm = None if state.phase == SETUP else [list(row) for row in state.realm.codes]
    own = {} if seat is None else {"hand": letters(state.sides[seat].hand)}
    sizes = {
        "hand_sizes": [size(side.hand) for side in state.sides],
        "hidden_size": len(state.hidden),
    }
    known = {} if seat is None else {"known": _known(state)}
    secrets_of = () if seat is None else (seat,)
    told = state.log if seat in (None, state.decider) else state.before + state.log
    log = events.show_all(told, state.realm, secrets_of=secrets_of)
    heard = {"realm": realm, **known, "events": log}
    return _frame(state) | own | sizes | _open(state) | heard


def _known(state: AzureState) -> list[str]:
    return [letters(side.known) for side in state.sides]


def _frame(state: AzureState) -> dict[str, Any]:
    return {
        "game": "azure",
        "options": dict(state.options),
        "layout": None if state.phase == SETUP else list(state.realm.layout),
    }


def _open(state: AzureState) -> dict[str, Any]:
    """Return what everybody sees."""
    outcome = state.outcome
    decks = {letter: state.decks >> 4 * i & 15 for i, letter in enumerate(COLOURS)}
    draws = {"draws": state.draws} if state.draws and state.to_move == -1 else {}
    return {
        "decks": decks,
        "stones": stones(state),
        "gifted_at": [None if side.gifted < 0 else CELLS[side.gifted] for side in state.sides],
        "supply": [side.supply for side in state.sides],
        "wisdom": [side.wisdom for side in state.sides],
        "beasts": {
            name: None if owner < 0 else owner
            for name, owner in zip(BEASTS, state.beasts, strict=True)
        },
        "turn": state.turn,
        "to_move": state.to_move,
        "phase": PHASES[state.phase],
        "boon_at": None if state.boon_at < 0 else CELLS[state.boon_at],
        **draws,
        "result": None if outcome is None else outcome.to_json(),
    }


def stones(state: AzureState) -> dict[str, int]:
    """Return the owner of each stone by its cell."""
    first, second = [side.stones for side in state.sides]
    return {CELLS[cell]: 0 if first >> HOME[cell] & 1 else 1 for cell in cells_of(first | second)}
