from __future__ import annotations

import uuid

from django.contrib.auth.models import AbstractUser
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models.functions import Lower, Now
from knox.models import AbstractAuthToken


class Scope(models.TextChoices):
    """What a token may do; reading public things needs none."""

    BOTS_WRITE = "bots:write", "upload, challenge with and retire own bots"
    PRIVATE_READ = "private:read", "read own code and logs"
    TOURNAMENTS_WRITE = "tournaments:write", "create and run own tournaments"
    WEBHOOKS_WRITE = "webhooks:write", "see and change own webhooks"


class User(AbstractUser):
    """A person: author of bots, organiser of tournaments, or both."""

    is_organiser = models.BooleanField(default=False)
    """May create tournaments."""

    class Meta:
        constraints = (
            models.UniqueConstraint(Lower("username"), name="accounts_username_any_case"),
        )


class ApiToken(AbstractAuthToken):
    """A token for the API: a name, what it may do, and only a digest of the secret."""

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    """Names the token in addresses; the digest stays private."""
    name = models.CharField(max_length=60)
    scopes = models.JSONField(default=list)
    """List of `Scope` values."""
    last_used_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.name} of {self.user}"


class IdempotencyRecord(models.Model):
    """The answer to a person's request, so that sending the request again changes nothing."""

    person = models.ForeignKey(User, on_delete=models.CASCADE, related_name="idempotency_records")
    key = models.CharField(max_length=100)
    """Chosen by the person, new for every request."""
    fingerprint = models.CharField(max_length=64)
    """Tells the request from others under the same key."""
    status = models.PositiveSmallIntegerField(default=0)
    body = models.JSONField(null=True, encoder=DjangoJSONEncoder)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        db_table = "accounts_keptanswer"
        constraints = (
            models.UniqueConstraint(fields=("person", "key"), name="accounts_answer_once"),
        )

    def __str__(self) -> str:
        return f"answer to {self.key} of {self.person}"


class DeviceLogin(models.Model):
    """A terminal that waits for a person to confirm its code in a browser.

    Once the person has agreed, the next poll makes a token and deletes the row.
    """

    class Answer(models.TextChoices):
        """What the person said."""

        NONE = "none", "not yet"
        APPROVED = "approved", "approved"
        DENIED = "denied", "denied"

    device_digest = models.CharField(max_length=64, unique=True)
    """SHA-256 of the code that only the terminal knows."""
    user_code = models.CharField(max_length=8, unique=True)
    """What the person types."""
    name = models.CharField(max_length=60)
    """Of the token to be."""
    scopes = models.JSONField()
    address = models.CharField(max_length=45)
    """Where the terminal asked from."""
    person = models.ForeignKey(User, on_delete=models.CASCADE, null=True, related_name="+")
    """Who answered."""
    answer = models.CharField(max_length=8, choices=Answer, default=Answer.NONE)
    interval_s = models.PositiveSmallIntegerField()
    """How long the terminal must wait between polls."""
    polled_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField(db_index=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    def __str__(self) -> str:
        return f"{self.name} waits for {self.user_code}"

    @property
    def shown_code(self) -> str:
        """The code as people read it, in two halves."""
        return f"{self.user_code[:4]}-{self.user_code[4:]}"
