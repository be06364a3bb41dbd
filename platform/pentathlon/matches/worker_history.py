"""What workers have played lately, read from the youngest attempts alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from pentathlon.matches.attempts import MAX_ATTEMPTS, worker_of
from pentathlon.matches.models import Attempt, AttemptState, Match, MatchState

LOOKED_AT: Final = 1_000
"""How many of the latest attempts of all workers are read; no index holds those of one worker."""
SHOWN: Final = 3
_CANDIDATES: Final = 3 * SHOWN
"""How many of a worker's matches are read for these, since some may be private."""
_HOUR: Final = timedelta(hours=1)
_TROUBLES: Final = (AttemptState.FAILED, AttemptState.EXPIRED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """An attempt that a worker did not finish."""

    kind: str
    reason: str
    """What went wrong; it may name things of the host."""
    at: datetime
    match: Match | None
    """The match; None if not everybody may see it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerHistory:
    """What one worker has done lately."""

    an_hour: int
    """How many matches it finished in the last hour; an estimate if these are too many to read."""
    latest: list[Match]
    """The latest finished public matches, newest first."""
    trouble: Trouble | None


def read_histories(workers: Collection[str], *, now: datetime) -> dict[str, WorkerHistory]:
    """Return the history of each of these workers, in a constant number of queries."""
    attempts = list(
        Attempt.objects.exclude(state=AttemptState.RUNNING)
        .filter(ended_at__isnull=False)
        .order_by("-pk")[:LOOKED_AT]
    )
    by_worker = defaultdict[str, list[Attempt]](list)
    for attempt in attempts:
        by_worker[worker_of(attempt.worker)].append(attempt)
    matches = _matches([each for name in workers for each in by_worker[name]])
    span = _HOUR
    if len(attempts) == LOOKED_AT:
        span = min(_HOUR, max(now - attempts[-1].started_at, timedelta(seconds=1)))
    return {
        name: _history(by_worker[name], matches, since=now - span, share=span / _HOUR)
        for name in workers
    }


def _history(
    attempts: list[Attempt], matches: Mapping[int, Match], *, since: datetime, share: float
) -> WorkerHistory:
    accepted = [each for each in attempts if each.state == AttemptState.ACCEPTED]
    lately = [each for each in accepted if each.ended_at and each.ended_at >= since]
    return WorkerHistory(
        an_hour=round(len(lately) / share),
        latest=_shown(accepted, matches),
        trouble=next(filter(None, (_trouble(each, matches) for each in attempts)), None),
    )


def _shown(accepted: Iterable[Attempt], matches: Mapping[int, Match]) -> list[Match]:
    found = [matches[each.match_id] for each in accepted if each.match_id in matches]
    return [match for match in found if match.state == MatchState.DONE and not match.is_private][
        :SHOWN
    ]


def _trouble(attempt: Attempt, matches: Mapping[int, Match]) -> Trouble | None:
    match = matches.get(attempt.match_id)
    if match is None or attempt.state not in _TROUBLES or attempt.ended_at is None:
        return None
    # Calling a match off ends its attempt with the same reason: nothing went wrong on the worker.
    is_called_off = match.state == MatchState.VOID and match.host_faults < MAX_ATTEMPTS
    if is_called_off and match.state_reason == attempt.reason:
        return None
    return Trouble(
        kind=attempt.get_state_display(),
        reason=attempt.reason,
        at=attempt.ended_at,
        match=None if match.is_private else match,
    )


def _matches(attempts: Iterable[Attempt]) -> dict[int, Match]:
    """Return the matches that may be shown, by id, with seats."""
    wanted, seen = set[int](), defaultdict[tuple[str, bool], int](int)
    for attempt in attempts:
        key = (worker_of(attempt.worker), attempt.state in _TROUBLES)
        seen[key] += 1
        if seen[key] <= _CANDIDATES:
            wanted.add(attempt.match_id)
    found = Match.objects.filter(pk__in=wanted).with_privacy().with_seats()
    return {match.pk: match for match in found}
