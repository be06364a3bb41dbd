"""Workers and their tokens as rows."""

from __future__ import annotations

from datetime import timedelta
from typing import Final, Self

from django.conf import settings
from django.db import models
from django.db.models import ExpressionWrapper, Q
from django.db.models.functions import Now

from pentathlon.core.statements import Read
from pentathlon.fleet.announcements import DEFAULT_SLOTS, Work, build_tool_of
from pentathlon_engines.builds import is_compiled_build

SILENT_AFTER_S: Final = 15
"""Seconds without a heartbeat after which a worker is taken for dead."""
_SILENT_AFTER: Final = timedelta(seconds=SILENT_AFTER_S)
FRUITLESS_AFTER: Final = timedelta(minutes=5)
"""How long a token may finish nothing although there is work before its slots stop to count."""


class WorkerToken(models.Model):
    """The right of a machine to work for this platform, and what it is trusted with."""

    name = models.CharField(max_length=60, unique=True)
    """The name of the machine, or of who runs it."""
    digest = models.CharField(max_length=128, unique=True)
    """A digest of the secret, made as for API tokens; the secret itself is not stored."""
    work = models.JSONField(default=list)
    """A list of `Work` values."""
    slots = models.PositiveSmallIntegerField(default=DEFAULT_SLOTS, db_default=DEFAULT_SLOTS)
    """How many matches its workers may play at a time, whatever they announce."""
    told_matches = models.JSONField(default=list, db_default=[])
    """The latest matches that the site has told its workers of, where they do not read the queue.
    """
    passed_hints = models.PositiveIntegerField(default=0, db_default=0)
    """How many hints it has given back in the minute that began at `passed_since`."""
    passed_since = models.DateTimeField(null=True)
    fruitless_since = models.DateTimeField(null=True)
    """Since when there has been work for it of which it has finished none; null otherwise."""
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    quarantined_at = models.DateTimeField(null=True)
    """When it was put in quarantine; null if it is not. See `pentathlon.trust`."""

    def __str__(self) -> str:
        return self.name

    @property
    def prefix(self) -> str:
        """The prefix that the names of its workers have here."""
        return f"w{self.pk}:"

    @property
    def is_trusted_with_all(self) -> bool:
        """Whether its workers may do every kind of work."""
        return set(Work) <= set(self.work)

    @property
    def is_trusted_with(self) -> str:
        """The kinds of work that it is trusted with, in words."""
        return ", ".join(work for work in Work if work in self.work)


_FRUITLESS: Final = Q(token__fruitless_since__lt=Now() - FRUITLESS_AFTER)


class WorkerQuerySet(models.QuerySet["Worker"]):
    """Queries for workers."""

    def lately_seen(self) -> Self:
        """Return workers with a recent heartbeat."""
        # A heartbeat in the future was sent before the database's clock was set back.
        return self.filter(seen_at__range=(Now() - _SILENT_AFTER, Now() + _SILENT_AFTER))

    def alive(self) -> Self:
        """Return workers with a recent heartbeat that take matches, ordered by name."""
        return self.lately_seen().filter(is_draining=False).order_by("name")

    def with_doubts(self) -> Self:
        """Load tokens, and add `is_fruitless`."""
        return self.select_related("token").annotate(
            is_fruitless=ExpressionWrapper(_FRUITLESS, output_field=models.BooleanField())
        )

    def fruitful(self) -> Self:
        """Return living workers, without those whose tokens have long finished nothing."""
        return self.alive().exclude(_FRUITLESS)


class Worker(models.Model):
    """A process that plays matches, as it described itself."""

    name = models.CharField(max_length=80, primary_key=True)
    slots = models.PositiveSmallIntegerField()
    """How many matches it plays at a time."""
    games = models.JSONField()
    """The version of the rules of each game, by its key."""
    runtimes = models.JSONField()
    """Languages such as "python", and build tools such as "build:cc"."""
    untried = models.JSONField(default=list, db_default=[])
    """Runtimes that it is still testing, and may offer in a moment."""
    sandbox = models.CharField(max_length=12)
    layers = models.JSONField()
    """What the probe found in each layer of its sandbox: layer, state and detail."""
    version = models.CharField(max_length=40)
    """The build of the engines that bots can get there, by `pentathlon_engines.builds`."""
    is_draining = models.BooleanField(default=False)
    """Whether it only finishes what it plays, and takes no more matches."""
    starved = models.FloatField(default=0, db_default=0)
    """The share of their runnable time, from 0 to 1, in which its bots waited for a CPU."""
    held_slots = models.PositiveSmallIntegerField(default=0, db_default=0)
    """Slots that take no matches for now, because the host is short of CPU time."""
    token = models.ForeignKey(
        WorkerToken, on_delete=models.SET_NULL, null=True, related_name="workers"
    )
    """The token by which it works here; null for one that uses the database directly."""
    work = models.JSONField(default=list, db_default=[])
    """The kinds of work that it is trusted with; empty for all."""
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField()

    is_fruitless: bool | None = None
    """Whether its slots count for no plan; set by `WorkerQuerySet.with_doubts`."""

    objects = WorkerQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name

    @property
    def layers_in_force(self) -> int:
        """Count the layers of its sandbox that its probe found in force."""
        return sum(found["state"] == "ok" for found in self.layers)

    @property
    def languages(self) -> list[str]:
        """Return the languages that it runs bots in."""
        return [name for name in self.runtimes if not build_tool_of(name)]

    @property
    def build_tools(self) -> list[str]:
        """Return the tools that it runs builds with."""
        return [tool for tool in map(build_tool_of, self.runtimes) if tool]


_BUILDS: Final = Read(lambda: Worker.objects.alive().order_by().values_list("version", flat=True))


def all_show_compiled() -> bool:
    """Return whether bots can get compiled engines from every worker that is alive."""
    builds = set(_BUILDS())
    return bool(builds) and all(map(is_compiled_build, builds))
