"""Prove that the stored ratings are what the results say."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from pentathlon.ratings.models import Pool
from pentathlon.ratings.verification import verify_pool


class Command(BaseCommand):
    """Compare every pool with its recompute, bit by bit; exit code 1 if one differs."""

    help = __doc__

    def handle(self, **_options: Any) -> None:  # Any: Django's own signature
        """Print a line for each pool and stop at the first one that differs."""
        for pool in Pool.objects.order_by("key"):
            differences = verify_pool(pool_id=pool.pk)
            if differences:
                raise CommandError(
                    f"{differences[0]} ({_count(len(differences), 'difference')} shown at most)"
                )
            self.stdout.write(f"{pool.key}: {pool.applied_seq} results, equal bit by bit")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
