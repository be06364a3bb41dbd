"""Everything that changes workers' rows: they describe themselves and send heartbeats."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Final

from django.db.models.functions import Now

from pentathlon.core.errors import Conflict
from pentathlon.fleet.announcements import MOST_SLOTS, Announcement
from pentathlon.fleet.models import Worker, WorkerToken
from pentathlon_engines.commentary.words import count

FORGOTTEN_AFTER: Final = timedelta(hours=1)


def announce_worker(announcement: Announcement, *, token: WorkerToken | None = None) -> None:
    """Store that a worker is alive and what it can play, and by which token it works.

    Raises:
        Conflict: the token has too many workers; an honest one gets through when others have
            fallen silent.
    """
    if token is not None:
        _check_number(announcement.name, token)
    facts = {
        "slots": min(announcement.slots, MOST_SLOTS if token is None else token.slots),
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


def mark_draining(name: str) -> None:
    """Store that a worker finishes its matches and takes no more."""
    Worker.objects.filter(name=name).update(is_draining=True, seen_at=Now())


def forget_silent_workers() -> int:
    """Delete the rows of workers that have been silent for an hour; return how many."""
    gone, _ = Worker.objects.filter(seen_at__lt=Now() - FORGOTTEN_AFTER).delete()
    return gone


def _check_number(name: str, token: WorkerToken) -> None:
    """Refuse a new worker of a token that has two for each slot: new ones beside draining ones."""
    own = Worker.objects.lately_seen().filter(token=token)
    if own.count() >= 2 * token.slots and not own.filter(name=name).exists():
        raise Conflict(
            f"The worker token {token.name} has {count(token.slots, 'slot')} and already twice as "
            "many workers. Stop some, or ask the staff of this site for a token with more slots.",
            code="too_many_workers",
        )
