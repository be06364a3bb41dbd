"""What workers of several parties play, for tests of trust in them."""

from __future__ import annotations

from dataclasses import replace

from pentathlon.fleet.announcements import Work
from pentathlon.fleet.models import WorkerToken
from pentathlon.fleet.tokens import create_worker_token
from pentathlon.matches.jobs import Job, MatchResult
from pentathlon.matches.models import Match
from pentathlon.matches.services import claim_matches, finish_matches
from tests.factories import make_match, make_worker, next_number
from tests.pentathlon.matches.acting import result, result_of

DIRECT = "direct/1"


def join(*work: Work) -> WorkerToken:
    """Make a token and a living worker of it; trusted with everything if nothing is named."""
    token, _ = create_worker_token(
        actor=None, name=f"machine {next_number()}", work=work or list(Work)
    )
    make_worker(f"{token.prefix}host/1", token=token, work=token.work)
    return token


def claim(match: Match, token: WorkerToken | None) -> Job:
    """Claim a match for a worker of a token, or for one beside the database."""
    name = DIRECT if token is None else f"{token.prefix}host/1.0"
    (job,) = claim_matches(
        match_ids=[match.pk], worker=name, worker_token=None if token is None else token.pk
    )
    return job


def play(match: Match, token: WorkerToken | None, *, course: str = "c" * 32) -> None:
    """Have a match played, with this course."""
    told = result_of(claim(match, token), told_of(course))
    assert finish_matches([told]) == {match.pk}


def told_of(course: str) -> MatchResult:
    """Return a result with this course."""
    return replace(result(), course=course)


def played_by(token: WorkerToken, *, times: int = 1) -> list[Match]:
    """Return matches that a worker of a token has just played."""
    matches = [make_match() for _ in range(times)]
    for match in matches:
        play(match, token)
    return matches
