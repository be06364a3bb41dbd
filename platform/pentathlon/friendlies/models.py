from __future__ import annotations

from typing import Any, Self

from django.conf import settings
from django.db import models
from django.db.models import Prefetch, Q
from django.db.models.functions import Now

from pentathlon.accounts.models import User
from pentathlon.bots.models import BotVersion
from pentathlon.matches.models import Match
from pentathlon.matches.replays.codec import unpack
from pentathlon_engines import GAMES
from pentathlon_engines.contract.info import ordinal
from pentathlon_engines.match.events import Event
from pentathlon_engines.match.friendly import Course
from pentathlon_engines.record.shape import Record


class FriendlyState(models.TextChoices):
    """States of a friendly: who is to move, or how it ended."""

    BOT = "bot", "a bot is to move"
    PERSON = "person", "the person is to move"
    DONE = "done", "done"
    VOID = "void", "void"


UNDER_WAY = (FriendlyState.BOT, FriendlyState.PERSON)


class FriendlyQuerySet(models.QuerySet["Friendly"]):
    """Named queries for friendlies."""

    def of_person(self, person: User) -> Self:
        """Return friendlies in which this person has the seat."""
        return self.filter(person=person)

    def under_way(self) -> Self:
        """Return friendlies that have not ended."""
        return self.filter(state__in=UNDER_WAY)

    def visible_to(self, person: User | None) -> Self:
        """Return friendlies that this person may see: all that are over, and all of their own."""
        over = Q(state=FriendlyState.DONE)
        return self.filter(over if person is None else over | Q(person=person))

    def waiting(self) -> Self:
        """Return friendlies that wait for a worker, those that have waited longest first."""
        return self.filter(state=FriendlyState.BOT, token=None).order_by("moved_at", "pk")

    def listed(self) -> Self:
        """Load persons and seats with the rows, without events and records; the latest first."""
        seats = FriendlySeat.objects.order_by("seat").select_related("version__bot__owner")
        seats = seats.defer("version__validation_log", "version__manifest")
        found = self.select_related("person").prefetch_related(Prefetch("seats", queryset=seats))
        return found.defer("data").order_by("-pk")


