"""Everything that changes meetings and their sums. Each result counts once, whatever runs twice.

A match that ends is queued in the transaction that ends it. A step of the reconciler takes matches
from the queue in small parts: meetings, sums and the queue change together. A match whose result
was taken back is queued again, and counting it anew removes its meetings.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from django.db import transaction
from django.db.models import Exists, OuterRef

from pentathlon.insight.rivalry.meetings import (
    Rated,
    make_meetings,
    public_results,
    read_rated,
    read_sides,
)
from pentathlon.insight.rivalry.models import (
    CountingState,
    HeldLaneOfResults,
    Meeting,
    UncountedResult,
)
from pentathlon.insight.rivalry.sums import add, new_ledger, store
from pentathlon.matches.hidden_lanes import HiddenLane, hidden_from
from pentathlon.matches.models import PRIVATE_KINDS, Match, MatchState

_STEP_S: Final = 0.3
_AT_ONCE: Final = 25
"""Matches counted in one transaction: about 200 rows at tables of two, 1,000 at tables of five."""
_AT_ONCE_IN_ALL: Final = 500
"""The same where nobody waits for the transaction's locks."""
_PATROLLED: Final = 300
_PATROL_EVERY_S: Final = 5.0
"""Seconds between two patrols while they find nothing."""
_RELEASED: Final = 500
_MANY: Final = 1000


def queue_results(match_ids: Collection[int]) -> None:
    """Have the results of matches counted soon, or counted again; in the caller's transaction."""
    ids = sorted(match_ids)
    for start in range(0, len(ids), _MANY):
        # Not "do nothing": a counter at work may have read the match before this change. So this
        # has to wait for that counter and queue the match again.
        UncountedResult.objects.bulk_create(
            (UncountedResult(match_id=pk) for pk in ids[start : start + _MANY]),
            update_conflicts=True,
            unique_fields=("match",),
            update_fields=("held_lane",),
        )


@dataclass(slots=True)
class ResultCounter:
    """Counts the queued results; it remembers how far it has looked.

    A result that cannot be counted yet, because no rating has been applied, holds up no other.
    """

    at_once: int = _AT_ONCE
    after: int = 0
    patrols_at: float = 0.0

    def count_results(self, *, for_s: float = _STEP_S) -> int:
        """Count results for about `for_s` seconds; return how many were settled."""
        deadline = time.monotonic() + for_s
        release_held()
        if time.monotonic() >= self.patrols_at and not patrol().found:
            self.patrols_at = time.monotonic() + _PATROL_EVERY_S
        settled = 0
        while True:
            part, seen = self._count_part()
            settled += part
            if seen < self.at_once or time.monotonic() > deadline:
                return settled

    def _count_part(self) -> tuple[int, int]:
        """Count the next results of the queue; return how many were settled, and looked at."""
        with transaction.atomic():
            lock_counting()
            waiting = UncountedResult.objects.filter(held_lane=None, match__gt=self.after)
            chosen = waiting.order_by("match").select_for_update()
            ids = list(chosen.values_list("match", flat=True)[: self.at_once])
            settled = _settle(ids)
        self.after = ids[-1] if len(ids) == self.at_once else 0
        return settled, len(ids)


def count_all() -> int:
    """Count everything that can be counted now; return how many results were settled."""
    CountingState.objects.update(patrolled=0)
    while not patrol().is_round:
        pass
    counter, settled = ResultCounter(at_once=_AT_ONCE_IN_ALL), 0
    while part := counter.count_results(for_s=60):
        settled += part
    return settled


class Patrol(NamedTuple):
    """The findings of a search for forgotten results."""

    found: int
    is_round: bool
    """Whether the search has reached the last match."""


@transaction.atomic
def patrol(*, limit: int = _PATROLLED) -> Patrol:
    """Queue forgotten results among some matches in a row.

    These are results from before there were meetings, and those of processes of the previous
    release. After the last match, the search begins again.
    """
    state = lock_counting()
    matches = Match.objects.filter(pk__gt=state.patrolled).order_by("pk")
    ids = list(matches.values_list("pk", flat=True)[:limit])
    lost = Match.objects.filter(
        ~Exists(Meeting.objects.filter(match=OuterRef("pk"))),
        ~Exists(UncountedResult.objects.filter(match=OuterRef("pk"))),
        pk__in=ids,
        state=MatchState.DONE,
        is_revoked=False,
    ).exclude(kind__in=PRIVATE_KINDS)
    found = list(lost.values_list("pk", flat=True))
    queue_results(found)
    state.patrolled = ids[-1] if len(ids) == limit else 0
    state.save(update_fields=("patrolled",))
    return Patrol(len(found), is_round=not state.patrolled)


@transaction.atomic
def release_held() -> int:
    """Queue results that are no longer hidden; return how many."""
    hidden = HiddenLane.objects.in_force().values("lane")
    lane = HeldLaneOfResults.objects.exclude(lane__in=hidden).order_by("lane").first()
    if lane is None:
        return 0
    held = UncountedResult.objects.filter(held_lane=lane.pk).order_by("match")
    ids = list(held.select_for_update().values_list("match", flat=True)[:_RELEASED])
    UncountedResult.objects.filter(pk__in=ids).update(held_lane=None)
    if len(ids) < _RELEASED:
        lane.delete()
    return len(ids)


def lock_counting() -> CountingState:
    """Keep other counters out until the transaction ends: they would add to the same sums."""
    CountingState.objects.get_or_create(pk=1)
    return CountingState.objects.select_for_update().get(pk=1)


def _settle(ids: Collection[int]) -> int:
    """Count these matches as they stand now, and take them from the queue; return how many."""
    if not ids:
        return 0
    rated = read_rated(ids)
    ready = {pk for pk in ids if rated[pk].is_settled}
    shown = public_results(ready)
    held = _hold(ready - shown.keys())
    settled = ready - held
    _replace(ready, shown, rated)
    UncountedResult.objects.filter(pk__in=settled).delete()
    return len(settled)


def _replace(
    match_ids: Collection[int], shown: Mapping[int, Match], rated: Mapping[int, Rated]
) -> None:
    """Replace the meetings of matches by their present ones, and change the sums with them."""
    ledger = new_ledger()
    old = Meeting.objects.filter(match__in=match_ids)
    for meeting in old:
        add(ledger, meeting, times=-1)
    sides = read_sides(shown)
    new = [
        meeting
        for pk, match in sorted(shown.items())
        for meeting in make_meetings(match, sides[pk], rated[pk])
    ]
    for meeting in new:
        add(ledger, meeting)
    old.delete()
    Meeting.objects.bulk_create(new)
    store(ledger)


def _hold(ids: Collection[int]) -> set[int]:
    """Set hidden results aside until their release; return their matches."""
    done = Match.objects.filter(pk__in=ids, state=MatchState.DONE, is_revoked=False)
    hidden = done.exclude(kind__in=PRIVATE_KINDS).filter(hidden_from(None))
    found = dict(hidden.values_list("pk", "lane"))
    for lane in sorted(set(found.values())):
        HeldLaneOfResults.objects.get_or_create(lane=lane)
        of_lane = [pk for pk, each in found.items() if each == lane]
        UncountedResult.objects.filter(pk__in=of_lane).update(held_lane=lane)
    return set(found)
