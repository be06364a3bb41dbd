from typing import Any

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from api.accounts.people import PersonSerializer
from api.matches.matches import SeatedVersionSerializer
from api.matches.replays import PLACE, CommentarySerializer, WindowSerializer, answer_commentary
from api.protocol.access import SignedIn
from api.protocol.endpoint import LARGEST_ID, Endpoint, RowSerializer
from api.protocol.pagination import GameFilter, MadeFilterSet, TextFilter
from api.protocol.requests import RequestSerializer
from pentathlon.accounts.models import Scope
from pentathlon.core.errors import Conflict, NotFound
from pentathlon.friendlies.models import Friendly, FriendlyQuerySet, FriendlyState
from pentathlon.friendlies.origins import look_at, origin_of
from pentathlon.friendlies.services import act, create_friendly, fork_friendly, resign
from pentathlon.friendlies.stretches import place_in_queue
from pentathlon.live.snapshots import follow_page, friendly_now, who_asks
from pentathlon_engines import GAMES

_MOST_BOTS = 10
_LONGEST_ACTION = 200


class FriendlySeatSerializer(serializers.Serializer[dict[str, Any]]):
    """One seat: a bot version's, or the person's."""

    seat = serializers.IntegerField()
    name = serializers.CharField()
    version = SeatedVersionSerializer(allow_null=True, help_text="null for the person.")
    rank = serializers.IntegerField(
        allow_null=True, help_text="0 is best; null until the match ends."
    )
    score = serializers.IntegerField(allow_null=True)
    has_failed = serializers.BooleanField()


class FriendlySerializer(RowSerializer[Friendly]):
    """A match in which a person has a seat among bots. It is never rated."""

    person = PersonSerializer()
    seats = FriendlySeatSerializer(many=True, source="places")
    origin_match = serializers.IntegerField(
        source="origin_match_id", allow_null=True, help_text="The match it was forked from."
    )
    origin_friendly = serializers.IntegerField(source="origin_friendly_id", allow_null=True)
    origin_ply = serializers.IntegerField(
        source="given", help_text="The number of events taken from the original match."
    )

    class Meta:
        model = Friendly
        fields: tuple[str, ...] = (
            "id",
            "person",
            "seat",
            "game",
            "rules_version",
            "options",
            "seats",
            "ply",
            "state",
            "state_reason",
            "outcome_reason",
            "origin_match",
            "origin_friendly",
            "origin_ply",
            "chain",
            "created_at",
            "moved_at",
            "finished_at",
        )


class FriendlyDetailSerializer(FriendlySerializer):
    """A friendly as its person sees it."""

    queue_place = serializers.SerializerMethodField(
        help_text="While a bot is to move: its place in the queue; 1 is next."
    )
    legal = serializers.SerializerMethodField(
        help_text="The actions of the person; empty unless it is their turn."
    )
    observation = serializers.SerializerMethodField(
        help_text="The observation of the person's seat, as bots receive it; null after the end."
    )

    class Meta(FriendlySerializer.Meta):
        fields = (*FriendlySerializer.Meta.fields, "queue_place", "legal", "observation")

    @extend_schema_field(serializers.IntegerField(allow_null=True))
    def get_queue_place(self, friendly: Friendly) -> int | None:
        """Return how many turns of workers it takes until a bot moves; null if none has to."""
        return place_in_queue(friendly) if friendly.state == FriendlyState.BOT else None

    @extend_schema_field(serializers.ListField(child=serializers.CharField()))
    def get_legal(self, friendly: Friendly) -> list[str]:
        """Return the texts of the person's legal actions."""
        sight = self.context["sight"]
        return [] if sight is None else [choice.text for choice in sight.choices]

    @extend_schema_field(serializers.DictField(allow_null=True))
    def get_observation(self, friendly: Friendly) -> dict[str, Any] | None:
        """Return what the person may know of the position."""
        sight = self.context["sight"]
        return None if sight is None else sight.observation


class FriendlyRequestSerializer(RequestSerializer):
    """The game and the opponents, or a position of a finished match to start from."""

    game = serializers.CharField(
        max_length=30,
        default=None,
        allow_null=True,
        help_text=f"One of {', '.join(GAMES)}; not with an origin, which says it.",
    )
    bots = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=LARGEST_ID),
        min_length=1,
        max_length=_MOST_BOTS,
        help_text="Ids of the bots in the other seats, in their order; each plays with its newest "
        "version that may play.",
    )
    seat = serializers.IntegerField(
        min_value=0,
        max_value=_MOST_BOTS,
        default=None,
        allow_null=True,
        help_text="Your seat. If omitted, a random one, or with an origin the one to move.",
    )
    options = serializers.DictField(
        default=dict, help_text="Options of the game; not with an origin."
    )
    match = serializers.IntegerField(
        min_value=1,
        max_value=LARGEST_ID,
        default=None,
        allow_null=True,
        help_text="The id of a finished match; the game starts from one of its positions.",
    )
    friendly = serializers.IntegerField(
        min_value=1,
        max_value=LARGEST_ID,
        default=None,
        allow_null=True,
        help_text="Alternatively, the id of a finished friendly.",
    )
    ply = serializers.IntegerField(
        min_value=0, max_value=10**6, default=0, help_text="The number of its events to keep."
    )


