"""Our choices where the OAuth package leaves OAuth 2.0 open: tokens, validation, defaults."""

from __future__ import annotations

import re
import secrets
from typing import Any, Final

from django.db import transaction
from oauth2_provider.models import RefreshToken
from oauth2_provider.oauth2_validators import OAuth2Validator
from oauth2_provider.scopes import BaseScopes
from oauthlib.oauth2 import InvalidGrantError

from pentathlon.accounts.oauth.access import IDENTITY, SCOPES

ACCESS_PREFIX: Final = "pta_"
REFRESH_PREFIX: Final = "ptr_"
CHALLENGE: Final = re.compile(r"[A-Za-z0-9_-]{43}")
"""A code challenge of the method S256: a SHA-256 in base64."""
_SECRET_BYTES: Final = 32


def new_access_token(_request: object) -> str:
    """Return a new token by which an app uses the API."""
    return ACCESS_PREFIX + secrets.token_urlsafe(_SECRET_BYTES)


def new_refresh_token(_request: object) -> str:
    """Return a new token by which an app gets its next tokens."""
    return REFRESH_PREFIX + secrets.token_urlsafe(_SECRET_BYTES)


class AppScopes(BaseScopes):
    """The scopes of `oauth.access`; an app that asks for none gets the identity."""

    def get_all_scopes(self) -> dict[str, str]:
        """Return all scopes with what they allow."""
        return SCOPES

    def get_available_scopes(self, *_args: object, **_kwargs: object) -> list[str]:
        """Return the scopes that an app may ask for."""
        return list(SCOPES)

    def get_default_scopes(self, *_args: object, **_kwargs: object) -> list[str]:
        """Return the scopes of an app that asks for none."""
        return [IDENTITY]


class AppValidator(OAuth2Validator):
    """Refuses people whose accounts are closed, and ignores parameters of OpenID Connect."""

    # Any, here: requests of oauthlib, without types

    def validate_code(self, client_id: str, code: str, client: Any, request: Any, *a: Any) -> bool:
        """Return whether a code may be exchanged now."""
        return bool(super().validate_code(client_id, code, client, request, *a)) and bool(
            request.user.is_active
        )

    def validate_refresh_token(
        self, refresh_token: str, client: Any, request: Any, *a: Any
    ) -> bool:
        """Return whether a refresh token may be used now."""
        return bool(super().validate_refresh_token(refresh_token, client, request, *a)) and bool(
            request.user.is_active
        )

    def save_bearer_token(self, token: Any, request: Any, *a: Any) -> Any:
        """Use up the code or refresh token and store what it is exchanged for, both or neither.

        Of two requests with the same one, the later finds it used, however close they come.
        """
        # The client's secret has been hashed by now: nothing slow happens while rows are locked.
        with transaction.atomic():
            if self._uses_up(request):
                return super().save_bearer_token(token, request, *a)
        # Outside, because the end of the sign-in stays.
        raise InvalidGrantError(request=request)

    def invalidate_authorization_code(self, client_id: str, code: str, request: Any) -> None:
        """Do nothing: `save_bearer_token` has used it up."""

    def _uses_up(self, request: Any) -> bool:
        if request.grant_type == "refresh_token":
            token = request.refresh_token_instance
            RefreshToken.objects.select_for_update().filter(pk=token.pk).first()
            return self.validate_refresh_token(request.refresh_token, request.client, request)
        super().invalidate_authorization_code(request.client_id, request.code, request)
        return True

    def _create_authorization_code(self, request: Any, code: Any, expires: Any = None) -> Any:
        # These parameters belong to standards that we do not support; they may hold anything.
        request.nonce, request.claims, request.resource = "", {}, []
        return super()._create_authorization_code(request, code, expires)

    def _check_and_set_request_resource(self, request: Any) -> None:
        request.resource = []
