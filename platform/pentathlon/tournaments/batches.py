"""The rows of a schedule that is made batch by batch."""

from __future__ import annotations

from typing import Final, Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from pentathlon.matches.models import Match

LONGEST_REASON: Final = 300


class Batch(models.Model):
    """The blocks that a format made in one step, and its input for that step.

    The row is stored before the first of its blocks, so that whoever goes on after a crash makes
    the same blocks.
    """

    tournament = models.ForeignKey(
        "tournaments.Tournament", on_delete=models.CASCADE, related_name="batches"
    )
    number = models.PositiveIntegerField()
    """The number of the batch, from 1 without gaps."""
    input = models.JSONField(null=True)
    """What has changed since the previous batch: the entries that have left, and the results of
    blocks if the format reads them. Null if the blocks were made before there were batches."""
    input_digest = models.CharField(max_length=64, blank=True, db_default="")
    """The SHA-256 of the previous batch's digest and of `input`."""
    first_block = models.PositiveIntegerField()
    """The number of the batch's first block."""
    last_block = models.PositiveIntegerField()
    """The number of the batch's last block, which may still have to be stored."""
    made_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("tournament", "number"), name="tournaments_batch_once"
            ),
        )

    def __str__(self) -> str:
        return f"batch {self.number} of tournament {self.tournament_id}"


class BlockState(models.TextChoices):
    """Whether a block has its results."""

    OPEN = "open", "not all played"
    COMPLETE = "complete", "complete"
    VOID = "void", "void: none of its matches counts"
    PARTIAL = "partial", "cut short, because a bot has left"
    """What was played stands; see `scheduling.blocks`."""


class BlockOrder(models.TextChoices):
    """Orders that an organiser may give about a block."""

    VOID = "void", "void"
    RERUN = "rerun", "play again"


class BlockQuerySet(models.QuerySet["Block"]):
    """Named queries for blocks."""

    def open(self) -> Self:
        """Return blocks that have no result yet."""
        return self.filter(state=BlockState.OPEN)

    def with_orders(self) -> Self:
        """Return blocks with an order that has not been carried out."""
        return self.exclude(order="")


class Block(models.Model):
    """Matches with the same bots and seed."""

    tournament = models.ForeignKey(
        "tournaments.Tournament", on_delete=models.CASCADE, related_name="blocks"
    )
    number = models.PositiveIntegerField()
    """The number of the block in the whole tournament, from 1."""
    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="blocks")
    round = models.PositiveIntegerField()
    state = models.CharField(
        max_length=8,
        choices=BlockState,
        default=BlockState.OPEN,
        db_default=BlockState.OPEN.value,
    )
    reason = models.CharField(max_length=LONGEST_REASON, blank=True, db_default="")
    """Why it is void, or why it is played again; public."""
    result = models.JSONField(null=True)
    """The ranks by seat of each leg, for formats to read; null until it is complete. That of a
    block cut short names the forfeited legs, too: `scheduling.block_results` reads both."""
    replays = models.PositiveSmallIntegerField(default=0, db_default=0)
    """How often its void legs were queued again without an organiser."""
    order = models.CharField(max_length=5, choices=BlockOrder, blank=True, db_default="")
    """An organiser's order that has not been carried out; empty without one."""
    ordered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )

    objects = BlockQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("tournament", "number"), name="tournaments_block_once"
            ),
        )
        indexes = (
            models.Index(
                fields=("tournament", "number"),
                condition=Q(state="open"),
                name="tournaments_open_block",
            ),
            models.Index(fields=("id",), condition=~Q(order=""), name="tournaments_block_order"),
        )

    def __str__(self) -> str:
        return f"block {self.number} of tournament {self.tournament_id}"


class FormerLeg(models.Model):
    """A match that had a place in a schedule until it was played again."""

    match = models.OneToOneField(
        Match, on_delete=models.CASCADE, primary_key=True, related_name="former_place"
    )
    place = models.ForeignKey(
        "tournaments.TournamentMatch", on_delete=models.CASCADE, related_name="former_legs"
    )
    replaced_at = models.DateTimeField(db_default=Now(), editable=False)

    def __str__(self) -> str:
        return f"match {self.match_id}, formerly in place {self.place_id}"
