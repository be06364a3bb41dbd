from datetime import timedelta
from typing import Final

from django.db.models import Q
from django.db.models.functions import Now

from pentathlon.core.models import Leadership

RECONCILER: Final = "reconcile"
"""The leadership of the process that hands matches out."""
LOOPS: Final = (
    RECONCILER,
    "accounts",
    "analyses",
    "close",
    "datasets",
    "explorer",
    "ladders",
    "publishing",
    "ratings",
    "recompute",
    "results",
    "retention",
    "schedule",
    "webhooks",
)
"""The loops that must never end; each has a leadership of its own."""

_LONGEST_WAIT_S: Final = 60


def acquire_leadership(*, name: str, holder: str, ttl_s: float) -> bool:
    """Acquire or renew the right to do `name` alone for `ttl_s` seconds of the database's clock.

    It is one statement without a transaction: a process that hangs in a transaction would keep
    the row locked, and all others waiting. Call it outside of transactions for the same reason.
    """
    until = Now() + timedelta(seconds=ttl_s)
    # An end further ahead than any holder asks for means that the clock was set back, and the
    # holder may be dead. The slack covers a statement that waited for the row: its `Now()` is the
    # time at which it began.
    set_back = Q(until__gt=until + timedelta(seconds=_LONGEST_WAIT_S))
    free = Q(holder=holder) | Q(until__lte=Now()) | set_back
    if Leadership.objects.filter(free, name=name).update(holder=holder, until=until):
        return True
    _, made = Leadership.objects.get_or_create(
        name=name, defaults={"holder": holder, "until": until}
    )
    return made


def silent_loops() -> list[str]:
    """Return the loops that no process runs at the moment."""
    led = Leadership.objects.filter(name__in=LOOPS, until__gt=Now())
    return sorted({*LOOPS}.difference(led.values_list("name", flat=True)))


def give_up_leadership(*, name: str, holder: str) -> None:
    """Release the leadership of `name`; do nothing if the holder does not have it."""
    Leadership.objects.filter(name=name, holder=holder).update(until=Now())
