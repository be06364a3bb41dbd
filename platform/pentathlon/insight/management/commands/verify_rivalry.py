"""Verify that the meetings of bots, and all totals of them, agree with the results."""

from argparse import ArgumentParser
from itertools import islice
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError

from pentathlon.insight.rivalry.models import Meeting
from pentathlon.insight.rivalry.services import count_all
from pentathlon.insight.rivalry.verification import find_differences, repair

_SHOWN: Final = 20


class Command(BaseCommand):
    """Count everything again and compare; exit code 1 if something differs."""

    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the option that repairs what differs."""
        parser.add_argument(
            "--repair", action="store_true", help="recount what differs, then compare again"
        )

    def handle(self, **options: Any) -> None:  # Any: Django's own signature
        """Print the differences, or how many meetings are right."""
        if options["repair"]:
            repaired = self._repair()
            self.stdout.write(f"{repaired} differences repaired")
        found = list(islice(find_differences(), _SHOWN))
        for difference in found:
            self.stdout.write(str(difference))
        if found:
            raise CommandError(f"{len(found)} differences, or more; --repair counts them again.")
        self.stdout.write(f"{Meeting.objects.count()} meetings, and all sums of them, are right")

    def _repair(self) -> int:
        """Count differing matches again, then write all sums of each differing bot once."""
        repaired = 0
        bots = set[int]()
        for difference in find_differences():
            if difference.bot is None or difference.bot not in bots:
                repair(difference)
                repaired += 1
            if difference.bot is not None:
                bots.add(difference.bot)
        count_all()
        return repaired
