"""Recompute the ratings from the results."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from pentathlon.accounts.audit.models import AuditAction, AuditedKind
from pentathlon.accounts.audit.services import note_action
from pentathlon.ratings.models import Pool
from pentathlon.ratings.recompute import recompute_pool
from pentathlon_engines.commentary.words import count


class Command(BaseCommand):
    """Recompute every pool, or those named, from its results in ledger order."""

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the keys of pools."""
        parser.add_argument("keys", nargs="*", help='keys such as "game:tuned"; all by default')

    def handle(self, *, keys: list[str], **_options: Any) -> None:  # Any: Django's own signature
        """Recompute and print a line for each pool."""
        pools = Pool.objects.order_by("key")
        for pool in pools.filter(key__in=keys) if keys else pools:
            # Noted first: an interrupted recompute goes on by itself, and the log must say who
            # began it.
            note_action(
                AuditAction.RATINGS_RECOMPUTE,
                actor=None,
                kind=AuditedKind.POOL,
                object_id=pool.pk,
                object_name=pool.key,
                command="recompute_ratings",
            )
            results = recompute_pool(pool_id=pool.pk)
            self.stdout.write(f"{pool.key}: {count(results, 'result')} recomputed")
