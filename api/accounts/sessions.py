from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.authentication import SessionAuthentication
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from api.protocol.endpoint import PUBLIC_ID, Endpoint
from api.protocol.pagination import OnePage
from api.protocol.permissions import SignedIn
from pentathlon.accounts.models import BrowserSession
from pentathlon.accounts.sessions import end_other_sessions, end_session, own_sessions


class SessionSerializer(serializers.ModelSerializer[BrowserSession]):
    """A browser in which you are signed in."""

    id = serializers.UUIDField(source="public_id", read_only=True)
    is_this = serializers.SerializerMethodField(help_text="Whether this request came from it.")

    class Meta:
        model = BrowserSession
        fields = ("id", "is_this", "address", "user_agent", "begun_at", "seen_at")
        read_only_fields = fields

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
