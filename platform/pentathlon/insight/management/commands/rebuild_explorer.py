"""`manage.py rebuild_explorer GAME…`: recount the positions of games from the first match on."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from pentathlon.insight.explorer.services import count_positions, explored_games, forget_game
from pentathlon_engines.commentary.words import count

_AT_ONCE_S = 1.0


class Command(BaseCommand):
    """Forget what was counted, then count all public matches that have ended."""

    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the argument for the games; by default all."""
        parser.add_argument("games", nargs="*", metavar="GAME")

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own signature
        """Count until nothing is left."""
        known = [game.info.key for game in explored_games()]
        wanted = options["games"] or known
        if unknown := [key for key in wanted if key not in known]:
            raise CommandError(f"No explorer: {', '.join(unknown)}. There is {', '.join(known)}.")
        for key in wanted:
            forget_game(key)
        counted = 0
        while more := count_positions(for_s=_AT_ONCE_S):
            counted += more
        self.stdout.write(f"Counted {count(counted, 'match')}.")
