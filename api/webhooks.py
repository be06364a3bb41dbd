from typing import Any

from django.db.models import Prefetch
from django_filters import rest_framework as filters
from django_filters.utils import translate_validation
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.mixins import ListModelMixin, RetrieveModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from api.protocol.endpoint import LARGEST_ID, Endpoint, RowSerializer
from api.protocol.pagination import MADE_PARAMETERS, PAGE_PARAMETERS, MadeFilterSet, OnePage
from api.protocol.requests import RequestSerializer
from pentathlon.accounts.models import Scope
from pentathlon.core.texts import site_of
from pentathlon.webhooks import services
from pentathlon.webhooks.event_types import ALL_TYPES, EVENT_CHOICES, USUAL, EventType
from pentathlon.webhooks.messages import told_of
from pentathlon.webhooks.models import (
    LONGEST_URL,
    Delivery,
    DeliveryAttempt,
    DeliveryState,
    WebhookEndpoint,
)

_MOST_EVENTS = 50
_URL = (
    r"^https://([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.){1,8}[a-z]{2,24}(:443|:8443)?"
    r"(/[!-\"$-\[\]-~]*)?$"
)


class WebhookEventSerializer(serializers.Serializer[Any]):  # Any: one, or many
    """An event type and its meaning."""

    name = serializers.CharField()
    meaning = serializers.CharField()
    is_usual = serializers.SerializerMethodField(
        help_text="Whether webhooks subscribe to it by default."
    )
    schema = serializers.DictField(help_text="The JSON Schema of the body.")
    example = serializers.DictField()

    def get_is_usual(self, event: EventType) -> bool:
        """Return whether the event is in the default subscription."""
        return event.name in USUAL


class WebhookSerializer(RowSerializer[WebhookEndpoint]):
    """A webhook of yours, without its secret."""

    events = serializers.ListField(child=serializers.CharField())

    class Meta:
        model = WebhookEndpoint
        fields: tuple[str, ...] = (
            "id",
            "url",
            "events",
            "is_enabled",
            "disabled_reason",
            "disabled_at",
            "failing_since",
            "failures",
            "waiting",
            "missed",
            "created_at",
        )


class SecretWebhookSerializer(WebhookSerializer):
    """A webhook with its secret, which is shown only once."""

    secret = serializers.CharField(help_text="Store it: it is never shown again.")

    class Meta(WebhookSerializer.Meta):
        fields = (*WebhookSerializer.Meta.fields, "secret")


class DeliveryAttemptSerializer(RowSerializer[DeliveryAttempt]):
    """One attempt and its outcome."""

    class Meta:
        model = DeliveryAttempt
        fields = ("tried_at", "status", "error", "answer", "duration_ms")


class DeliverySerializer(RowSerializer[Delivery]):
    """One event on its way to one webhook."""

    event = serializers.CharField(source="event.type")
    message_id = serializers.CharField(
        source="event.message_id", help_text="The `webhook-id` of all its attempts."
    )
    state = serializers.ChoiceField(choices=DeliveryState.choices)
    next_at = serializers.SerializerMethodField(
        help_text="When the next attempt is due; null if there is none."
    )
    body = serializers.SerializerMethodField(help_text="The body that is sent.")
    attempts = DeliveryAttemptSerializer(many=True, help_text="Oldest first.")

    class Meta:
        model = Delivery
        fields = (
            "id",
            "event",
            "message_id",
            "state",
            "next_at",
            "created_at",
            "ended_at",
            "body",
            "attempts",
        )

    @extend_schema_field({"type": ["string", "null"], "format": "date-time"})
    def get_next_at(self, delivery: Delivery) -> Any:  # Any: the framework writes times
        """Return the time of the next attempt; null if there is none."""
        if delivery.state != DeliveryState.WAITING:
            return None
        return serializers.DateTimeField().to_representation(delivery.next_at)

    @extend_schema_field({"type": "object"})
    def get_body(self, delivery: Delivery) -> dict[str, Any]:  # Any: JSON
        """Return the body that is sent."""
        return told_of(delivery.event, site=self.context["site"])


@extend_schema_field({"type": "string", "pattern": _URL, "maxLength": LONGEST_URL})
class WebhookUrlField(serializers.CharField):
    """The address to post to; the service decides which addresses are allowed."""


def _event_names(**settings: Any) -> serializers.ListField:  # Any: of the field
    name = serializers.ChoiceField(choices=EVENT_CHOICES)
    return serializers.ListField(child=name, min_length=1, max_length=_MOST_EVENTS, **settings)


class WebhookRequestSerializer(RequestSerializer):
    """A new webhook."""

    url = WebhookUrlField(max_length=LONGEST_URL)
    events = _event_names(default=list(USUAL))


class WebhookChangeSerializer(RequestSerializer):
    """The fields of a webhook to change; the others stay."""

    url = WebhookUrlField(max_length=LONGEST_URL, required=False)
    events = _event_names(required=False)
    is_enabled = serializers.BooleanField(required=False)


_TYPES = [(name, name) for name in ALL_TYPES]


class DeliveryFilter(MadeFilterSet):
    """Filters of deliveries."""

    state = filters.ChoiceFilter(choices=DeliveryState.choices)
    event = filters.ChoiceFilter(field_name="event__type", choices=_TYPES)


