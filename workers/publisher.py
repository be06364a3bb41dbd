"""Publishes waiting matches and analyses to the queue, from the reconciler."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import structlog
from kombu.exceptions import OperationalError
from redis import RedisError

from pentathlon.core import tracing
from pentathlon.fleet.capabilities import read_fleet
from pentathlon.fleet.queues import LADDERS, MATCHES
from pentathlon.friendlies.stretches import publish_friendlies
from pentathlon.insight.analyses.services import send_analyses
from pentathlon.matches.dispatch.publishing import (
    RESEND_LADDERS_S,
    RESEND_LOST_S,
    RESEND_S,
    FairCursor,
    publish_pending,
)
from pentathlon.matches.models import Match
from pentathlon.matches.spans import traceparents
from workers.celery_app import app
from workers.tasks import analyse_match, move_bots, play_matches

MOST_IN_BROKER: Final = 10_000
"""The most hints that may wait in a queue; a hint has about 1 kB."""

_log = structlog.stdlib.get_logger(__name__)


class Publisher:
    """Publishes hints about waiting work; it remembers whose turn is next.

    While the broker is away, what it chooses counts as sent, too: workers ask the site then, which
    reads it from the database. When the broker is back, all that is sent is published again.
    """

    def __init__(self) -> None:
        self._cursor = FairCursor()
        self._is_away = False

    def publish_matches(self) -> int:
        """Send hints about matches that wait; return how many matches they name."""
        if not Match.objects.waiting().exists():
            return 0
        was_away = self._is_away
        waiting = self._ask(hints_in_broker, MATCHES)
        waiting_of_ladders = 0 if self._is_away else self._ask(hints_in_broker, LADDERS)
        lost_s = 0 if was_away and not self._is_away else RESEND_LOST_S
        return publish_pending(
            publish=partial(self._send_matches, queue=MATCHES),
            publish_ladders=partial(self._send_matches, queue=LADDERS),
            resend_after_s=RESEND_S if waiting and not was_away else lost_s,
            resend_ladders_after_s=(
                RESEND_LADDERS_S if waiting_of_ladders and not was_away else lost_s
            ),
            cursor=self._cursor,
        )

    def publish_friendlies(self) -> int:
        """Send hints about friendlies in which a bot is to move; return how many."""
        return publish_friendlies(self._send_friendlies)

    def publish_analyses(self) -> int:
        """Send matches to workers for analysis; return how many."""
        return send_analyses(send=self._send_analysis)

    def _send_matches(self, match_ids: Sequence[int], *, queue: str) -> None:
        if not self._is_away:
            self._ask(_send, match_ids, queue=queue)

    def _send_friendlies(self, friendly_ids: Sequence[int]) -> None:
        if read_fleet().reads_queue:
            self._ask(move_bots.delay, list(friendly_ids))

    def _send_analysis(self, match_id: int, *, is_lent: bool) -> None:
        if read_fleet().reads_queue:
            self._ask(analyse_match.delay, [match_id], is_lent=is_lent)

    def _ask(self, ask: Callable[..., Any], *told: Any, **options: Any) -> int:  # Any: of Celery
        """Return the broker's answer, 0 if it is away; log the begin and the end of that."""
        was_away = self._is_away
        try:
            answer = ask(*told, **options)
        except (OperationalError, OSError, RedisError) as error:
            self._is_away = True
            if not was_away:
                reason = str(error).partition("\n")[0]
                _log.error("broker away, workers ask the site", reason=reason)
            return 0
        self._is_away = False
        if was_away:
            _log.info("broker answers again")
        return answer if isinstance(answer, int) else 0


def hints_in_broker(queue: str = MATCHES) -> int:
    """Return how many hints of a queue no worker has taken yet.

    Throws them all away if they are too many: then workers without a way to the broker have
    followed them for long.
    """
    with app.connection_or_acquire() as connection:
        connection.ensure_connection(**app.conf.task_publish_retry_policy)
        channel = connection.default_channel
        count = int(channel.queue_declare(queue=queue, durable=True).message_count)
        if count <= MOST_IN_BROKER:
            return count
        channel.queue_purge(queue)
        return 0


def _send(match_ids: Sequence[int], *, queue: str) -> None:
    first, *others = traceparents(match_ids) or [""]
    since_ns = tracing.clock()
    with tracing.span("send hint", parent=first, kind="producer"):
        play_matches.apply_async((list(match_ids),), queue=queue, headers=tracing.headers())
    tracing.record("send hint", parents=others, since_ns=since_ns)
