"""Matches at the desk without any process: random play by the referee."""

from __future__ import annotations

from pentathlon_engines import GAMES
from pentathlon_engines.desk.match_pool import DeskMatch, Tick
from pentathlon_engines.desk.tally import DeskResult
from pentathlon_engines.match.launcher import Usage
from pentathlon_engines.runner import MatchReport
from tests.engines.record.random_records import make_record

_IDLE = Usage(cpu_s=0.1, wall_s=0.2, memory_peak_mb=10.0, exit_status=0)


def desk_result(ranks: tuple[int, ...], *, failed: tuple[int, ...] = ()) -> DeskResult:
    """Return a result with these ranks."""
    return DeskResult(
        ranks=ranks,
        failed=failed,
        slowest_ms=(1,) * len(ranks),
        reason="line",
        plies=9,
        course="c",
        chain="h",
    )


def play_at_random(match: DeskMatch, tick: Tick) -> MatchReport:
    """Play a match of Tuned at random, in this process."""
    tick(0)
    record = make_record(GAMES["tuned"], seats=len(match.players), seed=match.seed)
    seats = len(match.players)
    return MatchReport(
        record=record,
        logs=[b""] * seats,
        usage=[_IDLE] * seats,
        notes=[[] for _ in range(seats)],
        traces=[],
    )
