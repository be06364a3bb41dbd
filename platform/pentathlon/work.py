"""What workers do, by the task of its hint: claims, leases, results of every kind.

Workers beside the database call it; for all others the site does, with the worker's token.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import groupby
from typing import Any, Final
from uuid import UUID

from pentathlon.core.errors import DomainError
from pentathlon.fleet.announcements import ANALYSE_MATCH, MOVE_BOTS, PLAY_MATCHES, Work
from pentathlon.fleet.capabilities import Capabilities
from pentathlon.fleet.models import WorkerToken
from pentathlon.friendlies import stretches
from pentathlon.friendlies.jobs import FriendlyStretch
from pentathlon.insight.analyses import services as analyses
from pentathlon.insight.analyses.jobs import AnalysisJob, Row
from pentathlon.matches import services as matches
from pentathlon.matches.jobs import Job, Outcome
from pentathlon.matches.leases import renew_leases
from pentathlon.matches.models import Match
from pentathlon.matches.replays.services import accept_results
from pentathlon.matches.worker_tokens import claim_by_token, give_back_hints

_PUBLISH_AGAIN: Final[Mapping[str, Callable[[Collection[int]], object]]] = {
    PLAY_MATCHES: matches.publish_again,
    MOVE_BOTS: stretches.publish_stretches_again,
    ANALYSE_MATCH: analyses.publish_analyses_again,
}
_RENEW: Final[Mapping[str, Callable[[Mapping[UUID, tuple[int, int]]], set[UUID]]]] = {
    PLAY_MATCHES: renew_leases,
    MOVE_BOTS: stretches.renew_stretches,
    ANALYSE_MATCH: analyses.renew_analyses,
}
_ACCEPT: Final[Mapping[str, Callable[[Any], list[DomainError | None]]]] = {  # Any: of its kind
    PLAY_MATCHES: accept_results,
    MOVE_BOTS: stretches.accept_stretches,
    ANALYSE_MATCH: analyses.accept_curves,
}


def claim(
    ids: Sequence[int],
    *,
    task: str,
    worker: str,
    capabilities: Capabilities,
    is_lent: bool = False,
    token: WorkerToken | None = None,
) -> Sequence[Job | FriendlyStretch | AnalysisJob]:
    """Claim those of these that still wait and that this worker may do; `token` is its only key.

    `is_lent` says that the hint lends a slot to an analysis.
    """
    if task == ANALYSE_MATCH:
        is_trusted = token is None or Work.ANALYSES in token.work
        return analyses.claim_analyses(ids if is_trusted else (), is_lent=is_lent)
    if task == MOVE_BOTS:
        return stretches.claim_stretches(
            ids, worker=worker, capabilities=capabilities, worker_token=token
        )
    if token is None:
        return matches.claim_matches(match_ids=ids, worker=worker, capabilities=capabilities)
    return claim_by_token(token, match_ids=ids, worker=worker, capabilities=capabilities)


def publish_again(
    ids: Collection[int], *, task: str = PLAY_MATCHES, token: WorkerToken | None = None
) -> None:
    """Leave these to other workers; their hints are sent again."""
    if token is not None and task == PLAY_MATCHES:
        give_back_hints(token, match_ids=ids)
    else:
        _PUBLISH_AGAIN[task](ids)


def renew(leases: Mapping[UUID, tuple[int, int]], *, task: str) -> list[int]:
    """Renew leases, given by token as id and ply; return the ids of what has been lost."""
    kept = _RENEW[task](leases)
    return [pk for token, (pk, _) in leases.items() if token not in kept]


def has_waiting_matches() -> bool:
    """Return whether a match waits for a slot; if so, analyses give theirs back."""
    return Match.objects.sent().exists()


def accept(results: Sequence[Outcome]) -> list[DomainError | None]:
    """Store results, those of one kind together; return why each is refused, or None."""
    kinds = groupby(results, key=lambda result: result.task)
    return [answer for task, same in kinds for answer in _ACCEPT[task](list(same))]


def give_back(
    pk: int,
    token: UUID,
    *,
    task: str,
    reason: str,
    has_failed: bool,
    suspect: int | None = None,
    was_too_slow: bool = False,
    measured: Sequence[Row] = (),
    cpu_ms: int = 0,
) -> bool:
    """Give one back for others to do; return False if it was taken away before.

    `has_failed` says that this host failed at it. `suspect` and `was_too_slow` are about matches,
    see `fail_attempt`; `measured` and `cpu_ms` about analyses, see `return_analysis`.
    """
    if task == ANALYSE_MATCH:
        died = has_failed
        return analyses.return_analysis(pk, token, has_died=died, measured=measured, cpu_ms=cpu_ms)
    if task == MOVE_BOTS:
        return stretches.fail_stretch(pk, token, reason=reason, counts=has_failed)
    if not has_failed:
        return matches.return_match(match_id=pk, token=token, reason=reason)
    return matches.fail_attempt(
        match_id=pk, token=token, reason=reason, suspect=suspect, was_too_slow=was_too_slow
    )
