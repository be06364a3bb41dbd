"""`manage.py mend_replays BACKUP`: put damaged replays back as a backup has them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from pentathlon.common.errors import DomainError
from pentathlon.operations.backups import replays_of
from pentathlon.replays.integrity import damaged_replays, mend_from
from pentathlon_engines.commentary.words import count


class Command(BaseCommand):
    """Mends replays while the site runs; only the record of the result itself is put back."""

    help = "Put damaged replays back as a backup has them, each checked against its result."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the path of the backup."""
        parser.add_argument("path", type=Path, help="a file written by `backup`")

    def handle(self, *, path: Path, **_options: Any) -> None:  # Any: Django's own signature
        """Mend what can be mended; fail if replays stay damaged."""
        try:
            mended = mend_from(replays_of(path))
            left = [error.match_id for error in damaged_replays()]
        except DomainError as error:
            raise CommandError(f"{error} ({error.code})") from error
        self.stdout.write(f"Mended {count(mended, 'replay')}.")
        if left:
            named = ", ".join(map(str, left[:20]))
            raise CommandError(
                f"{count(len(left), 'replay')} of this backup or not in it stay damaged: matches "
                f"{named}. Try an older or newer backup."
            )
