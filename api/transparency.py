"""The log of receipts: its state, its entries, and the proofs that check it."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from api.protocol.endpoint import LARGEST_ID, Endpoint, RowSerializer
from api.protocol.pagination import PAGE_PARAMETERS
from pentathlon.matches.models import Match, MatchQuerySet
from pentathlon.matches.transparency.models import LogEntry, LogRoot, SigningKey
from pentathlon.matches.transparency.services import (
    checkpoint_at,
    consistency_of,
    demand_signed,
    inclusion_of,
    log_size,
    signed_receipt,
)


class SizeField(serializers.IntegerField):
    """How many entries a tree has."""

    def __init__(self, **options: Any) -> None:  # Any: what the framework takes
        super().__init__(min_value=1, max_value=LARGEST_ID, **options)


class LogSerializer(serializers.Serializer[Any]):
    """The state of the log."""

    size = serializers.IntegerField(help_text="The number of entries.")
    checkpoint = serializers.CharField(
        help_text="The signed size and root (https://c2sp.org/tlog-checkpoint). Keep a copy."
    )
    keys = serializers.ListField(
        child=serializers.CharField(),
        help_text="Public keys of the site, the one that signs now first.",
    )


class LogRootSerializer(RowSerializer[LogRoot]):
    """The root of a day."""

    checkpoint = serializers.CharField(
        source="note", help_text="The checkpoint as signed that day."
    )

    class Meta:
        model = LogRoot
        fields = ("day", "size", "checkpoint")


class LogEntrySerializer(RowSerializer[LogEntry]):
    """A receipt in the log."""

    note = serializers.SerializerMethodField(
        help_text="The receipt, a line of JSON, and its signature (https://c2sp.org/signed-note)."
    )

    class Meta:
        model = LogEntry
        fields = ("index", "match", "note")

    def get_note(self, entry: LogEntry) -> str:
        """Return the signed receipt."""
        return signed_receipt(entry)


class HashesField(serializers.ListField):
    """Hashes, each of 64 hexadecimal digits."""

    child = serializers.CharField()

    def to_representation(self, data: list[bytes]) -> list[str]:
        """Return the digits."""
        return [each.hex() for each in data]


class InclusionSerializer(serializers.Serializer[Any]):
    """The proof that a match is in the log (RFC 9162, 2.1.3)."""

    index = serializers.IntegerField(help_text="The index of the entry.")
    note = serializers.CharField(help_text="The signed receipt; without signature it is the leaf.")
    path = HashesField(help_text="From the leaf to the root.")
    checkpoint = serializers.CharField(help_text="The signed root to which the path leads.")


class ConsistencySerializer(serializers.Serializer[Any]):
    """The proof that a log has only grown (RFC 9162, 2.1.4)."""

    first = serializers.IntegerField()
    second = serializers.IntegerField()
    path = HashesField()


class SizesSerializer(serializers.Serializer[Any]):
    """The two trees to compare."""

    first = SizeField(help_text="The number of entries of one tree.")
    second = SizeField(
        help_text="The number of entries of the other tree; the smaller one is the earlier."
    )


class SizeSerializer(serializers.Serializer[Any]):
    """The tree to look in."""

    size = SizeField(
        required=False, help_text="The number of entries of the tree; all if omitted."
    )


class LogViewSet(Endpoint[LogEntry]):
    """The append-only log of receipts."""

    noun = "entry"
    queryset = LogEntry.objects.select_related("key")
    serializer_class = LogSerializer
    filter_backends = ()
    query_parameters = {"roots": PAGE_PARAMETERS, "consistency": ("first", "second")}
    shared_actions = ("standing", "roots", "receipt", "consistency")

    @extend_schema(operation_id="log_retrieve", responses=LogSerializer)
    def standing(self, request: Request) -> Response:
        """Show the state of the log. Keep the checkpoint to check the log against it later.

        The log is a Merkle tree (RFC 6962) of receipts. A match enters the log once its result is
        public.
        """
        size = log_size()
        keys = SigningKey.objects.order_by("-pk").values_list("text", flat=True)
        told = {"size": size, "checkpoint": checkpoint_at(size), "keys": list(keys)}
        return Response(LogSerializer(told).data)

    @extend_schema(responses=LogRootSerializer(many=True))
    @action(detail=False)
    def roots(self, request: Request) -> Response:
        """List the published roots, one per day, latest first."""
        found: Any = LogRoot.objects.all()  # Any: the resource is of entries
        page: Any = self.paginate_queryset(found)
        demand_signed(page)
        return self.get_paginated_response(LogRootSerializer(page, many=True).data)

    @extend_schema(responses=LogEntrySerializer)
    @action(detail=True, url_path="receipt")
    def receipt(self, request: Request, pk: str) -> Response:
        """Show an entry: a signed receipt."""
        return Response(LogEntrySerializer(self.get_object()).data)

    @extend_schema(parameters=[SizesSerializer], responses=ConsistencySerializer)
    @action(detail=False, pagination_class=None)
    def consistency(self, request: Request) -> Response:
        """Prove that the log at a later size extends the log at an earlier one."""
        values = self.checked(SizesSerializer)
        first, second = sorted(values.values())
        path = consistency_of(first, second)
        told = {"first": first, "second": second, "path": path}
        return Response(ConsistencySerializer(told).data)


class InclusionViewSet(Endpoint[Match]):
    """The place of a match's receipt in the log."""

    noun = "match"
    queryset = Match.objects.none()
    serializer_class = InclusionSerializer
    filter_backends = ()
    query_parameters = {"inclusion": ("size",)}

    def get_queryset(self) -> MatchQuerySet:
        """Return the matches that this person may see."""
        return Match.objects.visible_to(self.reader)

    @extend_schema(
        operation_id="matches_inclusion",
        parameters=[SizeSerializer],
        responses=InclusionSerializer,
    )
    def inclusion(self, request: Request, pk: str) -> Response:
        """Prove that the receipt of a match is in the log."""
        values = self.checked(SizeSerializer)
        found = inclusion_of(self.get_object(), **values)
        return Response(InclusionSerializer(found).data)
