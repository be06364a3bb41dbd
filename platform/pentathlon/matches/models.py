from __future__ import annotations

import uuid
from typing import Final, Self

from django.db import models
from django.db.models import Exists, ExpressionWrapper, OuterRef, Prefetch, Q
from django.db.models.functions import Now

from pentathlon.accounts.models import User
from pentathlon.bots.models import BotVersion
from pentathlon.matches.hidden_lanes import HeldLane, hidden_from, may_become_hidden, out_of_play


class MatchState(models.TextChoices):
    """The states of a match; the database owns them."""

    PENDING = "pending", "waiting"
    RUNNING = "running", "running"
    DONE = "done", "done"
    VOID = "void", "void"


class MatchKind(models.TextChoices):
    """Why a match is played."""

    VALIDATION = "validation", "validation of an upload"
    TOURNAMENT = "tournament", "tournament"
    CHALLENGE = "challenge", "challenge"
    LADDER = "ladder", "ladder"
    SPOT_CHECK = "spot_check", "played again to check a worker"


COMPETITIONS: Final = (MatchKind.TOURNAMENT, MatchKind.LADDER)
"""Kinds of matches in which bots of several authors meet."""
PRIVATE_KINDS: Final = (MatchKind.VALIDATION, MatchKind.SPOT_CHECK)
"""Kinds of matches that not everybody may see."""


class AttemptState(models.TextChoices):
    """States of one try to run a match on a worker."""

    RUNNING = "running", "running"
    ACCEPTED = "accepted", "result accepted"
    EXPIRED = "expired", "lease expired"
    FAILED = "failed", "failed on the host"
    RETURNED = "returned", "given back by a worker that was asked to stop"
    STALLED = "stalled", "taken from a worker that made no progress"


class MatchQuerySet(models.QuerySet["Match"]):
    """Named queries for matches."""

    def public(self) -> Self:
        """Return public matches: no validations, no spot checks and no hidden results."""
        return self.visible_to(None)

    def visible_to(self, person: User | None) -> Self:
        """Return what this person may see: public matches, and validations of their own bots.

        The author of a bot does not see hidden results either; the organiser and staff do.
        """
        shown = self.filter(~hidden_from(person))
        if person is None:
            return shown.exclude(kind__in=PRIVATE_KINDS)
        own = MatchSeat.objects.filter(match=OuterRef("pk"), version__bot__owner=person)
        own_upload = Q(kind=MatchKind.VALIDATION) & Exists(own)
        return shown.filter(~Q(kind__in=PRIVATE_KINDS) | own_upload)

    def with_privacy(self) -> Self:
        """Add `is_hidden`, which `is_private` needs."""
        return self.annotate(is_hidden=hidden_from(None))

    def with_openness(self) -> Self:
        """Add `may_be_watched`: whether everybody may see the match while it is played."""
        kept = Q(kind__in=PRIVATE_KINDS) | Q(may_become_hidden())
        return self.annotate(may_be_watched=ExpressionWrapper(~kept, models.BooleanField()))

    def watchable(self) -> Self:
        """Return matches that everybody may see while they are played."""
        return self.exclude(kind__in=PRIVATE_KINDS).filter(~may_become_hidden())

    def waiting(self) -> Self:
        """Return matches that wait for a worker, in the order of the schedule."""
        return self.filter(state=MatchState.PENDING).order_by("pk")

    def startable(self) -> Self:
        """Return waiting matches that may be claimed: all of their bots are still in play."""
        out = _seat_in_match().filter(out_of_play("version", lane="match__lane"))
        return self.filter(~Exists(out), state=MatchState.PENDING).in_open_lanes()

    def in_open_lanes(self) -> Self:
        """Return matches of lanes that are not held."""
        return self.exclude(lane__in=HeldLane.objects.values("lane"))

    def unsent(self) -> Self:
        """Return waiting matches that may be published and have not been."""
        return self.startable().filter(sent_at=None)

    def sent(self) -> Self:
        """Return waiting matches in open lanes for which a hint was sent."""
        return self.in_open_lanes().filter(_PENDING, sent_at__isnull=False)

    def live(self) -> Self:
        """Return matches that are played right now, the youngest first."""
        return self.filter(_LIVE).order_by("-started_at", "-pk")

    def recent(self) -> Self:
        """Return finished matches, the latest first."""
        return self.filter(state=MatchState.DONE).order_by("-finished_at", "-pk")

    def unfinished(self) -> Self:
        """Return matches that still wait or run."""
        return self.filter(state__in=(MatchState.PENDING, MatchState.RUNNING))

    def of_lane(self, lane: int) -> Self:
        """Return the matches of one lane: those of a tournament, or of a challenge."""
        return self.filter(lane=lane)

    def of_game(self, game: str) -> Self:
        """Return matches of the game with this key."""
        return self.filter(game=game)

    def of_version(self, version_id: int) -> Self:
        """Return matches in which this bot version has a seat."""
        return self.filter(Exists(_seat_in_match().filter(version=version_id)))

    def of_bot(self, bot_id: int) -> Self:
        """Return matches in which any version of this bot has a seat."""
        return self.filter(Exists(_seat_in_match().filter(version__bot=bot_id)))

    def validations_of(self, version_id: int) -> Self:
        """Return the matches that validate this version, except void ones that were repeated."""
        later = Match.objects.filter(
            validated_version=version_id, game=OuterRef("game"), pk__gt=OuterRef("pk")
        )
        own = self.filter(validated_version=version_id)
        return own.exclude(Q(state=MatchState.VOID) & Exists(later))

    def with_seats(self) -> Self:
        """Load seats, bot versions, bots and owners with two queries for any number of matches."""
        seats = MatchSeat.objects.order_by("seat").select_related("version__bot__owner")
        return self.prefetch_related(Prefetch("seats", queryset=seats))

    def with_needs(self) -> Self:
        """Load what decides which worker may play, with two queries in all."""
        seats = MatchSeat.objects.order_by("seat").select_related("version__bot")
        return self.prefetch_related(Prefetch("seats", seats.defer("version__validation_log")))

    def lease_expired(self) -> Self:
        """Return running matches whose worker has not been heard of in time."""
        return self.filter(state=MatchState.RUNNING, lease_until__lt=Now())

    def held_by(self, token: uuid.UUID) -> Self:
        """Return the running match that this token gives a right to, or none."""
        return self.filter(state=MatchState.RUNNING, token=token)


