"""The things that strikes can reach, and what a strike is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final, TypeVar

from django.conf import settings
from redis import Redis

from pentathlon.local.servers.postgres import PostgresServer
from tools.chaos.clock import Clock
from tools.chaos.crew import Crew
from tools.chaos.disks import Disks
from tools.chaos.network import Network

DATABASE: Final = "database"
"""The name of the database among what is away."""

Item = TypeVar("Item")
Later = Callable[[float, Callable[[], None]], None]
"""A function that has something done after that many seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """The things that a strike can reach."""

    crew: Crew
    disks: Disks
    postgres: PostgresServer | None
    rng: Random
    later: Later
    networks: Sequence[Network] = ()
    clock: Clock | None = None
    away: set[str] = field(default_factory=set)
    """The names of what is away for a while and must not be struck meanwhile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Strike:
    """One way of doing harm; `weight` says how often it is drawn compared with the others."""

    name: str
    weight: int
    do: Callable[[Scene], bool]
    """Strikes; returns False if there was nothing to strike at the moment."""


def one_of(scene: Scene, items: Sequence[Item]) -> Item | None:
    """Return one of some things by the scene's luck; None if there is none."""
    return scene.rng.choice(items) if items else None


def broker() -> Redis:
    """Return a connection to the broker."""
    return Redis.from_url(str(settings.REDIS_URL))
