from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from pentathlon.matches.models import Match, MatchState
from pentathlon.matches.reasons import why_not_running

NOW = timezone.now()


def _match(state: MatchState = MatchState.PENDING, **fields: Any) -> Match:
    return Match(game="tuned", state=state, **fields)


@pytest.mark.parametrize(
    ("match", "code", "words"),
    [
        (_match(), "queued", "its turn"),
        (_match(sent_at=NOW), "sent", "free worker"),
        (_match(on_hold=True, sent_at=NOW), "on_hold", "paused"),
        (_match(attempts_made=1, state_reason="no bwrap"), "retry", "Attempt 2 of 3"),
        (
            _match(MatchState.RUNNING, worker="host/5", lease_until=NOW - timedelta(seconds=1)),
            "worker_silent",
            "host/5",
        ),
        (_match(MatchState.VOID, state_reason="cancelled"), "void", "cancelled"),
    ],
)
def test_reason_names_what_the_match_waits_for(match: Match, code: str, words: str) -> None:
    reason = why_not_running(match, now=NOW)

    assert reason is not None
    assert reason.code == code
    assert words in reason.sentence


@pytest.mark.parametrize(
    "match",
    [
        _match(MatchState.RUNNING, lease_until=NOW + timedelta(seconds=1)),
        _match(MatchState.DONE),
    ],
)
def test_match_that_runs_or_is_done_needs_no_reason(match: Match) -> None:
    assert why_not_running(match, now=NOW) is None
