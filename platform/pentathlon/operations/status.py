"""The state of the platform in a few numbers."""

from datetime import datetime, timedelta
from statistics import median
from typing import Any, Final

from django.db.models import Count, Min, Q
from django.db.models.functions import Now

from pentathlon.core.clock import database_now
from pentathlon.core.models import Leadership
from pentathlon.core.services import RECONCILER
from pentathlon.fleet.capabilities import read_fleet
from pentathlon.matches.models import Match, MatchQuerySet, MatchState
from pentathlon.webhooks.models import WebhookEndpoint
from pentathlon_engines import GAMES

_HOUR: Final = timedelta(hours=1)
_SPAN: Final = timedelta(minutes=10)
_SPANS: Final = _HOUR // _SPAN
LONG_WAIT_S: Final = 600
"""Seconds after which a new version that has not begun to play has waited for too long."""
MOST_COUNTED: Final = 10_000
"""The highest number that is counted; pages say "more" above it, since counting takes long."""


def read_status() -> dict[str, Any]:  # Any: numbers, and whether something is so
    """Return what runs and waits, and whether the reconciler is alive."""
    since = database_now() - _HOUR
    ended = Match.objects.filter(finished_at__gt=since)
    done = ended.filter(state=MatchState.DONE)
    # Game by game, because an index holds just that, so that no match is read.
    by_game = {
        game: _count_by_span(done.filter(game=game).order_by("-finished_at"), since)
        for game in GAMES
    }
    finished = {game: sum(spans) for game, spans in by_game.items()}
    return {
        "reconciler_silent": not Leadership.objects.filter(
            name=RECONCILER, until__gt=Now()
        ).exists(),
        "slots": read_fleet().slots,
        "running": count_running(),
        "waiting": _count(Match.objects.filter(state=MatchState.PENDING).order_by("pk")),
        "oldest_wait_s": _oldest_wait_s(),
        "newcomers": read_newcomers(),
        "last_hour": min(sum(finished.values()), MOST_COUNTED + 1),
        "games": [{"game": game, "last_hour": finished[game]} for game in GAMES],
        "spans": None
        if any(number > MOST_COUNTED for number in finished.values())
        else {
            since + _SPAN * n: sum(spans[n] for spans in by_game.values()) for n in range(_SPANS)
        },
        "deliveries": WebhookEndpoint.objects.working().count_waiting(),
        "void_hour": _count(ended.filter(state=MatchState.VOID)),
        "most_counted": MOST_COUNTED,
    }


def count_running() -> int:
    """Count the matches that are played now, up to one more than `MOST_COUNTED`."""
    return _count(Match.objects.filter(state=MatchState.RUNNING).order_by("lease_until"))


def read_newcomers() -> dict[str, Any]:  # Any: numbers, and whether something is so
    """Return how long validations and first matches of new versions have waited to begin.

    At most `MOST_COUNTED` of them are looked at, the oldest ones.
    """
    now = database_now()
    pending = Match.objects.filter(state=MatchState.PENDING, newcomer_of__isnull=False)
    since = pending.in_open_lanes().order_by("pk").values_list("created_at", flat=True)
    waits_s = sorted(max(0, int((now - at).total_seconds())) for at in since[:MOST_COUNTED])
    oldest_s = waits_s[-1] if waits_s else None
    return {
        "waiting": len(waits_s),
        "median_wait_s": int(median(waits_s)) if waits_s else None,
        "oldest_wait_s": oldest_s,
        "wait_long": oldest_s is not None and oldest_s >= LONG_WAIT_S,
    }


def _oldest_wait_s() -> int | None:
    """Return how long the first match in the queue has waited; None if none waits."""
    # Asks for the least id, because only then does SQLite use the index of waiting matches.
    first = Match.objects.filter(state=MatchState.PENDING).aggregate(pk=Min("pk"))["pk"]
    since = Match.objects.filter(pk=first).values_list("created_at", flat=True).first()
    return None if since is None else max(0, int((database_now() - since).total_seconds()))


def _count_by_span(matches: MatchQuerySet, since: datetime) -> list[int]:
    """Count matches as `_count` does, span by span of the hour from `since` on."""
    starts = [since + _SPAN * n for n in range(_SPANS)]
    ends = [*starts[1:], since + 2 * _HOUR]  # the last span includes matches that ended meanwhile
    counts = {
        f"span_{n}": Count("pk", filter=Q(finished_at__gt=start, finished_at__lte=end))
        for n, (start, end) in enumerate(zip(starts, ends, strict=True))
    }
    counted = matches.values("pk", "finished_at")[: MOST_COUNTED + 1].aggregate(**counts)
    return [counted[name] for name in counts]


def _count(matches: MatchQuerySet) -> int:
    """Count matches, up to one more than `MOST_COUNTED`, in the order of an index.

    Without an order, SQLite reads an index of all matches ever played.
    """
    return matches.values("pk")[: MOST_COUNTED + 1].count()
