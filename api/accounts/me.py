import json
from collections.abc import Iterator
from typing import Any, Final

from django.contrib.auth import logout, update_session_auth_hash
from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.authentication import SessionAuthentication
from rest_framework.exceptions import Throttled
from rest_framework.request import Request
from rest_framework.response import Response

from api.accounts.tokens import count_password, count_typed_password
from api.protocol.access import PasswordAuthentication, SignedIn
from api.protocol.endpoint import Endpoint, RowSerializer
from api.protocol.pagination import OnePage
from api.protocol.requests import RequestSerializer, naming
from pentathlon.accounts.models import Scope, User
from pentathlon.accounts.oauth.access import IDENTITY
from pentathlon.accounts.passkeys import LARGEST_ANSWER, Json, begin_check
from pentathlon.accounts.passwords import change_password
from pentathlon.accounts.services import change_settings
from pentathlon.accounts.verification import ask_for_verification
from pentathlon.core.errors import Conflict
from pentathlon.core.quotas import Quota
from pentathlon.core.texts import host_of, site_of
from pentathlon.core.throttle import count_letter
from pentathlon.operations.personal_data.deletion import delete_own_account
from pentathlon.operations.personal_data.export import export_account, read_quotas

_LONGEST_PASSWORD: Final = 4096
_CHALLENGE: Final = "passkey_by_api"
"""The session key of a passkey's challenge. Pages use another key, so that the two do not mix."""


class MeSerializer(RowSerializer[User]):
    """Who you are."""

    class Meta:
        model = User
        fields = (
            "id",
            "username",
            "is_organiser",
            "takes_organiser_entries",
            "may_play_rated",
        )

    may_play_rated = serializers.BooleanField(
        help_text="Whether your bots may play rated matches. If not, verify your e-mail address: "
        "`POST /api/v1/me/verify-email/` sends the e-mail again."
    )


class SettingsSerializer(RequestSerializer):
    """What you decide for all of your bots; what is left out stays as it is."""

    takes_organiser_entries = serializers.BooleanField(
        required=False,
        help_text="Whether organisers may enter your active versions in their tournaments. They "
        "never enter a candidate, and entries that have been made stay.",
    )


@extend_schema_field({"type": "object", "additionalProperties": True})
class PasskeyAnswerField(serializers.Field[str, Json, Json, Any]):  # Any: a request
    """An `AuthenticationResponseJSON` of WebAuthn; the package that checks it reads its text."""

    default_error_messages = {
        "not_an_object": "Send the object that the browser's toJSON() gives.",
        "max_length": f"A passkey's answer has at most {LARGEST_ANSWER} characters.",
    }

    def to_internal_value(self, data: object) -> str:
        """Return the text of the answer."""
        if not isinstance(data, dict):
            self.fail("not_an_object")
        text = json.dumps(data)
        if len(text) > LARGEST_ANSWER:
            self.fail("max_length")
        return text


class DeletionRequestSerializer(RequestSerializer):
    """The name and password, entered again, plus a code or passkey if there is a second factor."""

    username = serializers.CharField(max_length=150)
    password = serializers.CharField(max_length=_LONGEST_PASSWORD, trim_whitespace=False)
    code = serializers.CharField(
        max_length=20,
        default="",
        allow_blank=True,
        help_text="A code from your authenticator app, or a recovery code, if you have a second "
        "factor.",
    )
    passkey = PasskeyAnswerField(
        source="answer",
        default="",
        help_text="What `navigator.credentials.get()` answered to the options of `passkey/`, by "
        "its `toJSON()`; stands in for the code.",
    )


class PasswordChangeSerializer(RequestSerializer):
    """Your current password and a new one."""

    password = serializers.CharField(
        source="old",
        max_length=_LONGEST_PASSWORD,
        trim_whitespace=False,
        help_text="Your current password.",
    )
    new_password = serializers.CharField(
        source="new", max_length=_LONGEST_PASSWORD, trim_whitespace=False
    )
    revokes_tokens = serializers.BooleanField(
        default=False, help_text="Whether to revoke all of your API tokens as well."
    )


class VerificationSerializer(serializers.Serializer[User]):
    """The address to which an e-mail is sent."""

    email = serializers.EmailField()


