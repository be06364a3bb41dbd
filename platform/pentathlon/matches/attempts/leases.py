"""Renews the leases of several matches with as many queries as a single match takes."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import Case, IntegerField, Q, Value, When
from django.db.models.functions import Now

from pentathlon.matches.jobs import LEASE_S
from pentathlon.matches.models import Match, MatchState


@transaction.atomic
def renew_leases(leases: Mapping[UUID, tuple[int, int]]) -> set[UUID]:
    """Renew leases, given by token as match and ply, and store the plies.

    Returns the tokens that still hold their match.
    """
    if not leases:
        return set()
    named = Q(*(Q(pk=pk, token=token) for token, (pk, _) in leases.items()), _connector=Q.OR)
    held = Match.objects.filter(named, state=MatchState.RUNNING).order_by("pk")
    kept = list(held.select_for_update().values_list("pk", "token"))
    plies = [
        When(pk=pk, then=Value(leases[token][1], IntegerField())) for pk, token in kept if token
    ]
    if plies:
        Match.objects.filter(pk__in=[pk for pk, _ in kept]).update(
            ply=Case(*plies, output_field=IntegerField()),
            lease_until=Now() + timedelta(seconds=LEASE_S),
        )
    return {token for _, token in kept if token}
