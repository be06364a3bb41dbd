from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.protocol.endpoint import Endpoint
from api.protocol.pagination import OnePage
from api.protocol.permissions import SignedIn
from pentathlon.accounts.models import User
from pentathlon.core.quotas import Quota
from pentathlon.operations.personal_data.quotas import read_quotas


class QuotaSerializer(serializers.Serializer[Quota]):
    """One of your limits, with its current use."""

    key = serializers.CharField(help_text="Stable, such as `archive_bytes`.")
    about = serializers.CharField(help_text="What is counted.")
    limit = serializers.IntegerField()
    used = serializers.IntegerField()
    left = serializers.IntegerField()
    unit = serializers.CharField(help_text="`bytes`; empty where things are counted.")
    renews_at = serializers.DateTimeField(
        allow_null=True, help_text="When part of it becomes available again."
    )
    code = serializers.CharField(
        help_text="The error code of requests beyond the limit: `throttled` (429) for a rate, "
        "otherwise that of a conflict (409)."
    )


class QuotaViewSet(Endpoint[Any]):  # Any: quotas are in no table
    """Your quotas: how much of the platform you may use, and how much you do.

    Among them are the rates that count one kind of request, such as uploads. The headers
    `RateLimit-Policy` and `RateLimit` of every response state those that the request counts
    against.
    """

    noun = "quota"
    queryset = User.objects.none()
    serializer_class = QuotaSerializer
    filter_backends = ()
    pagination_class = OnePage
    permission_classes = (SignedIn,)

    @extend_schema(responses=QuotaSerializer(many=True))
    def list(self, request: Request) -> Response:
        """List all of your quotas."""
        page: Any = self.paginate_queryset(read_quotas(self.actor))
        return self.get_paginated_response(QuotaSerializer(page, many=True).data)
