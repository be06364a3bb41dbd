"""The quota of webhooks of one person."""

from typing import Final

from pentathlon.accounts.models import User
from pentathlon.core.quotas import Quota
from pentathlon.webhooks.models import WebhookEndpoint

MOST_ENDPOINTS: Final = 5


def endpoint_quota(person: User) -> Quota:
    """Return how many webhooks there are, disabled ones included."""
    return Quota(
        key="webhooks",
        about="webhooks",
        limit=MOST_ENDPOINTS,
        used=WebhookEndpoint.objects.owned_by(person).count(),
        code="too_many_webhooks",
    )
