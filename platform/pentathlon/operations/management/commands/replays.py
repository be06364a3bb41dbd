"""`manage.py replays`: count, move and check the replays in the database and in the store."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db.models import Count, Q

from pentathlon.core.errors import Damaged, Unavailable
from pentathlon.matches.replays.models import Replay
from pentathlon.matches.replays.store import bring_back_replays, has_store, move_old_replays
from pentathlon.operations.damage import KeptReplays
from pentathlon_engines.commentary.words import count


class Command(BaseCommand):
    """Counts replays by their place. The reconciler moves old ones automatically."""

    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options to move and to check replays."""
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--move", action="store_true", help="move all old enough replays now")
        what.add_argument(
            "--bring-back", action="store_true", help="move all back into the database"
        )
        what.add_argument("--check", action="store_true", help="read and check every replay")
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own signature
        """Do what was asked, then print the counts; fail if a replay cannot be read."""
        if not has_store() and options["move"]:
            raise CommandError("There is no store of replays: set PENTATHLON_REPLAYS.")
        broken: list[tuple[Replay, Damaged]] = []
        try:
            while options["move"] and move_old_replays():
                pass
            while options["bring_back"] and bring_back_replays():
                pass
            if options["check"]:
                broken += KeptReplays().damaged()
        except Unavailable as error:
            raise CommandError(f"{error} ({error.code})") from error
        self._tell(broken, as_json=options["json"])
        if broken:
            raise CommandError(
                f"{count(len(broken), 'replay')} cannot be read. `manage.py mend BACKUP` "
                "puts back what a backup has."
            )

    def _tell(self, broken: list[tuple[Replay, Damaged]], *, as_json: bool) -> None:
        in_store = ~Q(object_name="")
        found = Replay.objects.aggregate(
            database=Count("pk", filter=~in_store), store=Count("pk", filter=in_store)
        )
        if as_json:
            told = [
                {"code": error.code, "detail": error.detail, "match": replay.match_id}
                for replay, error in broken
            ]
            self.stdout.write(json.dumps({**found, "broken": told}, indent=2))
            return
        for _, error in broken:
            self.stdout.write(f"{error} ({error.code})")
        where = f"{found['database']:,} in the database, {found['store']:,} in the store"
        self.stdout.write(f"Replays: {where}.")
