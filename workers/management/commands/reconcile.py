"""`manage.py reconcile`: run the reconciler until SIGTERM or Ctrl-C."""

import signal
import threading
from typing import Any

from django.core.management.base import BaseCommand
from django.db import connection

from pentathlon.common.schema import wait_for_schema
from pentathlon.matches.expiry import watch_leases
from pentathlon.matches.fleet import forget_silent_workers
from pentathlon.ratings.services import apply_results
from pentathlon.tournaments.entries import settle_entries
from pentathlon.tournaments.services import close_finished
from workers.reconciler import Reconciler
from workers.tasks import publish_waiting_matches

_CLOSING_TTL_S = 15


class Command(BaseCommand):
    """Keep matches, ratings and tournaments moving; any number of copies may run."""

    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own signature
        """Loop until told to stop."""
        stop = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        wait_for_schema(is_stopping=stop.is_set)
        # A final table takes as long as there are results: no match waits for it.
        closing = threading.Thread(target=_close_tournaments, args=(stop,), daemon=True)
        closing.start()
        Reconciler(
            {
                "expired leases": watch_leases,
                "publishing": publish_waiting_matches,
                "ratings": apply_results,
                "workers": forget_silent_workers,
            }
        ).run(stop)


def _close_tournaments(stop: threading.Event) -> None:
    steps = {"entries": settle_entries, "tournaments": close_finished}
    closer = Reconciler(steps, name="close", ttl_s=_CLOSING_TTL_S)
    try:
        closer.run(stop)
    finally:
        connection.close()
