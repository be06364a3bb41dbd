from typing import Any
from uuid import UUID

from django.urls import reverse
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.authentication import SessionAuthentication
from rest_framework.decorators import action
from rest_framework.exceptions import NotAuthenticated, Throttled
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from api.protocol.access import BearerAuthentication, PasswordAuthentication, SignedIn
from api.protocol.endpoint import PUBLIC_ID, Endpoint, RowSerializer
from api.protocol.pagination import CursorPages, OnePage
from api.protocol.requests import RequestSerializer
from pentathlon.accounts import services
from pentathlon.accounts.device_logins import VALID_S, begin_device_login, poll_device_login
from pentathlon.accounts.models import ApiToken, BrowserSession, DeviceLogin, Scope
from pentathlon.accounts.services import revoke_token
from pentathlon.accounts.sessions import end_other_sessions, end_session, own_sessions
from pentathlon.core.throttle import count_second_factor, count_sign_in, count_sign_in_as

_LONGEST_CODE = 100


def count_password(request: Request) -> None:
    """Count a request with a password, before anything checks it.

    Raises:
        Throttled: too many from this address.
    """
    if request.headers.get("Authorization", "").lower().startswith("basic"):
        wait_s = count_sign_in(request.META.get("REMOTE_ADDR", ""))
        if wait_s:
            raise Throttled(wait_s)


def count_typed_password(request: Request, *, code: str = "") -> None:
    """Count a password in the body of a request with a session, and a code of a second factor.

    Raises:
        Throttled: too many from this address, or to this account.
    """
    person, wait_s = request.user, 0
    # Only a session that lets in is a browser that its owner has signed in with.
    is_browser = isinstance(request.successful_authenticator, SessionAuthentication)
    browser = request.session.session_key if is_browser else None
    if not isinstance(request.successful_authenticator, PasswordAuthentication):
        # A password in the header has been counted already.
        address = request.META.get("REMOTE_ADDR", "")
        wait_s = count_sign_in(address) or count_sign_in_as(
            person.get_username(), address=address, browser=browser
        )
    wait_s = wait_s or (count_second_factor(person.pk, browser=browser) if code else 0)
    if wait_s:
        raise Throttled(wait_s)


class TokenSerializer(RowSerializer[ApiToken]):
    """A token, without its secret."""

    id = serializers.UUIDField(source="public_id", read_only=True)
    scopes = serializers.ListField(child=serializers.ChoiceField(choices=Scope.choices))
    created_at = serializers.DateTimeField(source="created", read_only=True)
    expires_at = serializers.DateTimeField(source="expiry", read_only=True)

    class Meta:
        model = ApiToken
        fields: tuple[str, ...] = (
            "id",
            "name",
            "scopes",
            "created_at",
            "expires_at",
            "last_used_at",
        )


class NewTokenSerializer(TokenSerializer):
    """A token with its secret, which is shown only once."""

    token = serializers.CharField(help_text="Store it: it is never shown again.")

    class Meta(TokenSerializer.Meta):
        fields = (*TokenSerializer.Meta.fields, "token")


@extend_schema_field({"type": "string", "pattern": "^[!-~]([ -~]*[!-~])?$", "maxLength": 60})
class TokenNameField(serializers.CharField):
    """The name of a token; the service decides which characters it may have."""


class TokenRequestSerializer(RequestSerializer):
    """The fields of a new token."""

    name = TokenNameField(max_length=services.LONGEST_NAME)
    scopes = serializers.ListField(
        child=serializers.ChoiceField(choices=Scope.choices), default=list(Scope.values)
    )
    days = serializers.IntegerField(min_value=1, max_value=services.LONGEST_TOKEN_DAYS, default=90)


class TokensByAge(CursorPages):
    """Tokens have no number, so they are ordered by their time."""

    ordering = "-created"


