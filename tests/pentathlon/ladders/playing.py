"""Ladders for tests: worked by hand instead of by a reconciler and workers."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models.functions import Now

from pentathlon.bots.models import Bot, BotVersion
from pentathlon.fleet.models import Worker
from pentathlon.ladders import batches, membership, seasons
from pentathlon.ladders.models import Division, Ladder
from pentathlon.ladders.reference import platform_account
from pentathlon.ladders.seasons import profiles
from pentathlon.matches.endings import note_endings
from pentathlon.matches.models import Match, MatchKind, MatchSeat, MatchState
from pentathlon.ratings.services import apply_results
from tests.factories import make_bot, make_version, make_worker


def open_ladder(key: str = "tuned", *, slots: int = 2, all_others: bool = False) -> Ladder:
    """Open a ladder, or every one, with a worker that is alive; return this one."""
    if slots:
        make_worker(slots=slots)
    if all_others:
        seasons.open_ladders()
    else:
        seasons.open_ladder(next(profile for profile in profiles() if profile.key == key))
    return Ladder.objects.get(key=key)


def division_of(ladder: Ladder, level: int = 1) -> Division:
    """Return a division of the running season."""
    running = Division.objects.filter(season__ladder=ladder, season__state="running")
    return running.select_related("tournament", "season__ladder").get(level=level)


def make_reference(name: str = "", *, games: Sequence[str] = ("tuned",)) -> BotVersion:
    """Store a reference bot that may play."""
    bot = make_bot(name, owner=platform_account())
    Bot.objects.filter(pk=bot.pk).update(is_reference=True)
    bot.refresh_from_db()
    return make_version(bot=bot, games=games)


def seat_all() -> None:
    """Let everybody join who may."""
    while membership.seat_versions():
        pass
    while membership.seat_members():
        pass


def make_due() -> None:
    """Let no division rest."""
    Division.objects.filter(due_at__isnull=False).update(due_at="2020-01-01T00:00Z")


def play_waiting(*, winner: int | None = None, only: int | None = None) -> list[int]:
    """End the waiting matches of ladders, or one of them; seat 0 wins, or a `winner` who sits."""
    matches = Match.objects.filter(kind=MatchKind.LADDER, state=MatchState.PENDING)
    matches = matches if only is None else matches.filter(pk=only)
    waiting = list(matches.prefetch_related("seats"))
    ranked = []
    for match in waiting:
        seats = sorted(match.seats.all(), key=lambda seat: seat.seat)
        best = next((seat for seat in seats if seat.version_id == winner), seats[0])
        for seat in seats:
            seat.rank = 0 if seat.pk == best.pk else 1
        ranked += seats
    MatchSeat.objects.bulk_update(ranked, ("rank",))
    ids = [match.pk for match in waiting]
    Match.objects.filter(pk__in=ids).update(
        state=MatchState.DONE, sandbox="namespaces", finished_at="2026-01-01T00:00Z", ply=9
    )
    note_endings(ids)
    apply_results()
    return ids


def step() -> int:
    """Make the next matches."""
    make_due()
    # Renew the heartbeat, however slow this machine is.
    Worker.objects.update(seen_at=Now())
    return batches.make_batches(for_s=60)
