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
    """A stable name for machines."""
    holds: str
    """What the rows are, in words for people."""
    kept: timedelta | None
    """How long rows are kept; None if somebody chose to keep them forever."""
    models: tuple[type[Model], ...]
    due: Callable[[], int]
    """Counts the rows that are due. It may read the whole table."""
    forget: Callable[[], int]
    """Deletes some of the due rows, the oldest first, and returns how many were deleted.

    It costs the same however many are due, so that nobody waits for it.
    """
    look_s: float = 60.0
    """Seconds to wait after a look that found nothing."""
