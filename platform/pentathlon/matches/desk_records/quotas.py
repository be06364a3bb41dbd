"""Quotas of desk records: how many one author may keep, and how many they may upload a day."""

from datetime import timedelta
from typing import Final

from django.db.models import Count, Min

from pentathlon.accounts.models import User
from pentathlon.core.clock import database_now
from pentathlon.core.quotas import Quota
from pentathlon.core.server.limits import DESK_RECORDS, DESK_RECORDS_A_DAY
from pentathlon.matches.desk_records.models import DeskRecord

_DAY: Final = timedelta(days=1)


def kept_quota(author: User) -> Quota:
    """Return how many records are kept."""
    return Quota(
        key="desk_records",
        about="desk records",
        limit=DESK_RECORDS,
        used=DeskRecord.objects.by_author(author).count(),
        code="desk_record_quota",
    )


def daily_quota(author: User) -> Quota:
    """Return how many records were uploaded in the last 24 hours."""
    recent = DeskRecord.objects.by_author(author).filter(created_at__gt=database_now() - _DAY)
    found = recent.aggregate(number=Count("pk"), oldest=Min("created_at"))
    return Quota(
        key="desk_records_a_day",
        about="desk records uploaded in 24 hours",
        limit=DESK_RECORDS_A_DAY,
        used=found["number"],
        renews_at=found["oldest"] + _DAY if found["oldest"] else None,
        code="desk_record_quota",
    )
