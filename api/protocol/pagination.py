"""Pages of lists: `{"results": [...], "next": ..., "previous": ...}`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, TypeVar

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet
from django_filters import rest_framework as filters
from django_filters.fields import IsoDateTimeField
from drf_spectacular.utils import OpenApiParameter, extend_schema_field
from rest_framework.exceptions import NotFound
from rest_framework.pagination import BasePagination, CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response

from api.protocol.requests import ZONE_MISSING
from pentathlon.core.errors import InvalidInput
from pentathlon.core.server.limits import LARGEST_PAGE, LONGEST_FILTER, PAGE
from pentathlon_engines import GAMES

T = TypeVar("T", bound=Model)

_SLACK: Final = timedelta(minutes=1)
"""How far the times of rows may be out of the order of their ids, since statements run at once."""
_NEAR: Final = 1024
"""The most ids that a query may read past: to halve further would cost more than to read them."""
PAGE_PARAMETERS: Final = ("cursor", "page_size")
"""The query parameters for the start and the length of a page."""
PAGES_TOLD: Final = (
    OpenApiParameter("cursor", str, description="Where the page starts."),
    OpenApiParameter(
        "page_size", {"type": "integer", "minimum": 1}, description="The number of rows on a page."
    ),
)
"""The same parameters for actions that the schema generator does not recognise as lists."""
ORDERING: Final = "ordering"
"""The query parameter for the order of a list."""
_LARGEST_ID = 2**63 - 1
_YEARS: Final = range(2000, 2100)
_MONTH_AND_DAY: Final = (
    r"((0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])|(0[13-9]|1[0-2])-(29|30)|(0[13578]|1[02])-31)"
)
_SINCE: Final = "Created at this time or later, such as 2026-11-23T12:00:00Z or 2026-11-23."
_UNTIL: Final = "Created before this time; consecutive spans do not overlap."
_TIME: Final = r"(T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z)?"
_WITHOUT_ZONE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.,]+", re.IGNORECASE)
_MOMENT: Final = {"type": "string", "pattern": f"^20[0-9]{{2}}-{_MONTH_AND_DAY}{_TIME}$"}
MADE_PARAMETERS: Final = (
    OpenApiParameter("since", _MOMENT, description=_SINCE),
    OpenApiParameter("until", _MOMENT, description=_UNTIL),
)
"""`MadeFilterSet` as parameters, for lists that the schema generator does not recognise."""


def made_since(rows: QuerySet[T], moment: datetime) -> QuerySet[T]:
    """Return the rows that were made at this moment or later."""
    first, _ = _around(rows, moment - _SLACK)
    return rows.filter(pk__gte=first, created_at__gte=moment)


def made_before(rows: QuerySet[T], moment: datetime) -> QuerySet[T]:
    """Return the rows that were made before this moment."""
    _, end = _around(rows, moment + _SLACK)
    return rows.filter(pk__lt=end, created_at__lt=moment)


def _around(rows: QuerySet[T], moment: datetime) -> tuple[int, int]:
    """Return two close ids that enclose the first row made at a moment or later."""
    # Any: a query whose model is known at run time only.
    times: Any = rows.model._base_manager.order_by("pk").values_list("pk", "created_at")
    newest = times.last()
    if newest is None:
        return 0, 0
    low, high = 0, newest[0] + 1
    while high - low > _NEAR:
        middle = (low + high) // 2
        found = times.filter(pk__gte=middle, pk__lt=high).first()
        if found is None or found[1] >= moment:
            high = middle
        else:
            low = found[0] + 1
    return low, high


class CursorPages(CursorPagination):
    """Pages by cursor: page 1,000 costs as much as page 1, and new rows shift nothing."""

    ordering: str | tuple[str, ...] = "-id"
    orderings: Mapping[str, tuple[str, ...]] = {}
    """The values of `ordering`, with the columns of an index; the first one is the default."""
    orderings_told = ""
    """What the orders mean, for people."""
    offset_cutoff = 100_000
    """A page may start within at most this many equal rows, such as those of new bots."""
    page_size = PAGE
    page_size_query_param = "page_size"
    max_page_size = LARGEST_PAGE

    def paginate_queryset(
        self,
        queryset: QuerySet[Any] | Sequence[Any],  # Any: rows of every list
        request: Request,
        view: Any = None,  # Any: only handed on
    ) -> list[Any] | None:
        """Return the rows of one page."""
        try:
            return super().paginate_queryset(queryset, request, view)
        except (ValueError, ValidationError) as error:
            raise NotFound(self.invalid_cursor_message) from error

    def get_ordering(
        self,
        request: Request,
        queryset: QuerySet[Any] | Sequence[Any],  # Any: rows of every list
        view: Any,  # Any: only handed on
    ) -> tuple[str, ...]:
        """Return the columns of the requested order.

        Raises:
            InvalidInput: the list has no such order.
        """
        wanted = request.query_params.get(ORDERING)
        if wanted is None or not self.orderings:
            usual = self.ordering
            return (usual,) if isinstance(usual, str) else tuple(usual)
        if wanted not in self.orderings:
            raise InvalidInput(
                f"ordering is one of {', '.join(self.orderings)}.",
                code="bad_ordering",
                field=ORDERING,
                allowed=[*self.orderings],
            )
        return self.orderings[wanted]

    def get_page_size(self, request: Request) -> int:
        """Return how many rows the page has, at most the largest page.

        Raises:
            InvalidInput: `page_size` is no whole number from 1.
        """
        wanted = request.query_params.get(self.page_size_query_param, str(self.page_size))
        if not (wanted.isascii() and wanted.isdigit() and wanted.strip("0")):
            raise InvalidInput(
                f"page_size is a whole number from 1 to {self.max_page_size}.",
                code="bad_page_size",
                field=self.page_size_query_param,
            )
        return min(int(wanted[:6]), self.max_page_size)

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:  # Any: JSON
        """Describe the parameters, with their bounds."""
        cursor, size = super().get_schema_operation_parameters(view)
        bounds = {"type": "integer", "minimum": 1, "default": self.page_size}
        found = [cursor, {**size, "schema": bounds}]
        if self.orderings:
            orders = {
                "type": "string",
                "enum": [*self.orderings],
                "default": next(iter(self.orderings)),
            }
            found.append(
                {
                    "name": ORDERING,
                    "in": "query",
                    "required": False,
                    "description": self.orderings_told,
                    "schema": orders,
                }
            )
        return found

    def get_paginated_response(self, data: Any) -> Response:  # Any: what a serializer made
        """Return one page, results first."""
        return Response(
            {
                "results": data,
                "next": self.get_next_link(),
                "previous": self.get_previous_link(),
            }
        )


class NewestFirst(CursorPages):
    """Pages of rows in order of creation: ids grow with time."""

    orderings = {"-id": ("-id",), "id": ("id",)}
    orderings_told = "Newest first, or oldest first: ids grow with time."


class BestFirst(CursorPages):
    """Pages of a leaderboard."""

    ordering = ("-score", "version_id")


class InPlaces(CursorPages):
    """Pages of a ranking."""

    ordering = "place"


class OnePage(BasePagination):
    """The shape of a page for lists that are always whole."""

    def paginate_queryset(
        self,
        queryset: QuerySet[Any] | Sequence[Any],  # Any: rows of every list
        request: Request,
        view: object = None,
    ) -> list[Any]:
        """Return all rows."""
        return list(queryset)

    def get_paginated_response(self, data: Any) -> Response:  # Any: what a serializer made
        """Return all rows in the shape of a page."""
        return Response({"results": data, "next": None, "previous": None})

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Describe the page."""
        address = {"type": ["string", "null"], "format": "uri"}
        return {
            "type": "object",
            "required": ["results", "next", "previous"],
            "properties": {
                "results": schema,
                "next": address,
                "previous": address,
            },
        }


