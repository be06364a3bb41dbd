from __future__ import annotations

from typing import Final, Self

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models import Q, TextChoices
from django.db.models.functions import Now

LONGEST_REASON = 300
_LONGEST_FACT = 120
"""How much of one value a page shows; the row has all of it."""


class AuditAction(TextChoices):
    """An audited action; its label continues with the name of the object."""

    EVENT_CREATE = "event.create", "created the event"
    TOURNAMENT_CREATE = "tournament.create", "created"
    TOURNAMENT_OPEN = "tournament.open", "opened for entries"
    TOURNAMENT_DELETE = "tournament.delete", "deleted the draft"
    TOURNAMENT_INVITE = "tournament.invite", "invited authors to"
    TOURNAMENT_START = "tournament.start", "started"
    TOURNAMENT_PAUSE = "tournament.pause", "paused"
    TOURNAMENT_RESUME = "tournament.resume", "resumed"
    TOURNAMENT_CANCEL = "tournament.cancel", "cancelled"
    TOURNAMENT_OFFER = "tournament.offer", "offered to another organiser"
    TOURNAMENT_HAND_OVER = "tournament.hand_over", "handed over"
    TOURNAMENT_CHANGE = "tournament.change", "changed"
    TOURNAMENT_JOIN = "tournament.join", "joined the organisers of"
    TOURNAMENT_LEAVE = "tournament.leave", "ended the part of an organiser in"
    TOURNAMENT_RELEASE = "tournament.release", "released the results of"
    ENTRY_ENTER = "entry.enter", "entered"
    ENTRY_WITHDRAW = "entry.withdraw", "withdrew"
    ENTRY_REPLACE = "entry.replace", "replaced"
    ENTRY_DISQUALIFY = "entry.disqualify", "disqualified"
    ENTRY_REINSTATE = "entry.reinstate", "reinstated"
    BLOCKS_VOID = "blocks.void", "voided"
    BLOCKS_RERUN = "blocks.rerun", "replayed"
    MATCH_VOID = "match.void", "voided the"
    MATCH_RERUN = "match.rerun", "replayed the"
    MATCH_REQUEUE = "match.requeue", "requeued the void"
    VERSION_DISQUALIFY = "version.disqualify", "disqualified everywhere"
    VERSION_REINSTATE = "version.reinstate", "lifted the disqualification of"
    DESK_RECORD_DELETE = "desk_record.delete", "deleted the desk record"
    QUARANTINE_BEGIN = "quarantine.begin", "put in quarantine"
    QUARANTINE_REVIEW = "quarantine.review", "decided on results of"
    QUARANTINE_END = "quarantine.end", "ended the quarantine of"
    WORKER_TOKEN_CREATE = "worker_token.create", "created the worker token"
    WORKER_TOKEN_ROTATE = "worker_token.rotate", "gave another secret to the worker token"
    WORKER_TOKEN_REVOKE = "worker_token.revoke", "revoked the worker token"
    RULES_REVOKE = "rules.revoke", "revoked all results by"
    RATINGS_RECOMPUTE = "ratings.recompute", "recomputed the ratings of"
    RATINGS_REFIT = "ratings.refit", "began an epoch of"
    SEASON_END = "season.end", "ended"
    ROLE_GIVE = "role.give", "gave a role to"
    ROLE_TAKE = "role.take", "took a role from"
    FACTORS_RESET = "factors.reset", "removed the second factors of"
    PERSON_CLOSE = "person.close", "closed the account of"
    PERSON_REOPEN = "person.reopen", "reopened the account of"
    PERSON_DELETE = "person.delete", "deleted the account of"
    APP_BLOCK = "app.block", "blocked the app"
    ADMIN_ADD = "admin.add", "added in the administration"
    ADMIN_CHANGE = "admin.change", "changed in the administration"
    ADMIN_DELETE = "admin.delete", "deleted in the administration"


class AuditedKind(TextChoices):
    """Kinds of objects of audited actions."""

    EVENT = "event", "event"
    TOURNAMENT = "tournament", "tournament"
    VERSION = "version", "bot version"
    MATCH = "match", "match"
    DESK_RECORD = "desk_record", "desk record"
    QUARANTINE = "quarantine", "quarantine"
    WORKER_TOKEN = "worker_token", "worker token"
    RULES = "rules", "rules of a game"
    POOL = "pool", "rating pool"
    SEASON = "season", "season of a ladder"
    PERSON = "person", "person"
    APP = "app", "app"
    ROW = "row", "row in the administration"


