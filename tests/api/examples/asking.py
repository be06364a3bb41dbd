"""Calls of the API as examples: who asks, for what, and with which body."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tests.api.examples.world import World

Json = Any  # any JSON


class Id(NamedTuple):
    """Stands for the id of a thing of the world, by its name."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request."""

    who: str = "anonymous"
    path: Mapping[str, object] = field(default_factory=dict)
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Json = None
    files: Mapping[str, tuple[tuple[str, bytes], ...]] = field(default_factory=dict)
    """For each field of a form, its files with their names; the other fields are in `body`."""


Making = Callable[[World], Call]


def at(
    who: str = "anonymous",
    *,
    query: Mapping[str, object] | None = None,
    body: Json = None,
    **path: object,
) -> Making:
    """Return how to make a call; an `Id` in it stands for a thing of the world."""

    def make(world: World) -> Call:
        return Call(
            who=who,
            path=_filled(path, world),
            query=_filled(query or {}, world),
            body=_filled(body, world),
        )

    return make


def after(step: Callable[[World], object], making: Making) -> Making:
    """Return how to make a call after a step that changes the world for it."""

    def make(world: World) -> Call:
        step(world)
        return making(world)

    return make


def _filled(value: Json, world: World) -> Json:
    if isinstance(value, Id):
        return world.ids[value.name]
    if isinstance(value, Mapping):
        return {name: _filled(each, world) for name, each in value.items()}
    if isinstance(value, list):
        return [_filled(each, world) for each in value]
    return value
