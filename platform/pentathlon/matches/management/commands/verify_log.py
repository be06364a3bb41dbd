"""Verify that the log of receipts has only grown and agrees with the results."""

from argparse import ArgumentParser
from itertools import islice
from pathlib import Path
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError

from pentathlon.matches.replays.store import ReplayStoreAway
from pentathlon.matches.transparency.models import LogRoot
from pentathlon.matches.transparency.services import log_size
from pentathlon.matches.transparency.verification import (
    growth_difference,
    log_differences,
    restore_since,
)
from pentathlon_engines.commentary.words import count
from pentathlon_engines.errors import BadNote

_SHOWN: Final = 20


class Command(BaseCommand):
    """Check every entry, every record and every published root; exit code 1 if one differs."""

    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the option for checkpoints that somebody has noted."""
        parser.add_argument(
            "noted",
            nargs="*",
            type=Path,
            metavar="CHECKPOINT",
            help="files with earlier checkpoints, which the log must extend",
        )
        parser.add_argument(
            "--without-records", action="store_true", help="do not read the records of matches"
        )

    def handle(self, **options: Any) -> None:  # Any: Django's own signature
        """Print what differs, or how much was checked."""
        found = [each for path in options["noted"] if (each := self._growth(path))]
        try:
            found += islice(log_differences(replays=not options["without_records"]), _SHOWN)
        except ReplayStoreAway as error:
            raise CommandError(f"{error} `--without-records` skips the records.") from error
        for each in found:
            self.stdout.write(each)
        if found:
            raise CommandError("The log differs from the signed one; see above.")
        self.stdout.write(
            f"{count(log_size(), 'entry')} and {count(LogRoot.objects.count(), 'root')} as signed."
        )

    def _growth(self, path: Path) -> str | None:
        try:
            noted = path.read_text()
            if restore := restore_since(noted):
                self.stdout.write(f"{path}: {restore}")
            difference = growth_difference(noted)
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"{path} cannot be read: {error}.") from error
        except BadNote as error:
            raise CommandError(f"{path}: {error}") from error
        return difference and f"{path}: {difference}"
