"""Hidden results, which only organisers and staff see until they are released.

`are_hidden` decides about a tournament, `Match.objects.visible_to` about its matches; both read
the same row. A tournament hides all results, or those from its freeze on. Such a tournament is
unrated: a rating that moves shows a result, and results that count late would change leaderboards
in another order than that of play.
"""

from __future__ import annotations

from typing import Final

from django.db import transaction
from django.db.models.functions import Now

from pentathlon.accounts.audit.models import AuditAction
from pentathlon.accounts.models import User
from pentathlon.accounts.roles import is_staff
from pentathlon.core.bulkheads import Bulkheads
from pentathlon.core.clock import database_now
from pentathlon.core.errors import Conflict
from pentathlon.matches.hidden_lanes import HiddenLane
from pentathlon.tournaments.guards import check_organiser, is_organiser_of, lock_row
from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.notices import audit_tournament, note_tournament
from pentathlon.tournaments.results.final_table import podiums

_AT_ONCE: Final = 50
_releases = Bulkheads[int]("release of lane")


def are_hidden(tournament: Tournament, reader: User | None) -> bool:
    """Return whether this person may not see the results of a tournament now."""
    return HiddenLane.objects.closed_to(reader).filter(lane=tournament.pk).exists()


def public_result(tournament: Tournament) -> dict[str, str]:
    """Return who won as `result`, if the tournament has its final table and everybody sees it."""
    won = None if are_hidden(tournament, None) else podiums([tournament.pk]).get(tournament.pk)
    return {"result": won.story} if won else {}


def check_shown(tournament: Tournament, reader: User | None) -> None:
    """Refuse an answer with results that this person may not see now.

    Raises:
        Conflict: `results_hidden`.
    """
    if are_hidden(tournament, reader):
        raise Conflict(
            f"The results of {tournament.name} are hidden until {tournament.owner.username}, who "
            "organises it, releases them.",
            code="results_hidden",
        )


def hidden_lanes(reader: User | None) -> set[int]:
    """Return the tournaments whose results this person may not see now."""
    return set(HiddenLane.objects.closed_to(reader).values_list("lane", flat=True))


def hide_results(tournament: Tournament) -> None:
    """Hide the results of a tournament as its row says; only a release shows them again."""
    if not tournament.hides_results and tournament.freezes_at is None:
        return
    if tournament.released_at is not None and tournament.released_at <= database_now():
        return
    HiddenLane.objects.create(
        lane=tournament.pk,
        organiser=tournament.owner,
        hides_from=None if tournament.hides_results else tournament.freezes_at,
        hides_until=tournament.released_at,
    )
    show_to_organisers(tournament)


def show_to_organisers(tournament: Tournament) -> None:
    """Let those who organise a tournament now see its hidden results, and nobody else."""
    lane = HiddenLane.objects.filter(lane=tournament.pk).first()
    if lane is not None:
        lane.organiser = tournament.owner
        lane.save(update_fields=("organiser",))
        lane.co_organisers.set(tournament.co_organisers.values_list("person", flat=True))


def may_release(actor: User, tournament: Tournament) -> bool:
    """Return whether somebody decides when results come out: staff do once the organiser left."""
    if is_organiser_of(actor, tournament) or actor.is_superuser:
        return True
    has_left = not tournament.owner.is_active and not tournament.co_organisers.exists()
    return has_left and is_staff(actor)


@transaction.atomic
def release_results(*, actor: User, tournament: Tournament) -> Tournament:
    """Show everybody the hidden results of a tournament, now and for good."""
    locked = lock_row(tournament)
    if not may_release(actor, locked):
        check_organiser(actor, locked, to="release the results of")
    hidden = HiddenLane.objects.filter(lane=locked.pk)
    if not hidden.exists():
        raise Conflict(f"{locked.name} hides no results.", code="not_hidden")
    if locked.released_at is None or locked.released_at > database_now():
        Tournament.objects.filter(pk=locked.pk).update(released_at=Now())
        locked.refresh_from_db(fields=("released_at",))
    hidden.delete()
    audit_tournament(AuditAction.TOURNAMENT_RELEASE, locked, actor=actor)
    note_tournament("tournament.results_released", locked, more=public_result(locked))
    return locked


def announce_releases() -> int:
    """Notify people of results that have become public at their time; return how many.

    The reconciler calls it again and again. The row of a lane that hides nothing any more is
    deleted.
    """
    over = HiddenLane.objects.filter(hides_until__lte=Now()).order_by("hides_until", "lane")
    return sum(_releases.each(list(over.values_list("lane", flat=True)[:_AT_ONCE]), _announce))


@transaction.atomic
def _announce(lane: int) -> bool:
    # Locks the tournament first, as `release_results` does.
    tournament = Tournament.objects.select_for_update().filter(pk=lane).first()
    gone, _ = HiddenLane.objects.filter(lane=lane, hides_until__lte=Now()).delete()
    if tournament is not None and gone:
        note_tournament("tournament.results_released", tournament, more=public_result(tournament))
    return bool(gone)
