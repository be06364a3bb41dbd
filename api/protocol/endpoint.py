"""The base of all resources."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Any, Final, Generic, NoReturn, TypeVar, cast

from django.conf import settings
from django.db.models import Model
from django.http import Http404
from django_filters.rest_framework import FilterSet
from rest_framework.exceptions import Throttled
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer, ModelSerializer
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView
from rest_framework.viewsets import GenericViewSet

from api.protocol.access import CountingThrottle, RateReached, lacks_scope
from api.protocol.negotiation import check_encoding
from api.protocol.pagination import ORDERING, PAGE_PARAMETERS, CursorPages
from api.protocol.requests import check_parameters
from pentathlon.accounts.idempotency import Answer, answer_once, fingerprint
from pentathlon.accounts.models import Scope, User
from pentathlon.core.caching import FOR_ALL
from pentathlon.core.errors import InvalidInput, NotFound, TooLarge
from pentathlon.core.server.limits import allowance

HEADER: Final = "Idempotency-Key"
REPLAYED: Final = "Idempotency-Replayed"
LONGEST_KEY: Final = 100

Handler = Callable[..., Response]
T = TypeVar("T", bound=Model)
ID = r"\d{1,18}"
"""A pattern for every id that fits into a database column."""
PUBLIC_ID: Final = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
"""A pattern for ids of things that nobody should be able to count: UUIDs."""
LARGEST_ID: Final = 10**18 - 1
_ID: Final = re.compile(r"[0-9]{1,18}")


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


class RowSerializer(ModelSerializer[T], Generic[T]):
    """Fields of a row, for answers: nobody writes them through the API."""

    def get_extra_kwargs(self) -> dict[str, Any]:  # Any: as the framework has it
        """Make every field of the row read-only."""
        return {name: {"read_only": True} for name in self.Meta.fields}


class CountedView(APIView):
    """Puts the state of the rates that a request counts against into the headers of its answer."""

    throttles: Sequence[BaseThrottle] = ()
    """The throttles that have counted this request."""

    def get_throttles(self) -> list[BaseThrottle]:
        """Return the throttles of this request, and remember what they count."""
        self.throttles = made = super().get_throttles()
        return made

    def throttled(self, request: Request, wait: float) -> NoReturn:
        """Refuse the request, and name the rate that it has reached."""
        counting = (each for each in self.throttles if isinstance(each, CountingThrottle))
        reached = [count for each in counting for count in each.counts if count.wait_s]
        if not reached:
            raise Throttled(wait)
        raise RateReached(max(reached, key=lambda count: count.wait_s))

    def finalize_response(
        self, request: Request, response: Response, *args: object, **kwargs: object
    ) -> Response:
        """Write the headers."""
        answer = super().finalize_response(request, response, *args, **kwargs)
        counting = (each for each in self.throttles if isinstance(each, CountingThrottle))
        if counts := [count for each in counting for count in each.counts]:
            answer.headers["RateLimit-Policy"] = ", ".join(
                f'"{each.rate}";q={each.limit};w={each.window_s}' for each in counts
            )
            answer.headers["RateLimit"] = ", ".join(
                f'"{each.rate}";r={each.left};t={each.resets_s}' for each in counts
            )
        return answer


class Endpoint(CountedView, GenericViewSet[T], Generic[T]):
    """A resource: its scopes, its parameters, and the way to its objects."""

    noun = "thing"
    post: Handler
    """The action that answers a POST; set by the framework."""
    lookup_value_regex = ID
    write_scope: Scope | None = None
    private_scopes: dict[str, Scope] = {}
    filterset_class: type[FilterSet] | None = None
    query_parameters: dict[str, tuple[str, ...]] = {}
    """The query parameters of each action, besides filters and pagination."""
    shared_actions: tuple[str, ...] = ()
    """Reads whose answers are the same for everybody, whoever has signed in.

    Others depend on the reader: drafts, hidden results and unlisted things are in them for some.
    """
    conflicting_actions: tuple[str, ...] = ()
    """Read-only actions that may return 409 because the data is sealed, hidden or over."""
    takes_idempotency_key = True
    """Whether a POST may be sent again with the same `Idempotency-Key`."""

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        """Refuse a body that is too large before anything reads it."""
        check_body_size(request, allowance(request.path).largest_body)
        check_encoding(request)
        super().initial(request, *args, **kwargs)
        check_parameters(request.query_params, known=self._known_parameters())
        if request.method == "POST" and self.takes_idempotency_key and self.action is not None:
            # The framework looks up the handler after this.
            self.post = make_idempotent(self.post, prepare=self.prepare)

    def finalize_response(
        self, request: Request, response: Response, *args: object, **kwargs: object
    ) -> Response:
        """Let caches share what is the same for all, and keep what is a person's out of them.

        A response that says otherwise itself is left as it is.
        """
        answer = super().finalize_response(request, response, *args, **kwargs)
        if self.action in self.shared_actions and answer.status_code == HTTPStatus.OK:
            answer.headers.setdefault("Cache-Control", FOR_ALL)
        # Reading `request.user` would try a refused sign-in again.
        if "Authorization" in request.headers or settings.SESSION_COOKIE_NAME in request.COOKIES:
            answer.headers.setdefault("Cache-Control", "private, no-store")
        return answer

    def prepare(self) -> None:
        """Do slow work before the transaction of a POST with an idempotency key."""

    @property
    def person(self) -> User | None:
        """The person who sent the request, if they have signed in."""
        user = self.request.user
        return user if isinstance(user, User) else None

    @property
    def reader(self) -> User | None:
        """The person whose private data may be shown; a token needs the scope for that."""
        return None if lacks_scope(self.request, Scope.PRIVATE_READ) else self.person

    @property
    def actor(self) -> User:
        """The person who sent the request, for actions that need one."""
        return cast(User, self.request.user)

    def checked(self, form: type[BaseSerializer[Any]]) -> dict[str, Any]:  # Any: checked values
        """Return the values that the request sends, in its query if it only reads."""
        is_read = self.request.method in SAFE_METHODS
        sent = form(data=self.request.query_params if is_read else self.request.data)
        sent.is_valid(raise_exception=True)
        return dict(sent.validated_data)

    def _known_parameters(self) -> set[str]:
        known = set(self.query_parameters.get(self.action or "", ()))
        if self.action == "list":
            known |= set(self.filterset_class.base_filters) if self.filterset_class else set()
            known |= set(PAGE_PARAMETERS) if isinstance(self.paginator, CursorPages) else set()
        if known.issuperset(PAGE_PARAMETERS) and getattr(self.paginator, "orderings", None):
            known.add(ORDERING)
        return known

    def get_object(self) -> T:
        """Return the object of the address; raise `NotFound` if the reader may see none."""
        try:
            return super().get_object()
        except Http404 as error:
            key = self.kwargs[self.lookup_url_kwarg or self.lookup_field]
            raise NotFound(f"There is no {self.noun} {key} that you may see.") from error


def read_id(text: str) -> int | None:
    """Return the id that a text names; None if no row can have it."""
    return int(text) if _ID.fullmatch(text) else None


def check_body_size(request: Request, largest: int) -> None:
    """Refuse a request whose header announces too much; never read more than announced."""
    if "Transfer-Encoding" in request.headers:
        raise InvalidInput(
            "Send the length of the body in Content-Length.", code="length_required"
        )
    announced = request.META.get("CONTENT_LENGTH") or "0"
    if announced.isdigit() and int(announced) > largest:
        raise TooLarge(f"The request has {int(announced):,} bytes; {largest:,} are allowed.")