_PENDING, _RUNNING, _DONE, _VOID = (Q(state=state) for state in MatchState)
_UNSENT = Q(state=MatchState.PENDING, sent_at=None)
_LIVE = _RUNNING & Q(lease_until__isnull=False)
"""Running matches. Each has a lease; SQLite uses an index only if the query names its column."""


class Match(models.Model):
    """One play of a game: what is to be played, where it stands, and how it ended."""

    kind = models.CharField(max_length=12, choices=MatchKind)
    game = models.CharField(max_length=30)
    rules_version = models.PositiveIntegerField()
    options = models.JSONField(default=dict)
    seed = models.BigIntegerField()
    """The seed; nobody may see it while a match with it may still be played."""
    alias = models.CharField(max_length=32, default="", db_default="")
    """The name by which bots know the match; it reveals neither its place nor its opponents."""
    limits = models.JSONField(default=dict)
    """The fields of `Limits` that differ from the defaults."""
    rated = models.BooleanField(default=False)
    lane = models.PositiveBigIntegerField(default=0, db_default=0)
    """Its lane: one per tournament or challenge; lanes take turns, so none starves another."""
    validated_version = models.PositiveBigIntegerField(null=True)
    """The id of the bot version that it validates, which has all seats; null if there is none."""
    newcomer_of = models.PositiveBigIntegerField(null=True)
    """The author of the new version that it validates, or whose first matches it is one of."""
    reserved_for = models.PositiveBigIntegerField(null=True)
    """The only party of workers that may play it; null for all. See `Capabilities.party`."""

    state = models.CharField(max_length=8, choices=MatchState, default=MatchState.PENDING)
    state_reason = models.CharField(max_length=300, blank=True)
    """Why it is void, or why the last attempt failed."""
    attempts_made = models.PositiveIntegerField(default=0)
    host_faults = models.PositiveSmallIntegerField(default=0, db_default=0)
    """Attempts that failed on our side since the match was queued."""
    token = models.UUIDField(null=True)
    """The token of the running attempt; a result counts only with it."""
    worker = models.CharField(max_length=80, blank=True)
    lease_until = models.DateTimeField(null=True)
    sent_at = models.DateTimeField(null=True)
    """When a hint was last published for it; null if one is to be published."""
    ply = models.PositiveIntegerField(default=0)
    progressed_at = models.DateTimeField(null=True)
    """When its worker last made progress with it, or with one that it plays before it."""

    outcome_reason = models.CharField(max_length=30, blank=True)
    """How the game ended, in the word of its rules, or "fault" if a bot failed."""
    sandbox = models.CharField(max_length=12, blank=True)
    chain = models.CharField(max_length=64, blank=True)
    """The last link of the record's hash chain."""
    course = models.CharField(max_length=32, blank=True, db_default="")
    """A fingerprint of all that happened, without times: finds matches that repeat each other."""
    referee_build = models.CharField(max_length=40, blank=True, db_default="")
    bots_build = models.CharField(max_length=40, blank=True, db_default="")
    """The engines of referee and bots, by `pentathlon_engines.builds`; empty if not known."""
    traceparent = models.CharField(max_length=55, blank=True, db_default="")
    """The span in which it was scheduled; see `pentathlon.core.tracing`."""
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    is_revoked = models.BooleanField(default=False, db_default=False)
    """Whether its result was taken back: then it is shown, but counts nowhere."""

    is_hidden: bool = False
    """Whether some people may not see it now; set by `MatchQuerySet.with_privacy`."""
    may_be_watched: bool = False
    """Whether everybody may see it while it is played; set by `MatchQuerySet.with_openness`."""
    is_sealed: bool
    """Whether its seed may not be shown yet; set by `with_seals` of tournaments."""

    objects = MatchQuerySet.as_manager()

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=~_RUNNING | Q(token__isnull=False, lease_until__isnull=False),
                name="matches_running_has_lease",
            ),
            models.CheckConstraint(
                condition=~Q(state=MatchState.DONE) | Q(finished_at__isnull=False),
                name="matches_done_has_time",
            ),
        )
        indexes = (
            models.Index(fields=("kind", "lane", "id"), condition=_UNSENT, name="matches_unsent"),
            models.Index(
                fields=("newcomer_of", "id"),
                condition=_UNSENT & Q(newcomer_of__isnull=False),
                name="matches_of_newcomers",
            ),
            models.Index(fields=("sent_at",), condition=_PENDING, name="matches_sent"),
            models.Index(fields=("lease_until",), condition=_RUNNING, name="matches_running"),
            models.Index(fields=("game", "state", "-id"), name="matches_by_game"),
            models.Index(fields=("-finished_at", "-id"), condition=_DONE, name="matches_latest"),
            models.Index(
                fields=("game", "-finished_at", "-id"),
                condition=_DONE,
                name="matches_latest_of_game",
            ),
            models.Index(
                fields=("lane", "-finished_at"), condition=_DONE, name="matches_latest_of_lane"
            ),
            models.Index(fields=("lane", "id"), condition=_PENDING, name="matches_waiting"),
            models.Index(fields=("id",), condition=_PENDING, name="matches_waiting_in_turn"),
            models.Index(fields=("-id",), condition=~_PENDING, name="matches_begun"),
            models.Index(fields=("lane", "-id"), name="matches_of_lane"),
            models.Index(fields=("lane",), condition=_RUNNING, name="matches_live_of_lane"),
            models.Index(fields=("lane", "-id"), condition=_VOID, name="matches_void_of_lane"),
            models.Index(
                fields=("validated_version", "id"),
                condition=Q(validated_version__isnull=False),
                name="matches_validations",
            ),
        )

    def __str__(self) -> str:
        return f"match {self.pk} of {self.game}"

    @property
    def is_private(self) -> bool:
        """Whether the match is not public, because of its kind or because its result is hidden."""
        return self.kind in PRIVATE_KINDS or self.is_hidden

    @property
    def told_name(self) -> str:
        """The match's name in its record; matches older than aliases go by their number."""
        return self.alias or str(self.pk)