class WebhookViewSet(ListModelMixin, RetrieveModelMixin, Endpoint[WebhookEndpoint]):
    """Your webhooks: we post events of your bots, matches and tournaments to them."""

    noun = "webhook"
    queryset = WebhookEndpoint.objects.none()
    serializer_class = WebhookSerializer
    write_scope = Scope.WEBHOOKS_WRITE
    private_scopes = dict.fromkeys(("list", "retrieve", "deliveries"), Scope.WEBHOOKS_WRITE)
    query_parameters = {"deliveries": (*PAGE_PARAMETERS, *DeliveryFilter.base_filters)}
    filter_backends = ()
    takes_idempotency_key = False  # the stored answer would hold the secret

    def get_queryset(self) -> Any:  # Any: the framework's own signature
        """Return the actor's webhooks."""
        found = WebhookEndpoint.objects.owned_by(self.actor)
        return found.prefetch_related("subscriptions")

    @extend_schema(request=WebhookRequestSerializer, responses={201: SecretWebhookSerializer})
    def create(self, request: Request) -> Response:
        """Create a webhook; only this response contains its secret."""
        values = self.checked(WebhookRequestSerializer)
        made, secret = services.create_endpoint(actor=self.actor, site=site_of(request), **values)
        return self._secret(made, secret, status.HTTP_201_CREATED)

    @extend_schema(request=WebhookChangeSerializer, responses=WebhookSerializer)
    def partial_update(self, request: Request, pk: str) -> Response:
        """Change a webhook; enabling it again resets its failures."""
        values = self.checked(WebhookChangeSerializer)
        changed = services.change_endpoint(actor=self.actor, endpoint_id=int(pk), **values)
        return Response(WebhookSerializer(changed).data)

    def destroy(self, request: Request, pk: str) -> Response:
        """Delete a webhook with its deliveries; nothing more is sent."""
        services.delete_endpoint(actor=self.actor, endpoint_id=int(pk))
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(request=None, responses=SecretWebhookSerializer)
    @action(detail=True, methods=["post"])
    def rotate(self, request: Request, pk: str) -> Response:
        """Create a new secret; the previous one also signs for another 24 hours."""
        changed, secret = services.rotate_secret(actor=self.actor, endpoint_id=int(pk))
        return self._secret(changed, secret, status.HTTP_200_OK)

    @extend_schema(request=None, responses={202: WebhookSerializer})
    @action(detail=True, methods=["post"])
    def ping(self, request: Request, pk: str) -> Response:
        """Send a test event to a webhook; its deliveries show the outcome."""
        services.ping_endpoint(actor=self.actor, endpoint_id=int(pk))
        return Response(WebhookSerializer(self.get_object()).data, status=202)

    @extend_schema(
        parameters=[
            OpenApiParameter("state", str, enum=DeliveryState.values),
            OpenApiParameter("event", str, enum=[*ALL_TYPES]),
            *MADE_PARAMETERS,
        ],
        responses=DeliverySerializer(many=True),
    )
    @action(detail=True)
    def deliveries(self, request: Request, pk: str) -> Response:
        """List the deliveries of a webhook in the last 30 days, newest first."""
        asked = DeliveryFilter(
            data=request.query_params, queryset=_with_attempts(self.get_object())
        )
        if not asked.is_valid():
            raise translate_validation(asked.errors)
        rows = asked.qs
        page = self.paginate_queryset(rows)
        context = {"site": site_of(request)}
        return self.get_paginated_response(
            DeliverySerializer(page, many=True, context=context).data
        )

    @extend_schema(
        request=None,
        responses={202: DeliverySerializer},
        parameters=[
            OpenApiParameter(
                "delivery",
                {"type": "integer", "minimum": 0, "maximum": LARGEST_ID},
                OpenApiParameter.PATH,
            )
        ],
    )
    @action(
        detail=True,
        methods=["post"],
        url_path=r"deliveries/(?P<delivery>\d{1,18})/redeliver",
    )
    def redeliver(self, request: Request, pk: str, delivery: str) -> Response:
        """Send an event once more with the same id, whether or not it was delivered before."""
        services.redeliver(actor=self.actor, endpoint_id=int(pk), delivery_id=int(delivery))
        again = _with_attempts(self.get_object()).get(pk=int(delivery))
        context = {"site": site_of(request)}
        return Response(DeliverySerializer(again, context=context).data, status=202)

    @extend_schema(responses=WebhookEventSerializer(many=True), filters=False)
    @action(detail=False, pagination_class=OnePage)
    def events(self, request: Request) -> Response:
        """List the event types with their JSON Schemas and examples."""
        page = WebhookEventSerializer(ALL_TYPES.values(), many=True).data
        return Response({"results": page, "next": None, "previous": None})

    def _secret(self, endpoint: WebhookEndpoint, secret: str, code: int) -> Response:
        answer = {**WebhookSerializer(endpoint).data, "secret": secret}
        return Response(answer, status=code)


def _with_attempts(endpoint: WebhookEndpoint) -> Any:  # Any: a queryset of related rows
    attempts = Prefetch("attempts", DeliveryAttempt.objects.order_by("pk"))
    return endpoint.deliveries.select_related("event").prefetch_related(attempts)
