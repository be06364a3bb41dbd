"""The consequences of validation matches for the uploads they test."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from django.db.models import Prefetch

from pentathlon.bots.models import BotVersion
from pentathlon.bots.services import leave_unchecked, settle_validation
from pentathlon.matches.models import Match, MatchKind, MatchSeat, MatchState

_UNFINISHED = (MatchState.PENDING, MatchState.RUNNING)


Answers = Mapping[tuple[int, int], str]
"""What was wrong with the answers at faults, in words for the author, by match and seat."""


def settle_versions(*, match_ids: Collection[int], answers: Answers | None = None) -> None:
    """Settle every bot version whose validation these ended matches decide."""
    ended = Match.objects.filter(pk__in=match_ids, kind=MatchKind.VALIDATION)
    for version_id in sorted(set(ended.values_list("seats__version", flat=True))):
        _settle_version(version_id, answers or {})


def _settle_version(version_id: int, answers: Answers) -> None:
    # Because of the lock, the later of two matches that end together sees the earlier one.
    BotVersion.objects.select_for_update().get(pk=version_id)
    seats = MatchSeat.objects.order_by("seat").select_related("log")
    played = Match.objects.validations_of(version_id).order_by("pk")
    matches = list(played.prefetch_related(Prefetch("seats", queryset=seats)))
    fault = next(filter(None, map(_fault, matches)), None)
    if fault is None and any(match.state in _UNFINISHED for match in matches):
        return
    void = next((match for match in matches if match.state == MatchState.VOID), None)
    if fault is None and void is not None:
        leave_unchecked(version_id=version_id, reason=_apology(void), log=_log(matches, answers))
        return
    log = _log(matches, answers)
    settle_validation(version_id=version_id, passed=fault is None, reason=fault or "", log=log)


def _fault(match: Match) -> str | None:
    """Return what the upload did wrong in this match; None for nothing."""
    for seat in match.seats.all():
        if seat.fault_kind:
            return f"{match.game}: {seat.fault_kind} at ply {seat.fault_ply}: {seat.fault_detail}"
    return None


def _apology(match: Match) -> str:
    return (
        f"No fault of the bot: our machines could not play its match of {match.game}. "
        f"Its author can have it validated again. {match.state_reason}"
    )


def _log(matches: Sequence[Match], answers: Answers) -> str:
    """Return what the upload wrote, and last its wrong answers, because the end is always kept."""
    parts = [
        f"{match.game}, seat {seat.seat}:\n{seat.log.text}"
        for match in matches
        for seat in match.seats.all()
        if hasattr(seat, "log") and seat.log.text
    ]
    told = [
        f"{match.game}, seat {seat.seat}: {answers[match.pk, seat.seat]}"
        for match in matches
        for seat in match.seats.all()
        if (match.pk, seat.seat) in answers
    ]
    return "\n".join([*(part.rstrip("\n") for part in parts), *told])
