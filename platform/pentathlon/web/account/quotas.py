"""All quotas of one person, for their account page and the API."""

from typing import Final

from pentathlon.accounts.models import User
from pentathlon.accounts.quotas import passkey_quota, token_quota
from pentathlon.bots.quotas import archive_quota, validation_quota
from pentathlon.challenges import quotas as challenges
from pentathlon.common.quotas import Quota
from pentathlon.desk_records import quotas as desk_records
from pentathlon.friendlies import quotas as friendlies
from pentathlon.webhooks.quotas import endpoint_quota

_READERS: Final = (
    validation_quota,
    archive_quota,
    challenges.daily_quota,
    challenges.under_way_quota,
    friendlies.daily_quota,
    friendlies.under_way_quota,
    desk_records.daily_quota,
    desk_records.kept_quota,
    token_quota,
    passkey_quota,
    endpoint_quota,
)


def read_quotas(person: User) -> list[Quota]:
    """Return each quota as it stands now; one or two queries for each."""
    return [read(person) for read in _READERS]
