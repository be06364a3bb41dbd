from functools import cached_property
from typing import Any, Generic, TypeVar

from django.db.models import Model
from django.http import HttpResponse
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.mixins import ListModelMixin
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from api.accounts.people import PersonSerializer
from api.protocol.endpoint import Endpoint, RowSerializer
from api.protocol.negotiation import ShallowJSONParser
from api.protocol.pagination import GameFilter, IdFilter, MadeFilterSet, TextFilter
from api.protocol.requests import PublicReasonField, RequestSerializer
from pentathlon.accounts.models import Scope
from pentathlon.bots.archives import find_upload, read_archive
from pentathlon.bots.models import Bot, BotVersion, VersionState
from pentathlon.bots.services import (
    LONGEST_NOTES,
    activate_version,
    check_may_read,
    disqualify_version,
    reinstate_version,
    retire_version,
)
from pentathlon.core.errors import NotFound
from pentathlon.ladders.tables import why_version_waits
from pentathlon.matches.dispatch.reasons import Before, Reason
from pentathlon.matches.uploads.services import submit_version, validate_again
from pentathlon_engines.archive.archives import CheckedArchive
from pentathlon_engines.archive.files import LARGEST_UPLOAD

T = TypeVar("T", bound=Model)


class BeforeSerializer(serializers.Serializer[Before]):
    """What goes before a match; both numbers fall."""

    matches = serializers.IntegerField()
    expected_s = serializers.IntegerField(
        allow_null=True, help_text="Seconds until its turn, as matches have lasted lately."
    )


class ReasonSerializer(serializers.Serializer[Reason]):
    """Why a match is not running."""

    code = serializers.CharField(help_text="Stable, such as `no_worker` or `bot_cap`.")
    sentence = serializers.CharField()
    before = BeforeSerializer(
        allow_null=True, help_text="null where its place in the line is not known."
    )


class BotNameSerializer(RowSerializer[Bot]):
    """A bot in short."""

    owner = PersonSerializer()

    class Meta:
        model = Bot
        fields = ("id", "name", "owner")


class VersionSerializer(RowSerializer[BotVersion]):
    """A bot version, with its public fields."""

    bot = BotNameSerializer()
    label = serializers.CharField(help_text="Name and number.")  # type: ignore[assignment]  # a field
    games = serializers.ListField(child=serializers.CharField(), source="game_keys")
    content_hash = serializers.CharField(source="archive_id")

    class Meta:
        model = BotVersion
        fields = (
            "id",
            "bot",
            "number",
            "label",
            "games",
            "notes",
            "state",
            "state_reason",
            "is_candidate",
            "content_hash",
            "created_at",
            "validated_at",
            "stopped_at",
        )


class RepairSerializer(serializers.Serializer[Any]):
    """One thing that was put right in an upload."""

    code = serializers.CharField(help_text="Stable.")
    detail = serializers.CharField(help_text="A sentence.")


class UploadedVersionSerializer(VersionSerializer):
    """A bot version just uploaded, and what was put right in its files."""

    repairs = RepairSerializer(many=True, help_text="In its author's answers only.")

    class Meta:
        model = BotVersion
        fields = (*VersionSerializer.Meta.fields, "repairs")


class VersionDetailSerializer(VersionSerializer):
    """A bot version, and what it waits for."""

    waiting = serializers.SerializerMethodField(
        help_text="Why its validation or its first match on a ladder is not played now; null if "
        "it is, or if both have been."
    )

    class Meta(VersionSerializer.Meta):
        fields = (*VersionSerializer.Meta.fields, "waiting")  # type: ignore[assignment]  # one more

    @extend_schema_field(ReasonSerializer(allow_null=True))
    def get_waiting(self, version: BotVersion) -> Any:  # Any: what a serializer made
        """Return why nothing of it is played now."""
        reason = why_version_waits(version)
        return None if reason is None else ReasonSerializer(reason).data


class VersionReasonSerializer(RequestSerializer):
    """The reason for disqualifying a version."""

    reason = PublicReasonField()


class UploadSerializer(RequestSerializer):
    """A zip of a bot's folder, with bot.toml at its top."""

    archive = serializers.FileField(help_text=f"At most {LARGEST_UPLOAD:,} bytes.")
    notes = serializers.CharField(
        max_length=LONGEST_NOTES,
        default="",
        allow_blank=True,
        help_text="One public line of notes.",
    )
    candidate = serializers.BooleanField(
        default=False,
        help_text="It takes no place on ladders and plays nobody else's bots until you activate "
        "it.",
    )


class VersionUploadSerializer(UploadSerializer):
    """The next version of one of your bots."""

    bot = serializers.IntegerField(min_value=1, max_value=10**18, help_text="Id of the bot.")


class UploadEndpoint(Endpoint[T], Generic[T]):
    """A resource that an upload of an archive creates."""

    upload_serializer: type[UploadSerializer] = UploadSerializer

    def prepare(self) -> None:
        """Check the archive before the transaction, while others may write."""
        if self.action == "create":
            _ = self.archive_sent

    @cached_property
    def upload(self) -> dict[str, Any]:  # Any: what a serializer made
        """The fields of the request."""
        wanted = self.upload_serializer(data=self.request.data)
        wanted.is_valid(raise_exception=True)
        return dict(wanted.validated_data)

    @cached_property
    def archive_sent(self) -> CheckedArchive:
        """The archive, checked."""
        return read_archive(self.upload["archive"].read())


