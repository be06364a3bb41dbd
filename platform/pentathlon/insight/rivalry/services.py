"""Makes the meetings of results: each counts once, whatever runs twice.

A match that ends is queued in the transaction that ends it. A step of the reconciler takes matches
from the queue in small parts and replaces their meetings by those of their present result. A match
whose result was taken back is queued again, and then has none.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

from django.db import transaction

from pentathlon.insight.rivalry.meetings import make_meetings, read_rated, read_sides
from pentathlon.insight.rivalry.models import Meeting, UncountedResult
from pentathlon.matches.models import PRIVATE_KINDS, Match, MatchState

_STEP_S: Final = 0.3
_AT_ONCE: Final = 25
"""Matches counted in one transaction: 50 rows at tables of two, 500 at tables of five."""
_AT_ONCE_IN_ALL: Final = 500
"""The same where nobody waits for the transaction's locks."""


def queue_results(match_ids: Collection[int]) -> None:
    """Have the results of matches counted soon, or counted again; in the caller's transaction."""
    UncountedResult.objects.bulk_create(
        (UncountedResult(match_id=pk) for pk in sorted(match_ids)), batch_size=1000
    )


@dataclass(slots=True)
class ResultCounter:
    """Counts the queued results; it remembers how far it has looked.

    A result that cannot be counted yet, because no rating has been applied, holds up no other.
    """

    at_once: int = _AT_ONCE
    after: int = 0

    def count_results(self, *, for_s: float = _STEP_S) -> int:
        """Count results for about `for_s` seconds; return how many were settled."""
        deadline = time.monotonic() + for_s
        settled = 0
        while True:
            part, seen = self._count_part()
            settled += part
            if seen < self.at_once or time.monotonic() > deadline:
                return settled

    @transaction.atomic
    def _count_part(self) -> tuple[int, int]:
        """Count the next results of the queue; return how many were settled, and looked at."""
        waiting = UncountedResult.objects.filter(pk__gt=self.after).order_by("pk")
        queued = dict(waiting.values_list("pk", "match")[: self.at_once])
        settled = _settle(set(queued.values()))
        UncountedResult.objects.filter(pk__in=queued, match__in=settled).delete()
        self.after = max(queued) if len(queued) == self.at_once else 0
        return len(settled), len(queued)


def count_all() -> int:
    """Count everything that can be counted now; return how many results were settled."""
    counter, settled = ResultCounter(at_once=_AT_ONCE_IN_ALL), 0
    while part := counter.count_results(for_s=60):
        settled += part
    return settled


def _settle(ids: Collection[int]) -> set[int]:
    """Make the meetings of matches as they stand now; return those that wait for no rating."""
    # Of two counters with the same match, the later one must see what the earlier one made.
    locked = Match.objects.filter(pk__in=ids).order_by("pk").select_for_update(no_key=True)
    matches = {match.pk: match for match in locked}
    rated = read_rated(ids)
    settled = {pk for pk in ids if rated[pk].is_settled}
    Meeting.objects.filter(match__in=settled).delete()
    counted = [pk for pk in sorted(settled) if _is_counted(matches[pk])]
    sides = read_sides(counted)
    _add_meetings(
        made for pk in counted for made in make_meetings(matches[pk], sides[pk], rated[pk])
    )
    return settled


def _add_meetings(made: Iterable[Meeting]) -> None:
    Meeting.objects.bulk_create(made, batch_size=500)


def _is_counted(match: Match) -> bool:
    stands = match.state == MatchState.DONE and not match.is_revoked
    return stands and match.kind not in PRIVATE_KINDS
