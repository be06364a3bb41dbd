"""What every commentary promises."""

import random
import re
from typing import Any

from pentathlon_engines import CHANCE, State
from pentathlon_engines.commentary.words import COLOURS
from pentathlon_engines.contract.presentation import Change
from tests.engines.contract.setups import Setup

Viewer = int | None
_ALL_OF_A_MATCH = 60
_THEN_EVERY = 11
_DECISIONS = 15
_CHOICES = 6


def check_commentary(setup: Setup, seed: int) -> None:
    """Read what is told of a match to a spectator, to each seat, and to who sees everything."""
    state, rng = setup.start(), random.Random(seed)
    ply = 0
    while state.to_move is not None:
        ply += 1
        seat = state.to_move
        text = _draw(state, rng)
        is_read = ply <= _ALL_OF_A_MATCH or ply % _THEN_EVERY == 0
        seen = _views(state, text) if is_read else {}
        if seat == CHANCE:
            state.apply_chance(text)
        else:
            state.apply(state.parse(text))
        after = _views(state, text) if is_read else {}
        for viewer, (before, event) in seen.items():
            _check_sentence(state, Change(before, seat, event, after[viewer][0]))
    _check_end(state)


def check_choices(setup: Setup, seed: int) -> None:
    """Compare what legal actions are said to do where only what a seat cannot know differs."""
    state, rng, looked_at = setup.start(), random.Random(seed), 0
    while state.to_move is not None and looked_at < _DECISIONS:
        seat = state.to_move
        if seat != CHANCE and rng.random() < 0.5:
            looked_at += 1
            legal = state.legal_actions()
            chosen = rng.sample(legal, min(len(legal), _CHOICES))
            other = state.determinize(seat, rng)
            assert _choices(other, seat, chosen) == _choices(state, seat, chosen)
        text = _draw(state, rng)
        if seat == CHANCE:
            state.apply_chance(text)
        else:
            state.apply(state.parse(text))


def _choices(state: State, seat: int, actions: list[int]) -> list[tuple[str, list[str]]]:
    told = []
    for action in actions:
        after = state.copy()
        after.apply(action)
        before, text = state.observation(seat), state.text(action)
        change = Change(before, seat, text, after.observation(seat), is_foreseen=True)
        touches = list(state.game.touches(state, action))
        told.append((state.game.commentary().tell(change), touches))
    return told


def _draw(state: State, rng: random.Random) -> str:
    if state.to_move == CHANCE:
        return state.sample_chance(rng)
    return state.text(rng.choice(state.legal_actions()))


def _views(state: State, text: str) -> dict[Any, tuple[dict[str, Any], str]]:
    """Return position and event as each viewer sees them; `all` sees everything."""
    views: dict[Any, tuple[dict[str, Any], str]] = {"all": (state.to_json(), text)}
    for seat in (None, *range(state.seats)):
        event = text if state.outcome else state.event_for(seat, text)
        views[seat] = state.observation(seat), event
    return views


def _check_sentence(state: State, change: Change) -> None:
    commentary = state.game.commentary()
    said = commentary.tell(change)
    assert re.fullmatch(r"[A-Z+][^_{}\[\]]+[^.;, ]", said), said
    assert "None" not in said
    if change.seat != CHANCE:
        assert said.startswith((change.who, "With ")), said
        assert change.who in said
    points = commentary.points(change.after)
    assert points is None or len(points) == state.seats


def _check_end(state: State) -> None:
    assert state.outcome is not None
    commentary, last = state.game.commentary(), state.observation(None)
    said = commentary.tell_end(last)
    winners = [seat for seat, rank in enumerate(state.outcome.ranks) if rank == 0]
    if len(winners) < state.seats:
        assert all(COLOURS[seat] in said for seat in winners), said
        assert "win" in said
    points = commentary.points(last)
    if points is not None and state.outcome.scores is not None:
        assert points == list(state.outcome.scores)