class TokenViewSet(ListModelMixin, Endpoint[ApiToken]):
    """Your own tokens. Authenticate with username and password or a session, never a token."""

    noun = "token"
    serializer_class = TokenSerializer
    pagination_class = TokensByAge
    authentication_classes = (PasswordAuthentication, SessionAuthentication)
    permission_classes = (SignedIn,)
    filter_backends = ()
    lookup_field = "public_id"
    lookup_url_kwarg = "id"
    lookup_value_regex = PUBLIC_ID
    queryset = ApiToken.objects.none()
    takes_idempotency_key = False  # the stored answer would hold the secret

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        """Count password attempts before checking one."""
        count_password(request)
        super().initial(request, *args, **kwargs)

    def get_queryset(self) -> Any:  # Any: knox has no types
        """Return the actor's tokens."""
        return ApiToken.objects.filter(user=self.actor)

    @extend_schema(request=TokenRequestSerializer, responses={201: NewTokenSerializer})
    def create(self, request: Request) -> Response:
        """Create a token."""
        values = self.checked(TokenRequestSerializer)
        token, secret = services.create_token(actor=self.actor, **values)
        answer = {**TokenSerializer(token).data, "token": secret}
        return Response(answer, status=status.HTTP_201_CREATED)

    def destroy(self, request: Request, id: str) -> Response:  # noqa: A002  the address's word
        """Revoke a token: it stops working at once."""
        services.revoke_token(actor=self.actor, public_id=UUID(id))
        return Response(status=status.HTTP_204_NO_CONTENT)


class CurrentTokenSerializer(TokenSerializer):
    """The token of this request, and its owner."""

    username = serializers.CharField(source="user.username", read_only=True)

    class Meta(TokenSerializer.Meta):
        fields = (*TokenSerializer.Meta.fields, "username")


class CurrentTokenViewSet(Endpoint[ApiToken]):
    """The token that a request was sent with."""

    noun = "token"
    queryset = ApiToken.objects.none()
    serializer_class = CurrentTokenSerializer
    authentication_classes = (BearerAuthentication,)
    permission_classes = (SignedIn,)
    filter_backends = ()
    pagination_class = None

    @extend_schema(operation_id="tokens_current", responses=CurrentTokenSerializer)
    def retrieve(self, request: Request) -> Response:
        """Return the owner of this token and what it may do."""
        return Response(CurrentTokenSerializer(self._token()).data)

    @extend_schema(operation_id="tokens_current_revoke", responses={204: None})
    def destroy(self, request: Request) -> Response:
        """Revoke this token: it stops working at once."""
        revoke_token(actor=self.actor, public_id=self._token().public_id)
        return Response(status=status.HTTP_204_NO_CONTENT)

    def _token(self) -> ApiToken:
        if not isinstance(self.request.auth, ApiToken):
            raise NotAuthenticated
        return self.request.auth


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


class SessionSerializer(RowSerializer[BrowserSession]):
    """A browser in which you are signed in."""

    id = serializers.UUIDField(source="public_id", read_only=True)
    is_this = serializers.SerializerMethodField(help_text="Whether this request came from it.")

    class Meta:
        model = BrowserSession
        fields = ("id", "is_this", "address", "user_agent", "begun_at", "seen_at")

    def get_is_this(self, row: BrowserSession) -> bool:
        """Return whether the request comes from this session."""
        return bool(row.pk == self.context["request"].session.session_key)


class EndedSessionsSerializer(serializers.Serializer[BrowserSession]):
    """The number of sessions ended."""

    ended = serializers.IntegerField()


class SessionViewSet(Endpoint[BrowserSession]):
    """Your own sessions. Reached with a session: never with a token or a password."""

    noun = "session"
    serializer_class = SessionSerializer
    authentication_classes = (SessionAuthentication,)
    permission_classes = (SignedIn,)
    filter_backends = ()
    pagination_class = OnePage
    lookup_url_kwarg = "id"
    lookup_value_regex = PUBLIC_ID
    queryset = BrowserSession.objects.none()
    takes_idempotency_key = False  # ending twice is ending once

    @extend_schema(responses=SessionSerializer(many=True))
    def list(self, request: Request) -> Response:
        """List your sessions, most recently used first."""
        page: Any = self.paginate_queryset(own_sessions(self.actor))
        rows = SessionSerializer(page, many=True, context=self.get_serializer_context())
        return self.get_paginated_response(rows.data)

    @extend_schema(responses={204: None})
    def destroy(self, request: Request, id: str) -> Response:  # noqa: A002  the address's word
        """End a session: its browser is signed out at once."""
        end_session(actor=self.actor, public_id=UUID(id))
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(request=None, responses=EndedSessionsSerializer)
    @action(detail=False, methods=["post"], url_path="end-others")
    def end_others(self, request: Request) -> Response:
        """End all of your other sessions."""
        ended = end_other_sessions(actor=self.actor, kept=request.session.session_key)
        return Response({"ended": ended})
