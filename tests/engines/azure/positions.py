"""Positions of Azure for its tests."""

from typing import Any

from pentathlon_engines import GAMES
from pentathlon_engines.azure import AzureState

AZURE = GAMES["azure"]
LAYOUT = ["A1.0", "W1.0", "V1.0", "B1.0"]


def load(data: dict[str, Any]) -> AzureState:
    state = AZURE.load(data)
    assert isinstance(state, AzureState)
    return state


def position(gifted: str = "none", **fields: Any) -> AzureState:
    """Return a position with the plain layout and seat 0 to move."""
    usual = {"layout": LAYOUT, "to_move": 0, "hands": ["", "AWVB"], "hidden": "WVB"}
    return load(usual | {"options": {"gifted": gifted}} | fields)


def do(state: AzureState, *texts: str) -> AzureState:
    """Do actions by their texts."""
    for text in texts:
        state.apply(state.parse(text))
    return state


def legal(state: AzureState) -> list[str]:
    """Return the texts of the legal actions."""
    return [state.text(action) for action in state.legal_actions()]


def kinds(state: AzureState, seat: int | None = None) -> list[str]:
    """Return the kinds of the events that a seat hears of."""
    return [event["kind"] for event in state.observation(seat)["events"]]
