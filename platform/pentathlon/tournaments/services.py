"""The life of a tournament, from its start to its end.

draft --open--> open --start--> running <--pause, resume--> paused
                                   |                           |
                                   +--> closed (all done)      +--> cancelled (also from open
                                   <--requeue--+                    and running)
"""

from __future__ import annotations

import time

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now

from pentathlon.accounts.audit.models import AuditAction
from pentathlon.accounts.models import User
from pentathlon.core.bulkheads import Bulkheads
from pentathlon.matches.hidden_lanes import is_repeated
from pentathlon.matches.models import Match
from pentathlon.matches.services import hold_lane, release_lane, void_matches
from pentathlon.ratings.models import Pool, tournament_key
from pentathlon.ratings.services import note_arithmetic, open_live_pool, open_pool
from pentathlon.tournaments.documents import checks
from pentathlon.tournaments.documents.document import document, draft_document, event_key
from pentathlon.tournaments.guards import TournamentSteps, lock_own
from pentathlon.tournaments.models import FinalRow, Tournament, TournamentState
from pentathlon.tournaments.notices import audit_tournament, note_end, note_tournament
from pentathlon.tournaments.results.final_table import final_rows
from pentathlon.tournaments.results.hidden_results import public_result
from pentathlon.tournaments.scheduling.blocks import settle_blocks
from pentathlon.tournaments.scheduling.schedules import extend_schedule, matches_at_once
from pentathlon_engines import GAMES

_BATCH = 1000
_CALLED_OFF_AT_ONCE = 250
_final_tables = TournamentSteps(
    "final table of tournament", told="Its final table cannot be made."
)
_cancelled = Bulkheads[int]("matches of cancelled tournament")


@transaction.atomic
def start_tournament(*, actor: User, tournament: Tournament) -> Tournament:
    """Start a tournament; make a short schedule at once, leave a long one to the reconciler."""
    tournament = lock_own(actor, tournament, TournamentState.OPEN, to="start")
    versions = [entry.version for entry in tournament.entries.in_order()]
    checks.check_enough(draft_document(tournament))
    checks.check_eligible(versions, game=tournament.game, is_repeat=is_repeated(tournament.pk))
    open_live_pool(game=tournament.game)
    _fix_document(tournament)
    tournament.state = TournamentState.RUNNING
    _note_size(tournament)
    if (tournament.most or tournament.planned) <= matches_at_once(tournament):
        while extend_schedule(tournament_id=tournament.pk):
            pass
        tournament.refresh_from_db()
    audit_tournament(AuditAction.TOURNAMENT_START, tournament, actor=actor)
    note_tournament("tournament.started", tournament)
    return _set_time(tournament, "started_at")


@transaction.atomic
def pause_tournament(*, actor: User, tournament: Tournament) -> Tournament:
    """Start no more matches for now; running ones end normally."""
    tournament = lock_own(actor, tournament, TournamentState.RUNNING, to="pause")
    hold_lane(tournament.pk)
    audit_tournament(AuditAction.TOURNAMENT_PAUSE, tournament, actor=actor)
    return _set_state(tournament, TournamentState.PAUSED)


@transaction.atomic
def resume_tournament(*, actor: User, tournament: Tournament) -> Tournament:
    """Resume a tournament after a pause."""
    tournament = lock_own(actor, tournament, TournamentState.PAUSED, to="resume")
    release_lane(tournament.pk)
    audit_tournament(AuditAction.TOURNAMENT_RESUME, tournament, actor=actor)
    return _set_state(tournament, TournamentState.RUNNING)


@transaction.atomic
def cancel_tournament(*, actor: User, tournament: Tournament) -> Tournament:
    """Void all matches that have not ended; earlier results stay and keep counting."""
    states = (TournamentState.OPEN, TournamentState.RUNNING, TournamentState.PAUSED)
    tournament = lock_own(actor, tournament, *states, to="cancel")
    hold_lane(tournament.pk)
    audit_tournament(AuditAction.TOURNAMENT_CANCEL, tournament, actor=actor)
    tournament.planned, tournament.fewest, tournament.most = tournament.scheduled, None, None
    tournament.save(update_fields=("planned", "fewest", "most"))
    tournament = _set_state(tournament, TournamentState.CANCELLED)
    return _call_off(tournament)


def call_off_cancelled(*, for_s: float = settings.STEP_S) -> int:
    """Void matches of cancelled tournaments for about `for_s` seconds; return how many ended.

    The reconciler calls it again and again. None of these matches starts meanwhile.
    """
    deadline = time.monotonic() + for_s

    def call_off(tournament_id: int) -> bool:
        while time.monotonic() < deadline:
            with transaction.atomic():
                unlocked = Tournament.objects.select_for_update(skip_locked=True)
                locked = unlocked.filter(pk=tournament_id, finished_at=None).first()
                if locked is None or _call_off(locked).finished_at is not None:
                    return locked is not None
        return False

    unended = Tournament.objects.filter(state=TournamentState.CANCELLED, finished_at=None)
    ids = list(unended.order_by("pk").values_list("pk", flat=True))
    return sum(_cancelled.each(ids, call_off))


