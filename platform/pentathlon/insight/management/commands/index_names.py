"""`manage.py index_names`: rebuild the search index of all names."""

from typing import Any

from django.core.management.base import BaseCommand

from pentathlon.insight.search.services import index_all


class Command(BaseCommand):
    """Index every name now; the reconciler does the same by and by."""

    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own signature
        """Index all names and print how many there are."""
        self.stdout.write(f"Indexed {index_all():,} names.")
