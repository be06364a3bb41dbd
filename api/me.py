from collections.abc import Iterator
from typing import Any

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.authentication import SessionAuthentication
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import PasswordAuthentication
from api.endpoint import Endpoint
from api.permissions import SignedIn
from api.requests import RequestSerializer
from api.tokens import count_password
from pentathlon.accounts.models import User
from pentathlon.oauth.scopes import IDENTITY
from pentathlon.personal_data.deletion import delete_own_account
from pentathlon.personal_data.export import export_account


class MeSerializer(serializers.ModelSerializer[User]):
    """Who you are."""

    class Meta:
        model = User
        fields = ("id", "username", "is_organiser")
        read_only_fields = fields


class DeletionRequestSerializer(RequestSerializer):
    """The name and the password, typed once more."""

    username = serializers.CharField(max_length=150)
    password = serializers.CharField(max_length=4096, trim_whitespace=False)


class DeletedSerializer(serializers.Serializer[Any]):  # Any: a plain answer
    """What became of a deleted account."""

    name = serializers.CharField(help_text="Under which results stay.")


class MeViewSet(Endpoint[User]):
    """Who asks."""

    noun = "account"
    queryset = User.objects.none()
    serializer_class = MeSerializer
    permission_classes = (SignedIn,)
    app_scope = IDENTITY
    filter_backends = ()
    pagination_class = None

    @extend_schema(operation_id="me", responses=MeSerializer)
    def retrieve(self, request: Request) -> Response:
        """Say who asks: whose token this is."""
        return Response(MeSerializer(self.actor).data)


class OwnAccountViewSet(Endpoint[User]):
    """Your own account. Reached with username and password, or a session: never with a token."""

    noun = "account"
    queryset = User.objects.none()
    serializer_class = MeSerializer
    authentication_classes = (PasswordAuthentication, SessionAuthentication)
    permission_classes = (SignedIn,)
    filter_backends = ()
    pagination_class = None
    takes_idempotency_key = False

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        """Count password attempts before checking one."""
        count_password(request)
        super().initial(request, *args, **kwargs)

    @extend_schema(
        operation_id="me_export", responses={(200, "application/zip"): OpenApiTypes.BINARY}
    )
    def export(self, request: Request) -> StreamingHttpResponse:
        """Return everything that is here about you, as one zip."""
        pieces: Iterator[bytes] = export_account(self.actor)
        answer = StreamingHttpResponse(pieces, content_type="application/zip")
        answer["Content-Disposition"] = 'attachment; filename="pentathlon-account.zip"'
        return answer

    @extend_schema(
        operation_id="me_delete",
        request=DeletionRequestSerializer,
        responses={200: DeletedSerializer},
    )
    def delete_account(self, request: Request) -> Response:
        """Delete your account for good; name and password stand in the body."""
        wanted = DeletionRequestSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        name = delete_own_account(actor=self.actor, **wanted.validated_data)
        return Response(DeletedSerializer({"name": name}).data, status=status.HTTP_200_OK)