RESULTS_CHANGED: Final = (
    AuditAction.BLOCKS_VOID,
    AuditAction.BLOCKS_RERUN,
    AuditAction.MATCH_VOID,
    AuditAction.MATCH_RERUN,
    AuditAction.MATCH_REQUEUE,
)
"""Public unless the results themselves are hidden, since a reason may reveal a result."""
FIELD_CHANGED: Final = (
    AuditAction.ENTRY_REPLACE,
    AuditAction.ENTRY_DISQUALIFY,
    AuditAction.ENTRY_REINSTATE,
    AuditAction.TOURNAMENT_CANCEL,
    AuditAction.TOURNAMENT_CHANGE,
    AuditAction.TOURNAMENT_JOIN,
    AuditAction.TOURNAMENT_LEAVE,
    AuditAction.TOURNAMENT_HAND_OVER,
    AuditAction.TOURNAMENT_RELEASE,
)
"""Public at once, as are the reasons shown with the entries."""


class AuditEventQuerySet(models.QuerySet["AuditEvent"]):
    """Named queries for events."""

    def listed(self) -> Self:
        """Return events with the people in them."""
        return self.select_related("actor", "person")

    def of_tournament(self, tournament_id: int) -> Self:
        """Return the events of a tournament, its entries and its matches."""
        return self.listed().filter(tournament=tournament_id)

    def public(self, *, hides_results: bool) -> Self:
        """Return the events of a tournament that are public: changes of its results or field."""
        shown = FIELD_CHANGED if hides_results else (*FIELD_CHANGED, *RESULTS_CHANGED)
        return self.filter(action__in=shown)

    def about(self, person: AbstractBaseUser) -> Self:
        """Return the actions of a person, and those that affected the person or their bots."""
        return self.filter(Q(actor=person.pk) | Q(person=person.pk))


class AuditEvent(models.Model):
    """An action of an organiser or a member of staff. Such a row never changes.

    People are stored by reference, so that no event names somebody whose account was deleted.
    """

    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    """Who did it; null for a command run by the operator, or for the platform itself."""
    # Without choices: a new action needs no migration.
    action = models.CharField(max_length=30, db_index=True)
    """An `AuditAction` value."""
    kind = models.CharField(max_length=20)
    """An `AuditedKind` value."""
    object_id = models.CharField(max_length=60)
    object_name = models.CharField(max_length=200, blank=True)
    """The object in words, as it was then; empty for a person, see `person`."""
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    """The person affected, or the owner of the bot affected; null if there is none."""
    tournament = models.PositiveBigIntegerField(null=True, db_index=True)
    """The tournament whose page shows the event; a plain number, because drafts are deleted."""
    reason = models.CharField(max_length=LONGEST_REASON, blank=True)
    details = models.JSONField(default=dict, encoder=DjangoJSONEncoder)
    """Further facts: numbers and keys, but no secrets and no names of people."""
    request_id = models.CharField(max_length=64, blank=True)
    """The id that the logs give to the request; empty outside of a request."""
    at = models.DateTimeField(db_default=Now(), editable=False)

    objects = AuditEventQuerySet.as_manager()

    class Meta:
        indexes = (models.Index(fields=("kind", "object_id"), name="audit_event_object"),)

    def __str__(self) -> str:
        return f"{self.actor_name} {self.action_in_words} {self.object_in_words}"

    @property
    def actor_name(self) -> str:
        """The name of the actor."""
        if self.actor is not None:
            return self.actor.get_username()
        return "an operator" if "command" in self.details else "the platform"

    @property
    def facts_in_words(self) -> list[str]:
        """Further facts about the action, each with its name."""
        facts = {**self.details, **self.details.get("changes", {})}
        facts.pop("changes", None)
        return [
            f"{name.replace('_', ' ')}: {_in_words(value)}"
            for name, value in facts.items()
            if value is not None
        ]

    @property
    def action_in_words(self) -> str:
        """The action in words."""
        return str(AuditAction(self.action).label)

    @property
    def object_in_words(self) -> str:
        """The object of the action in words."""
        if self.kind == AuditedKind.PERSON and self.person is not None:
            return self.person.get_username()
        return self.object_name or f"{AuditedKind(self.kind).label} {self.object_id}"


def _in_words(value: object) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case {"before": before, "after": after}:
            return f"{_in_words(before)} → {_in_words(after)}"
        case dict() if value:
            return ", ".join(f"{name} {_in_words(each)}" for name, each in value.items())
        case list() if value:
            return ", ".join(map(_in_words, value))
        case None | "" | [] | {}:
            return "–"
    text = str(value)
    return f"{text[:_LONGEST_FACT]}…" if len(text) > _LONGEST_FACT else text
