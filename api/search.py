from typing import Any

from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ViewSet

from api.protocol.access import lacks_scope
from api.protocol.endpoint import CountedView
from api.protocol.pagination import OnePage
from api.protocol.requests import check_parameters
from pentathlon.accounts.models import Scope, User
from pentathlon.core.errors import InvalidInput
from pentathlon.insight.search.lookup import LONGEST_QUERY, FoundName, Kind, find_match, find_names
from pentathlon.matches.models import Match

_MATCH = "match"
_KINDS = [*Kind.values, _MATCH]
_API = {Kind.BOT: "bot", Kind.TOURNAMENT: "tournament", Kind.EVENT: "event"}


class FoundSerializer(serializers.Serializer[Any]):
    """A search result."""

    kind = serializers.ChoiceField(choices=_KINDS)
    id = serializers.IntegerField()
    name = serializers.CharField(help_text="The name; for a match, its bots.")
    author = serializers.CharField(
        help_text="The author of a bot, or the organiser of a tournament or event."
    )
    game = serializers.CharField(help_text="Key of the game of a tournament or match; else empty.")
    url = serializers.CharField(
        allow_null=True, help_text="Its address in the API; null for a person."
    )


class SearchViewSet(CountedView, ViewSet):
    """Everything that has a name or a number."""

    pagination_class = OnePage

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        """Refuse unknown parameters."""
        super().initial(request, *args, **kwargs)
        check_parameters(request.query_params, known=("q", "kind"))

    @extend_schema(
        parameters=[
            OpenApiParameter(
                "q",
                {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": LONGEST_QUERY,
                    "pattern": "^[^\\x00]*$",
                },
                required=True,
                description="The beginnings of words in a name, or the number of a match.",
            ),
            OpenApiParameter(
                "kind",
                {"type": "string", "enum": _KINDS},
                description="Only results of this kind.",
            ),
        ],
        responses=FoundSerializer(many=True),
    )
    def list(self, request: Request) -> Response:
        """Find bots, people, tournaments and events by name, and a match by its number.

        The best matches come first: the exact name, names that begin with the text, names that
        contain such a word. The response has at most 50 of each kind, without further pages.
        """
        query, kind = _query(request), request.query_params.get("kind")
        if kind is not None and kind not in _KINDS:
            raise InvalidInput(
                f"kind is one of {', '.join(_KINDS)}.", code="bad_kind", field="kind"
            )
        reader = _reader(request)
        found: list[dict[str, object]] = []
        if kind in {None, _MATCH}:
            match = find_match(query, reader=reader)
            found += [] if match is None else [_match(match)]
        if kind != _MATCH:
            kinds = list(Kind) if kind is None else [Kind(kind)]
            found += [_name(each) for each in find_names(query, reader=reader, kinds=kinds)]
        page = OnePage()
        rows = page.paginate_queryset(found, request, self)
        return page.get_paginated_response(FoundSerializer(rows, many=True).data)


def _query(request: Request) -> str:
    query = request.query_params.get("q", "")
    if not query or len(query) > LONGEST_QUERY or "\0" in query:
        raise InvalidInput(
            f"q is a text of 1 to {LONGEST_QUERY} characters: a name or a number.",
            code="bad_query",
            field="q",
        )
    return query


def _reader(request: Request) -> User | None:
    is_blind = lacks_scope(request, Scope.PRIVATE_READ)
    return request.user if isinstance(request.user, User) and not is_blind else None


def _match(match: Match) -> dict[str, object]:
    return {
        "kind": _MATCH,
        "id": match.pk,
        "name": " – ".join(seat.version.label for seat in match.seats.all()),
        "author": "",
        "game": match.game,
        "url": reverse("api:match-detail", args=[match.pk]),
    }


def _name(found: FoundName) -> dict[str, object]:
    view = _API.get(found.kind)
    return {
        "kind": found.kind,
        "id": found.id,
        "name": found.name,
        "author": found.author,
        "game": found.game,
        "url": None if view is None else reverse(f"api:{view}-detail", args=[found.id]),
    }
