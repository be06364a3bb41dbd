"""Spot checks: results of workers without keys, played again by others.

One result in so many (`PENTATHLON_SPOT_CHECKS`) is drawn when it is handed in, and played by
another worker. If the two differ, a third worker that is trusted with everything plays the match
twice. A bot that differs between these two is unsteady, and the check proves nothing; otherwise
the worker that stands alone against the others is put in quarantine. Its fault can be on either
side.

A *party* is a worker token, or all workers beside the database. These hold the keys anyway, so
their results are not drawn; but they play what others have played.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import Final

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.db.models.functions import Now

from pentathlon.core.bulkheads import Bulkheads
from pentathlon.core.clock import database_now
from pentathlon.core.statements import Read
from pentathlon.fleet.capabilities import NO_TOKEN, read_fleet
from pentathlon.matches.models import (
    PRIVATE_KINDS,
    Attempt,
    AttemptState,
    Match,
    MatchKind,
    MatchSeat,
    MatchState,
)
from pentathlon.matches.replays.models import Replay
from pentathlon.matches.replays.services import read_record
from pentathlon.matches.requirements import requirements_of_versions
from pentathlon.matches.services import schedule_matches, void_matches
from pentathlon.matches.specs import MatchSpec
from pentathlon.trust.models import CheckRun, CheckState, SpotCheck, UnsteadyVersion
from pentathlon.trust.quarantine import begin_quarantine
from pentathlon_engines.match.events import Event
from pentathlon_engines.match.faults import FaultKind
from pentathlon_engines.record.shape import Record

PATIENCE: Final = timedelta(minutes=15)
"""How long a match that is played again may wait and run."""
MOST_OPEN: Final = 50
"""While this many checks are open, no more results are drawn."""
_TIMED: Final = (
    FaultKind.STARTUP,
    FaultKind.WALL_TIME,
    FaultKind.CPU_TIME,
    FaultKind.OUT_OF_TURN,
)
"""Faults that a bot may commit only because a host is slower."""
_ORIGINAL, _AGAIN, _ONCE, _TWICE = range(4)
_checks = Bulkheads[int]("spot check")
"""The numbers of a spot check's runs."""

_UNSTEADY = MatchSeat.objects.filter(
    match=OuterRef("match"), version__in=UnsteadyVersion.objects.values("pk")
)
_PLAYED_AFAR: Final = Read(
    lambda ids: (
        Attempt.objects.filter(
            ~Exists(_UNSTEADY),
            match__pk__in=ids,
            state=AttemptState.ACCEPTED,
            match__state=MatchState.DONE,
            worker_token__isnull=False,
        )
        .exclude(match__kind__in=PRIVATE_KINDS)
        .values_list("match_id", "worker_token")
    )
)
"""The accepted results of workers with a token, with these tokens."""
_log = structlog.stdlib.get_logger(__name__)


def sample_results(match_ids: Collection[int]) -> None:
    """Draw some of the results that have just been accepted, to be played again."""
    one_in = settings.SPOT_CHECKS
    drawn = [pk for pk in match_ids if one_in and not secrets.randbelow(one_in)]
    parties = {match: token or NO_TOKEN for match, token in _PLAYED_AFAR(drawn)}
    if not parties or SpotCheck.objects.filter(state=CheckState.OPEN).count() >= MOST_OPEN:
        return
    checks = SpotCheck.objects.bulk_create(SpotCheck() for _ in parties)
    CheckRun.objects.bulk_create(
        CheckRun(check_of=check, number=_ORIGINAL, match_id=match, party=party)
        for check, (match, party) in zip(checks, parties.items(), strict=True)
    )


def advance_spot_checks() -> int:
    """Take every open check that waits for nothing one step further; return how many."""
    going_on = CheckRun.objects.filter(
        check_of=OuterRef("pk"),
        match__state__in=(MatchState.PENDING, MatchState.RUNNING),
        match__created_at__gt=Now() - PATIENCE,
    )
    ready = SpotCheck.objects.filter(~Exists(going_on), state=CheckState.OPEN).order_by("pk")
    ids = list(ready.values_list("pk", flat=True)[:MOST_OPEN])
    return len(list(_checks.each(ids, _advance)))


@transaction.atomic
def _advance(check_id: int) -> None:
    check = SpotCheck.objects.select_for_update().get(pk=check_id)
    if check.state != CheckState.OPEN:
        return
    runs = list(check.runs.order_by("number").select_related("match"))
    if any(run.match.state != MatchState.DONE for run in runs):
        played_again = Match.objects.filter(check_run__check_of=check, kind=MatchKind.SPOT_CHECK)
        void_matches(matches=played_again, reason="No worker has played it again in time.")
        _end(check, CheckState.UNPROVEN, "A match was not played again in time.")
        return
    if MatchSeat.objects.filter(match__in=[run.match_id for run in runs], fault_kind__in=_TIMED):
        _end(check, CheckState.UNPROVEN, "A bot ran out of time, which may depend on the host.")
        return
    if not _is_played_by_parties(runs):
        _end(check, CheckState.UNPROVEN, "Workers other than those asked have played it again.")
        return
    _STEPS[len(runs)](check, runs)


