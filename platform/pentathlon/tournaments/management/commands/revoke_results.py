"""Revoke all results of a version of a game's rules; without --yes, only count them."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from pentathlon.core.errors import DomainError
from pentathlon.tournaments.corrections.revocations import Revocation, count_results, revoke_rules
from pentathlon_engines import GAMES


class Command(BaseCommand):
    """Void blocks that were played by broken rules, and recompute the ratings without them."""

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the game, the version of its rules, the reason and the confirmation."""
        parser.add_argument("--game", required=True, choices=sorted(GAMES))
        parser.add_argument("--rules", required=True, type=int, help="the version of the rules")
        parser.add_argument("--reason", required=True, help="shown with every block")
        parser.add_argument(
            "--yes", action="store_true", help="revoke them; otherwise only count them"
        )

    def handle(
        self,
        *,
        game: str,
        rules: int,
        reason: str,
        yes: bool,
        **_options: Any,  # Any: Django's own
    ) -> None:
        """Count the results, or revoke them, and print the figures."""
        if not yes:
            found = count_results(game=game, rules=rules)
            self._tell(f"Would revoke, of {game} by rules {rules}:", found)
            self.stdout.write("Nothing was changed. Add --yes to revoke them.")
            return
        try:
            found = revoke_rules(game=game, rules=rules, reason=reason)
        except DomainError as error:
            raise CommandError(str(error)) from error
        self._tell(f"Revoked, of {game} by rules {rules}:", found)
        self.stdout.write("Ratings are recomputed. Organisers may have void blocks played again.")

    def _tell(self, head: str, found: Revocation) -> None:
        lines = (
            head,
            f"  {found.matches} results of matches",
            f"  {found.blocks} blocks of {found.tournaments} tournaments",
            f"  {found.closed} of these are closed: they run again until they have a new table",
            *(f"  {count} results that count in {key}" for key, count in found.results.items()),
        )
        for line in lines:
            self.stdout.write(line)
