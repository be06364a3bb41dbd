"""All matches of a game in one answer."""

from datetime import timedelta
from typing import Final

from django.db.models import Q
from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from api.matches.matches import MatchSerializer
from api.protocol.endpoint import LARGEST_ID, Endpoint, read_id
from api.protocol.lines import LINES, stretch_of_lines
from pentathlon.core.clock import database_now
from pentathlon.core.errors import InvalidInput, NotFound
from pentathlon.matches.models import Match, MatchQuerySet, MatchState
from pentathlon.tournaments.scheduling.secrecy import with_seals
from pentathlon_engines import GAMES

STRETCH: Final = 500
"""How many matches one stretch of the answer has."""
SETTLED: Final = timedelta(minutes=1)
"""How long after its end a match is listed; by then, no match with an earlier end is missing."""


class MatchHistoryViewSet(Endpoint[Match]):
    """Every match of a game that has ended, in the order of their ends."""

    noun = "match"
    queryset = Match.objects.none()
    serializer_class = MatchSerializer
    query_parameters = {"history": ("after",)}

    def get_queryset(self) -> MatchQuerySet:
        """Return the finished matches that this person may see."""
        ended = Match.objects.visible_to(self.reader).filter(state=MatchState.DONE)
        return with_seals(ended.with_seats().with_privacy()).select_related("place")

    @extend_schema(
        parameters=[
            OpenApiParameter("game", str, "path", enum=list(GAMES)),
            OpenApiParameter(
                "after",
                {"type": "integer", "minimum": 0, "maximum": LARGEST_ID},
                description="Continue after this match, the last one you have.",
            ),
        ],
        responses={(200, LINES): OpenApiTypes.STR},
    )
    def history(self, request: Request, game: str) -> HttpResponse:
        """Return all finished matches of a game, one per line, in the format of the list.

        One response contains them all, however long it is, in the order in which they ended. If
        it breaks off, or to read new matches later, pass the `id` of the last complete line as
        `after`. Matches that ended within the last minute are not included yet. Matches whose
        results were hidden appear where they ended: after the release, read again from there.
        """
        if game not in GAMES:
            raise NotFound(f"There is no game {game!r}.")
        ended = self.get_queryset().filter(game=game, finished_at__lt=database_now() - SETTLED)
        asked = request.query_params.get("after")
        if asked is not None:
            ended = _behind(ended, asked)
        rows = list(ended.order_by("finished_at", "id")[:STRETCH])
        render = JSONRenderer().render
        lines = b"".join(render(MatchSerializer(row).data) + b"\n" for row in rows)
        return stretch_of_lines(
            lines, following=f"after={rows[-1].pk}" if len(rows) == STRETCH else ""
        )


def _behind(ended: MatchQuerySet, asked: str) -> MatchQuerySet:
    number = read_id(asked)
    if number is None:
        raise InvalidInput(
            "`after` is the number of a match; leave it out to begin.",
            code="bad_cursor",
            field="after",
        )
    last = ended.filter(pk=number).values_list("finished_at", flat=True).first()
    if last is None:
        raise NotFound(
            f"This history has no match {number}; leave `after` out to begin.", field="after"
        )
    return ended.filter(finished_at__gte=last).exclude(Q(finished_at=last, pk__lte=number))
