from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from api.accounts.tokens import NewTokenSerializer, TokenNameField, TokenSerializer
from api.protocol.endpoint import Endpoint
from api.protocol.requests import RequestSerializer
from pentathlon.accounts import services
from pentathlon.accounts.device_logins import (
    VALID_S,
    begin_device_login,
    poll_device_login,
)
from pentathlon.accounts.models import DeviceLogin, Scope

_LONGEST_CODE = 100


class DeviceLoginRequestSerializer(RequestSerializer):
    """The name of a terminal's token, and what it may do."""

    name = TokenNameField(max_length=services.LONGEST_NAME)
    scopes = serializers.ListField(
        child=serializers.ChoiceField(choices=Scope.choices),
        default=[Scope.BOTS_WRITE.value, Scope.PRIVATE_READ.value],
    )


class DeviceLoginSerializer(serializers.Serializer[DeviceLogin]):
    """A terminal's two codes, and the page where a person confirms one of them."""

    device_code = serializers.CharField(
        help_text="The code to poll with; the terminal must keep it secret."
    )
    user_code = serializers.CharField(help_text="The code that a person confirms.")
    verification_uri = serializers.CharField(help_text="The page that asks for the code.")
    verification_uri_complete = serializers.CharField(
        help_text="The same page with the code filled in."
    )
    expires_in = serializers.IntegerField(help_text="Seconds.")
    interval = serializers.IntegerField(help_text="Seconds between two polls.")


class DevicePollSerializer(RequestSerializer):
    """A terminal's request whether its code has been confirmed."""

    device_code = serializers.CharField(max_length=_LONGEST_CODE)


class DeviceTokenSerializer(NewTokenSerializer):
    """A terminal's token with its secret, shown only once, and its owner."""

    username = serializers.CharField(source="user.username")

    class Meta(NewTokenSerializer.Meta):
        fields = (*NewTokenSerializer.Meta.fields, "username")
        read_only_fields = fields


class DeviceLoginViewSet(Endpoint[DeviceLogin]):
    """Signing in a terminal without a password: the device flow of RFC 8628 in JSON."""

    noun = "device login"
    queryset = DeviceLogin.objects.none()
    serializer_class = DeviceLoginSerializer
    authentication_classes = ()
    permission_classes = ()
    filter_backends = ()
    pagination_class = None
    takes_idempotency_key = False  # the stored answer would hold the secret

    @extend_schema(
        auth=[], request=DeviceLoginRequestSerializer, responses={201: DeviceLoginSerializer}
    )
    def create(self, request: Request) -> Response:
        """Start a login: show the user code in the terminal, then poll with the device code."""
        values = self.checked(DeviceLoginRequestSerializer)
        address = request.META.get("REMOTE_ADDR", "")
        login, device_code = begin_device_login(address=address, **values)
        page = request.build_absolute_uri(reverse("activate"))
        answer = {
            "device_code": device_code,
            "user_code": login.shown_code,
            "verification_uri": page,
            "verification_uri_complete": f"{page}?code={login.shown_code}",
            "expires_in": VALID_S,
            "interval": login.interval_s,
        }
        return Response(answer, status=status.HTTP_201_CREATED)

    @extend_schema(auth=[], request=DevicePollSerializer, responses=DeviceTokenSerializer)
    @action(detail=False, methods=["post"])
    def token(self, request: Request) -> Response:
        """Poll: 400 with `authorization_pending`, `slow_down`, `access_denied` or `expired_token`.

        Returns the token once a person has approved the code, and only once.
        """
        values = self.checked(DevicePollSerializer)
        issued = poll_device_login(values["device_code"])
        answer: dict[str, Any] = {  # Any: what a serializer made
            **TokenSerializer(issued.token).data,
            "token": issued.secret,
            "username": issued.token.user.username,
        }
        return Response(answer)
