"""Idempotency keys: a request that is sent again with the same key takes effect once.

Requests to the API carry their key in a header, forms of pages in a hidden field.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models.functions import Now
from django.utils.datastructures import MultiValueDict

from pentathlon.accounts.models import IdempotencyRecord, User
from pentathlon.core.errors import Conflict

KEPT_ANSWERS: Final = timedelta(days=1)
"""How long an answer is kept under its idempotency key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer to a request."""

    status: int
    body: Any  # Any: JSON
    is_replayed: bool = False
    """Whether the answer was stored by an earlier request."""
    is_kept: bool = True
    """Whether it is stored: a refusal is not, so that the request may be sent again."""


def answer_once(
    *,
    actor: User | None,
    key: str,
    fingerprint: str,
    make: Callable[[], Answer],
    prepare: Callable[[], object] = lambda: None,
) -> Answer:
    """Return the answer that is stored under this key, or make and store one.

    Keys of visitors, who have no account, share one space: theirs come from the site.
    `prepare` does slow work before the transaction; it is not called if an answer is stored.

    The answer is stored in the transaction of the change that it describes: both are there, or
    neither. A second request with the key waits for the first one. A refusal (an exception, or an
    answer that is not kept) is not stored.

    Raises:
        Conflict: `key_reused` if the key was used for another request.
    """
    records = IdempotencyRecord.objects.filter(person=actor)
    if not records.filter(key=key, created_at__gte=Now() - KEPT_ANSWERS).exists():
        prepare()
    with transaction.atomic():
        records.filter(created_at__lt=Now() - KEPT_ANSWERS).delete()
        record, is_new = IdempotencyRecord.objects.get_or_create(
            person=actor, key=key, defaults={"fingerprint": fingerprint}
        )
        if is_new:
            return _store(record, make())
    if record.fingerprint != fingerprint:
        raise Conflict(
            "This Idempotency-Key was used for another request. Choose a new key for every one.",
            code="key_reused",
        )
    return Answer(status=record.status, body=record.body, is_replayed=True)


def fingerprint(
    method: str | None, path: str, data: object, files: MultiValueDict[str, Any] | None = None
) -> str:
    """Return a hash that tells a request from others.

    It covers method, path with query, and all that was sent, as JSON or as fields of a form.
    """
    total = hashlib.sha256(f"{method} {path}\0".encode())
    if not isinstance(data, MultiValueDict):
        total.update(json.dumps(data, sort_keys=True).encode())
        return total.hexdigest()
    for name, values in sorted([*data.lists(), *(files.lists() if files else ())]):
        for value in values:
            total.update(f"{name}\0".encode("utf-8", "surrogatepass"))
            total.update(_content(value))
    return total.hexdigest()


def _store(record: IdempotencyRecord, answer: Answer) -> Answer:
    if answer.is_kept:
        record.status, record.body = answer.status, answer.body
        record.save(update_fields=("status", "body"))
    else:
        record.delete()
    return answer


def _content(value: str | UploadedFile[bytes]) -> bytes:
    if isinstance(value, str):
        return hashlib.sha256(value.encode("utf-8", "surrogatepass")).digest()
    content = hashlib.sha256(value.read()).digest()
    value.seek(0)
    return content
