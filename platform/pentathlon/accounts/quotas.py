"""The quotas of tokens and passkeys of one person."""

from typing import Final

from pentathlon.accounts.models import User
from pentathlon.core.quotas import Quota

MOST_TOKENS: Final = 50
MOST_PASSKEYS: Final = 10


def token_quota(person: User) -> Quota:
    """Return how many tokens there are, expired ones included."""
    return Quota(
        key="tokens",
        about="API tokens",
        limit=MOST_TOKENS,
        used=person.auth_token_set.count(),
        code="too_many_tokens",
    )


def passkey_quota(person: User) -> Quota:
    """Return how many passkeys there are."""
    return Quota(
        key="passkeys",
        about="passkeys",
        limit=MOST_PASSKEYS,
        used=person.passkeys.count(),
        code="too_many_passkeys",
    )
