"""The workers as rows."""

from __future__ import annotations

from datetime import timedelta
from typing import Final, Self

from django.db import models
from django.db.models.functions import Now

BUILDS_WITH: Final = "build:"
"""Begins the name of a build tool among the runtimes of a worker."""
SILENT_AFTER_S: Final = 15
"""A worker that was not heard of for so long is taken for dead."""
_SILENT_AFTER: Final = timedelta(seconds=SILENT_AFTER_S)


class WorkerQuerySet(models.QuerySet["Worker"]):
    """Which workers, in the words of pages and services."""

    def alive(self) -> Self:
        """Return workers that were heard of lately and take matches, in the order of names."""
        # Heard of in the future: the clock was set back since.
        lately = (Now() - _SILENT_AFTER, Now() + _SILENT_AFTER)
        return self.filter(seen_at__range=lately, is_draining=False).order_by("name")


class Worker(models.Model):
    """What plays matches, as it announced itself: how much, which ones, and how well walled in."""

    name = models.CharField(max_length=80, primary_key=True)
    slots = models.PositiveSmallIntegerField()
    """Matches that it plays at a time."""
    games = models.JSONField()
    """Version of the rules by key of the game."""
    runtimes = models.JSONField()
    """What bots may be written for, such as "python", and what builds them, such as "build:cc"."""
    sandbox = models.CharField(max_length=12)
    layers = models.JSONField()
    """What its sandbox was found to be: layer, state and detail of each."""
    version = models.CharField(max_length=40)
    """Of the platform."""
    is_draining = models.BooleanField(default=False)
    """It was asked to stop and takes no more matches."""
    starved = models.FloatField(default=0, db_default=0)
    """Share of the time that its bots could run in which its host had none for them, 0 to 1."""
    held_slots = models.PositiveSmallIntegerField(default=0, db_default=0)
    """Slots that take no matches for now, because the host has too little CPU time."""
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField()

    objects = WorkerQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name

    @property
    def languages(self) -> list[str]:
        """What bots may be written for."""
        return [name for name in self.runtimes if not build_tool_of(name)]

    @property
    def build_tools(self) -> list[str]:
        """What a build may begin with."""
        return [tool for tool in map(build_tool_of, self.runtimes) if tool]


def build_tool_of(runtime: str) -> str:
    """Return the tool that a name among the runtimes stands for, "" for a language."""
    return runtime.removeprefix(BUILDS_WITH) if runtime.startswith(BUILDS_WITH) else ""
