from datetime import timedelta
from typing import Final

from django.db.models import Q
from django.db.models.functions import Now

from pentathlon.common.models import Lease

RECONCILER: Final = "reconcile"
"""The lease of whoever hands matches out."""

_LONGEST_WAIT_S: Final = 60


def take_lease(*, name: str, holder: str, ttl_s: float) -> bool:
    """Take or renew the right to do `name` alone for `ttl_s` seconds of the database's clock.

    One statement without a transaction around it: a process that hangs between the two would
    keep the row, and with it everybody else. Call it outside of transactions for the same reason.
    """
    until = Now() + timedelta(seconds=ttl_s)
    # Further ahead than any lease lasts: the clock was set back since, and the holder may be dead.
    # A statement that waited for the row compares with the time at which it began.
    set_back = Q(until__gt=until + timedelta(seconds=_LONGEST_WAIT_S))
    free = Q(holder=holder) | Q(until__lte=Now()) | set_back
    if Lease.objects.filter(free, name=name).update(holder=holder, until=until):
        return True
    _, made = Lease.objects.get_or_create(name=name, defaults={"holder": holder, "until": until})
    return made


def drop_lease(*, name: str, holder: str) -> None:
    """Let somebody else do `name` at once; nothing happens to a lease of somebody else."""
    Lease.objects.filter(name=name, holder=holder).update(until=Now())
