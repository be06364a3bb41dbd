"""Retention of the rows of silent workers."""

from typing import Final

from django.db.models.functions import Now

from pentathlon.core.retention import RetentionClass
from pentathlon.fleet.models import Worker
from pentathlon.fleet.tokens import FORGOTTEN_AFTER, forget_silent_workers


def _due() -> int:
    return Worker.objects.filter(seen_at__lt=Now() - FORGOTTEN_AFTER).count()


SILENT_WORKERS: Final = RetentionClass(
    key="workers",
    holds="workers that are silent",
    kept=FORGOTTEN_AFTER,
    models=(Worker,),
    due=_due,
    forget=forget_silent_workers,
)