def _is_played_by_parties(runs: Sequence[CheckRun]) -> bool:
    """Return whether each run was played by its party: older releases reserve no matches."""
    accepted = Attempt.objects.filter(
        match__in=[run.match_id for run in runs], state=AttemptState.ACCEPTED
    )
    played = dict(accepted.values_list("match_id", "worker_token"))
    return all((played.get(run.match_id) or NO_TOKEN) == run.party for run in runs)


def _play_elsewhere(check: SpotCheck, runs: Sequence[CheckRun]) -> None:
    """Schedule a spot check of a drawn result by another worker."""
    if not _play_again(check, runs, numbers=(_AGAIN,), by_trusted=False):
        _end(check, CheckState.UNPROVEN, "There is no other worker that can play it.")


def _compare_two(check: SpotCheck, runs: Sequence[CheckRun]) -> None:
    """End a check that agrees; else have a third worker decide."""
    original, again = map(_course, runs)
    if original == again:
        _end(check, CheckState.AGREED, "Another worker got the same result.")
    elif not _play_again(check, runs, numbers=(_ONCE, _TWICE), by_trusted=True):
        reason = "Two workers differ, and there is no third that is trusted with everything."
        _end(check, CheckState.DISPUTED, reason)


def _decide(check: SpotCheck, runs: Sequence[CheckRun]) -> None:
    """Find the worker that stands alone, unless a bot is unsteady."""
    courses = [_course(run) for run in runs]
    if courses[_ONCE] != courses[_TWICE]:
        _note_unsteady(runs[_ONCE].match_id, runs[_TWICE].match_id)
        _end(check, CheckState.UNPROVEN, "A bot plays differently on one and the same worker.")
        return
    alone = [run for run in runs[:_ONCE] if courses[run.number] != courses[_ONCE]]
    if len(alone) != 1:
        _end(check, CheckState.DISPUTED, "All three workers differ.")
        return
    party, match = alone[0].party, runs[_ORIGINAL].match_id
    if party == NO_TOKEN:
        reason = f"{alone[0].match.worker}, which has no token, stands alone: look at its host."
        _end(check, CheckState.DISPUTED, reason)
        return
    _end(check, CheckState.OUTVOTED, f"{alone[0].match.worker} stands alone against two others.")
    reason = f"Two other workers agree on a different result for match {match}."
    begin_quarantine(token_id=party, reason=reason, check=check)


_STEPS: Final = {1: _play_elsewhere, 2: _compare_two, 4: _decide}
"""The next step of a check, by the number of runs that are done."""


def _course(run: CheckRun) -> tuple[str, tuple[int | None, ...]]:
    """Return the events and the outcome of a run."""
    ranks = run.match.seats.order_by("seat").values_list("rank", flat=True)
    return run.match.course, tuple(ranks)


def _end(check: SpotCheck, state: CheckState, reason: str) -> None:
    check.state, check.reason, check.ended_at = state, reason, database_now()
    check.save(update_fields=("state", "reason", "ended_at"))
    if state in (CheckState.OUTVOTED, CheckState.DISPUTED):
        _log.warning("workers differ", check=check.pk, state=state, reason=reason)


def _play_again(
    check: SpotCheck, runs: Sequence[CheckRun], *, numbers: Sequence[int], by_trusted: bool
) -> bool:
    """Schedule runs of the match for one party that has not played it; False if there is none."""
    match = runs[_ORIGINAL].match
    seats = match.seats.order_by("seat").select_related("version__bot")
    versions = [seat.version for seat in seats]
    # A worker that may not play the match itself must not learn its seed either.
    needs = [
        requirements_of_versions(
            versions, game=match.game, rules_version=match.rules_version, rated=rated
        )
        for rated in {match.rated, False}
    ]
    tried = {run.party for run in runs}
    parties = {
        each.party
        for each in read_fleet().capabilities
        if each.party not in tried
        and (each.is_trusted_with_all or not by_trusted)
        and all(map(each.satisfies, needs))
    }
    if not parties:
        return False
    party = secrets.choice(sorted(parties))
    spec = MatchSpec(
        kind=MatchKind.SPOT_CHECK,
        game=match.game,
        seating=tuple(version.pk for version in versions),
        options=match.options,
        seed=match.seed,
        alias=match.alias,
        limits=match.limits,
        reserved_for=party,
    )
    again = schedule_matches([spec] * len(numbers))
    CheckRun.objects.bulk_create(
        CheckRun(check_of=check, number=number, match=each, party=party)
        for number, each in zip(numbers, again, strict=True)
    )
    return True


def _note_unsteady(*match_ids: int) -> None:
    """Note the bot that was the first to play differently in two matches."""
    replays = Replay.objects.filter(match__in=match_ids).order_by("match")
    seat = _first_to_differ(*map(read_record, replays))
    seats = MatchSeat.objects.filter(match=match_ids[0])
    if seat is not None:
        seats = seats.filter(seat=seat)
    UnsteadyVersion.objects.bulk_create(
        (UnsteadyVersion(version_id=each) for each in seats.values_list("version", flat=True)),
        ignore_conflicts=True,
    )


def _first_to_differ(one: Record, other: Record) -> int | None:
    """Return the seat whose action differs first; None if no action does."""
    for mine, theirs in zip(one["events"], other["events"], strict=False):
        first, second = Event.of(mine), Event.of(theirs)
        if (first.seat, first.text) != (second.seat, second.text):
            return first.seat
    return None
