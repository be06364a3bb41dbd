"""Uploads a bot to each ladder of a running platform, and measures the time until it plays."""

from __future__ import annotations

import argparse
import io
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from zipfile import ZipFile

import django
from rich.console import Console

django.setup()

# Models exist only from here on.
from pentathlon.accounts.models import User  # noqa: E402
from pentathlon.bots.archives import read_archive  # noqa: E402
from pentathlon.bots.models import BotVersion, VersionState  # noqa: E402
from pentathlon.fleet.capabilities import read_fleet  # noqa: E402
from pentathlon.ladders.membership import leave_ladder  # noqa: E402
from pentathlon.ladders.models import Ladder  # noqa: E402
from pentathlon.ladders.reference import reference_policies  # noqa: E402
from pentathlon.local.servers.readiness import ServerFailed  # noqa: E402
from pentathlon.matches.models import Match, MatchState  # noqa: E402
from pentathlon.matches.uploads.services import submit_version  # noqa: E402
from pentathlon.ratings.models import Rating, live_key  # noqa: E402
from pentathlon_engines.manifest import built_in_bots  # noqa: E402
from tools.benchmark.competition.demands import Demand, show_demands  # noqa: E402
from tools.benchmark.competition.real_site import (  # noqa: E402
    SLOTS,
    TICK_S,
    running_site,
    wait_for,
)
from tools.benchmark.progress import Say, show_progress  # noqa: E402

_FIRST_S: Final = 10.0
_TWENTY_S: Final = 120.0
_STILL_S: Final = 3.0
"""How long a slot may stand still: looks that find nothing to pair are two seconds apart."""
_WATCHED_S: Final = 15.0


def main() -> int:
    """Print the measured figures beside the demands."""
    parser = argparse.ArgumentParser()
    parser.add_argument("games", nargs="+")
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with show_progress(Console(stderr=True)) as say, running_site(options.folder, "--no-demo"):
        say("waiting for the reference bots")
        wait_for("reference bots that play", _have_reference_bots)
        demands = [each for game in options.games for each in _measure(game, say)]
    return show_demands(f"New uploads on {SLOTS} slots", demands, as_json=options.json)


def _have_reference_bots() -> bool:
    """Return whether all built-in policies have their places, so that no validation goes on."""
    own = BotVersion.objects.filter(bot__is_reference=True, is_seated=True)
    return own.filter(state=VersionState.ELIGIBLE).count() == len(reference_policies())


def _measure(game: str, say: Say) -> Iterator[Demand]:
    say(f"{game}: validation")
    version = _upload(game)
    versions = BotVersion.objects.filter(pk=version.pk, state=VersionState.ELIGIBLE)
    wait_for(f"the validation of a bot for {game}", versions.exists)
    started = time.monotonic()
    rated = Rating.objects.filter(pool__key=live_key(game), version=version)
    for matches, most in ((1, _FIRST_S), (20, _TWENTY_S)):
        say(f"{game}: {matches} rated matches")
        wait_for(f"{matches} matches of {game}", rated.filter(matches__gte=matches).exists)
        yield Demand(
            name=f"{game}: s from “may play” to {matches} rated match{'es' * (matches > 1)}",
            measured=time.monotonic() - started,
            most=most,
        )
    say(f"{game}: does it stand still?")
    ladder = Ladder.objects.get(key=game)
    yield Demand(
        name=f"{game}: longest time with a free slot and nothing to play, s",
        measured=_longest_still(),
        most=_STILL_S,
        remark=f"watched for {_WATCHED_S:.0f} s",
    )
    leave_ladder(actor=version.bot.owner, ladder=ladder, bot=version.bot)


def _longest_still() -> float:
    """Return the longest time for which a slot was free while no match waited."""
    until = time.monotonic() + _WATCHED_S
    since, longest = time.monotonic(), 0.0
    while (now := time.monotonic()) < until:
        unfinished = Match.objects.unfinished()
        running = unfinished.filter(state=MatchState.RUNNING).count()
        is_still = (
            running < _free_slots() and not unfinished.exclude(state=MatchState.RUNNING).exists()
        )
        if not is_still:
            since = now
        longest = max(longest, now - since)
        time.sleep(TICK_S)
    return longest


def _free_slots() -> int:
    """Return how many slots may play; a busy machine holds some back."""
    fleet = read_fleet()
    return fleet.slots - fleet.held_slots


def _upload(game: str) -> BotVersion:
    author = User.objects.create_user(username=f"author-{game}", email="", password=None)
    buffer = io.BytesIO()
    with ZipFile(buffer, "w") as archive:
        archive.write(built_in_bots()["random"] / "main.py", "main.py")
        manifest = f'name = "new-{game}"\ngames = ["{game}"]\n'
        archive.writestr("bot.toml", f'{manifest}language = "python"\nmain = "main.py"\n')
    return submit_version(actor=author, archive=read_archive(buffer.getvalue()))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ServerFailed as error:
        sys.exit(str(error))
