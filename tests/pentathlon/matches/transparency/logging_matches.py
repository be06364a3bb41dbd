"""Matches that are played at random and logged."""

from pentathlon.matches.models import Match
from pentathlon.matches.transparency.services import log_results
from tests.factories import make_match, make_version
from tests.pentathlon.matches.acting import claimed
from tests.pentathlon.matches.replays.playing import record_of, submit


def play_matches(count: int, **columns: object) -> list[Match]:
    """Play matches of two versions; the log does not know of them yet."""
    versions = [make_version(), make_version()]
    jobs = [claimed(make_match(versions, **columns)) for _ in range(count)]  # type: ignore[arg-type]  # columns of a match
    return [submit(job, record_of(job)) for job in jobs]


def log_matches(count: int) -> list[Match]:
    """Play matches and log them."""
    played = play_matches(count)
    log_results()
    return played
