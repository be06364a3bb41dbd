from collections.abc import Iterator
from functools import cached_property
from typing import Any, Final

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.exceptions import APIException
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
from api.documentation.schema import ProblemSerializer
from api.protocol.access import RateReached
from api.protocol.endpoint import Endpoint, RowSerializer
from api.protocol.errors import problem_of
from api.protocol.pagination import GameFilter, MadeFilterSet, TextFilter
from api.protocol.requests import RequestSerializer
from pentathlon.accounts.models import Scope
from pentathlon.bots.archives import read_archive
from pentathlon.bots.models import Bot, BotQuerySet, BotVersion
from pentathlon.bots.services import LONGEST_NOTES
from pentathlon.core.errors import DomainError
from pentathlon.core.server.limits import MOST_IN_BATCH
from pentathlon.core.throttle import count_request
from pentathlon.matches.uploads.services import submit_named, submit_version
from pentathlon_engines.archive.archives import CheckedArchive
from pentathlon_engines.archive.files import LARGEST_UPLOAD

_LONGEST_NAME: Final = 100
_RATE: Final = "uploads"


class BotSerializer(RowSerializer[Bot]):
    """A bot: a series of versions under one name."""

    owner = PersonSerializer()
    version_count = serializers.IntegerField()
    latest_version = serializers.SerializerMethodField()

    class Meta:
        model = Bot
        fields = ("id", "name", "owner", "created_at", "version_count", "latest_version")

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


class BatchUploadSerializer(RequestSerializer):
    """Zips of bots' folders, each with bot.toml at its top."""

    archives = serializers.ListField(
        child=serializers.FileField(),
        min_length=1,
        max_length=MOST_IN_BATCH,
        help_text=f"At most {MOST_IN_BATCH}, and {LARGEST_UPLOAD:,} bytes together.",
    )
    notes = serializers.CharField(
        max_length=LONGEST_NOTES,
        default="",
        allow_blank=True,
        help_text="One public line of notes, shared by all of them.",
    )
    candidate = serializers.BooleanField(
        default=False, help_text="They are not scheduled automatically until you activate them."
    )


class BatchResultSerializer(serializers.Serializer[Any]):
    """The outcome for one archive."""

    file = serializers.CharField(help_text="The name of the archive in the request.")
    status = serializers.IntegerField(help_text="The status that uploading it alone would return.")
    version = UploadedVersionSerializer(allow_null=True, help_text="null if it was refused.")
    problem = ProblemSerializer(allow_null=True, help_text="null if it was stored.")


class BatchSerializer(serializers.Serializer[Any]):
    """The outcome for each archive of one request, in order."""

    results = BatchResultSerializer(many=True)


class BatchUploadViewSet(Endpoint[BotVersion]):
    """Uploads of several bots at once."""

    queryset = BotVersion.objects.none()
    write_scope = Scope.BOTS_WRITE
    parser_classes = (MultiPartParser,)
    filter_backends = ()

    def prepare(self) -> None:
        """Check the archives before the transaction, while others may write."""
        _ = self.archives_sent

    @cached_property
    def upload(self) -> dict[str, Any]:  # Any: what a serializer made
        """The fields of the request."""
        return self.checked(BatchUploadSerializer)

    @cached_property
    def archives_sent(self) -> list[tuple[str, CheckedArchive | DomainError]]:
        """The validated archives by name, or their errors."""
        return [(file.name[:_LONGEST_NAME], _check(file)) for file in self.upload["archives"]]

    @extend_schema(
        operation_id="versions_batch_create",
        request={"multipart/form-data": BatchUploadSerializer},
        responses={200: BatchSerializer},
    )
    def create(self, request: Request) -> Response:
        """Upload several bots: each is the next version of your bot of that name, or a new bot.

        Each archive counts as one upload and is stored or refused separately. The response is 200
        with a status for each archive: 201 with its version, or an error with its problem.
        """
        return Response({"results": [*self._results()]})

    def _results(self) -> Iterator[dict[str, Any]]:  # Any: JSON
        for number, (name, checked) in enumerate(self.archives_sent):
            try:
                # The throttles have counted the request, and so the first upload.
                if number and (state := count_request(_RATE, self.actor.pk)).wait_s:
                    raise RateReached(state)
                version = UploadedVersionSerializer(self._submit(checked)).data
            except (DomainError, APIException) as error:
                told = problem_of(error, view=self)
                yield {
                    "file": name,
                    "status": told["status"],
                    "version": None,
                    "problem": told,
                }
            else:
                yield {"file": name, "status": 201, "version": version, "problem": None}

    def _submit(self, checked: CheckedArchive | DomainError) -> BotVersion:
        if isinstance(checked, DomainError):
            raise checked
        return submit_named(
            actor=self.actor,
            archive=checked,
            notes=self.upload["notes"],
            candidate=self.upload["candidate"],
        )


def _check(file: Any) -> CheckedArchive | DomainError:  # Any: an upload
    try:
        return read_archive(file.read())
    except DomainError as error:
        return error
