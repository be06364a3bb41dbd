"""Bot versions that fail at their start again and again are taken out of schedules."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any, Final

from django.db.models import QuerySet

from pentathlon.bots.models import BotVersion
from pentathlon.bots.services import stop_version
from pentathlon.matches.hidden_lanes import HiddenLane
from pentathlon.matches.models import COMPETITIONS, MatchSeat, MatchState
from pentathlon_engines.match.limits import Limits

FAULTS_IN_A_ROW: Final = 5
"""How many faults at its start, one after the other, stop a version."""

_LOOKED_AT: Final = 50
_USUAL: Final = Limits()


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
