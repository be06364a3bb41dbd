"""`manage.py restore FILE`: load a backup into an empty database; `--by-hand` only signs it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from pentathlon.core.errors import DomainError
from pentathlon.matches.transparency.services import continue_log
from pentathlon.operations.backups import ProgressLine, restore_backup


class Command(BaseCommand):
    """Restores all of a backup or nothing, and compares the restored rows with the backup."""

    help = "Restore a backup to an empty database, SQLite or PostgreSQL."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the path of the backup."""
        source = parser.add_mutually_exclusive_group(required=True)
        source.add_argument("path", type=Path, nargs="?", help="a file written by `backup`")
        source.add_argument(
            "--by-hand",
            action="store_true",
            help="the database is back already, by other tools: only sign that in the log",
        )

    def handle(self, *, path: Path | None, **_options: Any) -> None:  # Any: Django's signature
        """Restore the backup and say what is left to do."""
        if path is None:
            size = continue_log()
            self.stdout.write(f"From now on, checkpoints say: continued from size {size}.")
            return
        try:
            summary = restore_backup(path, tell=ProgressLine(self.stderr))
        except DomainError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            f"Restored {summary.rows} rows of {summary.tables} tables, each equal to the backup's."
        )
        if not summary.is_same_key:
            self.stdout.write(
                "The backup was made with another PENTATHLON_SECRET_KEY: set it, or the secrets "
                "of all webhooks change."
            )
        self.stdout.write("`manage.py verify_ratings` proves the ratings from the results.")
