"""Who asks: a token in the `Authorization` header, or the session of a browser."""

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from knox.auth import TokenAuthentication
from rest_framework.exceptions import AuthenticationFailed

from pentathlon.accounts.models import ApiToken, User
from pentathlon.accounts.services import note_token_use


class BearerAuthentication(TokenAuthentication):
    """`Authorization: Bearer ptl_...`."""

    def authenticate_credentials(self, token: bytes) -> tuple[User, ApiToken]:
        """Return the person and the token, and remember that it was used."""
        try:
            person, found = super().authenticate_credentials(token)  # type: ignore[no-untyped-call]  # knox
        except UnicodeDecodeError as error:
            raise AuthenticationFailed("Invalid token.") from error
        note_token_use(token=found)
        return person, found


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
            "description": "A token of your account page or of `POST /api/v1/tokens/`.",
        }
