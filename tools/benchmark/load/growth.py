"""Whether pages and the reconciler cost the same after a long history as after a short one."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from typing import Final

import django
from rich.console import Console

django.setup()

# Models exist only from here on.
from django.test import Client  # noqa: E402

from pentathlon.local.preparation import prepare_database, prepare_static_files  # noqa: E402
from pentathlon.matches.models import Match, MatchState  # noqa: E402
from pentathlon.matches.services import return_expired_leases  # noqa: E402
from pentathlon.ratings.services import apply_results  # noqa: E402
from pentathlon.tournaments.scheduling import make_schedules  # noqa: E402
from pentathlon.tournaments.services import close_finished  # noqa: E402
from tools.benchmark.load.data import Cast, add_history, count_all_scores, make_cast  # noqa: E402
from tools.benchmark.load.figures import Figure, show  # noqa: E402
from tools.benchmark.load.sending import send_and_take_back  # noqa: E402
from tools.benchmark.load.stage import read_options  # noqa: E402
from tools.benchmark.load.tables import analyse  # noqa: E402

MOST_RATIO: Final = 1.3
_NOISE: Final = "rules (no history: noise)"
_RUNS: Final = 25
_WARM_UP: Final = 3
_FILL_A_PAGE: Final = 100
"""More tournaments than any page shows."""
_LEAST_S: Final = 0.005
"""What takes less is measured against this: then the clock says more than the work."""

Work = Callable[[], object]


def main() -> int:
    """Fill the database, measure, fill it up to the larger size, measure again, compare.

    The small one has as many short tournaments as fill a page, so that both show the same rows.
    """
    options = read_options("small", "large", "waiting")
    console = Console(stderr=True)
    with console.status("Starting") as status:
        prepare_database()
        prepare_static_files()
        cast = make_cast()
        waiting = options.small // 10
        short = options.small // _FILL_A_PAGE
        add_history(cast, done=options.small, waiting=waiting, longest=short, say=status.update)
        small = _measure(cast)
        add_history(
            cast,
            done=options.large - options.small,
            waiting=options.waiting - waiting,
            say=status.update,
        )
        large = _measure(cast)
    figures = [
        Figure(
            name=name,
            measured={"small, ms": 1000 * small[name], "large, ms": 1000 * large[name]},
            verdict=large[name] / max(small[name], _LEAST_S),
            demanded=None if name == _NOISE else MOST_RATIO,
        )
        for name in small
    ]
    title = f"{options.small} done against {options.large} done and {options.waiting} waiting"
    return show(title, figures, verdict="ratio", as_json=options.json)


def _measure(cast: Cast) -> dict[str, float]:
    """Return the least seconds of each page and step."""
    count_all_scores()
    analyse()
    while apply_results():
        pass
    return {name: _best_s(work) for name, work in _works(cast).items()}


def _works(cast: Cast) -> Mapping[str, Work]:
    client = Client(headers={"host": "localhost"})
    lane = Match.objects.of_lane(cast.tournament.pk)
    last = lane.filter(state=MatchState.DONE).order_by("-pk")[0]
    bot = last.seats.select_related("version").order_by("seat")[0].version.bot_id
    pages = {
        _NOISE: "/games/tuned/",
        "home": "/",
        "tournaments": "/tournaments/",
        "tournament": f"/tournaments/{cast.tournament.pk}/",
        "its progress": f"/tournaments/{cast.tournament.pk}/progress/",
        "its matches": f"/tournaments/{cast.tournament.pk}/matches/",
        "bot": f"/bots/{bot}/",
        "match": f"/matches/{last.pk}/",
        "matches": "/matches/",
        "leaderboard": "/leaderboards/tuned/",
    }
    works: dict[str, Work] = {name: _page(client, path) for name, path in pages.items()}
    works["apply_results"] = apply_results
    works["publish_pending"] = send_and_take_back
    works["return_expired_leases"] = return_expired_leases
    works["close_finished"] = close_finished
    works["make_schedules"] = make_schedules
    return works


def _page(client: Client, path: str) -> Work:
    def get() -> None:
        answer = client.get(path)
        if answer.status_code != 200:  # noqa: PLR2004  the one that counts
            sys.exit(f"{path} answered {answer.status_code}.")

    return get


def _best_s(work: Work) -> float:
    times = []
    for _ in range(_WARM_UP + _RUNS):
        before = time.perf_counter()
        work()
        times.append(time.perf_counter() - before)
    return min(times[_WARM_UP:])


if __name__ == "__main__":
    sys.exit(main())
