from __future__ import annotations

from typing import Self

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from pentathlon.accounts.audit.actions import (
    FIELD_CHANGED,
    RESULTS_CHANGED,
    AuditAction,
    AuditedKind,
)

LONGEST_REASON = 300
_LONGEST_FACT = 120
"""How much of one value a page shows; the row has all of it."""


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
