from __future__ import annotations

from django.db import models
from django.db.models.functions import Now

from pentathlon.core.models import Damageable
from pentathlon.matches.models import Match


class LogEntry(Damageable):
    """A receipt in the log. Entries are only ever added, and their indices have no gaps."""

    index = models.PositiveBigIntegerField(primary_key=True)
    """The position in the log, from 0."""
    match = models.ForeignKey(Match, on_delete=models.PROTECT, related_name="log_entries")
    receipt = models.TextField()
    """The line of JSON that is logged; see `pentathlon_engines.transparency.receipt`."""
    signature = models.BinaryField()
    """The Ed25519 signature of the receipt."""
    key = models.ForeignKey("SigningKey", on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        indexes = (
            models.Index(
                fields=("index",),
                condition=models.Q(damaged_at__isnull=False),
                name="transparency_damaged",
            ),
        )

    def __str__(self) -> str:
        return f"log entry {self.index}"


class SigningKey(models.Model):
    """A public key with which this site has signed; the newest one signs."""

    text = models.CharField(max_length=200, unique=True)
    """The key as `LogKey.to_text` writes it."""
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    def __str__(self) -> str:
        return self.text


class LogContinuation(models.Model):
    """A restore from a backup: from `size` on, the log may have other entries than before it."""

    size = models.PositiveBigIntegerField()
    """How many entries the backup had."""
    at = models.DateTimeField(db_default=Now(), editable=False)

    def __str__(self) -> str:
        return f"log continued from size {self.size}"


class LogTile(Damageable):
    """Up to 256 hashes side by side: of entries, or of whole tiles of the level below.

    A full tile never changes again, so that a proof among millions of entries reads a few rows.
    """

    level = models.PositiveSmallIntegerField()
    """The level in the tree; level 0 has the hashes of entries."""
    index = models.PositiveBigIntegerField()
    hashes = models.BinaryField()
    digest = models.CharField(max_length=64, blank=True, db_default="")
    """The SHA-256 of `hashes`, by which a changed bit is seen."""

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("level", "index"), name="transparency_tile_once"),
        )

    def __str__(self) -> str:
        return f"tile {self.index} of level {self.level}"


class LogRoot(Damageable):
    """The root that was published on a day: a signed checkpoint of the log."""

    day = models.DateField(unique=True)
    """The day, in UTC."""
    size = models.PositiveBigIntegerField()
    """How many entries the log had."""
    note = models.TextField()
    """The checkpoint with its signature."""
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    def __str__(self) -> str:
        return f"root of {self.day}"

    @property
    def digest(self) -> str:
        """Return the root in base64, as it stands in the note."""
        return self.note.split("\n", 3)[2]
