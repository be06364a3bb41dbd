"""The kinds of data that are kept for a limited time, their sizes, and the step that deletes them.

Everything else is kept forever: results, records, receipts, ratings and the archives of versions,
because results can be verified at any time. Each step of deleting costs the same however many rows
are due, so that nobody waits for it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.db.models import Exists, Model, OuterRef, Q, QuerySet
from oauth2_provider.models import AccessToken, Grant, IDToken, RefreshToken

from pentathlon.accounts.idempotency import KEPT_ANSWERS
from pentathlon.accounts.models import ApiToken, BrowserSession, DeviceLogin, IdempotencyRecord
from pentathlon.core.clock import database_now
from pentathlon.fleet.models import Worker
from pentathlon.fleet.tokens import FORGOTTEN_AFTER
from pentathlon.matches.models import SeatLog
from pentathlon.webhooks.attempt_results import RETENTION_S
from pentathlon.webhooks.models import (
    Delivery,
    DeliveryAttempt,
    DeliveryState,
    OutboxEvent,
    WebhookEndpoint,
)

_AT_ONCE: Final = 500
_DELIVERIES_AT_ONCE: Final = 200
_DELIVERIES_KEPT: Final = timedelta(seconds=RETENTION_S)
_HOUR_S: Final = 3600.0

Rows = QuerySet[Any]  # Any: rows of knox and of the OAuth toolkit, too


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
    due: Callable[[], Iterable[Rows]]
    """Returns the rows that are due, by table, the oldest first; referred ones come last."""
    forget_some: Callable[[], int] | None = None
    """Deletes some of the due rows, where the tables have their own way; returns how many."""
    look_s: float = 60.0
    """Seconds to wait after a look that found nothing."""

    def count_due(self) -> int:
        """Count the rows that are due. It may read the whole table."""
        return sum(rows.count() for rows in self.due())

    def forget(self) -> int:
        """Delete some of the due rows, the oldest first; return how many were deleted."""
        if self.forget_some is not None:
            return self.forget_some()
        gone = 0
        for rows in list(self.due()):
            ids = list(rows.values_list("pk", flat=True)[:_AT_ONCE])
            if ids:
                gone += len(ids)
                rows.model._default_manager.filter(pk__in=ids).delete()
        return gone


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """The size of one kind of data, and how much of it is due."""

    kind: RetentionClass
    rows: int
    size: int | None
    """Bytes, indexes included; None where the database does not tell."""
    due: int


def classes() -> tuple[RetentionClass, ...]:
    """Return all kinds of data that expire, with the periods from the settings."""
    logs_kept = timedelta(days=settings.BOT_LOG_DAYS) if settings.BOT_LOG_DAYS else None
    return (
        RetentionClass(
            key="bot_logs",
            holds="logs, notes and traces of bots",
            kept=logs_kept,
            models=(SeatLog,),
            due=lambda: () if logs_kept is None else _old_logs(logs_kept),
        ),
        RetentionClass(
            key="deliveries",
            holds="webhook events and their deliveries",
            kept=_DELIVERIES_KEPT,
            models=(OutboxEvent, Delivery, DeliveryAttempt),
            due=_old_deliveries,
            forget_some=forget_old_deliveries,
        ),
        _older("sessions", "sessions that have ended", BrowserSession, "expire_date", timedelta()),
        _older("tokens", "API tokens that have ended", ApiToken, "expiry", timedelta(days=30)),
        _older(
            "device_logins",
            "log-ins of terminals that have ended",
            DeviceLogin,
            "expires_at",
            timedelta(days=1),
        ),
        _older(
            "idempotency",
            "answers kept under idempotency keys",
            IdempotencyRecord,
            "created_at",
            KEPT_ANSWERS,
        ),
        RetentionClass(
            key="app_tokens",
            holds="tokens and codes of apps that have ended",
            kept=timedelta(),
            models=(AccessToken, RefreshToken, IDToken, Grant),
            due=_ended_app_tokens,
            look_s=_HOUR_S,  # the toolkit's tables have no index for this look
        ),
        _older("workers", "workers that are silent", Worker, "seen_at", FORGOTTEN_AFTER),
    )


def read_holdings() -> list[Holding]:
    """Return the present size of each kind, by counting whole tables."""
    return [
        Holding(
            kind=kind,
            rows=sum(model._default_manager.count() for model in kind.models),
            size=_size_of(kind.models),
            due=kind.count_due(),
        )
        for kind in classes()
    ]


def other_holdings() -> list[tuple[str, int]]:
    """Return the tables that never expire and their bytes, largest first; [] if unknown."""
    temporary = {model._meta.db_table for kind in classes() for model in kind.models}
    sizes = {name: _table_size(name) for name in connection.introspection.table_names()}
    others = [(name, size) for name, size in sizes.items() if size and name not in temporary]
    return sorted(others, key=lambda pair: -pair[1])


def forget_all() -> int:
    """Delete everything that is due; return how many rows went."""
    gone = 0
    for kind in classes():
        while step := kind.forget():
            gone += step
    return gone


class Forgetter:
    """Deletes due rows, some at a time: a step of the reconciler."""

    def __init__(self) -> None:
        self._next_looks: dict[str, float] = {}

    def step(self) -> int:
        """Delete some due rows of each kind; a kind that may have more is due again at once."""
        return sum(self._look(kind) for kind in classes())

    def _look(self, kind: RetentionClass) -> int:
        if time.monotonic() < self._next_looks.get(kind.key, 0.0):
            return 0
        gone = kind.forget()
        if not gone:
            self._next_looks[kind.key] = time.monotonic() + kind.look_s
        return gone


def forget_old_deliveries() -> int:
    """Delete some of the oldest deliveries and events that are due; return how many rows went."""
    return _forget_deliveries() + _forget_events() + _forget_endpoints()


def _older(key: str, holds: str, model: Any, column: str, kept: timedelta) -> RetentionClass:
    def due() -> Iterator[Rows]:
        yield model.objects.filter(**{f"{column}__lt": database_now() - kept}).order_by(column)

    return RetentionClass(key=key, holds=holds, kept=kept, models=(model,), due=due)


def _old_logs(kept: timedelta) -> Iterator[Rows]:
    """Yield the logs that are due: those that know when their match ended, by an index.

    Rows from before there was a column for that have null there: their match says it.
    """
    before = database_now() - kept
    yield SeatLog.objects.filter(ended_at__lt=before).order_by("ended_at")
    yield SeatLog.objects.filter(ended_at=None, seat__match__finished_at__lt=before)


def _ended_app_tokens() -> Iterator[Rows]:
    """Yield tokens and codes of apps that can never be used again.

    The rule is that of the toolkit's `clear_expired`, which neither counts nor stops in between; a
    test compares the two. Used refresh tokens stay until they would have ended, because one that
    is sent twice gives a thief away.
    """
    now = database_now()
    unused = timedelta(seconds=settings.OAUTH2_PROVIDER["REFRESH_TOKEN_EXPIRE_SECONDS"])
    revoked = Q(revoked__lte=now - unused)
    orphaned = Q(revoked=None, access_token__isnull=True)
    idle = Q(revoked=None, access_token__expires__lte=now - unused)
    yield Grant.objects.filter(expires__lt=now).order_by("pk")
    yield IDToken.objects.filter(access_token__isnull=True, expires__lt=now).order_by("pk")
    yield AccessToken.objects.filter(refresh_token__isnull=True, expires__lt=now).order_by("pk")
    yield RefreshToken.objects.filter(revoked | orphaned | idle).order_by("pk")


def _old_deliveries() -> Iterator[Rows]:
    before = database_now() - _DELIVERIES_KEPT
    yield Delivery.objects.filter(created_at__lt=before).exclude(state=DeliveryState.WAITING)
    yield _events_without_deliveries().filter(happened_at__lt=before)


def _events_without_deliveries() -> QuerySet[OutboxEvent]:
    kept = Delivery.objects.filter(event=OuterRef("pk"))
    return OutboxEvent.objects.filter(~Exists(kept), spread_after=None)


@transaction.atomic
def _forget_deliveries() -> int:
    # Older rows have smaller ids, so the head of the index shows whether any rows are due.
    before = database_now() - _DELIVERIES_KEPT
    head = Delivery.objects.order_by("pk").values_list("pk", "created_at", "state")
    return _delete_deliveries(
        [
            pk
            for pk, at, state in head[:_DELIVERIES_AT_ONCE]
            if at < before and state != DeliveryState.WAITING
        ]
    )


@transaction.atomic
def _forget_events() -> int:
    before = database_now() - _DELIVERIES_KEPT
    head = OutboxEvent.objects.order_by("pk").values_list("pk", "happened_at", "spread_after")
    old = [pk for pk, at, after in head[:_DELIVERIES_AT_ONCE] if at < before and after is None]
    if not old:
        return 0
    rows = _events_without_deliveries().filter(pk__in=old)
    return rows._raw_delete(rows.db)


@transaction.atomic
def _forget_endpoints() -> int:
    """Delete a batch of the rows of a deleted endpoint, and the endpoint once they are gone."""
    endpoint = WebhookEndpoint.objects.filter(deleted_at__isnull=False).order_by("pk").first()
    if endpoint is None:
        return 0
    rows = endpoint.deliveries.order_by("-pk").values_list("pk", flat=True)
    if ids := list(rows[:_DELIVERIES_AT_ONCE]):
        return _delete_deliveries(ids)
    endpoint.delete()
    return 1


def _delete_deliveries(ids: list[int]) -> int:
    if not ids:
        return 0
    DeliveryAttempt.objects.filter(delivery__in=ids).delete()
    gone, _ = Delivery.objects.filter(pk__in=ids).delete()
    return gone


def _size_of(models: tuple[type[Model], ...]) -> int | None:
    sizes = [_table_size(model._meta.db_table) for model in models]
    known = [size for size in sizes if size is not None]
    return sum(known) if len(known) == len(sizes) else None


def _table_size(table: str) -> int | None:
    query = (
        "SELECT pg_total_relation_size(to_regclass(quote_ident(%s)))"
        if connection.vendor == "postgresql"
        else "SELECT SUM(pgsize) FROM dbstat WHERE name IN"
        " (SELECT name FROM sqlite_schema WHERE tbl_name = %s)"
    )
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(query, [table])
            (size,) = cursor.fetchone()
    except DatabaseError:  # an SQLite that was built without `dbstat`
        return None
    return None if size is None else int(size)
