from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.mixins import ListModelMixin, RetrieveModelMixin
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from api.accounts.people import PersonSerializer
from api.bots.versions import (
    UploadedVersionSerializer,
    UploadEndpoint,
    UploadSerializer,
    VersionSerializer,
)
from api.protocol.filters import GameFilter, MadeFilterSet, TextFilter
from pentathlon.accounts.models import Scope
from pentathlon.bots.models import Bot, BotQuerySet
from pentathlon.matches.uploads.services import submit_version


class BotSerializer(serializers.ModelSerializer[Bot]):
    """A bot: a series of versions under one name."""

    owner = PersonSerializer()
    version_count = serializers.IntegerField()
    latest_version = serializers.SerializerMethodField()

    class Meta:
        model = Bot
        fields = ("id", "name", "owner", "created_at", "version_count", "latest_version")
        read_only_fields = fields

    @extend_schema_field(VersionSerializer(allow_null=True))
    def get_latest_version(self, bot: Bot) -> Any:  # Any: what a serializer made
        """Describe the newest version."""
        return VersionSerializer(bot.latest[0]).data if bot.latest else None


class UploadedBotSerializer(BotSerializer):
    """A bot just uploaded, and what was put right in its files."""

    @extend_schema_field(UploadedVersionSerializer)
    def get_latest_version(self, bot: Bot) -> Any:  # Any: what a serializer made
        """Describe the version that was uploaded."""
        return UploadedVersionSerializer(bot.latest[0]).data


class BotFilter(MadeFilterSet):
    """Filters of bots."""

    owner = TextFilter(field_name="owner__username", lookup_expr="iexact")
    name = TextFilter(lookup_expr="iexact")
    game = GameFilter(method="playing")

    def playing(self, bots: BotQuerySet, name: str, value: str) -> BotQuerySet:
        """Keep the bots that play a game."""
        return bots.playing(value)


class BotViewSet(ListModelMixin, RetrieveModelMixin, UploadEndpoint[Bot]):
    """Bots: each is a series of versions by one author."""

    noun = "bot"
    queryset = Bot.objects.listed()
    serializer_class = BotSerializer
    filterset_class = BotFilter
    write_scope = Scope.BOTS_WRITE
    shared_actions = ("list", "retrieve")
    parser_classes = (MultiPartParser,)

    @extend_schema(
        request={"multipart/form-data": UploadSerializer}, responses={201: UploadedBotSerializer}
    )
    def create(self, request: Request) -> Response:
        """Upload a new bot; bot.toml names it. Version 1 is validated before it may play."""
        version = submit_version(
            actor=self.actor,
            archive=self.archive_sent,
            notes=self.upload["notes"],
            candidate=self.upload["candidate"],
        )
        bot = self.get_queryset().get(pk=version.bot_id)
        return Response(UploadedBotSerializer(bot).data, status=status.HTTP_201_CREATED)