class MatchSeat(models.Model):
    """One place at the table of one match: the version that sat there, and its result."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="seats")
    seat = models.PositiveSmallIntegerField()
    version = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="seats")
    rank = models.PositiveSmallIntegerField(null=True)
    """0 is best; equal ranks are tied. Null while there is no result."""
    score = models.IntegerField(null=True)
    fault_kind = models.CharField(max_length=16, blank=True)
    fault_ply = models.PositiveIntegerField(null=True)
    fault_detail = models.CharField(max_length=300, blank=True)
    cpu_ms = models.PositiveIntegerField(default=0)
    wall_ms = models.PositiveIntegerField(default=0)
    memory_peak_mb = models.FloatField(default=0)
    exit_status = models.IntegerField(null=True)
    """The exit status, as in `subprocess`: negative for a signal."""
    stdout_bytes = models.PositiveBigIntegerField(default=0, db_default=0)
    stderr_bytes = models.PositiveBigIntegerField(default=0, db_default=0)
    actions = models.PositiveIntegerField(null=True)
    """How many actions it chose itself; null for matches that ended before this was counted."""

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("match", "seat"), name="matches_one_bot_per_seat"),
        )
        indexes = (
            models.Index(fields=("version", "-match"), name="matches_of_version"),
            models.Index(
                fields=("version", "-match"),
                condition=Q(rank__isnull=False),
                name="matches_ended_of_version",
            ),
            models.Index(
                fields=("version", "-id"),
                condition=~Q(fault_kind=""),
                name="matches_faults_of_version",
            ),
            models.Index(fields=("-id",), condition=~Q(fault_kind=""), name="matches_faults"),
        )

    def __str__(self) -> str:
        return f"seat {self.seat} of match {self.match_id}"


class SeatLogQuerySet(models.QuerySet["SeatLog"]):
    """Named queries for logs."""

    def readable_by(self, person: User) -> Self:
        """Return the logs of this person's own bots."""
        return self.filter(seat__version__bot__owner=person)


