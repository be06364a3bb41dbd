"""Publishes waiting matches and analyses to the queue, from the reconciler."""

from __future__ import annotations

from collections.abc import Sequence

from pentathlon import tracing
from pentathlon.analyses.services import send_analyses
from pentathlon.fleet.capabilities import read_fleet
from pentathlon.fleet.hints import LADDERS, MATCHES
from pentathlon.friendlies.stretches import publish_friendlies
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


class Publisher:
    """Publishes hints about waiting matches; it remembers whose turn is next."""

    def __init__(self) -> None:
        self._cursor = FairCursor()

    def publish_waiting_matches(self) -> int:
        """Send hints about matches that wait; return how many matches they name."""
        if not Match.objects.waiting().exists():
            return 0
        return publish_pending(
            publish=_send_hint,
            publish_ladders=_send_ladder_hint,
            resend_after_s=RESEND_S if hints_in_broker() else RESEND_LOST_S,
            resend_ladders_after_s=RESEND_LADDERS_S if hints_in_broker(LADDERS) else RESEND_LOST_S,
            cursor=self._cursor,
        )


def send_waiting_analyses() -> int:
    """Send matches to workers for analysis; return how many."""
    return send_analyses(send=_send_analysis)


def hints_in_broker(queue: str = MATCHES) -> int:
    """Return how many hints of a queue no worker has taken yet."""
    with app.connection_or_acquire() as connection:
        connection.ensure_connection(**app.conf.task_publish_retry_policy)
        declared = connection.default_channel.queue_declare(queue=queue, durable=True)
        return int(declared.message_count)


def _send_analysis(match_id: int, *, is_lent: bool) -> None:
    if not read_fleet().reads_queue:
        return
    # Workers of the previous release do not know loans.
    analyse_match.delay(match_id, **({"is_lent": True} if is_lent else {}))


def publish_waiting_friendlies() -> int:
    """Send hints about friendlies in which a bot is to move; return how many."""
    return publish_friendlies(_send_friendlies)


def _send_friendlies(friendly_ids: Sequence[int]) -> None:
    if read_fleet().reads_queue:
        move_bots.delay(list(friendly_ids))


def _send_hint(match_ids: Sequence[int]) -> None:
    _send(match_ids, queue=MATCHES)


def _send_ladder_hint(match_ids: Sequence[int]) -> None:
    _send(match_ids, queue=LADDERS)


def _send(match_ids: Sequence[int], *, queue: str) -> None:
    first, *others = traceparents(match_ids) or [""]
    since_ns = tracing.clock()
    with tracing.span("send hint", parent=first, kind="producer"):
        play_matches.apply_async((list(match_ids),), queue=queue, headers=tracing.headers())
    tracing.record("send hint", parents=others, since_ns=since_ns)
