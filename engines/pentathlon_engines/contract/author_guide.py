"""A game's lesson, and its guide for bot authors: observations by field, and notation.

Each game's words lie beside its serialization in `author_guide.json`; those for fields that all
games share in `frame.json`. Pages and tests read them here, bots never do.

The path of a field names the fields that lead to it: `board.*.owner` is the owner of any piece,
`storage[].spirit` that of any item of a list. An object is a mapping with any keys if `fields` has
a path that ends with `.*` for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any, Final, NamedTuple

import pentathlon_engines
from pentathlon_engines.contract.game import CHANCE, Game, State
from pentathlon_engines.contract.presentation import Change
from pentathlon_engines.contract.registry import GAMES
from pentathlon_engines.light_json import read_data

_ANY: Final = ".*"


class Notation(NamedTuple):
    """One kind of text: a regular expression for the whole of it, an example, and its meaning."""

    pattern: str
    example: str
    meaning: str


class AuthorGuide(NamedTuple):
    """The words about one game."""

    fields: dict[str, str]
    """The meaning of each field of an observation, by its path."""
    actions: list[Notation]
    events: list[Notation]
    """Texts that are not actions: decisions of chance, and what stands in place of secrets."""
    shown: dict[str, Any]  # Any: JSON
    """The position of the example: `seed`, `ply` and perhaps `seats` and `options`."""


def author_guide(game: str) -> AuthorGuide:
    """Return the words about a game."""
    frame = read_data(__file__, "frame.json")
    words = read_data(pentathlon_engines.__file__, f"{game}/author_guide.json")
    return AuthorGuide(
        fields={**frame, **words["fields"]},
        actions=[Notation(**row) for row in words["actions"]],
        events=[Notation(**row) for row in words["events"]],
        shown=words["shown"],
    )


def example_position(game: str) -> State:
    """Return the position of the example: random play with a fixed seed, as far as `ply`.

    It is always one in which a seat decides.
    """
    shown = author_guide(game).shown
    state = GAMES[game].start(shown.get("seats"), shown.get("options"))
    rng = Random(shown["seed"])
    ply = 0
    while ply < shown["ply"] or state.to_move == CHANCE:
        if state.to_move == CHANCE:
            state.apply_chance(state.sample_chance(rng))
        else:
            # Actions are drawn as in `playthrough.py`, so that the example is a position of a
            # playthrough.
            actions = state.legal_actions()
            state.apply_unchecked(actions[int(rng.random() * len(actions))])
        ply += 1
    return state


def observed_fields(
    value: object, words: Mapping[str, str], path: str = ""
) -> Iterator[tuple[str, object]]:
    """Yield every field of an observation with its path, parents first.

    A path comes as often as it occurs, for each key of a mapping and each item of a list.
    """
    if isinstance(value, dict):
        is_mapping = path + _ANY in words
        for name, inner in value.items():
            field = path + _ANY if is_mapping else f"{path}.{name}".lstrip(".")
            yield field, inner
            yield from observed_fields(inner, words, field)
    elif isinstance(value, list):
        for item in value:
            if isinstance(item, dict | list):
                yield from observed_fields(item, words, f"{path}[]")


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
