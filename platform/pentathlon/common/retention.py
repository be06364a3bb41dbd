"""Kinds of data with a limited retention: how long, how much is due, and how to delete it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Model


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionClass:
    """Rows that are deleted when their time is over."""

    key: str
    """Stable, for machines."""
    holds: str
    """What it is, for people."""
    kept: timedelta | None
    """For how long; None: forever, since somebody chose so."""
    models: tuple[type[Model], ...]
    due: Callable[[], int]
    """Counts what is over. It may read the whole table."""
    forget: Callable[[], int]
    """Deletes some of what is over, the oldest first, and returns how many rows went.

    It costs the same however much there is, so that nobody waits for it.
    """
    look_s: float = 60.0
    """Between two looks that find nothing."""
