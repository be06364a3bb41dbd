"""What the reconciler does with a history: everything it derives, and one round of dispatch."""

from django.db.models.functions import Now

from pentathlon.fleet.models import Worker
from pentathlon.insight.explorer.services import count_positions
from pentathlon.insight.rivalry.services import count_all
from pentathlon.matches.dispatch.publishing import publish_pending
from pentathlon.matches.models import Match, MatchState
from pentathlon.ratings.rankings.services import refresh_ranking
from pentathlon.ratings.services import apply_results
from pentathlon_engines import GAMES
from tools.benchmark.load.data import count_all_scores
from tools.benchmark.load.tables import analyse
from tools.benchmark.progress import Say


def follow_results(say: Say) -> None:
    """Let ratings, scores, meetings and the rest catch up with the history."""
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


def send_and_take_back() -> None:
    """Send the matches that a worker has room for, and take them back for the next time."""
    facts = {
        "slots": 4,
        "games": {key: game.info.version for key, game in GAMES.items()},
        "runtimes": ["command", "python"],
        "sandbox": "namespaces",
        "layers": [],
        "version": "load",
    }
    Worker.objects.update_or_create(
        name="load", defaults={**facts, "started_at": Now(), "seen_at": Now()}
    )
    publish_pending(publish=lambda _ids: None)
    Match.objects.filter(state=MatchState.PENDING, sent_at__isnull=False).update(sent_at=None)


def _apply_all() -> None:
    while apply_results():
        pass


def _count_all_positions() -> None:
    while count_positions(for_s=10):
        pass
