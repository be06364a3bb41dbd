from __future__ import annotations

from typing import Final, Self

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from pentathlon.accounts.models import User
from pentathlon.tournaments.models import Tournament, TournamentState

HANDED_OVER_IN: Final = (
    TournamentState.OPEN,
    TournamentState.RUNNING,
    TournamentState.PAUSED,
    TournamentState.CLOSED,
)
"""The states in which a tournament needs an organiser, so it can be handed over.

The organiser of a closed one may still have hidden results to release."""


class HandoverQuerySet(models.QuerySet["Handover"]):
    """Named queries for offers."""

    def open_to(self, person: User) -> Self:
        """Return the offers that this person may accept, the latest first."""
        found = self.filter(person=person, tournament__state__in=HANDED_OVER_IN)
        return found.select_related("tournament__owner").order_by("-pk")


class Handover(models.Model):
    """An organiser's offer to hand a tournament over to another one, until it is answered."""

    tournament = models.OneToOneField(
        Tournament, on_delete=models.CASCADE, related_name="handover"
    )
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="handovers"
    )
    """The organiser to whom it is offered."""
    offered_at = models.DateTimeField(db_default=Now(), editable=False)

    objects = HandoverQuerySet.as_manager()

    def __str__(self) -> str:
        return f"tournament {self.tournament_id} to {self.person_id}"
