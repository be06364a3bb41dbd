"""Everything that the reconciler derives from results: ratings, scores, meetings and more."""

from __future__ import annotations

from pentathlon.explorer.services import count_positions
from pentathlon.rankings.services import refresh_ranking
from pentathlon.ratings.services import apply_results
from pentathlon.rivalry.services import count_all
from tools.benchmark.load.data import Say, count_all_scores
from tools.benchmark.load.tables import analyse


def follow_results(say: Say) -> None:
    """Let everything catch up with the history."""
    for name, catch_up in (
        ("scores", count_all_scores),
        ("results", _apply_all),
        ("meetings", count_all),
        ("positions", _count_all_positions),
        ("ranking", refresh_ranking),
    ):
        say(f"Counting {name}")
        catch_up()
    say("Analysing tables")
    analyse()


def _apply_all() -> None:
    while apply_results():
        pass


def _count_all_positions() -> None:
    while count_positions(for_s=10):
        pass
