"""`manage.py end_season tuned`: end the running season of a ladder and open the next one."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from pentathlon.accounts.audit.models import AuditAction, AuditedKind
from pentathlon.accounts.audit.services import note_action
from pentathlon.ladders.models import Season
from pentathlon.ladders.seasons import end_season


class Command(BaseCommand):
    """End a season before its time; its table closes with its last match."""

    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the argument for the ladder."""
        parser.add_argument("ladder", help="key of the ladder, as in its address")

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own signature
        """End the season."""
        season = Season.objects.running().filter(ladder__key=options["ladder"]).first()
        if season is None:
            raise CommandError(f"There is no ladder {options['ladder']!r}.")
        with transaction.atomic():
            if not end_season(season_id=season.pk):
                raise CommandError(f"Season {season.number} is still being opened; try again.")
            note_action(
                AuditAction.SEASON_END,
                actor=None,
                kind=AuditedKind.SEASON,
                object_id=season.pk,
                object_name=str(season),
                command="end_season",
            )
        self.stdout.write(f"Season {season.number} takes no more matches; the next one is open.")
