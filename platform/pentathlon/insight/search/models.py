from __future__ import annotations

from typing import Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper

from pentathlon.insight.search.words import LONGEST_TERM


class Kind(models.TextChoices):
    """Kinds of things that the search finds by name."""

    BOT = "bot", "Bots"
    PERSON = "person", "People"
    TOURNAMENT = "tournament", "Tournaments"
    EVENT = "event", "Events"


class BytewiseField(models.CharField):  # type: ignore[type-arg]  # not generic at run time
    """A text that is ordered byte by byte on every database, so that prefixes stand together."""

    def db_parameters(self, connection: BaseDatabaseWrapper) -> Any:  # Any: Django's own shape
        """Ask PostgreSQL for bytes; SQLite compares them anyway."""
        parameters = super().db_parameters(connection)
        if connection.vendor == "postgresql":
            parameters["collation"] = "C"
        return parameters


class NameTerm(models.Model):
    """A name from one of its words on; terms with a common prefix are one stretch of an index.

    Terms are only hints: their readers check the present name.
    """

    kind = models.CharField(max_length=10, choices=Kind)
    object_id = models.PositiveBigIntegerField()
    term = BytewiseField(max_length=LONGEST_TERM)
    tier = models.PositiveSmallIntegerField()
    """0: the name from its start; 1: from a later word on. SQLite looks up no boolean by index."""

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("kind", "object_id", "term"), name="search_term_once"),
        )
        indexes = (
            models.Index(fields=("kind", "tier", "term", "object_id"), name="search_by_prefix"),
        )

    def __str__(self) -> str:
        return f"{self.term}: {self.kind} {self.object_id}"


class IndexedKind(models.Model):
    """The progress of indexing the names of one kind."""

    kind = models.CharField(max_length=10, choices=Kind, primary_key=True)
    newest = models.PositiveBigIntegerField(default=0)
    """The largest id whose name has been read."""
    checked = models.PositiveBigIntegerField(default=0)
    """The id behind which the round through all names, which finds changes, goes on."""

    def __str__(self) -> str:
        return f"{self.kind} up to {self.newest}"
