from __future__ import annotations

from typing import Final

from django.conf import settings
from django.db import models
from django.db.models import Count, Exists, F, Max, OuterRef, Prefetch
from django.db.models.functions import Lower, Now

from pentathlon.accounts.models import User
from pentathlon.core.models import Damageable


class VersionState(models.TextChoices):
    """States of a bot version between upload and retirement."""

    VALIDATING = "validating", "being validated"
    ELIGIBLE = "eligible", "may play"
    REJECTED = "rejected", "failed validation"
    UNCHECKED = "unchecked", "not validated: our machines failed"
    RETIRED = "retired", "no longer scheduled"
    STOPPED = "stopped", "stopped: it fails at its start"
    DISQUALIFIED = "disqualified", "disqualified"


TAKEN_OUT: Final = (VersionState.STOPPED, VersionState.DISQUALIFIED)
"""States in which the platform has taken a version out of schedules."""
OUT_OF_PLAY: Final = (VersionState.RETIRED, *TAKEN_OUT)
"""States in which a version that could play before starts no more matches."""
UNBUILT: Final = "failed"
"""Stands for the files of a second build that failed."""
REPEATED: Final = (VersionState.RETIRED, VersionState.STOPPED)
"""States in which a version still plays in repeats of earlier tournaments."""


class BotQuerySet(models.QuerySet["Bot"]):
    """Reads of bots."""

    def owned_by(self, user: User) -> BotQuerySet:
        """Return the bots of one author."""
        return self.filter(owner=user)

    def playing(self, game: str) -> BotQuerySet:
        """Return the bots with a version that plays `game`."""
        rows = VersionGame.objects.filter(version__bot=OuterRef("pk"), game=game)
        return self.filter(Exists(rows))

    def listed(self) -> BotQuerySet:
        """Add the owner, `version_count` and, as `latest`, a list with the newest version."""
        newest = (
            BotVersion.objects.newest()
            .prefetch_related("games")
            .defer("validation_log", "repairs")
        )
        counted = self.select_related("owner").annotate(version_count=Count("versions"))  # type: ignore[no-redef]  # declared on Bot
        return counted.prefetch_related(Prefetch("versions", newest, to_attr="latest"))  # type: ignore[no-redef]  # declared on Bot


class Bot(models.Model):
    """A line of versions under one name, owned by one author."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="bots"
    )
    name = models.CharField(max_length=64)
    is_reference = models.BooleanField(default=False, db_default=False)
    """Whether it stands for a built-in policy: ladders keep it as a fixed mark and rank no author
    by it."""
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    version_count: int
    """How many versions it has; set by `listed`."""
    latest: list[BotVersion]
    """The newest version, or an empty list if there is none; set by `listed`."""

    objects = BotQuerySet.as_manager()

    class Meta:
        constraints = (models.UniqueConstraint(Lower("name"), name="bots_name_any_case"),)

    def __str__(self) -> str:
        return self.name


class Archive(Damageable):
    """The files of a bot version as one checked zip, stored once by content."""

    content_hash = models.CharField(max_length=71, primary_key=True)
    """`sha256:` and 64 hexadecimal digits: a hash of the files' names, modes and contents."""
    data = models.BinaryField()
    """A normalised zip: the same files give the same bytes."""
    unpacked_bytes = models.PositiveIntegerField()
    files = models.PositiveIntegerField()

    class Meta:
        indexes = (
            models.Index(
                fields=("content_hash",),
                condition=models.Q(damaged_at__isnull=False),
                name="bots_damaged_archive",
            ),
        )

    def __str__(self) -> str:
        return self.content_hash

    @property
    def is_erased(self) -> bool:
        """Whether only the hash is left, because its author has deleted the account."""
        return self.files == 0


class BotVersionQuerySet(models.QuerySet["BotVersion"]):
    """Reads of bot versions."""

    def eligible(self, game: str) -> BotVersionQuerySet:
        """Return the versions that may play `game` now."""
        return self.filter(state=VersionState.ELIGIBLE, games__game=game)

    def repeatable(self, game: str) -> BotVersionQuerySet:
        """Return the versions that may play `game` in a repeat: those that have their code."""
        found = self.filter(state__in=(VersionState.ELIGIBLE, *REPEATED), games__game=game)
        kept = found.exclude(archive__files=0).exclude(built__files=0)
        return kept.filter(bot__owner__deletion=None).exclude(
            manifest__has_key="build", built=None
        )

    def in_line(self) -> BotVersionQuerySet:
        """Leave out candidates, which play for their bot only once they are activated."""
        return self.filter(is_candidate=False)

    def owned_by(self, user: User) -> BotVersionQuerySet:
        """Return the versions of one author's bots."""
        return self.filter(bot__owner=user)

    def newest(self) -> BotVersionQuerySet:
        """Return the last version of each bot."""
        return self.alias(last=Max("bot__versions__number")).filter(number=F("last"))

    def listed(self) -> BotVersionQuerySet:
        """Add bot, owner and games; leave out what only the owner may read."""
        return (
            self.select_related("bot__owner")
            .prefetch_related("games")
            .defer("validation_log", "repairs")
        )


