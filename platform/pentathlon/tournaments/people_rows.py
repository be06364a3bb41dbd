"""People of a tournament besides its owner and those who play: co-organisers, invited authors."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now


class CoOrganiser(models.Model):
    """An organiser who accepted to run a tournament together with its owner."""

    tournament = models.ForeignKey(
        "tournaments.Tournament", on_delete=models.CASCADE, related_name="co_organisers"
    )
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="co_organised"
    )
    since = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("tournament", "person"), name="tournaments_organiser_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.person_id} organises tournament {self.tournament_id}"


class Invitation(models.Model):
    """An author who may enter bots in a tournament by invitation."""

    tournament = models.ForeignKey(
        "tournaments.Tournament", on_delete=models.CASCADE, related_name="invitations"
    )
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="invitations"
    )
    invited_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("tournament", "person"), name="tournaments_invited_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.person} is invited to {self.tournament}"
