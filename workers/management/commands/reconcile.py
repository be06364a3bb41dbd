"""`manage.py reconcile`: run the reconciler until SIGTERM or Ctrl-C."""

import signal
import sys
import threading
from collections.abc import Mapping
from typing import Any, Final

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from pentathlon.accounts.letters import send_letters
from pentathlon.core import tracing
from pentathlon.core.schema import wait_for_schema
from pentathlon.env import read_environment
from pentathlon.friendlies.stretches import close_idle
from pentathlon.insight.channel.programme import compose_ahead
from pentathlon.insight.datasets.services import DatasetMaker
from pentathlon.insight.explorer.services import count_positions
from pentathlon.insight.rivalry.services import ResultCounter
from pentathlon.ladders.membership import LADDER_STEPS
from pentathlon.matches.leases import watch_leases
from pentathlon.matches.replays.store import ReplayMover
from pentathlon.matches.transparency.services import log_results, publish_root
from pentathlon.operations.damage import KINDS, Scrubber
from pentathlon.operations.personal_data.erasure import erase_deleted
from pentathlon.operations.retention import Forgetter
from pentathlon.operations.times import watch_clock
from pentathlon.ratings.rankings.services import keep_ranking, refresh_ranking
from pentathlon.ratings.recompute import recompute_outdated
from pentathlon.ratings.scores import make_scores
from pentathlon.ratings.services import apply_results
from pentathlon.tournaments.challenges.services import call_off_out_of_play
from pentathlon.tournaments.corrections.orders import carry_out_orders
from pentathlon.tournaments.entries.withdrawals import settle_entries
from pentathlon.tournaments.organising.events import start_due_tournaments
from pentathlon.tournaments.results.hidden_results import announce_releases
from pentathlon.tournaments.scheduling.blocks import settle_blocks
from pentathlon.tournaments.scheduling.schedules import make_schedules
from pentathlon.tournaments.services import call_off_cancelled, close_finished
from pentathlon.trust.promises import watch_promises
from pentathlon.trust.quarantine import Watch, quarantine_surprising, revoke_reviewed
from pentathlon.trust.spot_checks import advance_spot_checks
from pentathlon.webhooks.outbox import spread_events
from pentathlon.webhooks.sender import Sender
from workers.publisher import Publisher
from workers.reconciler import PAUSE_S, SWITCH_S, Reconciler, Step
from workers.step_memory import Remembered

_BESIDE_TTL_S: Final = 15
_LONGEST_END_S: Final = 3.0
"""How long the end waits for a loop that is in the middle of a step."""
_WATCH_S: Final = 2.0
"""The pause of the leader, who looks at the clock and at leases, which last much longer."""
_PAUSES_S: Final = {
    "accounts": (PAUSE_S, 2.0),
    "analyses": (PAUSE_S, 2.0),
    "datasets": (PAUSE_S, 2.0),
    "explorer": (2.0, 2.0),
    "ratings": (2.0, PAUSE_S),
    "recompute": (PAUSE_S, 1.0),
    "results": (5.0, 2.0),
    "retention": (2.0, 5.0),
    "schedule": (2.0, PAUSE_S),
    "webhooks": (PAUSE_S, 1.0),
}
"""The pauses after a round that did something, and after one that found nothing.

A round costs about the same whatever it finds. So where matches end all the time, rounds that
gather them are further apart. Hints are sent as often as ever: those of a slot last for half a
second of the shortest matches.
"""
_LOOKS_ELSEWHERE: Final = {"analyses", "publishing", "webhooks"}
"""Kinds of work that are not in the database alone: the broker and threads have a part in them."""
_publisher: Final = Publisher()
# The work here grows with the matches, results or receivers; no match waits for it.
BESIDE: Final[Mapping[str, Mapping[str, Step]]] = {
    "accounts": {"letters": send_letters},
    # Each loop has found out by itself whether the broker is away, and what it missed meanwhile.
    "analyses": {"analyses": Publisher().publish_analyses},
    "close": {"entries": settle_entries, "tournaments": close_finished},
    # A broker that does not answer must not keep the leader.
    "publishing": {
        "matches": _publisher.publish_matches,
        "friendlies": Remembered(_publisher.publish_friendlies),
    },
    "ratings": {"ratings": apply_results},
    "recompute": {
        "scores": make_scores,
        "recompute": recompute_outdated,
        "ranking": refresh_ranking,
        "former rankings": keep_ranking,
    },
    "schedule": {
        "starts": start_due_tournaments,
        "blocks": settle_blocks,
        "orders": carry_out_orders,
        "schedules": make_schedules,
        "cancelled tournaments": call_off_cancelled,
        "challenges": call_off_out_of_play,
        "idle friendlies": close_idle,
        "spot checks": advance_spot_checks,
        "surprises": Watch(quarantine_surprising).step,
        "promises": Watch(watch_promises).step,
        "revoked results": revoke_reviewed,
    },
    "datasets": {"datasets": DatasetMaker().make_datasets} if settings.HAS_DATASETS else {},
    "ladders": LADDER_STEPS if settings.HAS_LADDERS else {},
    "results": {
        "rivalry": ResultCounter().count_results,
        "receipts": log_results,
        "roots": publish_root,
    },
    "retention": {
        "retention": Forgetter().step,
        "deleted accounts": erase_deleted,
        "old replays": ReplayMover().step,
        "scrubbing": Scrubber(KINDS).step,
    },
    "explorer": {"positions": count_positions, "programme": compose_ahead},
    "webhooks": {
        "releases": announce_releases,
        "events": spread_events,
        "deliveries": Sender().step,
    },
}


class Command(BaseCommand):
    """Keep matches, ratings and tournaments moving; any number of copies may run."""

    help = __doc__
    # Django's checks would import every page and operation, which this command never needs.
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own signature
        """Loop until told to stop."""
        stop = threading.Event()
        self._ended_early: list[str] = []
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        wait_for_schema(is_stopping=stop.is_set)
        tracing.start(read_environment(), service="pentathlon-reconciler")
        sys.setswitchinterval(SWITCH_S)
        beside = [
            threading.Thread(target=self._work_beside, args=(work, stop), name=work, daemon=True)
            for work in BESIDE
        ]
        for thread in beside:
            thread.start()
        # Times are mended before they are judged.
        steps = {"clock": watch_clock, "expired leases": watch_leases}
        Reconciler(steps, pause_s=_WATCH_S, idle_s=_WATCH_S).run(stop)
        for thread in beside:
            thread.join(_LONGEST_END_S)
        tracing.stop()
        if self._ended_early:
            raise CommandError(f"Ended before they were told to: {', '.join(self._ended_early)}.")

    def _work_beside(self, work: str, stop: threading.Event) -> None:
        """Run the steps of one kind of work; if they ever end early, end the whole process.

        Its supervisor starts it again. A process that goes on without them looks well and does
        half of its work.
        """
        try:
            pause_s, idle_s = _PAUSES_S.get(work, (PAUSE_S, PAUSE_S))
            steps = BESIDE[work]
            if work not in _LOOKS_ELSEWHERE:
                steps = {name: Remembered(step) for name, step in steps.items()}
            Reconciler(steps, name=work, pause_s=pause_s, idle_s=idle_s, ttl_s=_BESIDE_TTL_S).run(
                stop
            )
        finally:
            if not stop.is_set():
                self._ended_early.append(work)
                stop.set()
            connection.close()
