"""`manage.py reconcile`: run the reconciler until SIGTERM or Ctrl-C."""

import signal
import threading
from typing import Any

from django.core.management.base import BaseCommand
from pentathlon.tournaments.services import close_finished

from pentathlon.matches.services import publish_pending, return_expired_leases
from pentathlon.ratings.services import apply_results
from workers.reconciler import Reconciler
from workers.tasks import publish


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
                "publishing": lambda: publish_pending(publish=publish),
                "ratings": apply_results,
                "tournaments": close_finished,
            }
        ).run(stop)
