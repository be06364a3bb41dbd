"""Accounts for every match by the rows from which pages and ratings are made."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from django.db.models import Count, Q

from pentathlon.fleet.models import WorkerToken
from pentathlon.matches.models import Attempt, AttemptState, Match, MatchSeat, MatchState
from pentathlon.matches.replays.models import Replay
from pentathlon.ratings.models import LedgerRow, LedgerState, Pool
from pentathlon.ratings.verification import verify_pool
from pentathlon.tournaments.models import Entry, Tournament
from pentathlon.tournaments.scheduling.verification import schedule_differences
from tools.chaos.silent import THIEF

_NOT_WANTED = "result not wanted"
_POOLS = 2
"""The number of pools per match: its tournament's own and the leaderboard's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """The numbers that a run is judged by."""

    matches: int
    lost: int
    """Matches without exactly one result: state, accepted attempt, replay or ledger is missing."""
    doubled: int
    """Matches whose result came in, or counts in a rating, more than once."""
    run_twice: int
    """Matches that took more than one attempt: the price of a strike, not a harm."""
    without_keys: int
    """Results that workers without keys handed in."""
    attempts: dict[str, int]
    charged: dict[str, int]
    """Seats with a fault, by kind. All bots are honest here, so each was blamed for a strike."""
    rating_differences: int
    schedule_differences: int
    """Differences from schedules made again, over all tournaments and ladder seasons."""
    quarantined: int
    """Worker tokens that are no longer trusted. All workers are honest here."""

    @property
    def is_sound(self) -> bool:
        """Whether nothing was lost, doubled or different, and nobody honest was blamed."""
        differences = self.rating_differences + self.schedule_differences
        return not (self.lost or self.doubled or self.charged or self.quarantined or differences)

    def to_json(self) -> dict[str, Any]:  # Any: JSON
        """Return the numbers by name."""
        return asdict(self)


def account_of(tournaments: Sequence[Tournament]) -> Account:
    """Count what became of the matches of rated tournaments whose matches are all played."""
    matches = Match.objects.filter(place__tournament__in=tournaments)
    accepted = Count("attempts", filter=Q(attempts__state=AttemptState.ACCEPTED))
    counted = matches.annotate(accepted=accepted)
    applied = _count_applied(matches)
    replays = set(Replay.objects.filter(match__in=matches).values_list("match_id", flat=True))
    lost, doubled = set(), set()
    for pk, state, times in counted.values_list("pk", "state", "accepted"):
        if state != MatchState.DONE or not times or pk not in replays or applied[pk] < _POOLS:
            lost.add(pk)
        if times > 1 or applied[pk] > _POOLS:
            doubled.add(pk)
    attempts = Counter(matches.values_list("attempts__state", flat=True))
    return Account(
        matches=matches.count(),
        lost=len(lost),
        doubled=len(doubled),
        run_twice=matches.filter(attempts_made__gt=1).count(),
        without_keys=Attempt.objects.filter(
            match__in=matches, state=AttemptState.ACCEPTED, worker_token__isnull=False
        ).count(),
        charged=_count_charged(tournaments),
        attempts={str(state): number for state, number in sorted(attempts.items())},
        rating_differences=sum(len(verify_pool(pool_id=pool.pk)) for pool in Pool.objects.all()),
        schedule_differences=sum(len(list(schedule_differences(each))) for each in tournaments),
        quarantined=WorkerToken.objects.exclude(quarantined_at=None)
        .exclude(name__startswith=THIEF)
        .count(),
    )


def refusals_in(logs: Path) -> dict[str, int]:
    """Return how many late results were dropped, by the code of the refusal.

    `stale_token`: the server refused the result. `match_abandoned`: the worker noticed before that
    its lease was gone.
    """
    codes: Counter[str] = Counter()
    for log in (*logs.glob("worker-*.log"), *logs.glob("standalone-*.log")):
        with log.open(errors="replace") as lines:
            codes.update(code for line in lines if (code := _refusal(line)))
    return dict(sorted(codes.items()))


def _count_charged(tournaments: Sequence[Tournament]) -> dict[str, int]:
    """Count the faults of all entries, including those in their validation."""
    versions = Entry.objects.filter(tournament__in=tournaments).values("version")
    kinds = MatchSeat.objects.filter(version__in=versions).exclude(fault_kind="")
    return dict(sorted(Counter(kinds.values_list("fault_kind", flat=True)).items()))


def _refusal(line: str) -> str | None:
    if _NOT_WANTED not in line:
        return None
    try:
        return str(json.loads(line)["code"])
    except (KeyError, TypeError, ValueError):  # a line cut short by the end of its process
        return None


def _count_applied(matches: Any) -> Counter[int]:  # Any: a QuerySet of matches
    rows = LedgerRow.objects.filter(match__in=matches, state=LedgerState.APPLIED)
    return Counter(rows.values_list("match_id", flat=True))
