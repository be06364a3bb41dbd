"""Start a new epoch of a game's leaderboard, with the parameters that predict its results best."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from pentathlon.core.errors import DomainError
from pentathlon.ratings.epochs import Numbers, refit
from pentathlon.ratings.models import Pool, live_key
from pentathlon.ratings.scopes import digest_in_key
from pentathlon_engines import GAMES


class Command(BaseCommand):
    """Estimate draw probability and beta from at least 200 results, and rate all again."""

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the game and its setting."""
        parser.add_argument("game", choices=sorted(GAMES))
        parser.add_argument(
            "--scope", default="", help="digest of a setting; the standard one by default"
        )

    def handle(self, *, game: str, scope: str, **_options: Any) -> None:  # Any: Django's own
        """Refit, and print the numbers before and after."""
        pool = Pool.objects.filter(key=live_key(game, digest_in_key(game, scope))).first()
        if pool is None:
            raise CommandError("There is no leaderboard of this setting.")
        try:
            done = refit(pool=pool)
        except DomainError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{pool.title}, before: {_in_words(done.before)}")
        if done.epoch == pool.epoch:
            self.stdout.write("No other numbers predict better: nothing was changed.")
            return
        self.stdout.write(f"epoch {done.epoch}: {_in_words(done.after)}")


def _in_words(numbers: Numbers) -> str:
    return (
        f"draw probability {numbers.draw_probability:.4f}, beta {numbers.beta:.3f}, "
        f"log loss {numbers.log_loss:.4f}"
    )
