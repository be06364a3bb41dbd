"""`manage.py verify_ladders`: pair all batches of all ladders again, and compare."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from pentathlon.ladders.models import Division
from pentathlon.ladders.verification import verify_division


class Command(BaseCommand):
    """Make every batch again from what was stored with it; exit with 1 if one differs."""

    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own signature
        """Verify division by division, and show what differs."""
        found = 0
        for division in Division.objects.select_related("tournament").order_by("pk"):
            differences = verify_division(division)
            found += len(differences)
            for each in differences:
                self.stdout.write(f"{each.place}: stored {each.stored}, made {each.computed}")
            self.stdout.write(
                f"{division.tournament.name}: {division.batches} batches, "
                f"{division.blocks} blocks, {len(differences)} differences"
            )
        if found:
            raise CommandError(f"{found} differences.")
