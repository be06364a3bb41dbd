from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.authentication import SessionAuthentication
from rest_framework.exceptions import Throttled
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from api.protocol.authentication import PasswordAuthentication
from api.protocol.endpoint import PUBLIC_ID, Endpoint
from api.protocol.pagination import CursorPages
from api.protocol.permissions import SignedIn
from api.protocol.requests import RequestSerializer
from pentathlon.accounts import services
from pentathlon.accounts.models import ApiToken, Scope
from pentathlon.core.throttle import count_second_factor, count_sign_in, count_sign_in_as


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


class TokenSerializer(serializers.ModelSerializer[ApiToken]):
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
        read_only_fields = fields


class NewTokenSerializer(TokenSerializer):
    """A token with its secret, which is shown only once."""

    token = serializers.CharField(help_text="Store it: it is never shown again.")

    class Meta(TokenSerializer.Meta):
        fields = (*TokenSerializer.Meta.fields, "token")
        read_only_fields = fields


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
