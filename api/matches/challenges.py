from typing import Any

from django.db.models import Q
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from api.accounts.people import PersonSerializer
from api.matches.matches import SeatedVersionSerializer
from api.protocol.access import SignedIn
from api.protocol.endpoint import LARGEST_ID, Endpoint, RowSerializer
from api.protocol.pagination import GameFilter, IdFilter, MadeFilterSet, TextFilter
from api.protocol.requests import RequestSerializer
from pentathlon.accounts.models import Scope
from pentathlon.core.server.limits import CHALLENGE_BLOCKS
from pentathlon.tournaments.challenges.models import Challenge, ChallengeQuerySet, ChallengeState
from pentathlon.tournaments.challenges.results import (
    ChallengeBlock,
    SprtReading,
    blocks_of,
    read_test,
    seats_of,
    with_ranks,
)
from pentathlon.tournaments.challenges.services import (
    DEFAULT_BLOCKS,
    cancel_challenge,
    create_challenge,
    daily_quota,
    under_way_quota,
)
from pentathlon_engines import GAMES
from pentathlon_engines.strength.sprt import BlockScore, SprtDecision

_MOST_OTHERS = 10
_MOST_ASKED = 1000


class ChallengeScoreSerializer(serializers.Serializer[BlockScore]):
    """The challenger's share of the points, with its 95 % interval."""

    blocks = serializers.IntegerField(help_text="The number of complete blocks; only these count.")
    matches = serializers.IntegerField()
    points = serializers.FloatField()
    share = serializers.FloatField()
    low = serializers.FloatField()
    high = serializers.FloatField()
    counts = serializers.ListField(
        child=serializers.IntegerField(), help_text="How many blocks gave 0, ½, 1 … points."
    )


class SprtReadingSerializer(serializers.Serializer[SprtReading]):
    """Whether the challenger is better, by a sequential test."""

    decision = serializers.ChoiceField(choices=[each.value for each in SprtDecision])
    ratio = serializers.FloatField(help_text="Log likelihood ratio, .55 to .50.")
    lower = serializers.FloatField()
    upper = serializers.FloatField()
    blocks = serializers.IntegerField(
        help_text="The complete blocks in all challenges of these two versions so far."
    )
    counts = serializers.ListField(
        child=serializers.IntegerField(), help_text="How many of them gave 0, ½, 1 … points."
    )
    first_look = serializers.IntegerField(
        help_text="The minimum number of blocks before a decision."
    )


class ChallengeBlockSerializer(serializers.Serializer[Any]):  # Any: one, or many
    """The matches with one seed, in balanced seat orders."""

    number = serializers.IntegerField()
    seed = serializers.IntegerField(
        allow_null=True, help_text="null while a match of the block can still be played."
    )
    points = serializers.FloatField(
        allow_null=True,
        help_text="The challenger's points; null unless all matches of the block were played.",
    )
    matches = serializers.SerializerMethodField()

    @extend_schema_field({"type": "array", "items": {"type": "integer"}})
    def get_matches(self, block: ChallengeBlock) -> list[int]:
        """Return the ids of the block's matches, in seat order."""
        return [match.pk for match in block.matches]


class ChallengeSeatSerializer(serializers.Serializer[Any]):  # Any: one, or many
    """The challenger's results in one seat."""

    seat = serializers.IntegerField()
    wins = serializers.IntegerField()
    draws = serializers.IntegerField()
    losses = serializers.IntegerField()


class ChallengeSerializer(RowSerializer[Challenge]):
    """Unrated blocks between two bot versions."""

    author = PersonSerializer()
    version = SeatedVersionSerializer(help_text="The challenger.")
    opponent = SeatedVersionSerializer()
    others = serializers.ListField(
        child=serializers.IntegerField(),
        help_text="Ids of the versions in the other chairs of a larger table.",
    )
    matches = serializers.IntegerField(source="planned")
    score = ChallengeScoreSerializer(allow_null=True)

    class Meta:
        model = Challenge
        fields: tuple[str, ...] = (
            "id",
            "author",
            "game",
            "version",
            "opponent",
            "others",
            "blocks",
            "matches",
            "done",
            "void",
            "state",
            "score",
            "created_at",
            "finished_at",
        )


class ChallengeDetailSerializer(ChallengeSerializer):
    """A challenge block by block and seat by seat."""

    reading = serializers.SerializerMethodField()
    played = serializers.SerializerMethodField()
    seats = serializers.SerializerMethodField()

    class Meta(ChallengeSerializer.Meta):
        fields = (*ChallengeSerializer.Meta.fields, "reading", "played", "seats")

    @extend_schema_field(SprtReadingSerializer(allow_null=True))
    def get_reading(self, challenge: Challenge) -> Any:  # Any: what a serializer made
        """Return whether the challenger is better."""
        reading = read_test(challenge)
        return None if reading is None else SprtReadingSerializer(reading).data

    @extend_schema_field(ChallengeBlockSerializer(many=True))
    def get_played(self, challenge: Challenge) -> Any:  # Any: what a serializer made
        """Return every block of the challenge."""
        blocks = blocks_of(challenge, self.context["matches"])
        return ChallengeBlockSerializer(blocks, many=True).data

    @extend_schema_field(ChallengeSeatSerializer(many=True))
    def get_seats(self, challenge: Challenge) -> Any:  # Any: what a serializer made
        """Return the results in every seat."""
        seats = seats_of(challenge, self.context["matches"])
        return ChallengeSeatSerializer(seats, many=True).data


