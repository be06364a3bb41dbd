"""Retention of expired tokens and codes of apps.

The rule is that of the toolkit's `clear_expired`, which neither counts nor stops in between; a
test compares the two. Used refresh tokens stay until they would have ended, because one that is
sent twice gives a thief away.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any, Final

from django.conf import settings
from django.db.models import Q, QuerySet
from oauth2_provider.models import AccessToken, Grant, IDToken, RefreshToken

from pentathlon.core.clock import database_now
from pentathlon.core.retention import RetentionClass

_AT_ONCE: Final = 500
_HOUR_S: Final = 3600.0


def _over() -> Iterator[QuerySet[Any]]:  # Any: rows of the toolkit
    """Yield rows that can never be used again, by table; tables that others refer to come last."""
    now = database_now()
    unused = timedelta(seconds=settings.OAUTH2_PROVIDER["REFRESH_TOKEN_EXPIRE_SECONDS"])
    revoked = Q(revoked__lte=now - unused)
    orphaned = Q(revoked=None, access_token__isnull=True)
    idle = Q(revoked=None, access_token__expires__lte=now - unused)
    yield Grant.objects.filter(expires__lt=now)
    yield IDToken.objects.filter(access_token__isnull=True, expires__lt=now)
    yield AccessToken.objects.filter(refresh_token__isnull=True, expires__lt=now)
    yield RefreshToken.objects.filter(revoked | orphaned | idle)


def _due() -> int:
    return sum(rows.count() for rows in _over())


def _forget() -> int:
    gone = 0
    for rows in list(_over()):
        ids = list(rows.order_by("pk").values_list("pk", flat=True)[:_AT_ONCE])
        if ids:
            rows.model._default_manager.filter(pk__in=ids).delete()
        gone += len(ids)
    return gone


APP_TOKENS: Final = RetentionClass(
    key="app_tokens",
    holds="tokens and codes of apps that have ended",
    kept=timedelta(),
    models=(AccessToken, RefreshToken, IDToken, Grant),
    due=_due,
    forget=_forget,
    look_s=_HOUR_S,  # the toolkit's tables have no index for this look
)
