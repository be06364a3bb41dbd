"""Has a running `up` play a tournament, from beside it, and measures its processes."""

import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import django

from pentathlon.local.servers.processes import children
from tools.benchmark.hogs import hogs
from tools.benchmark.meter import cpu_s_of

django.setup()

# Models exist only from here on.
from pentathlon.accounts.models import User  # noqa: E402
from pentathlon.bots.archives import read_archive  # noqa: E402
from pentathlon.bots.models import BotVersion, VersionState  # noqa: E402
from pentathlon.ladders.reference import pack_renamed  # noqa: E402
from pentathlon.matches.models import Match, MatchState  # noqa: E402
from pentathlon.matches.uploads.services import submit_version  # noqa: E402
from pentathlon.tournaments.models import Tournament  # noqa: E402
from pentathlon.tournaments.organising.drafts import Draft, create_tournament  # noqa: E402
from pentathlon.tournaments.services import start_tournament  # noqa: E402
from pentathlon_engines.manifest import built_in_bots  # noqa: E402
from pentathlon_engines.tournament.document import TournamentDocument  # noqa: E402

_BOTS: Final = 6
_HOGS: Final = 8
"""The programs that burn on each core."""
_PATIENCE_S: Final = 300.0
_LOOK_S: Final = 0.1
_WARM_UP: Final = 0.1
"""The share of the matches that is played before the measurement begins."""
_PARTS: Final = {
    " reconcile": "reconciler",
    " serve": "web",
    "celery": "workers and bots",
    "valkey": "broker",
}


def main(asked: dict[str, Any]) -> None:  # Any: JSON
    """Play; store matches a second, and CPU milliseconds of each part for a match."""
    tournament = _arrange(asked["cycles"])
    if asked["hog_s"]:
        with hogs(_HOGS):
            time.sleep(asked["hog_s"])
    start_tournament(actor=tournament.owner, tournament=tournament)
    tournament.refresh_from_db()
    own = Match.objects.of_lane(tournament.pk)
    _wait_for(lambda: own.filter(state=MatchState.DONE).count() >= _WARM_UP * tournament.planned)
    done, began, before = (
        own.filter(state=MatchState.DONE).count(),
        time.monotonic(),
        _costs(asked),
    )
    _wait_for(lambda: own.filter(state=MatchState.DONE).count() >= tournament.planned)
    matches, took_s = tournament.planned - done, time.monotonic() - began
    spent = {part: 1000 * (s - before[part]) / matches for part, s in _costs(asked).items()}
    Path(asked["result"]).write_text(json.dumps({"rate": matches / took_s, **spent}))


def _arrange(cycles: int) -> Tournament:
    """Upload bots that play at random, and open a round robin for them once they may play."""
    owner = User.objects.create_user(username="benchmark", password=None, is_organiser=True)
    folder = built_in_bots()["random"]
    versions = [
        submit_version(actor=owner, archive=read_archive(pack_renamed(folder, name=f"random-{n}")))
        for n in range(_BOTS)
    ]
    ids = [version.pk for version in versions]
    ready = BotVersion.objects.filter(pk__in=ids, state=VersionState.ELIGIBLE)
    _wait_for(lambda: ready.count() == _BOTS)
    return create_tournament(
        actor=owner,
        draft=Draft(
            name="Throughput",
            document=TournamentDocument(
                game="tuned", scheduler="round_robin/2", table_seats=2, params={"cycles": cycles}
            ),
            versions=ids,
        ),
    )


def _wait_for(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    while not is_so():
        if time.monotonic() > deadline:
            sys.exit("The site plays too slowly to be measured.")
        time.sleep(_LOOK_S)


def _costs(asked: dict[str, Any]) -> dict[str, float]:  # Any: JSON
    """Return the CPU seconds of the parts of `up`."""
    seconds = defaultdict[str, float](float)
    for pid, part in _tree(asked["pid"], "up"):
        with suppress(OSError):  # a bot that has ended
            seconds[part] += cpu_s_of([pid])
    return seconds


def _tree(pid: int, part: str) -> Iterator[tuple[int, str]]:
    """Yield the processes of a part and all below it; what a worker starts belongs to it."""
    if part == "up":
        with suppress(OSError):
            command = Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
            part = next((part for mark, part in _PARTS.items() if mark in command), part)
    yield pid, part
    for child in children(pid):
        yield from _tree(child, part)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
