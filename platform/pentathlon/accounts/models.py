from __future__ import annotations

import uuid

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.contrib.sessions.base_session import AbstractBaseSession
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models.functions import Lower, Now
from django.utils import timezone
from knox.models import AbstractAuthToken


class Scope(models.TextChoices):
    """Permissions of a token; reading public things needs none."""

    BOTS_WRITE = "bots:write", "upload, challenge with and retire own bots"
    PRIVATE_READ = "private:read", "read own code and logs"
    TOURNAMENTS_WRITE = "tournaments:write", "create and run own tournaments"
    WEBHOOKS_WRITE = "webhooks:write", "see and change own webhooks"


class User(AbstractUser):
    """A person: author of bots, organiser of tournaments, or both."""

    is_organiser = models.BooleanField(default=False)
    """Whether the person may create tournaments."""
    is_vouched = models.BooleanField(default=False, db_default=False)
    """Whether an organiser vouches for the person: as good as a verified address."""
    takes_organiser_entries = models.BooleanField(default=True, db_default=True)
    """Whether organisers may enter active versions of the person's bots in their tournaments."""
    verified_email = models.EmailField(blank=True, default="", db_default="", editable=False)
    """The address that was last verified by answering a letter to it; empty if none."""

    class Meta:
        constraints = (
            models.UniqueConstraint(Lower("username"), name="accounts_username_any_case"),
        )

    @property
    def has_verified_email(self) -> bool:
        """Whether letters may go to the address that the account has now."""
        return bool(self.email) and self.email == self.verified_email

    @property
    def may_play_rated(self) -> bool:
        """Whether the person's bots may play rated matches; see `verification.unverified`."""
        has_role = self.is_organiser or self.is_staff or self.is_superuser
        is_known = self.is_vouched or has_role or self.email == self.verified_email
        return is_known or not settings.DEMANDS_VERIFIED_EMAIL


class ApiToken(AbstractAuthToken):
    """A token for the API: a name, what it may do, and only a digest of the secret."""

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    """Names the token in addresses; the digest stays private."""
    name = models.CharField(max_length=60)
    scopes = models.JSONField(default=list)
    """A list of `Scope` values."""
    last_used_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.name} of {self.user}"


class NameKind(models.TextChoices):
    """Kinds of names; within one of them, names of different people must not look alike."""

    AUTHOR = "author", "people and teams"
    BOT = "bot", "bots"


class TakenName(models.Model):
    """A name that nobody but its holder may take, whatever becomes of what it names."""

    kind = models.CharField(max_length=10, choices=NameKind)
    digest = models.CharField(max_length=64)
    """A hash of the name as it looks: the name itself goes with its account."""
    holder = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("kind", "digest"), name="accounts_name_once"),
        )

    def __str__(self) -> str:
        return f"a name of {self.holder}"


class BrowserSession(AbstractBaseSession):
    """A browser that keeps something here, usually because a person has signed in with it.

    It replaces a row of Django's own table, which does not say whose a session is.
    """

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    """Names the session in addresses; its key would let others in."""
    person = models.ForeignKey(
        User, on_delete=models.CASCADE, null=True, related_name="browser_sessions"
    )
    """Who has signed in; null before somebody has."""
    address = models.CharField(max_length=45)
    """The network address from which it was last seen."""
    user_agent = models.CharField(max_length=300)
    """The browser, as it describes itself."""
    begun_at = models.DateTimeField(default=timezone.now)
    seen_at = models.DateTimeField(default=timezone.now)
    """When it was last seen, to about a minute."""

    def __str__(self) -> str:
        return f"session {self.public_id} of {self.person}"


class TotpKey(models.Model):
    """A person's authenticator app: it shows another code every 30 seconds.

    The key is derived from the salt and the secret of the installation, so a copy of the database
    shows no codes.
    """

    person = models.OneToOneField(User, on_delete=models.CASCADE, related_name="totp_key")
    salt = models.CharField(max_length=64)
    used_step = models.BigIntegerField()
    """The time step of the last accepted code; each code is valid once."""
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    def __str__(self) -> str:
        return f"authenticator app of {self.person}"


class RecoveryCode(models.Model):
    """A code that replaces a lost second factor once; used ones are deleted."""

    person = models.ForeignKey(User, on_delete=models.CASCADE, related_name="recovery_codes")
    digest = models.CharField(max_length=64)
    """A hash keyed with the installation's secret."""

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("person", "digest"), name="accounts_code_once"),
        )

    def __str__(self) -> str:
        return f"recovery code of {self.person}"


class Passkey(models.Model):
    """A key pair of which a device, or a person's password manager, holds the private half."""

    person = models.ForeignKey(User, on_delete=models.CASCADE, related_name="passkeys")
    name = models.CharField(max_length=60)
    """The name by which the person tells it from others."""
    host = models.CharField(max_length=253)
    """The host name of the site for which it was made; browsers offer it nowhere else."""
    digest = models.CharField(max_length=64, unique=True)
    """The SHA-256 of the credential's id."""
    credential = models.BinaryField()
    """The credential's id and public key, as the authenticator attested them."""
    sign_count = models.BigIntegerField()
    """How often it has signed, as it reports itself; some always report 0."""
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    last_used_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"passkey {self.name} of {self.person}"