class BotVersion(models.Model):
    """One immutable upload of a bot; what is rated and scheduled."""

    bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    """The number of the version within its bot, from 1."""
    archive = models.ForeignKey(Archive, on_delete=models.PROTECT, related_name="versions")
    built = models.ForeignKey(
        Archive, on_delete=models.PROTECT, null=True, related_name="built_versions"
    )
    """The files that its build made, once for all workers; null before that or without a build."""
    model = models.ForeignKey(
        Archive, on_delete=models.PROTECT, null=True, related_name="modelled_versions"
    )
    """The weights that its manifest names; versions with the same share them."""
    is_build_trusted = models.BooleanField(default=True, db_default=True)
    """Whether the worker that built it may play rated matches, which need such a build."""
    built_by = models.CharField(max_length=80, blank=True, default="", db_default="")
    """The worker that made this build."""
    second_build = models.CharField(max_length=71, blank=True, default="", db_default="")
    """The hash of the files that another worker got from the same build, or `UNBUILT`; else
    empty."""
    manifest = models.JSONField()
    """The fields of bot.toml, as they were read."""
    repairs = models.JSONField(default=list, db_default=[], editable=False)
    """What was put right in the upload: code and detail of each repair. Details may name files, so
    only its owner may read them."""
    notes = models.CharField(max_length=200, blank=True)
    """What changed, in the author's words; everybody may read it."""
    state = models.CharField(
        max_length=12, choices=VersionState, default=VersionState.VALIDATING, db_index=True
    )
    state_reason = models.CharField(max_length=300, blank=True)
    """Why it may not play, for everybody to read; empty if it may."""
    validation_log = models.TextField(blank=True)
    """What the bot wrote to standard error during its validation; only its owner may read it."""
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    validated_at = models.DateTimeField(null=True)
    stopped_at = models.DateTimeField(null=True)
    """When it was last stopped, retired, disqualified or reinstated; null if it never was."""
    stopped_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    """Who last retired, disqualified or reinstated it; null if only its own faults stopped it."""
    is_seated = models.BooleanField(default=False, db_default=False)
    """Whether ladders have looked at it since it last became eligible."""

    is_candidate = models.BooleanField(default=False, db_default=False)
    """Whether it plays only where its author enters it and replaces no version until activated."""

    objects = BotVersionQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("bot", "number"), name="bots_version_number"),
            models.UniqueConstraint(fields=("bot", "archive"), name="bots_version_content"),
        )
        indexes = (
            models.Index(
                fields=("id",),
                condition=models.Q(state=VersionState.ELIGIBLE, is_seated=False),
                name="bots_version_unseated",
            ),
        )

    def __str__(self) -> str:
        return self.label

    @property
    def label(self) -> str:
        """The name and number, as people say them."""
        return f"{self.bot.name} v{self.number}"

    @property
    def archive_name(self) -> str:
        """The file name of its archive when downloaded."""
        return f"{self.bot.name}-v{self.number}.zip"

    def files_hash(self, *, rated: bool = False) -> str:
        """Return the hash of the files that are played; empty as long as they have to be built.

        Rated matches do not use files built by a worker that may not play rated matches.
        """
        if self.built_id is None:
            return "" if self.manifest.get("build") else self.archive_id
        return "" if rated and not self.is_build_trusted else self.built_id

    def needs_second_build(self, worker: str) -> bool:
        """Return whether this worker should repeat the build of another one, to compare."""
        return bool(self.built_by) and not self.second_build and worker != self.built_by

    @property
    def build_difference(self) -> str:
        """How two builds of it differ, in a sentence for its author; empty if they do not."""
        if self.second_build in ("", self.built_id):
            return ""
        if self.second_build == UNBUILT:
            return (
                "One worker built this version, and another could not. The first build is played. "
                "Let the build rest on nothing but your files and the compiler."
            )
        return (
            f"Two workers built this version and got different files: {self.built_id}, which "
            f"is played, and {self.second_build}. Nobody can repeat such a build to check it: "
            "keep times, random names and paths out of what it makes."
        )

    @property
    def game_keys(self) -> list[str]:
        """The keys of the games it plays, in alphabetical order."""
        return sorted(row.game for row in self.games.all())


class VersionGame(models.Model):
    """A game that a bot version plays, by its manifest."""

    version = models.ForeignKey(BotVersion, on_delete=models.CASCADE, related_name="games")
    game = models.CharField(max_length=30)
    """The key of the game."""

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("version", "game"), name="bots_version_game"),
        )

    def __str__(self) -> str:
        return f"{self.version}: {self.game}"


class BuildLog(models.Model):
    """The end of what the build of a version wrote, while it runs and afterwards.

    Only the author may read it. It is no column of versions, which are read by the hundred.
    """

    version = models.OneToOneField(
        BotVersion, on_delete=models.CASCADE, primary_key=True, related_name="build_log"
    )
    text = models.TextField(blank=True)

    def __str__(self) -> str:
        return f"build of version {self.version_id}"
