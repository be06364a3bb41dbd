"""Verify that all schedules, including ladders, follow from documents, secrets and results."""

from argparse import ArgumentParser
from itertools import islice
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError

from pentathlon.tournaments.guards import Unreadable
from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.scheduling.verification import schedule_differences

_SHOWN: Final = 20


class Command(BaseCommand):
    """Make every batch again and compare it with the stored one; exit code 1 if one differs."""

    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the numbers of tournaments."""
        parser.add_argument("tournaments", nargs="*", type=int, metavar="TOURNAMENT")

    def handle(self, **options: Any) -> None:  # Any: Django's own signature
        """Print a line for each tournament, and the differences."""
        begun = Tournament.objects.exclude(fixed_document=None)
        if wanted := options["tournaments"]:
            begun = begun.filter(pk__in=wanted)
        ids = list(begun.order_by("pk").values_list("pk", flat=True))
        if missing := sorted(set(wanted) - set(ids)):
            raise CommandError(f"No such tournament, or not started: {missing}.")
        wrong = sum(not self._verify(Tournament.objects.get(pk=pk)) for pk in ids)
        if wrong:
            raise CommandError(f"{wrong} of {len(ids)} schedules differ.")

    def _verify(self, tournament: Tournament) -> bool:
        try:
            found = list(islice(schedule_differences(tournament), _SHOWN))
        except Unreadable as error:
            found = [error.detail]
        for each in found:
            self.stdout.write(f"{tournament.pk}: {each}")
        if not found:
            self.stdout.write(f"{tournament.pk}: {tournament.scheduled} matches as drawn")
        return not found
