"""`Idempotency-Key`: a POST that is sent again with the same key is carried out once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any, Final

from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict
from rest_framework.request import Request
from rest_framework.response import Response

from pentathlon.accounts.answers import Answer, answer_once
from pentathlon.accounts.models import User
from pentathlon.common.errors import InvalidInput

HEADER: Final = "Idempotency-Key"
REPEATED: Final = "Idempotency-Replayed"
LONGEST_KEY: Final = 100

Handler = Callable[..., Response]


def carried_out_once(handler: Handler, *, prepare: Callable[[], None]) -> Handler:
    """Return a handler that answers a repeated request as it did the first time.

    `prepare` runs before the transaction in which the handler runs.
    """

    def answered(request: Request, *args: object, **kwargs: object) -> Response:
        if HEADER not in request.headers or not isinstance(request.user, User):
            return handler(request, *args, **kwargs)
        answer = answer_once(
            person=request.user,
            key=_checked_key(request.headers[HEADER]),
            fingerprint=_fingerprint(request),
            prepare=prepare,
            make=lambda: _answer(handler(request, *args, **kwargs)),
        )
        headers = {REPEATED: "true"} if answer.is_kept else None
        return Response(answer.body, status=answer.status, headers=headers)

    return answered


def _answer(response: Response) -> Answer:
    return Answer(status=response.status_code, body=response.data)


def _checked_key(key: str) -> str:
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
