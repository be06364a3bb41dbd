"""`manage.py reconcile`: run the reconciler until SIGTERM or Ctrl-C."""

import signal
import threading
from typing import Any

from django.core.management.base import BaseCommand

from pentathlon.matches.services import return_expired_leases
from pentathlon.ratings.services import apply_results
from pentathlon.tournaments.services import close_finished
from workers.reconciler import Reconciler
from workers.tasks import publish_waiting_matches


class Command(BaseCommand):
    """Keep matches, ratings and tournaments moving; any number of copies may run."""

    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own signature
        """Loop until told to stop."""
        stop = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        Reconciler(
            {
                "expired leases": return_expired_leases,
                "publishing": publish_waiting_matches,
                "ratings": apply_results,
                "tournaments": close_finished,
            }
        ).run(stop)
