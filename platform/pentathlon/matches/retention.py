"""Retention of bot logs, the largest data on which nothing else depends."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Final

from django.conf import settings

from pentathlon.core.clock import database_now
from pentathlon.core.retention import RetentionClass
from pentathlon.matches.models import SeatLog, SeatLogQuerySet

_AT_ONCE: Final = 500


def _kept() -> timedelta | None:
    return timedelta(days=settings.BOT_LOG_DAYS) if settings.BOT_LOG_DAYS else None


def _due() -> int:
    kept = _kept()
    return 0 if kept is None else sum(logs.count() for logs in _expired(kept))


def _forget() -> int:
    kept = _kept()
    if kept is None:
        return 0
    # The index says at once whether there are any, however late other matches of a lane end.
    old = [pk for logs in _expired(kept) for pk in logs.values_list("pk", flat=True)[:_AT_ONCE]]
    return SeatLog.objects.filter(pk__in=old).delete()[0] if old else 0


def _expired(kept: timedelta) -> Iterator[SeatLogQuerySet]:
    """Yield the logs that are due, the oldest first: those that know when their match ended.

    Rows from before there was a column for that have null there: their match says it.
    """
    before = database_now() - kept
    yield SeatLog.objects.filter(ended_at__lt=before).order_by("ended_at")
    yield SeatLog.objects.filter(ended_at=None, seat__match__finished_at__lt=before)


def bot_logs() -> RetentionClass:
    """Return the logs, notes and traces of bots, kept for `BOT_LOG_DAYS`."""
    return RetentionClass(
        key="bot_logs",
        holds="logs, notes and traces of bots",
        kept=_kept(),
        models=(SeatLog,),
        due=_due,
        forget=_forget,
    )
