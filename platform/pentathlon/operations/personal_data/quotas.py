"""All quotas of one person, for their account page and the API."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Final

from django.utils import timezone

from pentathlon.accounts.models import User
from pentathlon.accounts.services import passkey_quota, token_quota
from pentathlon.bots.quotas import archive_quota, validation_quota
from pentathlon.core.quotas import Quota
from pentathlon.core.throttle import read_rate
from pentathlon.friendlies import services as friendlies
from pentathlon.matches.desk_records import services as desk_records
from pentathlon.tournaments.challenges import services as challenges
from pentathlon.tournaments.teams.services import team_quota
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
    team_quota,
)
_RATES: Final[Mapping[str, str]] = {
    "uploads": "Uploads of bots",
    "desk_records": "Uploads of records from your desk",
    "exports": "Exports of whole tables and proofs",
    "own_exports": "Exports of everything about yourself",
    "histories": "Stretches of histories of a game",
    "searches": "Searches",
    "webhook_sends": "Test events and redeliveries of webhooks",
}
"""What the rates of one person count that are not of all requests."""


def read_quotas(person: User) -> list[Quota]:
    """Return each quota and rate as it stands now; one or two queries for each."""
    return [read(person) for read in _READERS] + [_rate(name, person) for name in _RATES]


def _rate(name: str, person: User) -> Quota:
    state = read_rate(name, person.pk)
    window = {60: "in a minute", 3600: "in an hour", 86_400: "in a day"}[state.window_s]
    renews_at = timezone.now() + timedelta(seconds=state.resets_s) if state.resets_s else None
    return Quota(
        key=f"rate_{name}",
        about=f"{_RATES[name]} {window}",
        limit=state.limit,
        used=min(state.taken, state.limit),
        renews_at=renews_at,
        code="throttled",
    )
