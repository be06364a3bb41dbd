"""Attempts: when one is tried again, and bots that fail again and again."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import QuerySet
from django.db.models.functions import Now

from pentathlon.bots.models import BotVersion
from pentathlon.bots.services import stop_version
from pentathlon.fleet.capabilities import Capabilities
from pentathlon.fleet.models import Worker, WorkerQuerySet
from pentathlon.matches.hidden_lanes import HiddenLane
from pentathlon.matches.models import (
    COMPETITIONS,
    Attempt,
    AttemptState,
    Match,
    MatchSeat,
    MatchState,
)
from pentathlon.matches.requirements import requirements_of
from pentathlon_engines.match.limits import Limits

MAX_ATTEMPTS: Final = 3
"""Host failures that void a match, unless one worker had them all and another could play it."""
MOST_ATTEMPTS: Final = 9
"""Host failures that void a match in any case, unless workers of one token had them all and one of
another could play it."""
BLAMED_ON_WORKERS: Final = 2
"""On how many workers a bot must end unexplained before the next such end is its own fault."""
AVOID_S: Final = 30
"""Seconds for which a match that failed on a worker is left to others."""

_OF_TOKEN: Final = re.compile(r"w\d+:")
_COUNTED: Final = (AttemptState.FAILED, AttemptState.EXPIRED)
FAULTS_IN_A_ROW: Final = 5
"""How many faults at its start, one after the other, stop a version."""
_LOOKED_AT: Final = 50
_USUAL: Final = Limits()


def worker_of(slot: str) -> str:
    """Return the worker that a slot belongs to, by its name.

    >>> worker_of("host.example/17.0")
    'host.example/17'
    """
    worker, _, index = slot.rpartition(".")
    return worker if index.isdigit() else slot


def party_of(slot: str) -> str:
    """Return the prefix that the names of all workers of one token share; "" without a token.

    >>> party_of("w7:host.example/17.0")
    'w7:'
    """
    found = _OF_TOKEN.match(slot)
    return found.group() if found else ""


def is_hopeless(match: Match, *, faults: int) -> bool:
    """Return whether a match is called off after `faults` host failures, the latest included."""
    if faults < MAX_ATTEMPTS:
        return False
    failed_on = {worker_of(slot) for slot, *_ in _failures(match, faults)}
    if _other_parties(match, failed_on):
        return False
    if faults >= MOST_ATTEMPTS:
        return True
    if len(failed_on) <= 1 and _others(match, failed_on):
        return False
    # If a bot is to blame, the next attempt decides: the bot loses, or the match is played.
    return not _blamed(match, faults)


def blamed_versions(match: Match) -> frozenset[int]:
    """Return the bots of a match whose next unexplained end is their own fault.

    No host is at fault if the same bot ended so on several workers since the match was queued. If
    no other worker can play it, being too slow for the same bot as often is enough.
    """
    return _blamed(match, match.host_faults)


def _blamed(match: Match, faults: int) -> frozenset[int]:
    if faults < BLAMED_ON_WORKERS:
        return frozenset()
    workers = defaultdict(set)
    slow: Counter[int] = Counter()
    for slot, blamed, was_too_slow in _failures(match, faults):
        if blamed is not None:
            workers[blamed].add(worker_of(slot))
            slow[blamed] += was_too_slow
    return frozenset(
        version
        for version, names in workers.items()
        if (
            len(names) >= BLAMED_ON_WORKERS
            or (slow[version] >= BLAMED_ON_WORKERS and not _others(match, names))
        )
        and not _other_parties(match, names)
    )


def better_elsewhere(matches: Iterable[Match], *, worker: str) -> set[int]:
    """Return which of these matches lately failed on this worker and can be played by another."""
    failed = [match for match in matches if match.attempts_made]
    if not failed:
        return set()
    lately = Attempt.objects.filter(
        match__in=failed,
        state__in=(*_COUNTED, AttemptState.STALLED),
        ended_at__gt=Now() - timedelta(seconds=AVOID_S),
    )
    tried = _workers_by_match(lately)
    own, party = worker_of(worker), party_of(worker)
    return {
        each.pk
        for each in failed
        if (own in tried[each.pk] and _others(each, tried[each.pk]))
        or (party in map(party_of, tried[each.pk]) and _other_parties(each, tried[each.pk]))
    }


def _workers_by_match(attempts: Iterable[Attempt]) -> Mapping[int, set[str]]:
    found = defaultdict(set)
    for attempt in attempts:
        found[attempt.match_id].add(worker_of(attempt.worker))
    return found


def _failures(match: Match, number: int) -> list[tuple[str, int | None, bool]]:
    """Return slot, blamed version and slowness of the latest attempts that count as failures."""
    counted = Attempt.objects.filter(match=match, state__in=_COUNTED).order_by("-number")
    return list(counted.values_list("worker", "blamed_version", "was_too_slow")[:number])


def _others(match: Match, tried: Collection[str]) -> bool:
    """Return whether a worker that has not tried is alive and can play a match."""
    return _can_play(Worker.objects.fruitful().exclude(name__in=tried), match)


def _other_parties(match: Match, tried: Collection[str]) -> bool:
    """Return whether only workers of one token have tried, and one of another can play a match."""
    parties = set(map(party_of, tried))
    if len(parties) != 1 or parties == {""}:
        return False
    others = Worker.objects.fruitful().exclude(name__startswith=parties.pop())
    return _can_play(others, match)


def _can_play(workers: WorkerQuerySet, match: Match) -> bool:
    needs = requirements_of(match)
    return any(Capabilities.of(worker).satisfies(needs) for worker in workers)


def stop_failing_versions(*, match_ids: Collection[int]) -> None:
    """Stop the versions that failed at their start in these matches and in the four before.

    A fault counts as one at the start if it comes before the first action of the bot. Ignored are
    matches in which the bot was never asked, because its opponent failed; matches with stricter
    limits than usual, because an organiser's choice must not stop a bot everywhere; and matches in
    lanes with hidden results until the release, because everybody sees which versions are stopped.
    """
    failed = _started().filter(match__in=match_ids, actions=0).exclude(fault_kind="")
    # In the order of ids: two endings with the same bots must not deadlock.
    for version_id in sorted(set(failed.values_list("version", flat=True))):
        version = BotVersion.objects.select_related("bot").get(pk=version_id)
        streak = _streak(version)
        if len(streak) == FAULTS_IN_A_ROW:
            last = streak[0]
            reason = (
                f"Stopped after {FAULTS_IN_A_ROW} faults at its start in a row, the last in match "
                f"{last.match_id}: {last.fault_kind}. {last.fault_detail}"
            )
            stop_version(version_id=version_id, reason=reason)


def _streak(version: BotVersion) -> list[MatchSeat]:
    """Return the latest seats of a version, newest first, if all failed at the start."""
    asked = _started().filter(version=version).exclude(fault_kind="", actions=0)
    if version.validated_at is not None:
        asked = asked.filter(match__finished_at__gt=version.validated_at)
    latest = asked.select_related("match").order_by("-match")[:_LOOKED_AT]
    telling = [seat for seat in latest if not _is_strict(seat.match.limits)]
    telling.sort(key=_ended_at, reverse=True)
    streak = telling[:FAULTS_IN_A_ROW]
    return streak if all(seat.fault_kind and seat.actions == 0 for seat in streak) else []


def _ended_at(seat: MatchSeat) -> tuple[datetime, int]:
    return seat.match.finished_at or seat.match.created_at, seat.match_id


def _started() -> QuerySet[MatchSeat]:
    played = MatchSeat.objects.filter(
        match__kind__in=COMPETITIONS, match__state=MatchState.DONE, match__is_revoked=False
    )
    return played.exclude(match__lane__in=HiddenLane.objects.in_force().values("lane"))


def _is_strict(limits: dict[str, Any]) -> bool:  # Any: numbers
    return any(value < getattr(_USUAL, name) for name, value in limits.items())
