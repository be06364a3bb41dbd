"""Positions of Azure as JSON, as on its rules page (12); reading them is `reading.py`.

Beside the fields of the page there are `known`, what the other seat knows of each hand, `events`
with the index in `since` at which the last decision of each seat begins, and, while chance makes a
new hidden deck, `draws`, the cards still to be drawn.
"""

from __future__ import annotations

from pentathlon_engines.azure import events
from pentathlon_engines.azure.board import BEASTS, CELLS, COLOURS, letters, size
from pentathlon_engines.azure.table import PHASES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pentathlon_engines.azure.state import AzureState


def describe(state: AzureState) -> dict[str, Any]:
    """Return a whole position as a JSON object."""
    realm = state.realm
    log = [] if realm is None else [events.show(e, realm, secrets_of=(0, 1)) for e in state.log]
    hidden = "".join(COLOURS[colour] for colour in state.hidden)
    cards = {"hands": [letters(hand) for hand in state.hands], "hidden": hidden}
    history = {"known": _known(state), "events": log, "since": list(state.since)}
    return _frame(state) | cards | _open(state) | history


def show(state: AzureState, seat: int | None) -> dict[str, Any]:
    """Return a position as a seat or a spectator may see it; `you` and `legal` are not in it."""
    realm = state.realm
    since = max(state.since) if seat is None else state.since[seat]
    secrets_of = () if seat is None else (seat,)
    log = [] if realm is None else state.log[since:]
    view = _frame(state)
    if seat is not None:
        view["hand"] = letters(state.hands[seat])
    view["hand_sizes"] = [size(hand) for hand in state.hands]
    view["hidden_size"] = len(state.hidden)
    view |= _open(state)
    view["realm"] = None if realm is None else [list(row) for row in realm.codes]
    if seat is not None:
        view["known"] = _known(state)
    view["events"] = (
        []
        if realm is None
        else [events.show(event, realm, secrets_of=secrets_of) for event in log]
    )
    return view


def _known(state: AzureState) -> list[str]:
    return [letters(cards) for cards in state.known]


def _frame(state: AzureState) -> dict[str, Any]:
    return {
        "game": "azure",
        "options": dict(state.options),
        "layout": None if state.realm is None else list(state.realm.layout),
    }


def _open(state: AzureState) -> dict[str, Any]:
    """Return what everybody sees."""
    outcome = state.outcome
    decks = {letter: state.decks >> 4 * i & 15 for i, letter in enumerate(COLOURS)}
    draws = {"draws": state.draws} if state.draws and state.to_move == -1 else {}
    return {
        "decks": decks,
        "stones": stones(state),
        "gifted_at": [None if cell < 0 else CELLS[cell] for cell in state.gifted],
        "supply": list(state.supply),
        "wisdom": list(state.wisdom),
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
    first, second = state.stones
    return {
        name: 0 if first >> cell & 1 else 1
        for cell, name in enumerate(CELLS)
        if (first | second) >> cell & 1
    }
