"""Keys of forms: a form that is sent twice, as by a double click, takes effect once.

Every form carries a key, a new one each time it is drawn (`templatetags/form_keys.py`). Key and
content together are an idempotency key: who goes back and changes a field sends something new.

Answers that made something are kept for a day: redirects with their messages, and pages with the
status 201, which show a secret just once. They are encrypted with the key of the form, which the
browser alone has, so that nobody reads a secret in the database.
"""

from __future__ import annotations

import json
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Callable
from functools import partial, wraps
from hashlib import sha256
from http import HTTPStatus
from typing import Any, Concatenate, Final, ParamSpec, TypeGuard

from cryptography.fernet import Fernet
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.deprecation import MiddlewareMixin

from pentathlon.accounts.idempotency import Answer, answer_once, fingerprint
from pentathlon.accounts.models import User
from pentathlon.web.requests import person

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]

FIELD: Final = "form_key"
_LONGEST: Final = 100
_KEPT: Final = (HTTPStatus.CREATED, HTTPStatus.FOUND, HTTPStatus.SEE_OTHER)
_PREPARED: Final = "prepared_form"


def new_form_key(reader: User | None) -> str:
    """Return a key for a form that is drawn now for this person."""
    return f"{secrets.token_urlsafe(18)}.{reader.pk if reader else ''}"


def shown_to(key: str) -> int | None:
    """Return the id of the person to whom the form with this key was shown, if any.

    Only its own browser has the key: it may make itself any other.
    """
    reader = key.rpartition(".")[2]
    return int(reader) if reader.isascii() and reader.isdigit() else None


def takes_password(view: View[P]) -> View[P]:
    """Run a view that checks or sets a password outside of a transaction: hashing is slow.

    Its form is not answered once, so what the view does twice has to do no harm by itself.
    """
    view.takes_password = True  # type: ignore[attr-defined]  # read by the middleware below
    return view


def prepared_by(
    prepare: Callable[[HttpRequest], object], *, for_visitors: bool = False
) -> Callable[[View[P]], View[P]]:
    """Do slow work on a posted form before the transaction in which the view runs.

    The view finds what `prepare` returned by `prepared`. It is for people who have signed in,
    since nobody else may cost us time, unless it checks `for_visitors` who they are.
    """

    def decorate(view: View[P]) -> View[P]:
        @wraps(view)
        def answer(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            _prepare(request, prepare)
            return view(request, *args, **kwargs)

        answer.prepare = prepare  # type: ignore[attr-defined]  # read by the middleware below
        answer.prepares_for_visitors = for_visitors  # type: ignore[attr-defined]  # likewise
        return answer

    return decorate


def prepared(request: HttpRequest) -> Any:  # Any: whatever the view's own function returned
    """Return what the slow work before the transaction has made of the request."""
    return getattr(request, _PREPARED)


class AnswerFormsOnce(MiddlewareMixin):
    """Runs the view of a posted form in one transaction with the answer that is kept."""

    def process_view(
        self, request: HttpRequest, view: View[...], args: Any, kwargs: Any
    ) -> HttpResponseBase | None:
        """Answer a form as the first time, if it was sent before; else let the view answer."""
        is_left_out = getattr(view, "csrf_exempt", False) or getattr(view, "takes_password", False)
        if request.method != "POST" or is_left_out:
            return None
        key = request.POST.get(FIELD, "")
        if not 0 < len(key) <= _LONGEST:
            return None
        sent: list[HttpResponseBase] = []

        def make() -> Answer:
            before = _signed_in_as(request)
            sent.append(view(request, *args, **kwargs))
            is_same = _signed_in_as(request) == before
            body = _sealed(request, sent[0], key) if is_same and _is_kept(sent[0]) else None
            return Answer(status=sent[0].status_code, body=body, is_kept=body is not None)

        actor = person(request)
        may_prepare = actor is not None or getattr(view, "prepares_for_visitors", False)
        prepare = getattr(view, "prepare", None) if may_prepare else None
        content = _fingerprint(request)
        answer = answer_once(
            actor=actor,
            key=sha256(f"form {key} {content}".encode("utf-8", "surrogatepass")).hexdigest(),
            fingerprint=content,
            prepare=partial(_prepare, request, prepare),
            make=make,
        )
        return sent[0] if sent else _answer_again(request, answer, key)


def _prepare(request: HttpRequest, prepare: Callable[[HttpRequest], object] | None) -> None:
    if prepare is not None and not hasattr(request, _PREPARED):
        setattr(request, _PREPARED, prepare(request))


def _fingerprint(request: HttpRequest) -> str:
    content = request.POST.copy()
    content.pop("csrfmiddlewaretoken", None)
    return fingerprint(request.method, request.get_full_path(), content, request.FILES)


def _signed_in_as(request: HttpRequest) -> tuple[object, object]:
    """Return what a second browser request cannot take over from the first: its session."""
    return getattr(request.user, "pk", None), request.session.session_key


def _is_kept(response: HttpResponseBase) -> TypeGuard[HttpResponse]:
    return (
        isinstance(response, HttpResponse)
        and response.status_code in _KEPT
        and not response.cookies.values()
    )


def _sealed(request: HttpRequest, response: HttpResponse, key: str) -> str:
    """Return the answer so that only the browser that sent the form has the key to it."""
    # Django has no public way to read messages without taking them.
    queued = getattr(messages.get_messages(request), "_queued_messages", ())
    kept = {
        "content": response.content.decode(),
        "location": response.headers.get("Location"),
        "messages": [[each.level, str(each.message)] for each in queued],
    }
    return _box(key).encrypt(json.dumps(kept).encode()).decode()


def _answer_again(request: HttpRequest, answer: Answer, key: str) -> HttpResponse:
    kept = json.loads(_box(key).decrypt(answer.body.encode()))
    for level, sentence in kept["messages"]:
        messages.add_message(request, level, sentence)
    again = HttpResponse(kept["content"], status=answer.status)
    again["Cache-Control"] = "private, no-store"
    if kept["location"] is not None:
        again["Location"] = kept["location"]
    return again


def _box(key: str) -> Fernet:
    return Fernet(urlsafe_b64encode(sha256(key.encode("utf-8", "surrogatepass")).digest()))
