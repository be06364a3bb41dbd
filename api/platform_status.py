from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.protocol.rates import CountedView
from api.protocol.requests import check_parameters
from pentathlon.operations.status import LONG_WAIT_S, MOST_COUNTED, read_status


class GameStatusSerializer(serializers.Serializer[Any]):  # Any: some counts
    """Matches played of one game."""

    game = serializers.CharField()
    last_hour = serializers.IntegerField(help_text="Matches that have ended in it.")


class NewcomersSerializer(serializers.Serializer[Any]):  # Any: some counts
    """Validations and first ladder matches of new versions, which have one turn in eight."""

    waiting = serializers.IntegerField(help_text="How many have not begun.")
    median_wait_s = serializers.IntegerField(
        allow_null=True, help_text="For how long they have waited; null if none is waiting."
    )
    oldest_wait_s = serializers.IntegerField(allow_null=True)
    wait_long = serializers.BooleanField(
        help_text=f"Whether the oldest has waited for {LONG_WAIT_S} seconds or more."
    )


class StatusSerializer(serializers.Serializer[Any]):  # Any: some counts
    """The state of the platform in a few numbers."""

    reconciler_silent = serializers.BooleanField(
        help_text="Whether scheduling and rating are paused at the moment."
    )
    slots = serializers.IntegerField(
        help_text="The number of matches that workers can play at the same time."
    )
    running = serializers.IntegerField()
    waiting = serializers.IntegerField()
    oldest_wait_s = serializers.IntegerField(
        allow_null=True,
        help_text="How long the oldest waiting match has waited; null if none is waiting.",
    )
    newcomers = NewcomersSerializer()
    last_hour = serializers.IntegerField(help_text="Matches that have ended in it.")
    games = GameStatusSerializer(many=True)
    void_hour = serializers.IntegerField(help_text="Matches that became void in it.")
    deliveries = serializers.IntegerField(help_text="Webhook deliveries that are waiting.")
    most_counted = serializers.IntegerField(
        help_text=f"Matches are counted up to {MOST_COUNTED:,}; one more means more."
    )


class StatusView(CountedView):
    """The amount of work that runs and waits here."""

    @extend_schema(operation_id="status", responses=StatusSerializer)
    def get(self, request: Request) -> Response:
        """Return how much is running and waiting, and whether matches are being scheduled."""
        check_parameters(request.query_params, known=())
        return Response(StatusSerializer(read_status()).data)
