"""Quotas of one author: stored archives, and versions in validation."""

from django.db.models import Q, Sum
from django.db.models.functions import Length

from pentathlon.accounts.models import User
from pentathlon.bots.models import Archive, BotVersion, VersionState
from pentathlon.core.quotas import Quota
from pentathlon.core.server.limits import ACCOUNT_BYTES, MOST_VALIDATING


def validation_quota(author: User) -> Quota:
    """Return how many versions are being validated."""
    own = BotVersion.objects.owned_by(author)
    return Quota(
        key="validations",
        about="versions that are being validated",
        limit=MOST_VALIDATING,
        used=own.filter(state=VersionState.VALIDATING).count(),
        code="too_many_validating",
    )


def archive_quota(author: User) -> Quota:
    """Return how many bytes all archives and builds take; equal ones are stored once."""
    own = BotVersion.objects.owned_by(author)
    kept = Archive.objects.filter(
        Q(pk__in=own.values("archive")) | Q(pk__in=own.exclude(built=None).values("built"))
    )
    return Quota(
        key="archive_bytes",
        about="archives and builds of bots",
        limit=ACCOUNT_BYTES,
        used=kept.aggregate(total=Sum(Length("data")))["total"] or 0,
        unit="bytes",
        code="quota_exceeded",
    )
