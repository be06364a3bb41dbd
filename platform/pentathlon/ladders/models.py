from __future__ import annotations

from typing import Self

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from pentathlon.bots.models import Bot, BotVersion
from pentathlon.tournaments.models import Entry, Tournament


class Ladder(models.Model):
    """A competition that never ends: a game with fixed seats and options, season after season."""

    key = models.SlugField(max_length=40, unique=True)
    """The key of its profile, in addresses and in the API."""
    game = models.CharField(max_length=30)
    title = models.CharField(max_length=60)
    table_seats = models.PositiveSmallIntegerField(default=2)
    options = models.JSONField(default=dict)
    """All options of the game, with defaults written out."""
    takes_all = models.BooleanField(default=True)
    """Whether every bot that plays the game joins automatically; otherwise its author must ask."""
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    def __str__(self) -> str:
        return self.key


class SeasonState(models.TextChoices):
    """The states of a season."""

    RUNNING = "running", "running"
    CLOSING = "closing", "last matches"
    CLOSED = "closed", "closed"


class SeasonQuerySet(models.QuerySet["Season"]):
    """Named queries for seasons."""

    def running(self) -> Self:
        """Return the seasons that take new matches: one of each ladder."""
        return self.filter(state=SeasonState.RUNNING)


class Season(models.Model):
    """One run of a ladder, with tables of its own."""

    ladder = models.ForeignKey(Ladder, on_delete=models.CASCADE, related_name="seasons")
    number = models.PositiveIntegerField()
    """The number of the season within its ladder, from 1."""
    state = models.CharField(
        max_length=8, choices=SeasonState, default=SeasonState.RUNNING, db_index=True
    )
    seating = models.JSONField(default=list)
    """The ids of the members by division, as the tables of the season before decide."""
    unopened = models.PositiveSmallIntegerField(default=0, db_default=0)
    """How many divisions are still to be opened; nobody gets a place before that."""
    opened_at = models.DateTimeField(db_default=Now(), editable=False)
    closes_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)
    """When its last final table was stored; null until then."""

    objects = SeasonQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("ladder", "number"), name="ladders_season_number"),
            models.UniqueConstraint(
                fields=("ladder",), condition=Q(state="running"), name="ladders_one_season"
            ),
        )

    def __str__(self) -> str:
        return f"season {self.number} of {self.ladder_id}"


class Division(models.Model):
    """One table of a season: a tournament of the format `ladder`, and how far it is paired."""

    season = models.ForeignKey(Season, on_delete=models.CASCADE, related_name="divisions")
    level = models.PositiveSmallIntegerField()
    """The number of the division: 1 is the highest."""
    tournament = models.OneToOneField(
        Tournament, on_delete=models.PROTECT, related_name="ladder_division"
    )
    batches = models.PositiveIntegerField(default=0)
    """How many batches have been made so far."""
    blocks = models.PositiveIntegerField(default=0)
    """How many blocks have been made so far."""
    has_newcomers = models.BooleanField(default=False)
    """Whether anybody in it has played few matches; if so, it is served first."""
    is_settled = models.BooleanField(default=False)
    """Whether all its ratings are certain, so that it plays at the idle rate."""
    due_at = models.DateTimeField(db_default=Now(), null=True)
    """When the next batch may be made; null once its season is over."""

    bots: int
    """How many bots of authors take part."""
    places: int
    """How many entries may be paired, reference bots included."""
    done: int
    """How many matches were played. Only rows from `ladders.tables` have these three."""

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("season", "level"), name="ladders_division_level"),
        )
        indexes = (
            models.Index(
                fields=("-has_newcomers", "due_at"),
                condition=Q(due_at__isnull=False),
                name="ladders_due",
            ),
        )

    def __str__(self) -> str:
        return f"division {self.level} of {self.season}"


class FieldLine(models.Model):
    """What pairing remembers of an entry, so that nothing is counted from the whole history."""

    entry = models.OneToOneField(
        Entry, on_delete=models.CASCADE, primary_key=True, related_name="ladder_line"
    )
    met = models.JSONField(default=dict)
    """How many blocks it has had against each other entry, by the other's number."""
    told = models.JSONField(null=True)
    """What the last batch was told of the entry; null while it is not in the field."""

    def __str__(self) -> str:
        return f"line of {self.entry_id}"


class Choice(models.TextChoices):
    """What an author has chosen for a bot in a ladder."""

    BY_ITSELF = "by_itself", "joins by itself"
    IN = "in", "joined"
    PAUSED = "paused", "paused"
    OUT = "out", "left"


class LadderMember(models.Model):
    """A bot and a ladder: what its author has chosen, and which version plays."""

    ladder = models.ForeignKey(Ladder, on_delete=models.CASCADE, related_name="members")
    bot = models.ForeignKey(Bot, on_delete=models.CASCADE, related_name="memberships")
    choice = models.CharField(max_length=10, choices=Choice, default=Choice.BY_ITSELF)
    followed = models.PositiveIntegerField(default=0, db_default=0)
    """The number of the latest version whose `bot.toml` has decided the choice; 0 for none."""
    version = models.ForeignKey(
        BotVersion, null=True, on_delete=models.SET_NULL, related_name="memberships"
    )
    """The version that plays in the season below; null while none does."""
    season = models.ForeignKey(Season, null=True, on_delete=models.SET_NULL, related_name="+")
    """The season in which it has its place; null while it has none."""
    entry = models.ForeignKey(Entry, null=True, on_delete=models.SET_NULL, related_name="+")
    """Its place in that season; null while it has none."""

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("ladder", "bot"), name="ladders_member_once"),
        )
        indexes = (
            models.Index(
                fields=("ladder", "season"),
                condition=Q(version__isnull=False),
                name="ladders_playing",
            ),
        )

    def __str__(self) -> str:
        return f"{self.bot_id} in {self.ladder_id}"

    @property
    def is_paused(self) -> bool:
        """Whether its author has paused it."""
        return self.choice == Choice.PAUSED