class VersionLogSerializer(RowSerializer[BotVersion]):
    """The result and logs of build and validation, for the author."""

    build_log = serializers.SerializerMethodField(
        help_text="Grows while the build runs; if too long, only its end is kept."
    )
    build_difference = serializers.CharField(
        help_text="How the files that two workers built for rated play differ, in a sentence; "
        "empty if they are equal, or if only one worker has built it."
    )
    repairs = RepairSerializer(many=True, help_text="What was put right in the upload.")

    class Meta:
        model = BotVersion
        fields = (
            "id",
            "state",
            "state_reason",
            "repairs",
            "build_log",
            "build_difference",
            "validation_log",
        )

    def get_build_log(self, version: BotVersion) -> str:
        """Return the output of the build; empty for a bot without a build."""
        return version.build_log.text if hasattr(version, "build_log") else ""


class VersionFilter(MadeFilterSet):
    """Filters of versions."""

    bot = IdFilter(field_name="bot")
    game = GameFilter(field_name="games__game")
    state = filters.ChoiceFilter(choices=VersionState.choices)
    candidate = filters.BooleanFilter(field_name="is_candidate")
    owner = TextFilter(field_name="bot__owner__username", lookup_expr="iexact")


class VersionViewSet(ListModelMixin, UploadEndpoint[BotVersion]):
    """Bot versions: immutable uploads, which are scheduled and rated."""

    noun = "bot version"
    queryset = BotVersion.objects.listed()
    serializer_class = VersionSerializer
    upload_serializer = VersionUploadSerializer
    filterset_class = VersionFilter
    write_scope = Scope.BOTS_WRITE
    shared_actions = ("list", "retrieve")
    private_scopes = {"archive": Scope.PRIVATE_READ, "log": Scope.PRIVATE_READ}
    parser_classes = (MultiPartParser,)

    @extend_schema(
        request={"multipart/form-data": VersionUploadSerializer},
        responses={201: UploadedVersionSerializer},
    )
    def create(self, request: Request) -> Response:
        """Upload the next version of one of your bots; it is validated before it may play."""
        version = submit_version(
            actor=self.actor,
            bot=_bot(self.upload["bot"]),
            archive=self.archive_sent,
            notes=self.upload["notes"],
            candidate=self.upload["candidate"],
        )
        return Response(UploadedVersionSerializer(version).data, status=status.HTTP_201_CREATED)

    @extend_schema(responses=VersionDetailSerializer)
    def retrieve(self, request: Request, pk: str) -> Response:
        """Show one version, and why it does not play yet."""
        return Response(VersionDetailSerializer(self.get_object()).data)

    @extend_schema(request=None, responses=VersionSerializer)
    @action(detail=True, methods=["post"], parser_classes=[ShallowJSONParser])
    def activate(self, request: Request, pk: str) -> Response:
        """Activate a candidate: it now plays for its bot, on ladders and against others."""
        version = activate_version(actor=self.actor, version=self.get_object())
        return Response(VersionSerializer(version).data)

    @extend_schema(request=None, responses=VersionSerializer)
    @action(detail=True, methods=["post"], parser_classes=[ShallowJSONParser])
    def retire(self, request: Request, pk: str) -> Response:
        """Retire one of your versions: it is never scheduled again."""
        version = retire_version(actor=self.actor, version=self.get_object())
        return Response(VersionSerializer(version).data)

    @extend_schema(request=None, responses=VersionSerializer)
    @action(detail=True, methods=["post"], parser_classes=[ShallowJSONParser])
    def validate(self, request: Request, pk: str) -> Response:
        """Validate one of your versions again after it was stopped or our machines failed."""
        version = validate_again(actor=self.actor, version=self.get_object())
        return Response(VersionSerializer(version).data)

    @extend_schema(request=VersionReasonSerializer, responses=VersionSerializer)
    @action(detail=True, methods=["post"], parser_classes=[ShallowJSONParser])
    def disqualify(self, request: Request, pk: str) -> Response:
        """Disqualify a version from all schedules, with a reason. Only staff may."""
        values = self.checked(VersionReasonSerializer)
        reason = values["reason"]
        version = disqualify_version(actor=self.actor, version=self.get_object(), reason=reason)
        return Response(VersionSerializer(version).data)

    @extend_schema(request=None, responses=VersionSerializer)
    @action(detail=True, methods=["post"], parser_classes=[ShallowJSONParser])
    def reinstate(self, request: Request, pk: str) -> Response:
        """Lift a disqualification; the author may then validate it again. Only staff may."""
        version = reinstate_version(actor=self.actor, version=self.get_object())
        return Response(VersionSerializer(version).data)

    @extend_schema(responses={(200, "application/zip"): OpenApiTypes.BINARY})
    @action(detail=True)
    def archive(self, request: Request, pk: str) -> HttpResponse:
        """Download the files of one of your versions."""
        version = self._readable_version()
        return HttpResponse(
            find_upload(version.archive_id, model=version.model_id, manifest=version.manifest),
            content_type="application/zip",
            headers={"Content-Disposition": f'attachment; filename="{version.archive_name}"'},
        )

    @extend_schema(responses=VersionLogSerializer)
    @action(detail=True)
    def log(self, request: Request, pk: str) -> Response:
        """Return the output of one of your versions from its build and its validation."""
        return Response(VersionLogSerializer(self._readable_version()).data)

    def _readable_version(self) -> BotVersion:
        version = self.get_object()
        check_may_read(actor=self.actor, version=version)
        return version


def _bot(pk: int) -> Bot:
    bot = Bot.objects.select_related("owner").filter(pk=pk).first()
    if bot is None:
        raise NotFound(f"There is no bot {pk}.", field="bot")
    return bot
