"""What apps may ask for, and what the token that an app sends allows it now."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from django.utils import timezone
from oauth2_provider.models import get_access_token_model

from pentathlon.accounts.models import Scope, User
from pentathlon.accounts.oauth.models import OAuthApp

IDENTITY: Final = "identity:read"
"""Who signs in: the account's name and number, which are public anyway, but no e-mail address."""
SCOPES: Final[dict[str, str]] = {
    IDENTITY: "know who you are: your username",
    **dict(Scope.choices),
}


def in_words(scopes: Iterable[str]) -> list[str]:
    """Return what scopes allow, in the order of the list, for people."""
    asked = set(scopes)
    return [words for scope, words in SCOPES.items() if scope in asked]


@dataclass(frozen=True, slots=True, kw_only=True)
class AppAccess:
    """An app that acts for a person."""

    app: OAuthApp
    person: User
    """The person as an author or organiser; this object leaves out their rights as staff."""
    scopes: tuple[str, ...]


def find_app_access(secret: str) -> AppAccess | None:
    """Return what the token with this secret allows now; None if it allows nothing."""
    checksum = hashlib.sha256(secret.encode()).hexdigest()
    tokens = get_access_token_model().objects.select_related("application__user", "user")
    token = tokens.filter(token_checksum=checksum, expires__gt=timezone.now()).first()
    if token is None or token.user is None or not token.user.is_active:
        return None
    if token.application is None or not token.application.is_usable(None):
        return None
    person: User = token.user
    # This object is never saved: services read people anew before they change them.
    person.is_staff = person.is_superuser = False
    return AppAccess(app=token.application, person=person, scopes=tuple(token.scope.split()))
