"""Lists of matches: their filters and orders."""

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from rest_framework.request import Request

from api.protocol.filters import GameFilter, IdFilter, MadeFilterSet
from api.protocol.pagination import ORDERING, NewestFirst
from pentathlon.core.errors import InvalidInput
from pentathlon.matches.models import MatchKind, MatchQuerySet, MatchState

_NOT_BY_END = {"bot", "version", "since", "until"}
"""Filters for which no index has the order of ends."""


class MatchFilter(MadeFilterSet):
    """Narrow matches down."""

    state = filters.ChoiceFilter(choices=MatchState.choices)
    kind = filters.ChoiceFilter(choices=MatchKind.choices)
    game = GameFilter()
    tournament = IdFilter(method="of_tournament")
    bot = IdFilter(method="of_bot")
    version = IdFilter(method="of_version")

    def of_tournament(self, matches: MatchQuerySet, name: str, value: int) -> MatchQuerySet:
        """Keep the matches of a tournament."""
        return matches.of_lane(value)

    def of_bot(self, matches: MatchQuerySet, name: str, value: int) -> MatchQuerySet:
        """Keep the matches of a bot."""
        return matches.of_bot(value)

    def of_version(self, matches: MatchQuerySet, name: str, value: int) -> MatchQuerySet:
        """Keep the matches of a bot version."""
        return matches.of_version(value)


class MatchPages(NewestFirst):
    """Pages of matches, also by when they ended."""

    orderings = {
        **NewestFirst.orderings,
        "-finished_at": ("-finished_at", "-id"),
        "finished_at": ("finished_at", "id"),
    }
    orderings_told = (
        "Newest first, or oldest first: ids grow with time. Or by the time of the end, with "
        "`state=done`, and with no filter but `game`, `kind` and `tournament`."
    )

    def get_ordering(
        self,
        request: Request,
        queryset: QuerySet[Any] | Sequence[Any],  # Any: only handed on
        view: Any,  # Any: only handed on
    ) -> tuple[str, ...]:
        """Return the columns of the requested order, if an index has them."""
        columns = super().get_ordering(request, queryset, view)
        asked = request.query_params
        is_by_end = columns[0].endswith("finished_at")
        is_unindexed = not _NOT_BY_END.isdisjoint(asked)
        if is_by_end and (asked.get("state") != MatchState.DONE or is_unindexed):
            raise InvalidInput(
                "Ordering by the end needs state=done and no bot, version, since or until; "
                "-id lists the newest first.",
                code="bad_ordering",
                field=ORDERING,
            )
        return columns
