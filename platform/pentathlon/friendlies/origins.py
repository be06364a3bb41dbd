"""The finished matches that friendlies may begin with, and what a person sees of a position.

Everybody may see a friendly once it is over, so it begins with nothing that only some may see.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from pentathlon.accounts.models import User
from pentathlon.core.errors import InvalidInput, NotFound
from pentathlon.friendlies.models import Friendly, FriendlyState
from pentathlon.friendlies.services import Origin
from pentathlon.matches.models import Match, MatchState
from pentathlon.matches.replays.services import read_record
from pentathlon_engines import GAMES
from pentathlon_engines.commentary.second_person import speak_to
from pentathlon_engines.contract.game import State
from pentathlon_engines.contract.presentation import Change
from pentathlon_engines.match.events import Event, apply_event_unchecked
from pentathlon_engines.match.friendly import resume

LATEST: Final = 20
"""How many of the latest events are told in words."""
_MARK: Final = re.compile(r'data-(?:cell|card|mark)="([^"]+)"')
_MOST_IN_WORDS: Final = 80
"""With more legal actions, none is told in words, since each would need the position after it."""


def origin_of(
    *,
    reader: User | None,
    match_id: int | None,
    friendly_id: int | None,
    ply: int,
    game: str | None = None,
    options: Mapping[str, Any] | None = None,  # Any: the game checks the values
) -> Origin | None:
    """Return the position that a reader names and may see; None if they name none."""
    if match_id is None and friendly_id is None:
        return None
    if match_id is not None and friendly_id is not None:
        raise InvalidInput(
            "Name either a match or a friendly to play on from.", code="one_origin", field="match"
        )
    if options:
        raise InvalidInput(
            "Leave the options out: they are those of the match.",
            code="options_of_origin",
            field="options",
        )
    origin = _of_match(reader, match_id, ply) if match_id is not None else None
    if friendly_id is not None:
        origin = _of_friendly(friendly_id, ply)
    if origin is not None and game not in (None, origin.record["game"]):
        raise InvalidInput(
            f"Leave the game out: it is {origin.record['game']}.",
            code="game_of_origin",
            field="game",
        )
    return origin


def _of_match(reader: User | None, match_id: int, ply: int) -> Origin:
    visible = Match.objects.visible_to(reader).filter(state=MatchState.DONE).with_privacy()
    match = visible.select_related("replay").filter(pk=match_id).first()
    if match is None or not hasattr(match, "replay"):
        raise NotFound(f"There is no finished match {match_id} that you may see.")
    if match.is_private:
        raise InvalidInput(
            f"Match {match_id} is not public, and your game would be. Play on from a public "
            "match, or at your desk from the record of this one, with `pentathlon fork`.",
            code="private_origin",
            field="match",
        )
    return Origin(record=read_record(match.replay), ply=ply, match=match)


def _of_friendly(friendly_id: int, ply: int) -> Origin:
    over = Friendly.objects.filter(state=FriendlyState.DONE)
    friendly = over.filter(pk=friendly_id).first()
    if friendly is None:
        raise NotFound(f"There is no finished friendly {friendly_id}.")
    return Origin(record=friendly.record, ply=ply, friendly=friendly)


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
    asked: str
    """What the person has to decide; empty unless the person is to move."""
    refusals: dict[str, str]
    """For cells and cards in the drawing with which no legal action begins, why."""
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
    board = state.svg(friendly.seat, ply=len(friendly.events))
    choices = _choices(state, friendly.seat) if friendly.is_persons_turn else ()
    asked = commentary.ask(seen) if choices else ""
    begun = {choice.touches[0] for choice in choices if choice.touches}
    refused = set(_MARK.findall(board)) - begun if choices else ()
    return Sight(
        board=board,
        observation=seen,
        to_move=-1 if state.to_move is None else state.to_move,
        points=commentary.points(seen),
        asked=asked,
        refusals={name: commentary.refuse(seen, name) or asked for name in sorted(refused)},
        choices=choices,
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
            said = speak_to(seat, commentary.tell(change)).removeprefix("You ")
            said = said[:1].upper() + said[1:]
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
            change = Change(before, event.seat, text, after)
            said = speak_to(friendly.seat, commentary.tell(change))
            told.append(ToldEvent(ply=ply + 1, seat=event.seat, said=said))
            before = after
    return told
