from __future__ import annotations

from typing import Self

from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now

from pentathlon.matches.hidden_lanes import HiddenLane
from pentathlon.tournaments.models import Tournament
from pentathlon_engines.dataset.folder import parquet_name, part_name
from pentathlon_engines.dataset.rows import DECISIONS, MATCHES


class DatasetQuerySet(models.QuerySet["Dataset"]):
    """Named queries for datasets."""

    def listed(self) -> Self:
        """Return whole datasets whose results everybody may see, with their tournaments."""
        whole = self.filter(is_whole=True, matches__gt=0).exclude(
            Exists(hiding_lanes("tournament_id"))
        )
        return whole.select_related("tournament")


class Dataset(models.Model):
    """The decisions of a closed tournament, frozen: once it is whole, no row of it changes.

    A tournament that changes after its close and closes again gets another edition.
    """

    tournament = models.ForeignKey(Tournament, on_delete=models.PROTECT, related_name="datasets")
    game = models.CharField(max_length=30)
    edition = models.PositiveIntegerField()
    """The tournament's `results_version` when the dataset was begun."""
    schema_version = models.PositiveIntegerField()
    rules_version = models.PositiveIntegerField()
    parts = models.PositiveIntegerField(default=0)
    cursor = models.PositiveIntegerField(default=0)
    """The last place in the schedule that a part contains."""
    matches = models.PositiveIntegerField(default=0)
    left_out = models.PositiveIntegerField(default=0)
    """How many matches were left out because their records could not be read."""
    decisions = models.PositiveBigIntegerField(default=0)
    packed_bytes = models.PositiveBigIntegerField(default=0)
    """The size of all parts as packed lines."""
    parquet_bytes = models.PositiveBigIntegerField(null=True)
    """The size of all parts as Parquet; null if a part was made without pyarrow."""
    sha256 = models.CharField(max_length=64, blank=True)
    """The SHA-256 of `SHA256SUMS`; empty until the dataset is whole."""
    is_whole = models.BooleanField(default=False)
    is_newest = models.BooleanField(default=False)
    """Whether it is whole and no later edition of its tournament is."""
    begun_at = models.DateTimeField(db_default=Now(), editable=False)
    made_at = models.DateTimeField(null=True)
    """When it became whole."""

    objects = DatasetQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("tournament", "edition"), name="datasets_edition_once"
            ),
        )
        indexes = (
            models.Index(fields=("id",), condition=Q(is_whole=False), name="datasets_unfinished"),
            models.Index(
                fields=("game", "-id"), condition=Q(is_whole=True), name="datasets_of_game"
            ),
        )

    def __str__(self) -> str:
        return f"dataset {self.pk} of tournament {self.tournament_id}"


class DatasetPart(models.Model):
    """Some rows of a table of a dataset: lines of JSON, packed by gzip."""

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="part_rows")
    table = models.CharField(
        max_length=9, choices=[(DECISIONS, "decisions"), (MATCHES, "matches")]
    )
    number = models.PositiveIntegerField()
    """The number of the part, from 1."""
    rows = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)
    """The SHA-256 of the unpacked lines."""
    data = models.BinaryField()
    parquet = models.BinaryField(null=True)
    """The same rows as a Parquet file; kept only if all parts of the dataset have one."""
    parquet_sha256 = models.CharField(max_length=64, blank=True, db_default="")

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("dataset", "table", "number"), name="datasets_part_once"
            ),
        )

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """Its file name as lines of JSON packed by gzip."""
        return part_name(self.table, self.number)

    @property
    def parquet_name(self) -> str:
        """Its file name as Parquet."""
        return parquet_name(self.table, self.number)


def hiding_lanes(tournament: str) -> models.QuerySet[HiddenLane]:
    """Return lanes that hide results of a row's tournament, now or later; for subqueries."""
    lanes = HiddenLane.objects.filter(lane=OuterRef(tournament))
    return lanes.filter(Q(hides_until=None) | Q(hides_until__gt=Now()))
