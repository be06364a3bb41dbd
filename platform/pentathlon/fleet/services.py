"""Everything that changes workers' rows: they describe themselves and send heartbeats."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Final

from django.db.models.functions import Now

from pentathlon.fleet.announcements import Announcement
from pentathlon.fleet.models import Worker, WorkerToken

FORGOTTEN_AFTER: Final = timedelta(hours=1)


def announce_worker(announcement: Announcement, *, token: WorkerToken | None = None) -> None:
    """Store that a worker is alive and what it can play, and by which token it works."""
    facts = {
        "slots": announcement.slots,
        "games": announcement.games,
        "runtimes": sorted(announcement.runtimes),
        "untried": sorted(announcement.untried),
        "sandbox": announcement.sandbox,
        "layers": announcement.layers,
        "version": announcement.version,
        "started_at": Now() - timedelta(seconds=time.monotonic() - announcement.began_s),
        "is_draining": False,
        "seen_at": Now(),
        "token": token,
        "work": [] if token is None else token.work,
    }
    Worker.objects.update_or_create(name=announcement.name, defaults=facts)


def record_heartbeat(*, name: str, starved: float = 0.0, held_slots: int = 0) -> bool:
    """Store that a worker is still alive, and how short of CPU time its host is.

    Return False if its row is gone: then it has to announce itself again.
    """
    facts = {"starved": starved, "held_slots": held_slots, "seen_at": Now()}
    return bool(Worker.objects.filter(name=name).update(**facts))


def mark_draining(*, name: str) -> None:
    """Store that a worker finishes its matches and takes no more."""
    Worker.objects.filter(name=name).update(is_draining=True, seen_at=Now())


def forget_silent_workers() -> int:
    """Delete the rows of workers that have been silent for an hour; return how many."""
    gone, _ = Worker.objects.filter(seen_at__lt=Now() - FORGOTTEN_AFTER).delete()
    return gone
