"""One round of the reconciler's dispatch, with a worker that never plays."""

from __future__ import annotations

from django.db.models.functions import Now

from pentathlon.fleet.models import Worker
from pentathlon.matches.dispatch.publishing import publish_pending
from pentathlon.matches.models import Match, MatchState
from pentathlon_engines import GAMES


def send_and_take_back() -> None:
    """Send the matches that there is room for, and take them back for the next time."""
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
