"""Plays the same documents without workers, queue or faults, and prints what remains.

Every match goes through claim and acceptance, but the bots' choices are computed right here.
"""

import argparse
import json
import sys
from typing import cast

import django

django.setup()

# Models exist only from here on.
from pentathlon.local.preparation import prepare_database  # noqa: E402
from pentathlon.matches.jobs import EngineBuilds, Job, Submission  # noqa: E402
from pentathlon.matches.models import Match  # noqa: E402
from pentathlon.matches.replays.services import (  # noqa: E402
    accept_results,
    expected_header,
)
from pentathlon.matches.services import claim_matches  # noqa: E402
from pentathlon.ratings.services import apply_results  # noqa: E402
from pentathlon.tournaments.models import Tournament  # noqa: E402
from pentathlon.tournaments.scheduling.blocks import settle_blocks  # noqa: E402
from pentathlon.tournaments.scheduling.schedules import make_schedules  # noqa: E402
from pentathlon.tournaments.services import close_finished  # noqa: E402
from pentathlon_engines import GAMES  # noqa: E402
from pentathlon_engines.builds import build_name  # noqa: E402
from pentathlon_engines.match.launcher import Usage  # noqa: E402
from pentathlon_engines.match.referee import Referee  # noqa: E402
from pentathlon_engines.record.record import seal  # noqa: E402
from pentathlon_engines.record.shape import Header, Record  # noqa: E402
from pentathlon_engines.runner import MatchReport  # noqa: E402
from tools.chaos.document import (  # noqa: E402
    Size,
    choice,
    events_for,
    remains,
    size_for,
    start_tournaments,
    stride_of,
    submit_bots,
)

_USAGE = Usage(cpu_s=0.0, wall_s=0.0, memory_peak_mb=0.0, exit_status=0)


def main() -> None:
    """Play validations and tournaments one match after the other."""
    options = _options()
    prepare_database()
    size = size_for(options.matches)
    played = play_in_peace(size, game=options.game, seed=options.seed, sandbox=options.sandbox)
    json.dump(remains(played), sys.stdout)


def play_in_peace(size: Size, *, game: str, seed: int, sandbox: str) -> list[Tournament]:
    """Return the closed tournaments; the records name this sandbox."""
    versions = submit_bots(size.bots, game=game)
    _play_waiting(sandbox)
    tournaments = start_tournaments(versions, events=events_for(size), game=game, seed=seed)
    open_ones = len(tournaments)
    while open_ones:
        _play_waiting(sandbox)
        while apply_results():
            pass
        settle_blocks()
        open_ones -= len(close_finished())
        make_schedules()
    return tournaments


def _play_waiting(sandbox: str) -> None:
    for match_id in Match.objects.unfinished().order_by("pk").values_list("pk", flat=True):
        for job in claim_matches(match_ids=[match_id], worker="quiet"):
            _accept(job, _record(job, sandbox))


def _record(job: Job, sandbox: str) -> Record:
    seats = [stride_of(seat.name) for seat in job.seats]
    referee = Referee(game=GAMES[job.game], seats=len(seats), options=job.options, seed=job.seed)
    while (seat := referee.seat_to_ask()) is not None:
        request = referee.request()
        action = choice(seats[seat], request.ply, request.legal)
        referee.accept(action, cpu_ms=0, wall_ms=0)
    match = Match.objects.with_seats().get(pk=job.match_id)
    header = cast("Header", {**expected_header(match), "sandbox": sandbox, "layers": []})
    return seal(header, events=referee.events, faults=[], outcome=referee.final_outcome())


def _accept(job: Job, record: Record) -> None:
    seats = record["seats"]
    report = MatchReport(
        record=record, logs=[b""] * seats, notes=[[]] * seats, usage=[_USAGE] * seats, traces=[]
    )
    builds = EngineBuilds(referee=build_name(), bots=build_name())
    submission = Submission(match_id=job.match_id, token=job.token, report=report, builds=builds)
    for refusal in accept_results([submission]):
        if refusal is not None:
            raise refusal


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--matches", type=int, required=True)
    parser.add_argument("--game", required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--sandbox", required=True)
    return parser.parse_args()


if __name__ == "__main__":
    main()