class SeatLog(models.Model):
    """A bot's log and the explanation of its fault; for its owner only."""

    seat = models.OneToOneField(
        MatchSeat, on_delete=models.CASCADE, primary_key=True, related_name="log"
    )
    text = models.TextField(blank=True)
    notes = models.JSONField(default=list)
    """Pairs of a ply and a note."""
    trace = models.JSONField(null=True)
    """The `Trace` of a seat with a fault, by the names of its fields; null without one."""
    ended_at = models.DateTimeField(null=True, db_index=True)

    objects = SeatLogQuerySet.as_manager()

    def __str__(self) -> str:
        return f"log of {self.seat}"


class Attempt(models.Model):
    """One attempt to run a match on a worker."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="attempts")
    number = models.PositiveIntegerField()
    token = models.UUIDField(default=uuid.uuid4, unique=True)
    worker = models.CharField(max_length=80)
    worker_token = models.PositiveBigIntegerField(null=True)
    """The id of the token by which the worker works here, if it has one."""
    state = models.CharField(max_length=8, choices=AttemptState, default=AttemptState.RUNNING)
    reason = models.CharField(max_length=300, blank=True)
    blamed_version = models.PositiveBigIntegerField(null=True)
    """The id of the bot version that may have caused a failure of the host, if any."""
    was_too_slow = models.BooleanField(default=False, db_default=False)
    result_hash = models.CharField(max_length=64, blank=True)
    """The hash of the accepted submission, so that the same one may be sent again."""
    started_at = models.DateTimeField(db_default=Now(), editable=False)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("match", "number"), name="matches_attempt_number"),
        )
        indexes = (
            # Most attempts are of workers without a token.
            models.Index(
                fields=("worker_token", "id"),
                condition=Q(worker_token__isnull=False),
                name="matches_attempt_of_token",
            ),
        )

    def __str__(self) -> str:
        return f"attempt {self.number} of match {self.match_id}"


def _seat_in_match() -> models.QuerySet[MatchSeat]:
    return MatchSeat.objects.filter(match=OuterRef("pk"))
