"""The view of the person in a friendly: the board, the events, and the legal actions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from pentathlon.core.errors import NotFound
from pentathlon.friendlies.models import Friendly
from pentathlon_engines import GAMES
from pentathlon_engines.contract.game import State
from pentathlon_engines.contract.presentation import Change
from pentathlon_engines.match.events import Event, apply_event_unchecked
from pentathlon_engines.match.friendly import resume

LATEST: Final = 20
"""How many of the latest events are told in words."""
_MOST_IN_WORDS: Final = 80
"""With more legal actions, none is told in words, since each would need the position after it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LegalChoice:
    """A legal action, as a person reads it and points at it."""

    text: str
    said: str
    touches: tuple[str, ...]
    """The cells and cards in the drawing that the action names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldEvent:
    """An event as the person saw it."""

    ply: int
    seat: int
    said: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """A friendly under way, as its person sees it."""

    board: str
    observation: dict[str, Any]  # Any: the JSON of a game
    to_move: int
    points: list[int] | None
    choices: tuple[LegalChoice, ...]
    """The legal actions; empty unless the person is to move."""
    latest: tuple[ToldEvent, ...]
    """The latest events, newest first."""


def look_at(friendly: Friendly) -> Sight:
    """Return what the person sees of a friendly that is under way."""
    if not friendly.is_under_way:
        raise NotFound("This game is over: look at its record.")
    state = resume(friendly.course).state
    seen = state.observation(friendly.seat)
    commentary = GAMES[friendly.game].commentary()
    return Sight(
        board=state.svg(friendly.seat, ply=len(friendly.events)),
        observation=seen,
        to_move=-1 if state.to_move is None else state.to_move,
        points=commentary.points(seen),
        choices=_choices(state, friendly.seat) if friendly.is_persons_turn else (),
        latest=tuple(reversed(_tell(friendly))),
    )


def _choices(state: State, seat: int) -> tuple[LegalChoice, ...]:
    actions = state.legal_actions()
    game, commentary = state.game, state.game.commentary()
    before = state.observation(seat)
    is_short = len(actions) <= _MOST_IN_WORDS
    choices = []
    for action in actions:
        text = said = state.text(action)
        if is_short:
            after = state.copy()
            after.apply_unchecked(action)
            change = Change(before, seat, text, after.observation(seat), is_foreseen=True)
            said = commentary.tell(change)
        touches = tuple(game.touches(state, action))
        choices.append(LegalChoice(text=text, said=said, touches=touches))
    return tuple(choices)


def _tell(friendly: Friendly) -> list[ToldEvent]:
    """Return the latest events in words, as the person saw them."""
    commentary = GAMES[friendly.game].commentary()
    events = [Event.of(row) for row in friendly.events]
    first = max(0, len(events) - LATEST)
    state = GAMES[friendly.game].start(len(friendly.seats.all()), friendly.options)
    told: list[ToldEvent] = []
    before: dict[str, Any] = {}  # Any: the JSON of a game
    for ply, event in enumerate(events):
        if ply == first:
            before = state.observation(friendly.seat)
        text = state.event_for(friendly.seat, event.text) if ply >= first else ""
        apply_event_unchecked(state, event)
        if ply >= first:
            after = state.observation(friendly.seat)
            said = commentary.tell(Change(before, event.seat, text, after))
            told.append(ToldEvent(ply=ply + 1, seat=event.seat, said=said))
            before = after
    return told