class ChallengeRequestSerializer(RequestSerializer):
    """Who plays whom; give either `bot` or `against`."""

    version = serializers.IntegerField(
        min_value=1, max_value=LARGEST_ID, help_text="The id of one of your versions."
    )
    bot = serializers.IntegerField(
        min_value=1,
        max_value=LARGEST_ID,
        default=None,
        allow_null=True,
        help_text="The id of another author's bot; its newest eligible version plays.",
    )
    against = serializers.IntegerField(
        min_value=1,
        max_value=LARGEST_ID,
        default=None,
        allow_null=True,
        help_text="The id of another version of yours, to find out which one is better.",
    )
    others = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=LARGEST_ID),
        max_length=_MOST_OTHERS,
        default=list,
        help_text="Ids of bots for the other chairs of a larger table.",
    )
    game = serializers.CharField(
        max_length=30,
        default=None,
        allow_null=True,
        help_text=f"One of {', '.join(GAMES)}; needed if the version plays several games.",
    )
    blocks = serializers.IntegerField(
        min_value=1,
        max_value=_MOST_ASKED,
        default=DEFAULT_BLOCKS,
        help_text=f"At most {CHALLENGE_BLOCKS}; each is one seed in balanced seat orders.",
    )


class ChallengeQuotaSerializer(serializers.Serializer[Any]):  # Any: two quotas
    """How many challenge matches you may still request today."""

    limit = serializers.IntegerField(source="daily.limit", help_text="Matches a day.")
    used = serializers.IntegerField(source="daily.used")
    left = serializers.IntegerField(source="daily.left")
    renews_at = serializers.DateTimeField(source="daily.renews_at")
    under_way = serializers.IntegerField(
        source="open.used", help_text="Your challenges that have not ended."
    )
    most_under_way = serializers.IntegerField(source="open.limit")


class ChallengeFilter(MadeFilterSet):
    """Filters of challenges."""

    author = TextFilter(field_name="author__username", lookup_expr="iexact")
    game = GameFilter()
    state = filters.ChoiceFilter(choices=ChallengeState.choices)
    bot = IdFilter(method="of_bot")
    version = IdFilter(field_name="version")
    opponent = IdFilter(field_name="opponent")

    def of_bot(self, challenges: ChallengeQuerySet, name: str, value: int) -> ChallengeQuerySet:
        """Keep the challenges that a bot made or met."""
        return challenges.filter(Q(version__bot=value) | Q(opponent__bot=value))


class ChallengeViewSet(ListModelMixin, Endpoint[Challenge]):
    """Challenges: unrated blocks between two versions, played at once. They are public."""

    noun = "challenge"
    queryset = Challenge.objects.listed()
    serializer_class = ChallengeSerializer
    filterset_class = ChallengeFilter
    shared_actions = ("list", "retrieve")
    write_scope = Scope.BOTS_WRITE

    @extend_schema(request=ChallengeRequestSerializer, responses={201: ChallengeDetailSerializer})
    def create(self, request: Request) -> Response:
        """Play one of your versions against a bot or another version of yours, unrated."""
        values = self.checked(ChallengeRequestSerializer)
        made = create_challenge(actor=self.actor, **values)
        return self._detail(made.pk, status.HTTP_201_CREATED)

    @extend_schema(responses=ChallengeDetailSerializer)
    def retrieve(self, request: Request, pk: str) -> Response:
        """Show one challenge, block by block."""
        return self._detail(self.get_object().pk, status.HTTP_200_OK)

    @extend_schema(request=None, responses=ChallengeDetailSerializer)
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, pk: str) -> Response:
        """Cancel your challenge: void its matches that have not ended; results stay."""
        challenge = cancel_challenge(actor=self.actor, challenge=self.get_object())
        return self._detail(challenge.pk, status.HTTP_200_OK)

    @extend_schema(responses=ChallengeQuotaSerializer, filters=False)
    @action(detail=False, pagination_class=None, permission_classes=[SignedIn])
    def quota(self, request: Request) -> Response:
        """Return how many challenge matches you may still request today."""
        quotas = {"daily": daily_quota(self.actor), "open": under_way_quota(self.actor)}
        return Response(ChallengeQuotaSerializer(quotas).data)

    def _detail(self, pk: int, code: int) -> Response:
        challenge = self.get_queryset().get(pk=pk)
        context = {"matches": list(with_ranks(challenge.matches))}
        return Response(ChallengeDetailSerializer(challenge, context=context).data, status=code)
