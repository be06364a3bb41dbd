"""Plays tournaments beside the ladders of a real platform, and judges their estimates."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from math import inf, nan
from pathlib import Path
from typing import Final, NamedTuple

import django
from rich.console import Console

django.setup()

# Models exist only from here on.
from pentathlon.accounts.models import User  # noqa: E402
from pentathlon.bots.models import BotVersion, VersionState  # noqa: E402
from pentathlon.local.demo.plan import folder_of  # noqa: E402
from pentathlon.local.servers.readiness import ServerFailed  # noqa: E402
from pentathlon.matches.uploads.services import submit_version  # noqa: E402
from pentathlon.tournaments.estimates.progress import progress  # noqa: E402
from pentathlon.tournaments.models import Tournament  # noqa: E402
from pentathlon.tournaments.services import create_tournament, start_tournament  # noqa: E402
from pentathlon_engines import GAMES  # noqa: E402
from pentathlon_engines.archive.packing import pack_bot  # noqa: E402
from pentathlon_engines.tournament.document import TournamentDocument  # noqa: E402
from tools.benchmark.competition.demands import Demand, show_demands  # noqa: E402
from tools.benchmark.competition.real_site import SLOTS, running_site, wait_for  # noqa: E402
from tools.benchmark.progress import Say, show_progress  # noqa: E402

_SHARES: Final[Mapping[str, float]] = {"a tenth": 1 / 10, "a third": 1 / 3, "two thirds": 2 / 3}
_ERROR: Final = 0.25
"""How far an estimate may be off, as a share of the time that is really left."""
_LOOK_S: Final = 0.5


class Contest(NamedTuple):
    """A round robin that is watched."""

    game: str
    bots: Sequence[str]
    cycles: int


class Told(NamedTuple):
    """A tournament's own estimate at a time."""

    at: float
    ended: int
    total: int
    remaining_s: float | None
    load: float


TUNED: Final = Contest("tuned", ("daydreamer", "dice", "first-come", "magpie", "strategist"), 60)
AZURE: Final = Contest("azure", ("dice", "first-come", "magpie", "greedy"), 64)
"""Both contests take a minute at least, even if nothing else runs, and a slot plays hundreds of
their matches: how long the last few take cannot be estimated."""
_SCENES: Final[Mapping[str, Sequence[Contest]]] = {
    "alone": (TUNED,),
    "after it": (AZURE,),
    "both at once": (TUNED, AZURE),
}


def main() -> int:
    """Print the estimates beside the times that the tournaments really took."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--share", type=float, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    until = time.monotonic() + 60 * options.minutes
    demands: list[Demand] = []
    with show_progress(Console(stderr=True)) as say, running_site(options.folder, "--no-demo"):
        organiser = User.objects.create_user(
            username="estimates", email="", password=None, is_organiser=True
        )
        say("waiting for the bots")
        for bot in sorted({*TUNED.bots, *AZURE.bots}):
            submit_version(actor=organiser, archive=pack_bot(folder_of(bot)))
        wait_for("bots that may play", lambda: all(map(_have_bots, (TUNED, AZURE))))
        for scene, contests in _SCENES.items():
            shorter = [_shortened(each, options.share) for each in contests]
            started = {_start(each, organiser): each for each in shorter}
            histories = _watch([*started], f"{scene}: ", say, until=until)
            for tournament, contest in started.items():
                title = f"{GAMES[contest.game].info.title}, {scene}"
                demands += judge(title, histories[tournament.pk])
    title = f"Time left of tournaments beside the ladders, {SLOTS} slots: told / real"
    return show_demands(title, demands, as_json=options.json)


def judge(title: str, history: Sequence[Told]) -> Iterator[Demand]:
    """Yield, for each share of the matches, the estimated time left divided by the real one."""
    total = history[-1].total
    end = next((told.at for told in history if told.ended >= told.total), None)
    for name, share in _SHARES.items():
        told = next((told for told in history if told.ended >= share * total), None)
        remark = "never came so far"
        ratio = nan
        if told is not None:
            real_s = nan if end is None else end - told.at
            told_s = nan if told.remaining_s is None else told.remaining_s
            ratio = told_s / real_s if real_s else (inf if told_s else 1.0)
            remark = f"{told_s:.0f} / {real_s:.0f} s at {told.ended} of {total}"
            remark += f", load {told.load:.0f}"
        yield Demand(
            name=f"{title}, {total} matches, {name}",
            measured=ratio,
            least=1 - _ERROR,
            most=1 + _ERROR,
            remark=remark,
        )


def _versions(contest: Contest) -> list[int]:
    """Return the bots of a contest that may play by now."""
    own = BotVersion.objects.filter(bot__name__in=contest.bots, bot__is_reference=False)
    eligible = own.filter(state=VersionState.ELIGIBLE, games__game=contest.game)
    return list(eligible.order_by("pk").values_list("pk", flat=True))


def _have_bots(contest: Contest) -> bool:
    return len(_versions(contest)) == len(contest.bots)


def _shortened(contest: Contest, share: float) -> Contest:
    return contest._replace(cycles=max(1, round(contest.cycles * share)))


def _start(contest: Contest, organiser: User) -> Tournament:
    document = TournamentDocument(
        game=contest.game,
        scheduler="round_robin/2",
        table_seats=2,
        params={"cycles": contest.cycles},
    )
    tournament = create_tournament(
        actor=organiser,
        name=f"Estimates {contest.game} {time.monotonic_ns()}",
        document=document,
        versions=_versions(contest),
        rated=False,
    )
    return start_tournament(actor=organiser, tournament=tournament)


def _watch(
    tournaments: Sequence[Tournament], scene: str, say: Say, *, until: float
) -> dict[int, list[Told]]:
    """Return what the tournaments told until all of them had ended or the time was up."""
    histories: dict[int, list[Told]] = {each.pk: [] for each in tournaments}
    left = {each.pk: each for each in tournaments}
    while left and (not all(histories.values()) or time.monotonic() < until):
        for tournament in [*left.values()]:
            tournament.refresh_from_db()
            found = progress(tournament)
            ended = found.done + found.void
            told = Told(
                time.monotonic(), ended, found.total, found.remaining_s, os.getloadavg()[0]
            )
            histories[tournament.pk].append(told)
            if ended >= found.total > 0:
                del left[tournament.pk]
        say(
            scene
            + ", ".join(f"{each[-1].ended} of {each[-1].total}" for each in histories.values())
        )
        time.sleep(_LOOK_S)
    return histories


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ServerFailed as error:
        sys.exit(str(error))