class PasskeyOptionsSerializer(serializers.Serializer[Any]):  # Any: what a browser reads
    """The options that a browser needs to use a passkey."""

    publicKey = serializers.DictField(  # noqa: N815  WebAuthn's name
        help_text="The argument of `PublicKeyCredential.parseRequestOptionsFromJSON()`."
    )


class DeletedSerializer(serializers.Serializer[Any]):  # Any: a plain answer
    """The result of deleting an account."""

    name = serializers.CharField(help_text="The name under which its results stay.")


class MeViewSet(Endpoint[User]):
    """The owner of the token of a request."""

    noun = "account"
    queryset = User.objects.none()
    serializer_class = MeSerializer
    permission_classes = (SignedIn,)
    app_scope = IDENTITY
    filter_backends = ()
    pagination_class = None

    @extend_schema(operation_id="me", responses=MeSerializer)
    def retrieve(self, request: Request) -> Response:
        """Return the owner of this token."""
        return Response(MeSerializer(self.actor).data)


class OwnSettingsViewSet(Endpoint[User]):
    """The settings of the owner of the token of a request."""

    noun = "account"
    queryset = User.objects.none()
    serializer_class = MeSerializer
    write_scope = Scope.BOTS_WRITE
    filter_backends = ()
    pagination_class = None

    @extend_schema(operation_id="me_settings", request=SettingsSerializer, responses=MeSerializer)
    def change(self, request: Request) -> Response:
        """Decide whether organisers may enter your bots."""
        values = self.checked(SettingsSerializer)
        person = change_settings(actor=self.actor, **values)
        return Response(MeSerializer(person).data)


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
        """Return all data that the site holds about you, as one zip."""
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
        """Permanently delete your account; the body holds your name and password.

        If you have a second factor, use a session and also send a `code` or a `passkey`; otherwise
        the response is 400 `second_factor_required`. `POST /api/v1/me/passkey/` starts a passkey.
        """
        facts = self.checked(DeletionRequestSerializer)
        count_typed_password(request, code=facts["code"])
        # A challenge is valid once, whatever the result.
        state = request.session.pop(_CHALLENGE, None) if facts["answer"] else None
        name = delete_own_account(actor=self.actor, state=state, **facts)
        # The session is deleted with the account, so nothing may be saved there any more.
        logout(request._request)
        return Response(DeletedSerializer({"name": name}).data, status=status.HTTP_200_OK)

    @extend_schema(
        operation_id="me_passkey", request=None, responses={200: PasskeyOptionsSerializer}
    )
    def ask_for_passkey(self, request: Request) -> Response:
        """Request a WebAuthn challenge for your passkeys; it works once, in this session.

        Browsers offer a passkey only to pages of this site. If none was created under this site's
        name, the response is 409 `no_passkey`.
        """
        host = host_of(request._request)
        if not self.actor.passkeys.filter(host=host).exists():
            raise Conflict(
                f"This account has no passkey that was made under {host}. Send a code of your app "
                "or a recovery code instead.",
                code="no_passkey",
            )
        options, state = begin_check(host=host, person=self.actor)
        request.session[_CHALLENGE] = state
        return Response(options)

    @extend_schema(
        operation_id="me_password", request=PasswordChangeSerializer, responses={204: None}
    )
    def change_password(self, request: Request) -> Response:
        """Change your password; all your other sessions end.

        Tokens continue to work unless you set `revokes_tokens`.
        """
        values = self.checked(PasswordChangeSerializer)
        count_typed_password(request)
        is_session = isinstance(request.successful_authenticator, SessionAuthentication)
        change = naming(
            lambda: change_password(
                actor=self.actor,
                site=site_of(request._request),
                session=request.session.session_key if is_session else None,
                **values,
            ),
            {"old": "password", "new": "new_password"},
        )
        changed = change()
        if is_session:
            update_session_auth_hash(request._request, changed)
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(
        operation_id="me_verify_email", request=None, responses={202: VerificationSerializer}
    )
    def verify_email(self, request: Request) -> Response:
        """Resend the e-mail that verifies your address."""
        person = self.actor
        if wait_s := count_letter(person.email) or count_letter(person.username):
            raise Throttled(wait_s)
        ask_for_verification(actor=person, site=site_of(request._request))
        return Response(VerificationSerializer(person).data, status=status.HTTP_202_ACCEPTED)


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
