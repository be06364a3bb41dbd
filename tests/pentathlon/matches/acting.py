"""What workers and clocks do to matches, for tests."""

from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from django.db.models.functions import Now

from pentathlon.matches.jobs import Job, MatchResult, SeatResult
from pentathlon.matches.leases import renew_leases
from pentathlon.matches.models import Match, MatchState
from pentathlon.matches.services import claim_matches, finish_matches
from tests.factories import make_match, make_version


def claim_match(*, match_id: int, worker: str) -> Job | None:
    """Claim one match; None if it does not wait."""
    return next(iter(claim_matches(match_ids=[match_id], worker=worker)), None)


def claimed(match: Match, worker: str = "test/1") -> Job:
    """Claim a match that can be claimed."""
    job = claim_match(match_id=match.pk, worker=worker)
    assert job is not None
    return job


def result_of(job: Job, result: MatchResult) -> MatchResult:
    """Return this result as that of a claimed match."""
    return replace(result, match_id=job.match_id, token=job.token)


def finish(job: Job, result: MatchResult) -> bool:
    """Hand in the result of one match; return whether it counted."""
    return job.match_id in finish_matches([result_of(job, result)])


def renew(job: Job, *, ply: int, token: UUID | None = None) -> bool:
    """Report progress of a claimed match, perhaps by another token; return whether it is held."""
    token = token or job.token
    return token in renew_leases({token: (job.match_id, ply)})


def let_lease_expire(match_id: int) -> None:
    """Move the end of a lease into the past of the database's clock."""
    Match.objects.filter(pk=match_id).update(lease_until=Now() - timedelta(seconds=1))


def result(*, seats: int = 2, record: bytes = b"{}", **first_seat: Any) -> MatchResult:
    """Return a result won by seat 0; `first_seat` changes what is said about that seat."""
    shared: dict[str, Any] = {"score": None, "cpu_ms": 12, "wall_ms": 20, "memory_peak_mb": 9.5}
    return MatchResult(
        match_id=0,
        token=uuid4(),
        outcome_reason="line",
        plies=7,
        sandbox="namespaces",
        chain="c" * 64,
        course="d" * 32,
        record=record,
        seats=tuple(
            SeatResult(rank=seat, **{**shared, **(first_seat if seat == 0 else {})})
            for seat in range(seats)
        ),
    )


def played(game: str, *, seconds: float, times: int = 3) -> None:
    """Store matches of a game that have lately taken so long."""
    versions = [make_version(), make_version()]
    for _ in range(times):
        match = make_match(versions, game=game, state=MatchState.DONE)
        started = Now() - timedelta(seconds=seconds)
        Match.objects.filter(pk=match.pk).update(started_at=started, finished_at=Now())
