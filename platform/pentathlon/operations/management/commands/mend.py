"""`manage.py mend [BACKUP]`: check all that is stored, and put back what has changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from pentathlon.core.errors import Damaged, DomainError
from pentathlon.operations.backups import rows_of
from pentathlon.operations.damage import KINDS
from pentathlon_engines.commentary.words import count

_SHOWN = 20


class Command(BaseCommand):
    """Mends while the site runs; only what was stored itself is put back."""

    help = (
        "Check all replays, archives of bots and the log; put back what is damaged as a backup "
        "has it, checked by hash, chain or signature."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the path of the backup."""
        parser.add_argument("path", type=Path, nargs="?", help="a file written by `backup`")

    def handle(self, *, path: Path | None, **_options: Any) -> None:  # Any: Django's signature
        """Mend what can be mended; fail if something stays damaged."""
        left: list[Damaged] = []
        try:
            for kind in KINDS:
                damaged = list(kind.damaged())
                still = [(row, error) for row, error in damaged if not kind.is_sound(row)]
                if path is not None and still:
                    backed_up = rows_of(path, kind.rows().model)
                    mended = kind.mend_from(backed_up, [row for row, _ in still])
                    still = [(row, error) for row, error in still if row.pk not in mended]
                self.stdout.write(f"Mended {count(len(damaged) - len(still), kind.noun)}.")
                left += [error for _, error in still]
        except DomainError as error:
            raise CommandError(f"{error} ({error.code})") from error
        for each in left[:_SHOWN]:
            self.stdout.write(f"{each} ({each.code})")
        if left:
            raise CommandError(
                f"{count(len(left), 'thing')} of this backup or not in it stay damaged. Try an "
                "older or newer backup: `manage.py mend BACKUP`."
            )
