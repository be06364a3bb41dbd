"""`manage.py backup FILE|FOLDER`: write all important data to one file while the site runs."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError, CommandParser

from pentathlon.core.errors import DomainError
from pentathlon.operations.backups import ProgressLine, make_backup, note_backup

_NAME: Final = "pentathlon-{:%Y%m%dT%H%M%SZ}.backup"
_ANY_NAME: Final = "pentathlon-*Z.backup"


class Command(BaseCommand):
    """Backs the database up; processes go on working meanwhile."""

    help = "Write a snapshot of accounts, uploads, matches, replays and ratings to one file."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the destination, and how many backups to keep."""
        parser.add_argument("path", type=Path, help="a new file, or a folder to write it to")
        parser.add_argument(
            "--keep", type=int, metavar="N", help="in a folder: delete all but the newest N"
        )

    def handle(self, *, path: Path, keep: int | None, **_options: Any) -> None:  # Any: Django's
        """Make the backup, then delete old ones if `--keep` is given."""
        if keep is not None and (keep < 1 or not path.is_dir()):
            raise CommandError("--keep takes a number from 1, and a folder before it.")
        file = path / _NAME.format(datetime.now(UTC)) if path.is_dir() else path
        try:
            summary = make_backup(file, tell=ProgressLine(self.stderr))
            note_backup()
        except DomainError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            f"{file}: {summary.rows} rows of {summary.tables} tables, {file.stat().st_size} bytes."
        )
        if summary.left_out:
            self.stdout.write(
                "A newer release has used this database, and a backup by it is whole. This one "
                f"does not have what this release does not know: {', '.join(summary.left_out)}."
            )
        if not summary.has_secret_key:
            self.stdout.write("PENTATHLON_SECRET_KEY is not in the backup: keep it separately.")
        if keep is not None:
            for old in sorted(path.glob(_ANY_NAME))[:-keep]:
                old.unlink()
                self.stdout.write(f"{old}: deleted.")