class EmailChange(models.Model):
    """An e-mail address that a person wants to have, until a letter to it is answered.

    It may be the address that the account has already, as long as that is not verified.
    """

    person = models.OneToOneField(User, on_delete=models.CASCADE, related_name="email_change")
    email = models.EmailField()
    asked_at = models.DateTimeField(db_default=Now(), editable=False)

    def __str__(self) -> str:
        return f"{self.email} for {self.person}"


class LetterKind(models.TextChoices):
    """Kinds of e-mail about an account."""

    RESET_PASSWORD = "reset_password", "reset a password"
    CONFIRM_EMAIL = "confirm_email", "confirm an address"
    EMAIL_CHANGING = "email_changing", "another address was asked for"
    EMAIL_CHANGED = "email_changed", "the address was changed"
    PASSWORD_CHANGED = "password_changed", "the password was changed"
    FACTOR_ADDED = "factor_added", "a second factor was added"
    FACTOR_REMOVED = "factor_removed", "a second factor was removed"


class Letter(models.Model):
    """An e-mail about an account that is still to be sent; links in it are made then.

    People who forgot a password are looked up only then, too, so that a request costs the same
    whether or not there is an account.
    """

    kind = models.CharField(max_length=20, choices=LetterKind)
    person = models.ForeignKey(User, on_delete=models.CASCADE, null=True, related_name="+")
    """Whom it is about; null for a forgotten password, since it is looked up on sending."""
    email = models.EmailField()
    """The address it goes to; for a forgotten password, the address that was typed."""
    site = models.CharField(max_length=300)
    """The address at which the person uses the site."""
    tries = models.PositiveSmallIntegerField(db_default=0)
    next_at = models.DateTimeField(db_default=Now(), db_index=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    def __str__(self) -> str:
        return f"{self.kind} to {self.email}"


class IdempotencyRecord(models.Model):
    """The answer to a person's request, so that sending the request again changes nothing."""

    person = models.ForeignKey(
        User, on_delete=models.CASCADE, null=True, related_name="idempotency_records"
    )
    """Null for a visitor who has sent a form."""
    key = models.CharField(max_length=100)
    """A key that the person chooses anew for every request."""
    fingerprint = models.CharField(max_length=64)
    """A hash that tells the request from others with the same key."""
    status = models.PositiveSmallIntegerField(default=0)
    body = models.JSONField(null=True, encoder=DjangoJSONEncoder)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("person", "key"), name="accounts_answer_once"),
            models.UniqueConstraint(
                fields=("key",),
                condition=models.Q(person=None),
                name="accounts_answer_visitor_once",
            ),
        )

    def __str__(self) -> str:
        return f"answer to {self.key} of {self.person}"


class DeviceLogin(models.Model):
    """A terminal that waits for a person to confirm its code in a browser.

    Once the person has agreed, the next poll makes a token and deletes the row.
    """

    class Answer(models.TextChoices):
        """The person's answer."""

        NONE = "none", "not yet"
        APPROVED = "approved", "approved"
        DENIED = "denied", "denied"

    device_digest = models.CharField(max_length=64, unique=True)
    """The SHA-256 of the code that only the terminal knows."""
    user_code = models.CharField(max_length=8, unique=True)
    """The code that the person types, without its hyphen."""
    name = models.CharField(max_length=60)
    """The name of the token that will be made."""
    scopes = models.JSONField()
    address = models.CharField(max_length=45)
    """The network address from which the terminal asked."""
    person = models.ForeignKey(User, on_delete=models.CASCADE, null=True, related_name="+")
    """Who answered; null until somebody does."""
    answer = models.CharField(max_length=8, choices=Answer, default=Answer.NONE)
    interval_s = models.PositiveSmallIntegerField()
    """Seconds that the terminal must wait between polls."""
    polled_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField(db_index=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    def __str__(self) -> str:
        return f"{self.name} waits for {self.user_code}"

    @property
    def shown_code(self) -> str:
        """The code as people read it, in two halves."""
        return f"{self.user_code[:4]}-{self.user_code[4:]}"


class AccountDeletion(models.Model):
    """An account that was deleted: its row stays, without anything personal, under another name.

    Bots, results and tournaments go on belonging to it, because the results of others follow from
    them.
    """

    person = models.OneToOneField(User, on_delete=models.PROTECT, related_name="deletion")
    deleted_at = models.DateTimeField(db_default=Now(), editable=False)
    erased_at = models.DateTimeField(null=True)
    """When the last code and logs of its bots were erased; null while matches need them."""

    class Meta:
        indexes = (
            models.Index(
                fields=("id",), condition=models.Q(erased_at=None), name="accounts_unerased"
            ),
        )

    def __str__(self) -> str:
        return f"deletion of {self.person_id}"


def names_version() -> int:
    """Return a number that grows with every deleted account; tags of cached answers hold it."""
    latest = AccountDeletion.objects.order_by("-pk").values_list("pk", flat=True)
    return next(iter(latest[:1]), 0)
