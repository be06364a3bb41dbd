"""What validation matches say about the uploads they were played for."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pentathlon.bots.models import BotVersion
from pentathlon.bots.services import settle_validation
from pentathlon.matches.models import Match, MatchKind, MatchState


def settle_versions(*, match_ids: Collection[int]) -> None:
    """Settle every bot version whose validation these ended matches decide."""
    ended = Match.objects.filter(pk__in=match_ids, kind=MatchKind.VALIDATION)
    for version_id in sorted(set(ended.values_list("seats__version", flat=True))):
        _settle_version(version_id)


def _settle_version(version_id: int) -> None:
    # The lock makes the later of two matches that end together see the other one.
    BotVersion.objects.select_for_update().get(pk=version_id)
    played = Match.objects.filter(kind=MatchKind.VALIDATION).of_version(version_id)
    matches = list(played.with_logs().order_by("pk"))
    failure = next(filter(None, map(_failure, matches)), None)
    if failure is None and any(match.state != MatchState.DONE for match in matches):
        return
    settle_validation(
        version_id=version_id,
        passed=failure is None,
        reason=failure or "",
        log=_log(matches),
    )


def _failure(match: Match) -> str | None:
    """Return why an upload cannot be trusted to play, as far as this match shows it."""
    if match.state == MatchState.VOID:
        return f"{match.game}: the validation match could not be run. {match.state_reason}"
    for seat in match.seats.all():
        if seat.fault_kind:
            return f"{match.game}: {seat.fault_kind} at ply {seat.fault_ply}. {seat.fault_detail}"
    return None


def _log(matches: Sequence[Match]) -> str:
    parts = [
        f"{match.game}, seat {seat.seat}:\n{seat.log.text}"
        for match in matches
        for seat in match.seats.all()
        if hasattr(seat, "log") and seat.log.text
    ]
    return "\n".join(parts)
