"""`Idempotency-Key`: a POST that is sent again with the same key takes effect once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models.functions import Now
from django.http import QueryDict
from rest_framework.request import Request
from rest_framework.response import Response

from pentathlon.accounts.models import IdempotencyRecord, User
from pentathlon.accounts.retention import KEPT_ANSWERS
from pentathlon.common.errors import Conflict, InvalidInput

HEADER: Final = "Idempotency-Key"
REPLAYED: Final = "Idempotency-Replayed"
LONGEST_KEY: Final = 100

Handler = Callable[..., Response]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer to a request."""

    status: int
    body: Any  # Any: JSON
    is_replayed: bool = False
    """Whether the answer was stored by an earlier request."""


def make_idempotent(handler: Handler, *, prepare: Callable[[], None]) -> Handler:
    """Return a handler that answers a repeated request as it did the first time.

    `prepare` runs before the transaction in which the handler runs.
    """

    def handle(request: Request, *args: object, **kwargs: object) -> Response:
        if HEADER not in request.headers or not isinstance(request.user, User):
            return handler(request, *args, **kwargs)
        answer = answer_once(
            actor=request.user,
            key=_check_key(request.headers[HEADER]),
            fingerprint=_fingerprint(request),
            prepare=prepare,
            make=lambda: _answer(handler(request, *args, **kwargs)),
        )
        headers = {REPLAYED: "true"} if answer.is_replayed else None
        return Response(answer.body, status=answer.status, headers=headers)

    return handle


def answer_once(
    *,
    actor: User,
    key: str,
    fingerprint: str,
    make: Callable[[], Answer],
    prepare: Callable[[], object] = lambda: None,
) -> Answer:
    """Return the answer that is stored under this key, or make and store one.

    `prepare` does slow work before the transaction; it is not called if an answer is stored.

    The answer is stored in the transaction of the change that it describes: both are there, or
    neither. A second request with the key waits for the first one. A refusal (an exception) is not
    stored.

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
            answer = make()
            record.status, record.body = answer.status, answer.body
            record.save(update_fields=("status", "body"))
            return answer
    if record.fingerprint != fingerprint:
        raise Conflict(
            f"This {HEADER} was used for another request. Choose a new key for every one.",
            code="key_reused",
        )
    return Answer(status=record.status, body=record.body, is_replayed=True)


def _answer(response: Response) -> Answer:
    return Answer(status=response.status_code, body=response.data)


def _check_key(key: str) -> str:
    if not (1 <= len(key) <= LONGEST_KEY and key.isascii() and key.isprintable()):
        raise InvalidInput(
            f"An {HEADER} has 1 to {LONGEST_KEY} printable ASCII characters.",
            code="bad_idempotency_key",
            field=HEADER,
        )
    return key


def _fingerprint(request: Request) -> str:
    total = hashlib.sha256(f"{request.method} {request.get_full_path()}\0".encode())
    data: Any = request.data  # Any: JSON, or a form
    if isinstance(data, QueryDict):
        for name, values in sorted(data.lists()):
            for value in values:
                total.update(f"{name}\0".encode())
                total.update(_content(value))
    else:
        total.update(json.dumps(data, sort_keys=True).encode())
    return total.hexdigest()


def _content(value: str | UploadedFile[bytes]) -> bytes:
    if isinstance(value, str):
        return hashlib.sha256(value.encode()).digest()
    content = hashlib.sha256(value.read()).digest()
    value.seek(0)
    return content
