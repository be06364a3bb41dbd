from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.mixins import ListModelMixin, RetrieveModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from api.accounts.people import PersonSerializer
from api.protocol.endpoint import Endpoint, RowSerializer
from api.protocol.pagination import GameFilter, MadeFilterSet, TextFilter
from api.protocol.requests import naming
from api.tournaments.arrangements import ArrangementSerializer, take_arrangement
from api.tournaments.requests import RatedField, is_rated, usual_seats
from api.tournaments.tables import WarningSerializer
from pentathlon.accounts.models import Scope
from pentathlon.core.errors import DomainError, refuse_all
from pentathlon.tournaments.documents.checks import (
    LONGEST_NAME,
    MOST_ENTRIES_PER_AUTHOR,
    gather_errors,
)
from pentathlon.tournaments.estimates.dry_runs import cautions_of_event
from pentathlon.tournaments.guards import check_may_create
from pentathlon.tournaments.models import ENTRIES_PER_AUTHOR, Event, Tournament
from pentathlon.tournaments.organising.events import (
    create_event,
    event_table,
    problems_of_documents,
    tournaments_of,
)
from pentathlon_engines import GAMES
from pentathlon_engines.tournament.document import TournamentDocument
from pentathlon_engines.tournament.formats.registry import newest_format

_IN_REQUEST = {"game": "games", "scheduler": "format"}


class EventSerializer(RowSerializer[Event]):
    """Tournaments of several games that belong together."""

    owner = PersonSerializer()
    tournaments = serializers.SerializerMethodField(help_text="Ids, by game.")
    warnings = serializers.SerializerMethodField(
        help_text="Settings of its tournaments that are allowed but rarely intended; empty after "
        "the start."
    )

    class Meta:
        model = Event
        fields = ("id", "name", "owner", "tournaments", "warnings", "created_at")

    def get_tournaments(self, event: Event) -> list[int]:
        """Return the ids of its tournaments."""
        found = sorted(event.tournaments.all(), key=lambda each: each.game)
        return [tournament.pk for tournament in found]

    @extend_schema_field(WarningSerializer(many=True))
    def get_warnings(self, event: Event) -> list[dict[str, Any]]:  # Any: JSON
        """Return the cautions of its tournaments, by game."""
        return [caution.to_json() for caution in cautions_of_event(event.tournaments.all())]


class EventRequestSerializer(ArrangementSerializer):
    """A new event: one tournament per game, with the same settings."""

    name = serializers.CharField(max_length=LONGEST_NAME)
    games = serializers.ListField(
        child=serializers.CharField(max_length=30),
        min_length=1,
        max_length=len(GAMES),
        help_text=f"Keys of games: {', '.join(GAMES)}.",
    )
    format = serializers.CharField(max_length=20, default="round_robin")
    params = serializers.DictField(default=dict, help_text="Parameters of the format.")
    rated = RatedField()
    entries_per_author = serializers.IntegerField(
        default=ENTRIES_PER_AUTHOR, min_value=1, max_value=MOST_ENTRIES_PER_AUTHOR
    )

    def further_problems(self) -> Iterator[DomainError]:
        """Yield the errors of the arrangement, and those of the documents by the valid fields."""
        yield from super().further_problems()
        right = self.right_values("games", "format", "params", "rated")
        rated = is_rated(right["rated"], kind=right["format"], sent=self.initial_data)
        documents = _documents(right["games"] or (), kind=right["format"], params=right["params"])
        check = partial(refuse_all, problems_of_documents(documents, rated=rated))
        yield from gather_errors([naming(check, _IN_REQUEST)])


class EventCellSerializer(serializers.Serializer[Any]):
    """The result of an author or team in one game."""

    place = serializers.IntegerField()
    points = serializers.FloatField(help_text="Those who share a place share its points.")
    bot = serializers.CharField()


class EventLineSerializer(serializers.Serializer[Any]):
    """One author or team over all games."""

    place = serializers.IntegerField()
    name = serializers.CharField()
    is_team = serializers.BooleanField(
        help_text="Whether this is the name of a team; an author may be called the same."
    )
    points = serializers.FloatField()
    cells = serializers.ListField(
        child=EventCellSerializer(allow_null=True),
        help_text="In the order of `tournaments`; null where it has no place yet.",
    )


def _documents(
    games: Iterable[str],
    *,
    kind: str,
    params: Mapping[str, Any],  # Any: as requests have it
) -> list[TournamentDocument]:
    return [
        TournamentDocument(
            game=game, scheduler=newest_format(kind, seats=usual_seats(game)), params=params
        )
        for game in games
    ]


class EventFilter(MadeFilterSet):
    """Filters of events."""

    owner = TextFilter(field_name="owner__username", lookup_expr="iexact")
    game = GameFilter(method="with_game")

    def with_game(self, events: QuerySet[Event], name: str, value: str) -> QuerySet[Event]:
        """Keep the events with a tournament of a game."""
        return events.filter(Exists(Tournament.objects.filter(event=OuterRef("pk"), game=value)))


class EventViewSet(ListModelMixin, RetrieveModelMixin, Endpoint[Event]):
    """Events: everybody can read them, organisers create them."""

    noun = "event"
    queryset = Event.objects.select_related("owner").prefetch_related("tournaments")
    serializer_class = EventSerializer
    filterset_class = EventFilter
    write_scope = Scope.TOURNAMENTS_WRITE
    shared_actions = ("list", "retrieve")

    @extend_schema(request=EventRequestSerializer, responses={201: EventSerializer})
    def create(self, request: Request) -> Response:
        """Create an event and all its tournaments, open for entries."""
        check_may_create(self.actor, what="events")
        values = self.checked(EventRequestSerializer)
        arrangement = take_arrangement(values)
        kind, params = values.pop("format"), values.pop("params")
        values["rated"] = is_rated(values["rated"], kind=kind, sent=request.data)
        documents = _documents(values.pop("games"), kind=kind, params=params)
        create = partial(
            create_event, actor=self.actor, documents=documents, arrangement=arrangement, **values
        )
        event = naming(create, _IN_REQUEST)()
        told = self.get_serializer(self.get_queryset().get(pk=event.pk))
        return Response(told.data, status=status.HTTP_201_CREATED)

    @extend_schema(responses=EventLineSerializer(many=True), filters=False)
    @action(detail=True, pagination_class=None)
    def table(self, request: Request, pk: str) -> Response:
        """Return the table over all games, from the results that you may see."""
        lines = event_table(tournaments_of(self.get_object()), reader=self.reader)
        return Response(EventLineSerializer(lines, many=True).data)
