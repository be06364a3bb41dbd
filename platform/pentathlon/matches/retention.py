"""Retention of bot logs, the largest data on which nothing else depends."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.conf import settings

from pentathlon.common.clock import database_now
from pentathlon.common.retention import RetentionClass
from pentathlon.matches.models import SeatLog

_AT_ONCE: Final = 500


def _kept() -> timedelta | None:
    return timedelta(days=settings.BOT_LOG_DAYS) if settings.BOT_LOG_DAYS else None


def _due() -> int:
    kept = _kept()
    if kept is None:
        return 0
    return SeatLog.objects.filter(seat__match__finished_at__lt=database_now() - kept).count()


def _forget() -> int:
    kept = _kept()
    if kept is None:
        return 0
    # The oldest come first by id: one look at the head of the index says whether there are any.
    head = SeatLog.objects.order_by("pk").values_list("pk", "seat__match__finished_at")[:_AT_ONCE]
    before = database_now() - kept
    old = [pk for pk, ended in head if ended is not None and ended < before]
    return SeatLog.objects.filter(pk__in=old).delete()[0] if old else 0


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
