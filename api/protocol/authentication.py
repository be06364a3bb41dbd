"""Authentication by a token in the `Authorization` header, or by a browser's session."""

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from knox.auth import TokenAuthentication
from rest_framework.authentication import BasicAuthentication
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied, Throttled
from rest_framework.request import Request

from pentathlon.accounts.models import ApiToken, User
from pentathlon.accounts.oauth.access import AppAccess, find_app_access
from pentathlon.accounts.oauth.protocol import ACCESS_PREFIX
from pentathlon.accounts.second_factors import has_second_factor
from pentathlon.accounts.services import note_token_use
from pentathlon.core.throttle import count_sign_in_as


class BearerAuthentication(TokenAuthentication):
    """`Authorization: Bearer ptl_...`, or `pta_...` for an app that acts for somebody."""

    def authenticate_credentials(self, token: bytes) -> tuple[User, ApiToken | AppAccess]:
        """Return the person and the token, and remember that it was used."""
        if token.startswith(ACCESS_PREFIX.encode()):
            access = find_app_access(token.decode("ascii", "replace"))
            if access is None:
                raise AuthenticationFailed("This token has expired, or its access was ended.")
            return access.person, access
        try:
            person, found = super().authenticate_credentials(token)  # type: ignore[no-untyped-call]  # knox
        except UnicodeDecodeError as error:
            raise AuthenticationFailed("Invalid token.") from error
        note_token_use(token=found)
        return person, found


class PasswordAuthentication(BasicAuthentication):
    """`Authorization: Basic ...`, for making the first token."""

    def authenticate_credentials(
        self, userid: str, password: str, request: Request | None = None
    ) -> tuple[User, None]:
        """Return the person.

        Raises:
            Throttled: too many tries for this account.
            AuthenticationFailed: name or password is wrong, or no database can look them up.
            PermissionDenied: both are right, but this account has a second factor.
        """
        if "\0" in userid:
            raise AuthenticationFailed("Invalid username/password.")
        address = "" if request is None else request.META.get("REMOTE_ADDR", "")
        wait_s = count_sign_in_as(userid, address=address)
        if wait_s:
            raise Throttled(wait_s)
        person: User = super().authenticate_credentials(userid, password, request)[0]
        if has_second_factor(person):
            raise PermissionDenied(
                "This account has a second factor, so its password alone is not enough. Run "
                "pentathlon login, or make the token on your account page.",
                code="second_factor_required",
            )
        return person, None


class BearerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # spectacular
    """How the OpenAPI document describes tokens."""

    target_class = BearerAuthentication
    name = "token"
    priority = 1

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        """Return the security scheme."""
        return {
            "type": "http",
            "scheme": "bearer",
            "description": "A token from your account page, from `POST /api/v1/tokens/`, or "
            "from an app: see `/docs/apps/`.",
        }


class PasswordScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # spectacular
    """How the OpenAPI document describes username and password."""

    target_class = PasswordAuthentication
    name = "password"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        """Return the security scheme."""
        return {"type": "http", "scheme": "basic"}