class FriendlyActionSerializer(RequestSerializer):
    """The person's action."""

    ply = serializers.IntegerField(
        min_value=0,
        max_value=10**6,
        help_text="The ply of the action. Repeating the request does nothing; after another "
        "action it is too late.",
    )
    action = serializers.CharField(max_length=_LONGEST_ACTION, help_text="One of `legal`.")


class FriendlyFilter(MadeFilterSet):
    """Filters of friendlies."""

    game = GameFilter()
    state = filters.ChoiceFilter(choices=FriendlyState.choices)
    person = TextFilter(field_name="person__username", lookup_expr="iexact")


class FriendlyViewSet(ListModelMixin, Endpoint[Friendly]):
    """Friendlies: matches of a person against bots, never rated. You see your own and all finished
    ones.
    """

    noun = "friendly"
    queryset = Friendly.objects.none()
    serializer_class = FriendlySerializer
    filterset_class = FriendlyFilter
    write_scope = Scope.BOTS_WRITE
    conflicting_actions = ("record", "commentary")
    query_parameters = {"commentary": PLACE}

    def get_queryset(self) -> FriendlyQuerySet:
        """Return the friendlies that this person may see."""
        return Friendly.objects.visible_to(self.reader).listed()

    @extend_schema(request=FriendlyRequestSerializer, responses={201: FriendlyDetailSerializer})
    def create(self, request: Request) -> Response:
        """Play against bots, from the start or from a position of a finished match."""
        values = self.checked(FriendlyRequestSerializer)
        origin = origin_of(
            reader=self.reader,
            match_id=values.pop("match"),
            friendly_id=values.pop("friendly"),
            ply=values.pop("ply"),
            game=values["game"],
            options=values["options"],
        )
        if origin is None:
            made = create_friendly(actor=self.actor, **values)
        else:
            seat, bots = values["seat"], values["bots"]
            made = fork_friendly(actor=self.actor, origin=origin, bots=bots, seat=seat)
        return self._detail(made.pk, status.HTTP_201_CREATED)

    @extend_schema(responses=FriendlyDetailSerializer)
    def retrieve(self, request: Request, pk: str) -> Response:
        """Show a friendly; its player also gets the observation and the legal actions."""
        return self._detail(self.get_object().pk, status.HTTP_200_OK)

    @extend_schema(request=FriendlyActionSerializer, responses=FriendlyDetailSerializer)
    @action(detail=True, methods=["post"])
    def act(self, request: Request, pk: str) -> Response:
        """Play one of your legal actions. Repeating the request changes nothing."""
        values = self.checked(FriendlyActionSerializer)
        friendly = act(actor=self.actor, friendly_id=int(pk), **values)
        return self._detail(friendly.pk, status.HTTP_200_OK)

    @extend_schema(request=None, responses=FriendlyDetailSerializer)
    @action(detail=True, methods=["post"])
    def resign(self, request: Request, pk: str) -> Response:
        """Resign your game."""
        friendly = resign(actor=self.actor, friendly_id=int(pk))
        return self._detail(friendly.pk, status.HTTP_200_OK)

    @extend_schema(responses={(200, "text/event-stream"): OpenApiTypes.STR}, filters=False)
    @action(detail=True, pagination_class=None, permission_classes=[SignedIn])
    def events(self, request: Request, pk: str) -> HttpResponse:
        """Follow your own game through server-sent events.

        `changed` means that a seat has moved: read the friendly again. `end` means that the game
        is over. A client that sends the last id as `Last-Event-ID` gets missed events at once.
        """
        own = Friendly.objects.of_person(self.actor).filter(pk=pk).first()
        if own is None:
            raise NotFound(f"There is no friendly {pk} of yours.")
        return follow_page(
            friendly_now(own.pk),
            who=who_asks(request._request, self.actor),
            seen=request.headers.get("Last-Event-ID", "")[:32],
        )

    @extend_schema(responses=OpenApiTypes.OBJECT)
    @action(detail=True)
    def record(self, request: Request, pk: str) -> HttpResponseBase:
        """Return the record of a finished friendly; anyone can verify it."""
        return Response(self._ended().record)

    @extend_schema(parameters=[WindowSerializer], responses=CommentarySerializer, filters=False)
    @action(detail=True, pagination_class=None)
    def commentary(self, request: Request, pk: str) -> Response:
        """Describe a finished friendly in words, ply by ply."""
        return answer_commentary(request, self._ended().record, is_private=False)

    @extend_schema(responses={(200, "image/svg+xml"): OpenApiTypes.STR})
    def board(self, request: Request, pk: str) -> HttpResponseBase:
        """Draw the current position of your game, as your seat sees it."""
        found = self.get_object()
        return HttpResponse(look_at(found).board, content_type="image/svg+xml")

    def _ended(self) -> Friendly:
        found = self.get_object()
        if found.is_under_way or found.data is None:
            raise Conflict("The record exists once the game is over.", code="not_over")
        return found

    def _detail(self, pk: int, code: int) -> Response:
        friendly = Friendly.objects.listed().get(pk=pk)
        is_own = self.person is not None and self.person.pk == friendly.person_id
        context = {"sight": look_at(friendly) if is_own and friendly.is_under_way else None}
        return Response(FriendlyDetailSerializer(friendly, context=context).data, status=code)
