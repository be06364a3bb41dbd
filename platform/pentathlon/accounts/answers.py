"""Requests that may be sent again: the first answer counts, and is kept for a day."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.db import transaction
from django.db.models.functions import Now

from pentathlon.accounts.models import KeptAnswer, User
from pentathlon.common.errors import Conflict

KEPT_FOR: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a request was answered with."""

    status: int
    body: Any  # Any: JSON
    is_kept: bool = False
    """Whether it comes from an earlier request."""


def answer_once(
    *,
    person: User,
    key: str,
    fingerprint: str,
    make: Callable[[], Answer],
    prepare: Callable[[], object] = lambda: None,
) -> Answer:
    """Return the answer kept under this key, else what `make` makes.

    `prepare` runs before the transaction, when no answer is kept yet: for what takes long.

    The answer is stored in the transaction of what it tells of: both are there, or neither. Who
    asks at the same time waits; a refusal (an exception) keeps nothing.

    Raises:
        Conflict: `key_reused` if the key was used for another request.
    """
    kept_answers = KeptAnswer.objects.filter(created_at__gte=Now() - KEPT_FOR)
    if not kept_answers.filter(person=person, key=key).exists():
        prepare()
    with transaction.atomic():
        KeptAnswer.objects.filter(person=person, created_at__lt=Now() - KEPT_FOR).delete()
        kept, is_new = KeptAnswer.objects.get_or_create(
            person=person, key=key, defaults={"fingerprint": fingerprint}
        )
        if is_new:
            answer = make()
            kept.status, kept.body = answer.status, answer.body
            kept.save(update_fields=("status", "body"))
            return answer
    if kept.fingerprint != fingerprint:
        raise Conflict(
            "This Idempotency-Key was used for another request. Choose a new key for every one.",
            code="key_reused",
        )
    return Answer(status=kept.status, body=kept.body, is_kept=True)
