"""Publishes and claims waiting matches again and again; prints how long each took.

It is a process of its own, so that two databases can be measured in turns.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Final

import django

django.setup()

# Models exist only from here on.
from pentathlon.matches.capacity.batches import BATCH  # noqa: E402
from pentathlon.matches.dispatch.publishing import publish_pending  # noqa: E402
from pentathlon.matches.models import Match  # noqa: E402
from pentathlon.matches.services import claim_matches, return_match  # noqa: E402
from tools.benchmark.load.dispatch import send_and_take_back  # noqa: E402

_WARM_UP: Final = 2


def main(runs: int) -> int:
    """Print the seconds of each step; fail if there is nothing to claim."""
    found: dict[str, list[float]] = {"publish": [], "claim": []}
    for turn in range(_WARM_UP + runs):
        send_and_take_back()  # also records a living worker
        sent: list[int] = []
        before = time.perf_counter()
        publish_pending(publish=sent.extend)
        found["publish"].append(time.perf_counter() - before)
        before = time.perf_counter()
        jobs = claim_matches(match_ids=sent[:BATCH], worker=f"load.{turn}")
        found["claim"].append(time.perf_counter() - before)
        if not jobs:
            sys.exit("There is nothing to claim.")
        for job in jobs:
            return_match(match_id=job.match_id, token=job.token, reason="Measured.")
        Match.objects.filter(pk__in=sent).update(sent_at=None)
    sys.stdout.write(json.dumps({step: times[_WARM_UP:] for step, times in found.items()}))
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
