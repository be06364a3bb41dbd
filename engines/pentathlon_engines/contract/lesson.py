"""A lesson: the rules of a game in a minute, step by step, made of real positions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pentathlon_engines.contract.game import CHANCE, Game, State
from pentathlon_engines.contract.presentation import Change


class LessonStep(NamedTuple):
    """One step of a lesson."""

    title: str
    text: str
    """What the step teaches, in a few sentences."""
    said: list[str]
    """What happens in the step, as the commentary says it."""
    state: State
    """The position to be drawn."""
    viewer: int | None
    """In games with hidden parts, the seat whose view is drawn, with its hand; None in others."""


def steps_of(game: Game) -> Iterator[LessonStep]:
    """Yield the steps of a lesson; each continues the one before or has its own position."""
    viewer = 0 if game.info.hidden else None
    state = game.start()
    for step in game.lesson():
        if "position" in step:
            state = game.load(step["position"])
        said = [_do(state, text) for text in step["actions"]]
        if state.outcome is not None:
            said.append(game.commentary().tell_end(state.observation(viewer)))
        yield LessonStep(step["title"], step["text"], said, state.copy(), viewer)


def _do(state: State, text: str) -> str:
    """Do an action and return it in words."""
    seat, before = state.to_move, state.observation(None)
    state.apply(state.parse(text))
    change = Change(before, CHANCE if seat is None else seat, text, state.observation(None))
    return state.game.commentary().tell(change)
