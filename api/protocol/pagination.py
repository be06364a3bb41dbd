"""Pages of lists: `{"results": [...], "next": ..., "previous": ...}`."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import NotFound
from rest_framework.pagination import BasePagination, CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response

from pentathlon.core.errors import InvalidInput
from pentathlon.core.server.limits import LARGEST_PAGE, PAGE

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
