"""Assigns analyses to workers that have nothing to play.

Where matches always wait, analyses that people ask for would starve; a slot is lent to them then
(`loans`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any, Final, Protocol
from uuid import UUID, uuid4

from django.db.models import F, Q
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Now

from pentathlon.core.clock import database_now
from pentathlon.core.errors import Conflict, Damaged, DomainError, NotFound
from pentathlon.fleet.capabilities import read_fleet
from pentathlon.insight.analyses.jobs import (
    LONGEST_LOAN_S,
    PATIENCE_S,
    AnalysisJob,
    AnalysisResult,
    Row,
    next_loan_at,
)
from pentathlon.insight.analyses.models import Analysis, AnalysisQuerySet, AnalysisState
from pentathlon.insight.analyses.wire import curve_from_json, measured_from_json
from pentathlon.matches.hidden_lanes import may_become_hidden
from pentathlon.matches.models import Match, MatchQuerySet, MatchSeat, MatchState
from pentathlon.matches.replays.services import read_record
from pentathlon_engines import GAMES
from pentathlon_engines.analysis.curve import METHOD
from pentathlon_engines.commentary.words import count

MOST_ASKED: Final = 500
"""The most opened matches whose analyses may wait; further requests are not noted."""
LATEST: Final = 20
"""How many of the latest matches one search for missing analyses looks at."""
SHARE: Final = 1 / 4
"""The share of all slots that may compute at a time; at least one slot may."""
LEASE_S: Final = 60
RESEND_S: Final = 60
MOST_ATTEMPTS: Final = 3
GAVE_UP: Final = "gave_up"
"""The error of an analysis whose workers have died several times."""
NOT_READY: Final = "analysis_not_ready"


class Send(Protocol):
    """Sends a match to a worker; a slot that `is_lent` goes on while matches wait."""

    def __call__(self, match_id: int, *, is_lent: bool) -> None: ...


def ask_for_analysis(match: Match) -> None:
    """Put the analysis of a match first, for somebody who may see the match and has asked for it.

    Do nothing for a match that not everybody may see, or that was played by other rules.
    """
    if match.is_private or not _open_matches().filter(pk=match.pk).exists():
        return
    wanted = Analysis.objects.filter(state=AnalysisState.WAITING, asked_at__isnull=False)
    if wanted.values("pk")[:MOST_ASKED].count() >= MOST_ASKED:
        return
    Analysis.objects.get_or_create(match=match)
    mine = Analysis.objects.filter(match=match)
    ended = mine.filter(state__in=(AnalysisState.DONE, AnalysisState.FAILED), method__lt=METHOD)
    ended.update(state=AnalysisState.WAITING, attempts=0, cpu_ms=0)
    mine.filter(state=AnalysisState.WAITING, asked_at=None).update(asked_at=Now())


def send_analyses(*, send: Send) -> int:
    """Send matches to workers for analysis; return how many.

    While a match waits for a worker, or no slot is free, at most one slot is lent.
    """
    _return_expired()
    fleet = read_fleet()
    if not fleet.slots:
        return 0
    told = Analysis.objects.filter(state=AnalysisState.WAITING, sent_at__gt=_resend_before())
    busy = Analysis.objects.running().count() + told.count()
    free = fleet.slots - fleet.held_slots - Match.objects.live().count() - busy
    if free > 0 and not Match.objects.sent().exists():
        room = min(free, max(1, int(SHARE * fleet.slots)) - busy)
        _add_latest()
        unsent = Analysis.objects.waiting().filter(_is_unsent())
        return _tell(unsent, room, send=send, is_lent=False)
    if busy or not may_lend(fleet.slots):
        return 0
    starving = Analysis.objects.starving(PATIENCE_S).filter(_is_unsent())
    return _tell(starving, 1, send=send, is_lent=True)


def may_lend(slots: int) -> bool:
    """Return whether matches have had their share of these slots since the latest loan."""
    latest = Analysis.objects.lent().values_list("lent_at", "lent_ms").first()
    begun_at, held_ms = latest or (None, None)
    if begun_at is None:
        return True
    held_s = None if held_ms is None else held_ms / 1000
    return next_loan_at(begun_at=begun_at, held_s=held_s, slots=slots) <= database_now()


def sent_analyses() -> list[int]:
    """Return an analysis that a worker was told of and that nobody has begun, if there is one."""
    sent = Analysis.objects.waiting().filter(sent_at__isnull=False)
    return list(sent.values_list("pk", flat=True)[:1])


def sent_loans() -> list[int]:
    """Return an analysis that a slot is lent to and that nobody has begun, if there is one."""
    lent = Analysis.objects.starving(PATIENCE_S).filter(sent_at__isnull=False)
    found = list(lent.values_list("pk", flat=True)[:1])
    return found if found and may_lend(read_fleet().slots) else []


def claim_analyses(match_ids: Iterable[int], *, is_lent: bool) -> list[AnalysisJob]:
    """Take those of these analyses that wait, each under a lease."""
    claimed = (claim_analysis(pk, is_lent=is_lent) for pk in match_ids)
    return [job for job in claimed if job is not None]


def claim_analysis(match_id: int, *, is_lent: bool = False) -> AnalysisJob | None:
    """Take a waiting analysis under a lease.

    Returns None if another worker has it, if it is done, if not everybody may see its match, if
    its replay is damaged, or if another loan was made since a slot was lent to it.
    """
    token = uuid4()
    waiting = Analysis.objects.filter(pk=match_id, state=AnalysisState.WAITING)
    if not _open_matches().filter(pk=match_id).exists():
        waiting.delete()
        return None
    loan: dict[str, Any] = {}  # Any: fields
    if is_lent:
        if not may_lend(read_fleet().slots):
            waiting.update(sent_at=None)
            return None
        loan = {"lent_at": Now(), "lent_ms": None}
    taken = waiting.update(state=AnalysisState.RUNNING, token=token, lease_until=_lease(), **loan)
    if not taken:
        return None
    found = Analysis.objects.select_related("match__replay").get(pk=match_id)
    try:
        record = read_record(found.match.replay)
    except Damaged as error:
        fail_analysis(match_id=match_id, token=token, error=error.code)
        return None
    kept = found.measured or {}
    measured = kept["rows"] if kept.get("method") == METHOD else []
    return AnalysisJob(id=match_id, token=token, record=record, measured=measured, is_lent=is_lent)


def publish_analyses_again(match_ids: Collection[int]) -> None:
    """Take back unfollowed hints about these analyses, so that they are sent again."""
    waiting = Analysis.objects.filter(pk__in=match_ids, state=AnalysisState.WAITING)
    waiting.update(sent_at=None)


def renew_analyses(leases: Mapping[UUID, tuple[int, int]]) -> set[UUID]:
    """Renew leases, given by token as match and ply; return the tokens that still hold."""
    return {
        token for token, (pk, _) in leases.items() if _held(pk, token).update(lease_until=_lease())
    }


def accept_curves(results: Iterable[AnalysisResult]) -> list[DomainError | None]:
    """Store curves, or why there are none; return why a result is refused, or None.

    - `Conflict`: `stale_token` if the analysis was taken away from this worker before.
    - `InvalidInput`: `bad_curve` if it is no curve of this match.
    """
    return [_accept(result) for result in results]


def _accept(result: AnalysisResult) -> DomainError | None:
    pk, token = result.id, result.token
    try:
        if result.curve is None:
            is_stored = fail_analysis(pk, token, error=result.error)
        else:
            curve = curve_from_json(result.curve, **_size_of(pk))
            is_stored = store_curve(pk, token, curve=curve, cpu_ms=result.cpu_ms)
    except DomainError as error:
        return error
    if is_stored:
        return None
    reason = f"The analysis of match {pk} is no longer this worker's. Drop the result."
    return Conflict(reason, code="stale_token")


def _size_of(match_id: int) -> dict[str, int]:
    """Return the seats and plies of a match."""
    plies = Match.objects.filter(pk=match_id).values_list("ply", flat=True).first()
    if plies is None:
        raise NotFound(f"There is no match {match_id}.")
    return {"seats": MatchSeat.objects.filter(match=match_id).count(), "plies": plies}


def store_curve(
    match_id: int,
    token: UUID,
    *,
    curve: dict[str, Any],  # Any: JSON
    cpu_ms: int,
) -> bool:
    """Store a curve, all of it in one statement; return False if the analysis was taken away."""
    return bool(
        _ending(match_id, token).update(
            state=AnalysisState.DONE,
            method=curve["method"],
            curve=curve,
            cpu_ms=F("cpu_ms") + cpu_ms,
            error="",
            ended_at=Now(),
            measured=None,
            **_FREE,
        )
    )


def fail_analysis(match_id: int, token: UUID, *, error: str) -> bool:
    """Store that an analysis cannot be computed: nobody tries it again with this method."""
    return bool(
        _ending(match_id, token).update(
            state=AnalysisState.FAILED, method=METHOD, error=error[:30], ended_at=Now(), **_FREE
        )
    )


def return_analysis(
    match_id: int,
    token: UUID,
    *,
    has_died: bool = False,
    measured: Sequence[Row] = (),
    cpu_ms: int = 0,
) -> bool:
    """Give an analysis back for another worker, or for later; count it if the worker `has_died`.

    The next try continues from what this and earlier tries have measured.
    """
    held = _ending(match_id, token)
    if measured:
        rows = measured_from_json(measured, **_size_of(match_id))
        kept = {"method": METHOD, "rows": rows}
        held.update(measured=kept, cpu_ms=F("cpu_ms") + cpu_ms)
    if has_died:
        return bool(_count_death(held))
    return bool(held.update(state=AnalysisState.WAITING, sent_at=None, **_FREE))


_FREE: Final[dict[str, Any]] = {"token": None, "lease_until": None}  # Any: fields


def _is_unsent() -> Q:
    return Q(sent_at=None) | Q(sent_at__lte=_resend_before())


def _tell(found: AnalysisQuerySet, room: int, *, send: Send, is_lent: bool) -> int:
    chosen = list(found.values_list("pk", flat=True)[: max(0, room)])
    Analysis.objects.filter(pk__in=chosen).update(sent_at=Now())
    for match_id in chosen:
        send(match_id, is_lent=is_lent)
    return len(chosen)


def _held(match_id: int, token: UUID) -> AnalysisQuerySet:
    return Analysis.objects.filter(pk=match_id, state=AnalysisState.RUNNING, token=token)


def _ending(match_id: int, token: UUID) -> AnalysisQuerySet:
    """Return the analysis that this token holds, after noting how long a loan has lasted."""
    held = _held(match_id, token)
    lent_at = held.filter(lent_ms=None).values_list("lent_at", flat=True).first()
    if lent_at is not None:
        held_s = (database_now() - lent_at).total_seconds()
        held.update(lent_ms=round(1000 * min(held_s, LONGEST_LOAN_S)))
    return held


def _return_expired() -> None:
    """Give back the analyses of killed workers; give up those that have killed several."""
    running = Analysis.objects.running()
    _count_death(running.filter(lease_until__lt=Now()))


def _count_death(died: AnalysisQuerySet) -> int:
    last = died.filter(attempts__gte=MOST_ATTEMPTS - 1)
    ended = last.update(
        state=AnalysisState.FAILED,
        method=METHOD,
        error=GAVE_UP,
        attempts=F("attempts") + 1,
        ended_at=Now(),
        **_FREE,
    )
    waits = died.update(
        state=AnalysisState.WAITING, sent_at=None, attempts=F("attempts") + 1, **_FREE
    )
    return ended + waits


def _add_latest() -> None:
    """Add an analysis for each of the latest matches that has none yet."""
    latest = list(Match.objects.recent().values_list("pk", flat=True)[:LATEST])
    have = Analysis.objects.filter(pk__in=latest).values_list("pk", flat=True)
    missing = _open_matches().filter(pk__in=set(latest) - set(have)).values_list("pk", flat=True)
    Analysis.objects.bulk_create([Analysis(match_id=pk) for pk in missing], ignore_conflicts=True)


def _open_matches() -> MatchQuerySet:
    """Return matches with a replay by the rules of this release, which everybody may see."""
    playable = Q()
    for key, game in GAMES.items():
        playable |= Q(game=key, rules_version=game.info.version)
    shown = Match.objects.public().filter(~may_become_hidden())
    return shown.filter(playable, replay__isnull=False)


def _lease() -> CombinedExpression:
    return Now() + timedelta(seconds=LEASE_S)


def _resend_before() -> CombinedExpression:
    return Now() - timedelta(seconds=RESEND_S)


def read_curve(match: Match) -> dict[str, Any]:  # Any: JSON
    """Return the curve of a match; if there is none yet, have it computed soon.

    Raises:
        NotFound: `match_not_done`; `analysis_not_ready`: ask again in some minutes;
            `analysis_failed`: the curve cannot be computed; `analysis_hidden`: it is not computed
            before everybody may see the match.
    """
    if match.state != MatchState.DONE:
        raise NotFound(
            f"Match {match.pk} is not done: its chances are computed when it is over.",
            code="match_not_done",
        )
    if match.is_private:
        raise NotFound(
            f"Not everybody may see match {match.pk}: its chances are computed when its results "
            "are released.",
            code="analysis_hidden",
        )
    found = Analysis.objects.filter(pk=match.pk).first()
    if found is None or found.asked_at is None:
        ask_for_analysis(match)
    if found is not None and found.curve is not None:
        curve: dict[str, Any] = found.curve  # Any: JSON
        return curve
    if found is not None and found.state == AnalysisState.FAILED:
        raise NotFound(
            f"The chances of match {match.pk} cannot be computed ({found.error}). The operators "
            "of this site can say why; its replay is not affected.",
            code="analysis_failed",
        )
    raise NotFound(
        f"The win-chance curve of match {match.pk} is being computed. {_how_far(found)}",
        code=NOT_READY,
    )


def _how_far(found: Analysis | None) -> str:
    rows = (found.measured or {}).get("rows", []) if found is not None else []
    if rows:
        return f"Measured so far: {count(len(rows), 'position')}; the others follow."
    return "Ask again in about two minutes."
