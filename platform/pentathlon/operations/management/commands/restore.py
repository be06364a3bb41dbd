"""`manage.py restore FILE`: load a backup into an empty database."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from pentathlon.core.errors import DomainError
from pentathlon.operations.backups import restore_backup
from pentathlon.operations.progress import ProgressLine


class Command(BaseCommand):
    """Restores all of a backup or nothing, and compares the restored rows with the backup."""

    help = "Restore a backup to an empty database, SQLite or PostgreSQL."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the path of the backup."""
        parser.add_argument("path", type=Path, help="a file written by `backup`")

    def handle(self, *, path: Path, **_options: Any) -> None:  # Any: Django's own signature
        """Restore the backup and say what is left to do."""
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