def _call_off(tournament: Tournament) -> Tournament:
    """Void a batch of matches of a locked, cancelled tournament; end it when none is left."""
    lane = Match.objects.of_lane(tournament.pk)
    # Each match may have rows in two pools, too. Running matches come first, then those that wait
    # in schedule order.
    ids = list(lane.live().values_list("pk", flat=True)[:_CALLED_OFF_AT_ONCE])
    room = _CALLED_OFF_AT_ONCE - len(ids)
    ids += lane.waiting().values_list("pk", flat=True)[:room]
    reason = "The tournament was cancelled."
    void_matches(matches=Match.objects.filter(pk__in=ids), reason=reason)
    if lane.live().exists() or lane.waiting().exists():
        return tournament
    release_lane(tournament.pk)
    return _end(tournament, TournamentState.CANCELLED)


def close_finished() -> list[Tournament]:
    """Close every tournament in which nothing is left to do, and store its final table.

    If one table cannot be computed, the other tournaments are closed all the same.
    """
    if not Tournament.objects.played().exists():
        return []
    settle_blocks()
    finished = {each.pk: each for each in Tournament.objects.finished().order_by("pk")}
    closed = list(_final_tables.each(finished, lambda pk: _close(finished[pk])))
    return [tournament for tournament in closed if tournament is not None]


def _close(tournament: Tournament) -> Tournament | None:
    # The fit takes seconds for thousands of matches, so it happens outside of the transaction.
    # Meanwhile the organiser may pause or cancel the tournament, or requeue a void match that is
    # played and rated before the fit is done. `results_version` tells: it was read in the
    # statement that found nothing waiting.
    rows = final_rows(tournament)
    with transaction.atomic():
        unlocked = Tournament.objects.select_for_update(skip_locked=True)
        locked = unlocked.filter(pk=tournament.pk).first()
        if locked is None or locked.results_version != tournament.results_version:
            return None
        if not Tournament.objects.finished().filter(pk=locked.pk).exists():
            return None
        FinalRow.objects.bulk_create(rows, batch_size=_BATCH)
        if locked.pool_id is not None:
            note_arithmetic(pool_id=locked.pool_id)
        note_end(locked, more=public_result(locked))
        return _end(locked, TournamentState.CLOSED)


def _close_gaps(tournament: Tournament) -> None:
    """Number entries without gaps, as the document counts them, in the order of entry."""
    # In ascending order, so that each new number is free when it is given.
    for number, entry in enumerate(tournament.entries.scheduled().order_by("number")):
        if entry.number != number:
            entry.number = number
            entry.save(update_fields=("number",))


def _fix_document(tournament: Tournament) -> Pool:
    """Store the document, which never changes from here on; return the tournament's pool."""
    _close_gaps(tournament)
    pool = open_pool(
        key=tournament_key(tournament.pk),
        game=tournament.game,
        title=tournament.name,
        draw_probability=tournament.draw_probability,
        beta=tournament.beta,
    )
    tournament.pool = pool
    tournament.rules_version = GAMES[tournament.game].info.version
    planned = draft_document(tournament)
    tournament.fixed_document = planned.to_json()
    tournament.tie_breaks, tournament.leaving = list(planned.tie_breaks), planned.leaving or ""
    decided = ("pool", "rules_version", "fixed_document", "tie_breaks", "leaving")
    tournament.save(update_fields=decided)
    return pool


def _note_size(tournament: Tournament) -> None:
    """Store how many matches there will be, as far as the document tells."""
    planned = document(tournament)
    size = planned.scheduling.size(planned.plan(key=event_key(tournament)), len(planned.entries))
    tournament.planned = size.expected
    if size.fewest != size.most:
        tournament.fewest, tournament.most = size.fewest, size.most
    tournament.save(update_fields=("state", "planned", "fewest", "most"))


def _set_state(tournament: Tournament, state: TournamentState) -> Tournament:
    tournament.state = state
    tournament.save(update_fields=("state",))
    return tournament


def _end(tournament: Tournament, state: TournamentState) -> Tournament:
    """End a tournament and publish its secret for good."""
    sealed = Tournament.objects.filter(pk=tournament.pk, revealed_at=None)
    sealed.update(revealed_at=Now())
    tournament.refresh_from_db(fields=("revealed_at",))
    return _set_time(_set_state(tournament, state), "finished_at")


def _set_time(tournament: Tournament, field: str) -> Tournament:
    """Set a time field by the database's clock, as for all other times."""
    Tournament.objects.filter(pk=tournament.pk).update(**{field: Now()})
    tournament.refresh_from_db(fields=(field,))
    return tournament
