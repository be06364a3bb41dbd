"""The workers that are there: they announce themselves, and whoever plans asks for them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from django.db.models.functions import Now

from pentathlon.matches.fleet_models import Worker
from pentathlon.matches.needs import Abilities, Announcement, Needs

BEAT_S: Final = 5
"""How often a worker says that it is there."""
_FORGOTTEN_AFTER = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Fleet:
    """All workers that are alive, as far as planning goes."""

    slots: int
    held_slots: int
    """Those that take no matches for now, because their hosts have too little CPU time."""
    abilities: tuple[Abilities, ...]

    @property
    def runtimes(self) -> set[str]:
        """What any worker offers."""
        return {runtime for each in self.abilities for runtime in each.runtimes}

    def covers(self, needs: Needs) -> bool:
        """Tell whether there is a worker for such a match."""
        return any(each.cover(needs) for each in self.abilities)

    def lacks(self, needs: Needs) -> tuple[str, str] | None:
        """Say why no worker can play such a match, as code and sentence; None if one can."""
        if not self.abilities:
            return "no_worker", "No worker is alive."
        shortcomings = [list(each.lacks(needs)) for each in self.abilities]
        if not all(shortcomings):
            return None
        shared = [lack for lack in shortcomings[0] if all(lack in each for each in shortcomings)]
        if shared:
            code, words = shared[0]
            return code, f"No worker {words}."
        return "no_worker_for_all", "Each worker lacks something that this match needs."


def announce_worker(told: Announcement) -> None:
    """Store that a worker is there and what it offers."""
    facts = {
        "slots": told.slots,
        "games": told.games,
        "runtimes": sorted(told.runtimes),
        "sandbox": told.sandbox,
        "layers": told.layers,
        "version": told.version,
        "started_at": Now() - timedelta(seconds=time.monotonic() - told.began_s),
        "is_draining": False,
        "seen_at": Now(),
    }
    Worker.objects.update_or_create(name=told.name, defaults=facts)


def beat(*, name: str, starved: float = 0.0, held_slots: int = 0) -> bool:
    """Say that a worker is still there, and how short of CPU time its host is.

    False if it has to announce itself again.
    """
    facts = {"starved": starved, "held_slots": held_slots, "seen_at": Now()}
    return bool(Worker.objects.filter(name=name).update(**facts))


def note_draining(*, name: str) -> None:
    """Say that a worker finishes what it has and takes no more."""
    Worker.objects.filter(name=name).update(is_draining=True, seen_at=Now())


def forget_silent_workers() -> int:
    """Remove the rows of workers that have long been gone; return how many."""
    gone, _ = Worker.objects.filter(seen_at__lt=Now() - _FORGOTTEN_AFTER).delete()
    return gone


def read_fleet() -> Fleet:
    """Return the workers that are alive now."""
    workers = list(Worker.objects.alive())
    return Fleet(
        slots=sum(worker.slots for worker in workers),
        held_slots=sum(worker.held_slots for worker in workers),
        abilities=tuple(dict.fromkeys(map(Abilities.of, workers))),
    )
