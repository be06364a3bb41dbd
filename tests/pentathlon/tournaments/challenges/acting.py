"""What authors and workers do with challenges, for tests."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from pentathlon.accounts.models import User
from pentathlon.bots.models import BotVersion
from pentathlon.matches.jobs import Job, MatchResult
from pentathlon.matches.models import Match, MatchState
from pentathlon.matches.services import claim_matches, finish_matches
from pentathlon.tournaments.challenges.models import Challenge
from pentathlon.tournaments.challenges.services import create_challenge
from tests.factories import make_user, make_version
from tests.pentathlon.matches.acting import result, result_of

Ranks = Callable[[Job], Sequence[int]]


def challenged(
    *, author: User | None = None, blocks: int = 2, rival: BotVersion | None = None
) -> Challenge:
    """Have a new bot of an author meet a rival's."""
    author = author or make_user()
    version = make_version(owner=author)
    rival = rival or make_version()
    return create_challenge(actor=author, version=version.pk, bot=rival.bot_id, blocks=blocks)


def won_by(version: BotVersion) -> Ranks:
    """Let one version come in first."""
    return lambda job: [0 if seat.version_id == version.pk else 1 for seat in job.seats]


def drawn(job: Job) -> Sequence[int]:
    """Let everybody tie."""
    return [0] * len(job.seats)


def all_failed(job: Job) -> Sequence[int]:
    """Let everybody fail."""
    return [1] * len(job.seats)


def play(matches: Sequence[Match], ranks: Ranks) -> None:
    """Play these matches with the ranks that are given for each, many at a time."""
    left = {match.pk for match in matches}
    while left:
        jobs = claim_matches(match_ids=sorted(left), worker="test/1")
        results = [result_of(job, _ranked(job, ranks(job))) for job in jobs]
        counted = finish_matches(results)
        assert counted == {job.match_id for job in jobs}
        assert counted
        left -= counted


def waiting(challenge: Challenge) -> list[Match]:
    """Return the matches of a challenge that wait, in order."""
    return list(challenge.matches.filter(state=MatchState.PENDING).order_by("pk"))


def _ranked(job: Job, ranks: Sequence[int]) -> MatchResult:
    told = result(seats=len(job.seats))
    seats = (replace(seat, rank=rank) for seat, rank in zip(told.seats, ranks, strict=True))
    return replace(told, seats=tuple(seats))
