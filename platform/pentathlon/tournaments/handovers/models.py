from __future__ import annotations

from typing import Final, Self

from django.conf import settings
from django.db import models
from django.db.models import Q
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
SHARED_IN: Final = (TournamentState.DRAFT, *HANDED_OVER_IN)
"""The states in which there is something to organise together, if only a release of results."""


class OrganiserRole(models.TextChoices):
    """What somebody is to a tournament that several may organise."""

    OWNER = "owner", "owns it"
    CO_ORGANISER = "co_organiser", "organises it, too"
    ASKED = "asked", "was asked to"


class HandoverQuerySet(models.QuerySet["Handover"]):
    """Named queries for offers."""

    def open_to(self, person: User) -> Self:
        """Return the offers that this person may accept, the latest first."""
        in_time = Q(tournament__state__in=HANDED_OVER_IN)
        in_time |= Q(is_shared=True, tournament__state__in=SHARED_IN)
        found = self.filter(in_time, person=person)
        return found.select_related("tournament__owner").order_by("-pk")


class Handover(models.Model):
    """An organiser's offer to hand a tournament over, or to share it, until it is answered."""

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="offers")
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="handovers"
    )
    """The organiser to whom it is offered."""
    is_shared = models.BooleanField(default=False, db_default=False)
    """Whether the owner stays, and the person only joins the organisers."""
    offered_at = models.DateTimeField(db_default=Now(), editable=False)

    objects = HandoverQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("tournament",),
                condition=Q(is_shared=False),
                name="handovers_one_successor",
            ),
            models.UniqueConstraint(
                fields=("tournament", "person"), name="handovers_one_offer_each"
            ),
        )

    def __str__(self) -> str:
        return f"tournament {self.tournament_id} to {self.person_id}"