@extend_schema_field({"type": "integer", "minimum": 1, "maximum": _LARGEST_ID})
class IdFilter(filters.NumberFilter):
    """The id of a row; rows that do not exist match nothing."""

    field_class = forms.IntegerField

    def __init__(self, **settings: object) -> None:
        super().__init__(min_value=1, max_value=_LARGEST_ID, **settings)

    def get_max_validator(self) -> None:
        """Leave the bounds to the field."""


def _titles() -> list[tuple[str, str]]:
    return [(key, game.info.title) for key, game in GAMES.items()]


@extend_schema_field({"type": "string", "enum": list(GAMES)})
class GameFilter(filters.ChoiceFilter):
    """The key of a game."""

    def __init__(self, **settings: object) -> None:
        # Called at each use: the list of games may grow after this module is loaded.
        super().__init__(choices=_titles, **settings)


@extend_schema_field({"type": "string", "pattern": "^[^\\x00]*$", "maxLength": LONGEST_FILTER})
class TextFilter(filters.CharFilter):
    """A text without zero bytes, which no database stores."""

    def __init__(self, **settings: object) -> None:
        super().__init__(max_length=LONGEST_FILTER, **settings)


def _check_year(moment: datetime) -> None:
    # These years stay well within what a database can store, whatever the zone.
    if moment.year not in _YEARS:
        raise ValidationError(f"The year is from {_YEARS[0]} to {_YEARS[-1]}.", code="bad_time")


class _MomentField(IsoDateTimeField):
    def to_python(self, value: Any) -> datetime | None:  # Any: as the framework has it
        """Return the time of a text; refuse one without a zone, unless it is a day."""
        if isinstance(value, str) and _WITHOUT_ZONE.fullmatch(value.strip()):
            raise ValidationError(ZONE_MISSING, code="zone_missing")
        made: datetime | None = super().to_python(value)
        return made


@extend_schema_field(_MOMENT)
class MomentFilter(filters.IsoDateTimeFilter):
    """A time with its zone, or a day, which begins at midnight UTC."""

    field_class = _MomentField

    def __init__(self, **settings: object) -> None:
        super().__init__(validators=[_check_year], **settings)


class MadeFilterSet(filters.FilterSet):
    """Filters by creation time; a span includes its beginning but not its end."""

    since = MomentFilter(method="made_since", help_text=_SINCE)
    until = MomentFilter(method="made_before", help_text=_UNTIL)

    # Any: rows of every list.
    def made_since(self, rows: QuerySet[Any], name: str, value: datetime) -> QuerySet[Any]:
        """Keep rows created at this time or later."""
        return made_since(rows, value)

    def made_before(self, rows: QuerySet[Any], name: str, value: datetime) -> QuerySet[Any]:
        """Keep rows created before this time."""
        return made_before(rows, value)
