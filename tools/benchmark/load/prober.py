"""Claims matches and writes what a page writes, again and again; prints the longest waits.

It ends when its input does. It is a process of its own, as workers and the site are.
"""

import json
import select
import sys
import time
from collections.abc import Callable

import django

django.setup()

# Models exist only from here on.
from pentathlon.accounts.models import User  # noqa: E402
from pentathlon.matches.models import Match  # noqa: E402
from pentathlon.matches.services import claim_matches, return_match  # noqa: E402
from pentathlon.tournaments.organising.drafts import Draft, create_tournament  # noqa: E402
from pentathlon_engines.tournament.document import TournamentDocument  # noqa: E402

_PAUSE_S = 0.05


def main(lane: int) -> int:
    """Probe until the input is closed; print the longest wait of each action by its name."""
    owner = User.objects.get(username="load")
    ids = list(Match.objects.of_lane(lane).waiting().values_list("pk", flat=True)[:200])
    probes: dict[str, Callable[[int], object]] = {
        "claim": lambda turn: _claim(ids[turn % len(ids)]),
        "page write": lambda turn: create_tournament(
            actor=owner,
            draft=Draft(name=f"Probe {turn}", document=TournamentDocument(game="tuned")),
        ),
    }
    longest = dict.fromkeys(probes, 0.0)
    turn = 0
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    while not select.select([sys.stdin], [], [], _PAUSE_S)[0]:
        turn += 1
        for name, probe in probes.items():
            before = time.monotonic()
            probe(turn)
            longest[name] = max(longest[name], time.monotonic() - before)
    sys.stdout.write(json.dumps(longest) + "\n")
    return 0


def _claim(match_id: int) -> None:
    for job in claim_matches(match_ids=[match_id], worker="prober"):
        return_match(match_id=job.match_id, token=job.token, reason="Probed.")


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
