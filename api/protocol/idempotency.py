"""`Idempotency-Key`: a POST that is sent again with the same key takes effect once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from rest_framework.request import Request
from rest_framework.response import Response

from pentathlon.accounts.idempotency import Answer, answer_once, fingerprint
from pentathlon.accounts.models import User
from pentathlon.core.errors import InvalidInput

HEADER: Final = "Idempotency-Key"
REPLAYED: Final = "Idempotency-Replayed"
LONGEST_KEY: Final = 100

Handler = Callable[..., Response]


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
            fingerprint=fingerprint(request.method, request.get_full_path(), request.data),
            prepare=prepare,
            make=lambda: _answer(handler(request, *args, **kwargs)),
        )
        headers = {REPLAYED: "true"} if answer.is_replayed else None
        return Response(answer.body, status=answer.status, headers=headers)

    return handle


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
