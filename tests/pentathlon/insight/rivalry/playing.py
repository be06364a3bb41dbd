"""Finished matches with ratings, for tests of what they say about rivals."""

from typing import Any

from pentathlon.bots.models import BotVersion
from pentathlon.insight.rivalry.services import count_all, queue_results
from pentathlon.matches.models import Match, MatchState
from pentathlon.ratings.models import Pool
from pentathlon.ratings.services import apply_results, enter_matches, open_live_pool
from tests.factories import make_match


def live_pool(game: str = "tuned") -> Pool:
    """Return the leaderboard of a game."""
    return open_live_pool(game=game)


def end(*versions: BotVersion, rated: bool = True, **fields: Any) -> Match:
    """Store a match that the first seat has won, not counted yet, in the ledger if it is rated."""
    match = make_match(versions, state=MatchState.DONE, rated=rated, **fields)
    if rated:
        enter_matches(pool=live_pool(match.game), matches=[match])
    queue_results([match.pk])
    return match


def count() -> int:
    """Rate and count everything that has ended."""
    while apply_results():
        pass
    return count_all()


def play(*versions: BotVersion, times: int = 1, **fields: Any) -> Match:
    """Store matches that the first seat wins, and count them; return the last one."""
    for _ in range(times):
        match = end(*versions, **fields)
    count()
    return match
