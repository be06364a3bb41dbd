from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from api.accounts.tokens import TokenSerializer
from api.protocol.authentication import BearerAuthentication
from api.protocol.endpoint import Endpoint
from api.protocol.permissions import SignedIn
from pentathlon.accounts.models import ApiToken
from pentathlon.accounts.services import revoke_token


class CurrentTokenSerializer(TokenSerializer):
    """The token of this request, and its owner."""

    username = serializers.CharField(source="user.username", read_only=True)

    class Meta(TokenSerializer.Meta):
        fields = (*TokenSerializer.Meta.fields, "username")
        read_only_fields = fields


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
