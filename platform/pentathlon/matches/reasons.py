"""Why a match is not running, in a word for machines and a sentence for people."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from pentathlon.matches.models import Match, MatchState
from pentathlon.matches.services import LEASE_S, MAX_ATTEMPTS


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """`code` is stable; `sentence` is for the page of the match."""

    code: str
    sentence: str


def why_not_running(match: Match, *, now: datetime) -> Reason | None:
    """Return what a match waits for or was stopped by; None if it runs or is done."""
    match match.state:
        case MatchState.PENDING:
            return _why_waiting(match)
        case MatchState.RUNNING if match.lease_until is not None and match.lease_until < now:
            return Reason(
                code="worker_silent",
                sentence=f"Worker {match.worker} was not heard of for {LEASE_S} s; "
                "another one gets the match.",
            )
        case MatchState.VOID:
            return Reason(code="void", sentence=f"Called off: {match.state_reason}")
        case _:
            return None


def _why_waiting(match: Match) -> Reason:
    if match.on_hold:
        return Reason(code="on_hold", sentence="Its tournament is paused.")
    if match.attempts_made:
        return Reason(
            code="retry",
            sentence=f"Attempt {match.attempts_made + 1} of {MAX_ATTEMPTS} comes next. "
            f"The last one failed on our side: {match.state_reason}",
        )
    if match.sent_at is None:
        return Reason(code="queued", sentence="Waits for its turn in the schedule.")
    return Reason(code="sent", sentence="Comes next: the first free worker takes it.")
