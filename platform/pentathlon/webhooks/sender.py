"""Sends due deliveries at least once, to a bounded number of endpoints at a time.

A step of the reconciler claims due endpoints in the database, starts a thread for each and records
the results of earlier threads. The threads know no database, and no step waits for a thread. At
most one thread at a time sends to an endpoint. A claim lapses, so whatever a killed process has
not recorded is sent again.

Half of the threads are kept for endpoints that work: those that hang or fail take at most the
other half.
"""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from queue import Empty, SimpleQueue
from typing import Final

import structlog
from django.db import transaction

from pentathlon.core.clock import database_now
from pentathlon.webhooks.attempt_results import next_due, record_answers
from pentathlon.webhooks.http_client import TOTAL_S, PostResult
from pentathlon.webhooks.messages import Message, message_to, send
from pentathlon.webhooks.models import Delivery, DeliveryState, WebhookEndpoint

SLOTS: Final = 16
_OF_ONE_OWNER: Final = 2
_AT_ONCE: Final = 20
"""Deliveries to one endpoint that one claim covers."""
_CLAIM_S: Final = 4 * TOTAL_S
_LOOKED_AT: Final = 4 * SLOTS

Send = Callable[[Message], PostResult]
_log = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Claim:
    """An endpoint that a thread sends to."""

    endpoint_id: int
    owner_id: int
    is_failing: bool
    messages: Sequence[Message]


class Sender:
    """Sends deliveries from one process; it remembers which of its threads are at work."""

    def __init__(self, *, send: Send = send, slots: int = SLOTS) -> None:
        self._send = send
        self._slots = slots
        self._claims: dict[int, _Claim] = {}
        self._answers: SimpleQueue[tuple[int, list[tuple[int, PostResult]]]] = SimpleQueue()
        self._luck = random.Random()

    def step(self) -> int:
        """Record new results and send due deliveries; return how many results were recorded."""
        recorded = self._record()
        for claim in self._claim_due():
            self._claims[claim.endpoint_id] = claim
            name = f"webhook {claim.endpoint_id}"
            threading.Thread(target=self._work, args=(claim,), name=name, daemon=True).start()
        return recorded

    def finish(self, *, for_s: float = 2 * TOTAL_S) -> int:
        """Wait for the threads and record their results; for tests and for an orderly end."""
        deadline = time.monotonic() + for_s
        recorded = self._record()
        while self._claims and time.monotonic() < deadline:
            time.sleep(0.01)
            recorded += self._record()
        return recorded

    def _work(self, claim: _Claim) -> None:
        """Send one message after the other, until one fails or time is up."""
        answers = []
        deadline = time.monotonic() + TOTAL_S
        try:
            for message in claim.messages:
                answer = self._send(message)
                answers.append((message.delivery_id, answer))
                if not answer.has_arrived or time.monotonic() > deadline:
                    break
        except Exception:
            # The claim lapses, and the rest is sent again.
            _log.exception("webhook not sent", endpoint=claim.endpoint_id)
        self._answers.put((claim.endpoint_id, answers))

    def _record(self) -> int:
        recorded = 0
        while True:
            try:
                endpoint_id, answers = self._answers.get_nowait()
            except Empty:
                return recorded
            # Forgotten even if recording fails: then the claim lapses, and the messages are sent
            # again.
            self._claims.pop(endpoint_id, None)
            recorded += record_answers(endpoint_id, answers, luck=self._luck)

    def _claim_due(self) -> Iterable[_Claim]:
        failing = sum(claim.is_failing for claim in self._claims.values())
        places = ((True, self._slots // 2 - failing), (False, self._slots))
        for is_failing, most in places:
            room = min(most, self._slots - len(self._claims))
            if room <= 0:
                continue
            due = WebhookEndpoint.objects.due(is_failing=is_failing).exclude(pk__in=self._claims)
            for endpoint in due.select_related("owner")[:_LOOKED_AT]:
                if room <= 0:
                    break
                owners = Counter(claim.owner_id for claim in self._claims.values())
                if owners[endpoint.owner_id] >= _OF_ONE_OWNER:
                    continue
                claim = _claim(endpoint)
                if claim is not None:
                    room -= 1
                    yield claim


@transaction.atomic
def _claim(seen: WebhookEndpoint) -> _Claim | None:
    """Claim an endpoint for a while; None if it is claimed already or nothing is due."""
    rows = WebhookEndpoint.objects.select_related("owner").select_for_update(of=("self",))
    endpoint = rows.filter(pk=seen.pk, due_at=seen.due_at).first()
    if endpoint is None:
        return None
    now = database_now()
    waiting = Delivery.objects.filter(endpoint=endpoint, state=DeliveryState.WAITING)
    due = waiting.filter(next_at__lte=now).select_related("event").order_by("next_at", "pk")
    messages = [message_to(endpoint, delivery, now=now) for delivery in due[:_AT_ONCE]]
    until = now + timedelta(seconds=_CLAIM_S) if messages else next_due(endpoint)
    WebhookEndpoint.objects.filter(pk=endpoint.pk).update(due_at=until)
    if not messages:
        return None
    return _Claim(
        endpoint_id=endpoint.pk,
        owner_id=endpoint.owner_id,
        is_failing=endpoint.failing_since is not None,
        messages=messages,
    )