class Friendly(models.Model):
    """A match in which a person has a seat among bots.

    It is no `Match`, so nothing that counts, rates, lists or schedules matches ever meets it. The
    row has all that has happened; a worker is needed only while a bot is to move.
    """

    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="friendlies"
    )
    seat = models.PositiveSmallIntegerField()
    """The person's seat."""
    game = models.CharField(max_length=30)
    rules_version = models.PositiveIntegerField()
    options = models.JSONField(default=dict)
    seed = models.BigIntegerField()
    alias = models.CharField(max_length=40)
    """The name by which bots know the match."""
    events = models.JSONField(default=list)
    """The rows of the record so far."""
    faults = models.JSONField(default=list)
    ply = models.PositiveIntegerField(default=0)
    given = models.PositiveIntegerField(default=0)
    """How many of the events come from the match that it was forked from."""
    origin_chain = models.CharField(max_length=64, blank=True)
    """The last link of the hash chain of the record that it was forked from, if any."""
    origin_match = models.ForeignKey(Match, on_delete=models.SET_NULL, null=True, related_name="+")
    origin_friendly = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, related_name="+"
    )
    resigned_at = models.PositiveIntegerField(null=True)
    state = models.CharField(max_length=8, choices=FriendlyState)
    state_reason = models.CharField(max_length=300, blank=True)
    host_faults = models.PositiveSmallIntegerField(default=0)
    """How many times in a row a host has failed to run its bots."""
    worker = models.CharField(max_length=80, blank=True)
    token = models.UUIDField(null=True)
    """The token of the worker that moves its bots; null while none does."""
    lease_until = models.DateTimeField(null=True)
    begun_at = models.DateTimeField(null=True)
    """When that worker has claimed it."""
    progressed_at = models.DateTimeField(null=True)
    """When the ply that it reports last grew."""
    reached = models.PositiveIntegerField(default=0)
    """The ply that it reports: nothing counts but `ply` until its actions are handed in."""
    sent_at = models.DateTimeField(null=True)
    sandbox = models.CharField(max_length=20, blank=True)
    layers = models.JSONField(default=list)
    outcome_reason = models.CharField(max_length=30, blank=True)
    ranks = models.JSONField(null=True)
    scores = models.JSONField(null=True)
    chain = models.CharField(max_length=64, blank=True)
    codec = models.CharField(max_length=8, blank=True)
    data = models.BinaryField(null=True)
    """The canonical JSON of the record, compressed; null unless the friendly is done."""
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    moved_at = models.DateTimeField(db_default=Now())
    """When somebody last moved."""
    finished_at = models.DateTimeField(null=True)

    objects = FriendlyQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "friendlies"
        indexes = (
            models.Index(fields=("person", "-id"), name="friendlies_of_person"),
            models.Index(
                fields=("state", "moved_at"),
                condition=Q(state__in=("bot", "person")),
                name="friendlies_under_way",
            ),
        )

    def __str__(self) -> str:
        return f"friendly {self.pk}"

    @property
    def is_under_way(self) -> bool:
        """Whether it has not ended."""
        return self.state in UNDER_WAY

    @property
    def is_persons_turn(self) -> bool:
        """Whether the person is to move."""
        return self.state == FriendlyState.PERSON

    @property
    def course(self) -> Course:
        """The course of the friendly so far, for the referee."""
        return Course(
            game=GAMES[self.game],
            options=self.options,
            seats=len(self.seats.all()),
            seed=self.seed,
            person=self.seat,
            events=tuple(map(Event.of, self.events)),
            faults=self.faults,
            given=self.given,
            resigned_at=self.resigned_at,
        )

    @property
    def record(self) -> Record:
        """The record of a friendly that is over."""
        if self.data is None:
            raise ValueError(f"{self} is not over")
        return unpack(bytes(self.data), codec=self.codec)

    @property
    def places(self) -> list[dict[str, Any]]:  # Any: texts and numbers
        """The occupant of each seat, and the seat's result once the friendly is over."""
        failed = {fault["seat"] for fault in self.faults}
        return [
            {
                "seat": each.seat,
                "version": each.version,
                "name": self.name_of(each),
                "rank": None if self.ranks is None else self.ranks[each.seat],
                "score": None if self.scores is None else self.scores[each.seat],
                "has_failed": each.seat in failed,
            }
            for each in self.seats.all()
        ]

    @property
    def persons_result(self) -> str:
        """The person's result in a friendly that is over, as a verb and the points."""
        if self.ranks is None:
            raise ValueError(f"{self} is not over")
        own = self.ranks[self.seat]
        if self.resigned_at is not None:
            verb = "resigned"
        elif own:
            verb = "lost" if len(self.ranks) == 2 else f"came {ordinal(own)}"  # noqa: PLR2004  # a pair
        else:
            verb = "won" if self.ranks.count(0) == 1 else "drew"
        if self.scores is None:
            return verb
        others = [score for seat, score in enumerate(self.scores) if seat != self.seat]
        return f"{verb}, {self.scores[self.seat]} to {' and '.join(map(str, others))}"

    def name_of(self, place: FriendlySeat) -> str:
        """Return who sits there: a version's label, or the person's name."""
        return self.person.username if place.version is None else place.version.label


class FriendlySeat(models.Model):
    """A seat of a friendly: a bot version's, or the person's."""

    friendly = models.ForeignKey(Friendly, on_delete=models.CASCADE, related_name="seats")
    seat = models.PositiveSmallIntegerField()
    version = models.ForeignKey(
        BotVersion, on_delete=models.PROTECT, null=True, related_name="friendly_seats"
    )
    """Null for the person."""

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("friendly", "seat"), name="friendlies_one_per_seat"),
        )

    def __str__(self) -> str:
        return f"seat {self.seat} of friendly {self.friendly_id}"
