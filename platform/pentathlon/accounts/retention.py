"""Retention of expired sessions, tokens and the like."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final

from django.db.models import Q

from pentathlon.accounts.models import ApiToken, BrowserSession, DeviceLogin, IdempotencyRecord
from pentathlon.common.clock import database_now
from pentathlon.common.retention import RetentionClass

KEPT_ANSWERS: Final = timedelta(days=1)
"""How long an answer is kept under its idempotency key."""
_TOKENS: Final = timedelta(days=30)
_LOGINS: Final = timedelta(days=1)
_AT_ONCE: Final = 500


def _older(column: str, kept: timedelta) -> Q:
    return Q(**{f"{column}__lt": database_now() - kept})


def _counting(model: Any, column: str, kept: timedelta) -> Callable[[], int]:  # Any: knox
    return lambda: model.objects.filter(_older(column, kept)).count()


def _forgetting(model: Any, column: str, kept: timedelta) -> Callable[[], int]:  # Any: knox
    def forget() -> int:
        over = model.objects.filter(_older(column, kept)).order_by(column)
        ids = list(over.values_list("pk", flat=True)[:_AT_ONCE])
        return model.objects.filter(pk__in=ids).delete()[0] if ids else 0

    return forget


def _class(key: str, holds: str, model: Any, column: str, kept: timedelta) -> RetentionClass:
    return RetentionClass(
        key=key,
        holds=holds,
        kept=kept,
        models=(model,),
        due=_counting(model, column, kept),
        forget=_forgetting(model, column, kept),
    )


CLASSES: Final = (
    _class("sessions", "sessions that have ended", BrowserSession, "expire_date", timedelta()),
    _class("tokens", "API tokens that have ended", ApiToken, "expiry", _TOKENS),
    _class(
        "device_logins", "log-ins of terminals that have ended", DeviceLogin, "expires_at", _LOGINS
    ),
    _class(
        "idempotency",
        "answers kept under idempotency keys",
        IdempotencyRecord,
        "created_at",
        KEPT_ANSWERS,
    ),
)
