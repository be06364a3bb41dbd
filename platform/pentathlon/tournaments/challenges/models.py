from __future__ import annotations

from typing import Final, Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from pentathlon.accounts.models import User
from pentathlon.bots.models import BotVersion
from pentathlon.matches.models import Match, MatchQuerySet
from pentathlon_engines.strength.sprt import BlockScore, counts_of, score_of

FIRST_LANE: Final = 2**40
"""Lanes below it belong to tournaments."""


class ChallengeState(models.TextChoices):
    """The states of a challenge."""

    RUNNING = "running", "running"
    DONE = "done", "done"
    CANCELLED = "cancelled", "cancelled"


class ChallengeQuerySet(models.QuerySet["Challenge"]):
    """Named queries for challenges."""

    def listed(self) -> Self:
        """Load author, bots and their owners with the rows; the latest first."""
        rows = self.select_related("author", "version__bot__owner", "opponent__bot__owner")
        hidden = ("validation_log", "manifest")
        deferred = (f"{side}__{name}" for side in ("version", "opponent") for name in hidden)
        return rows.defer(*deferred).order_by("-pk")

    def under_way(self) -> Self:
        """Return challenges with matches that have not ended."""
        return self.filter(state=ChallengeState.RUNNING)

    def by_author(self, author: User) -> Self:
        """Return the challenges that somebody has made."""
        return self.filter(author=author)


class Challenge(models.Model):
    """Some blocks between a version of the author's and another one: unrated, played at once."""

    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="challenges"
    )
    game = models.CharField(max_length=30)
    version = models.ForeignKey(
        BotVersion, on_delete=models.PROTECT, related_name="challenges_made"
    )
    """The version that challenges."""
    opponent = models.ForeignKey(
        BotVersion, on_delete=models.PROTECT, related_name="challenges_met"
    )
    others = models.JSONField(default=list)
    """The ids of the versions in the other chairs of a larger table."""
    blocks = models.PositiveSmallIntegerField()
    """How many blocks it has; each has a seed that nobody knows before the block is done."""
    planned = models.PositiveSmallIntegerField()
    """How many matches it has in all."""
    done = models.PositiveSmallIntegerField(default=0)
    void = models.PositiveSmallIntegerField(default=0)
    cells = models.JSONField(default=list)
    """The challenger's half points in each complete block, in order."""
    state = models.CharField(max_length=10, choices=ChallengeState, default=ChallengeState.RUNNING)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    finished_at = models.DateTimeField(null=True)

    objects = ChallengeQuerySet.as_manager()

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=~Q(version=F("opponent")), name="challenges_two_versions"
            ),
        )
        indexes = (
            models.Index(fields=("author", "-id"), name="challenges_of_author"),
            models.Index(fields=("author", "created_at"), name="challenges_quota"),
            models.Index(fields=("version", "opponent", "-id"), name="challenges_of_pair"),
            models.Index(
                fields=("author",), condition=Q(state="running"), name="challenges_under_way"
            ),
        )

    def __str__(self) -> str:
        return f"challenge {self.pk}"

    @property
    def is_test(self) -> bool:
        """Whether the author tests two of their own versions against each other."""
        return self.version.bot.owner_id == self.opponent.bot.owner_id

    @property
    def block_size(self) -> int:
        """Matches in each block."""
        return self.planned // self.blocks

    @property
    def lane(self) -> int:
        """The lane in which its matches wait."""
        return FIRST_LANE + self.pk

    @property
    def matches(self) -> MatchQuerySet:
        """Its matches, block by block."""
        return Match.objects.of_lane(self.lane).order_by("pk")

    @property
    def score(self) -> BlockScore | None:
        """The score of the complete blocks so far."""
        return score_of(counts_of(self.cells, matches=self.block_size))


def challenge_of_lane(lane: int) -> int | None:
    """Return the id of the challenge whose matches wait in a lane; None for any other lane."""
    return lane - FIRST_LANE if lane > FIRST_LANE else None
