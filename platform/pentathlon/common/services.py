from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from pentathlon.common.models import Lease

RECONCILER: Final = "reconcile"
"""The lease of whoever hands matches out."""


@transaction.atomic
def take_lease(*, name: str, holder: str, ttl_s: float) -> bool:
    """Take or renew the right to do `name` alone for `ttl_s` seconds of the database's clock."""
    until = Now() + timedelta(seconds=ttl_s)
    free = Q(holder=holder) | Q(until__lte=Now())
    if Lease.objects.filter(free, name=name).update(holder=holder, until=until):
        return True
    _, made = Lease.objects.get_or_create(name=name, defaults={"holder": holder, "until": until})
    return made


def drop_lease(*, name: str, holder: str) -> None:
    """Let somebody else do `name` at once; nothing happens to a lease of somebody else."""
    Lease.objects.filter(name=name, holder=holder).update(until=Now())
