"""Ratings and the passing of time, for tests of the ranking."""

from datetime import timedelta

from django.db.models import F

from pentathlon.bots.models import BotVersion
from pentathlon.ratings.models import Rating
from pentathlon.ratings.rankings.models import RankingTable
from pentathlon.ratings.services import open_live_pool


def rate(version: BotVersion, *, mu: float, sigma: float = 1.0, game: str = "tuned") -> BotVersion:
    """Store a rating on a game's live leaderboard."""
    pool = open_live_pool(game=game)
    Rating.objects.create(pool=pool, version=version, mu=mu, sigma=sigma, matches=100)
    return version


def let_pass(seconds: float) -> None:
    """Make all tables older."""
    RankingTable.objects.update(computed_at=F("computed_at") - timedelta(seconds=seconds))
