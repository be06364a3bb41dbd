"""Expires leases of silent workers, unless the silence may be our own fault.

While the database is away, no worker can renew a lease. When the database is back, a look for
expired leases might come before any renewal. So after a gap between two looks, workers get one
whole lease to report; only then does silence count.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.db.models.functions import Now

from pentathlon.core.models import Leadership
from pentathlon.matches.jobs import LEASE_S
from pentathlon.matches.models import Match
from pentathlon.matches.services import return_expired_leases

GAP_S: Final = 10
"""Seconds between two looks that count as an outage; leases outlive shorter ones."""
_WATCH: Final = "leases-watched"
_TRUCE: Final = "leases-truce"
_HOLDER: Final = "all"
_NOTE_EVERY = timedelta(seconds=1)


def watch_leases() -> list[Match]:
    """Give back the matches of workers that fell silent, but not because of an outage.

    Call it again and again, from any number of processes: its state is in the database.
    """
    if _note_look() and not _is_truce():
        return return_expired_leases()
    return []


def _note_look() -> bool:
    """Store the time of this look; return False if the gap since the last one was too long."""
    looks = Leadership.objects.filter(name=_WATCH)
    # However many processes look, the row is changed once a second at most.
    if looks.filter(until__gt=Now() - _NOTE_EVERY).exists():
        return True
    if looks.filter(until__gt=Now() - timedelta(seconds=GAP_S)).update(until=Now()):
        return True
    if not _note(_WATCH, 0):
        # At the first look ever, no worker can have been kept from renewing a lease.
        return True
    _note(_TRUCE, LEASE_S)
    return False


def _is_truce() -> bool:
    return Leadership.objects.filter(until__gt=Now(), name=_TRUCE).exists()


def _note(name: str, seconds: float) -> bool:
    """Store a time; return whether there was one before."""
    until = Now() + timedelta(seconds=seconds)
    if Leadership.objects.filter(name=name).update(until=until):
        return True
    Leadership.objects.get_or_create(name=name, defaults={"holder": _HOLDER, "until": until})
    return False
