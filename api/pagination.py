"""Pages of lists: `{"results": [...], "next": ..., "previous": ...}`."""

from collections.abc import Sequence
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from rest_framework.exceptions import NotFound
from rest_framework.pagination import BasePagination, CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response


class NewestFirst(CursorPagination):
    """Pages by cursor: page 1,000 costs what page 1 does, and new rows shift nothing."""

    ordering: str | tuple[str, ...] = "-id"
    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 200

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

    def get_paginated_response(self, data: Any) -> Response:  # Any: what a serializer made
        """Return one page, results first."""
        return Response(
            {
                "results": data,
                "next": self.get_next_link(),
                "previous": self.get_previous_link(),
            }
        )


class BestFirst(NewestFirst):
    """Pages of a leaderboard."""

    ordering = ("-score", "version_id")


class OnePage(BasePagination):
    """The shape of a page for lists that are always whole."""

    def paginate_queryset(
        self,
        queryset: QuerySet[Any] | Sequence[Any],  # Any: rows of every list
        request: Request,
        view: object = None,
    ) -> list[Any]:
        """Return everything."""
        return list(queryset)

    def get_paginated_response(self, data: Any) -> Response:  # Any: what a serializer made
        """Return everything in the shape of a page."""
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
