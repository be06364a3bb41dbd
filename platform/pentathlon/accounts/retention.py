"""Retention of expired sessions, tokens and the like."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any, Final

from pentathlon.accounts.models import ApiToken, BrowserSession, DeviceLogin, IdempotencyRecord
from pentathlon.core.clock import database_now
from pentathlon.core.retention import RetentionClass

KEPT_ANSWERS: Final = timedelta(days=1)
"""How long an answer is kept under its idempotency key."""
_TOKENS: Final = timedelta(days=30)
_LOGINS: Final = timedelta(days=1)
_AT_ONCE: Final = 500


def _older(model: Any, column: str, kept: timedelta) -> Any:  # Any: rows of knox
    return model.objects.filter(**{f"{column}__lt": database_now() - kept})


def _count(model: Any, column: str, kept: timedelta) -> int:  # Any: knox
    return int(_older(model, column, kept).count())


def _forget(model: Any, column: str, kept: timedelta) -> int:  # Any: knox
    ids = list(
        _older(model, column, kept).order_by(column).values_list("pk", flat=True)[:_AT_ONCE]
    )
    return int(model.objects.filter(pk__in=ids).delete()[0]) if ids else 0


def _class(key: str, holds: str, model: Any, column: str, kept: timedelta) -> RetentionClass:
    return RetentionClass(
        key=key,
        holds=holds,
        kept=kept,
        models=(model,),
        due=partial(_count, model, column, kept),
        forget=partial(_forget, model, column, kept),
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
