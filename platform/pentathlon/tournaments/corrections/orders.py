"""Orders of organisers about existing matches: void them, or play them again.

An order is noted at the blocks at once and carried out part by part. Ordering the same again
changes nothing. Ratings follow: results are taken back before anything is played again.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from pentathlon.accounts.audit.models import AuditAction
from pentathlon.accounts.models import User
from pentathlon.bots.services import checked_reason
from pentathlon.core.bulkheads import Bulkheads
from pentathlon.core.errors import Conflict, NotAllowed, NotFound
from pentathlon.matches.models import Match, MatchKind, MatchSeat, MatchState
from pentathlon.matches.services import schedule_matches, void_matches
from pentathlon.matches.specs import MatchSpec
from pentathlon.ratings.services import enter_matches
from pentathlon.tournaments.batches import (
    LONGEST_REASON,
    Block,
    BlockOrder,
    BlockQuerySet,
    BlockState,
    FormerLeg,
)
from pentathlon.tournaments.documents.document import reads_results
from pentathlon.tournaments.entries.withdrawals import check_takes_part, reopen
from pentathlon.tournaments.guards import lock_own
from pentathlon.tournaments.models import Tournament, TournamentMatch, TournamentState
from pentathlon.tournaments.notices import audit_match, audit_tournament
from pentathlon.tournaments.scheduling.blocks import (
    MOST_REPLAYS,
    make_void,
    play_void_again,
    store_blocks,
    take_back,
    versions_out,
)
from pentathlon.tournaments.scheduling.schedules import pools_of

_orders = Bulkheads[int]("order for block")
_AUDITED: Final = {
    BlockOrder.VOID: AuditAction.BLOCKS_VOID,
    BlockOrder.RERUN: AuditAction.BLOCKS_RERUN,
}
_STATES: Final = (TournamentState.RUNNING, TournamentState.PAUSED, TournamentState.CLOSED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """An order of an organiser: the action, the blocks, and the reason."""

    kind: BlockOrder
    reason: str
    block: int | None = None
    """The number of one block, or None for a whole round."""
    round: int | None = None


@transaction.atomic
def give_order(*, actor: User, tournament: Tournament, order: Order) -> int:
    """Make a block or round void, or have it played again; return how many blocks change.

    Blocks that are void already are not made void again, and blocks that wait to be played are not
    rerun. Blocks of a bot that has left are not played again. A closed tournament runs again until
    it has a new final table.
    """
    what = f"{order.kind.label} a {'round' if order.block is None else 'block'} of"
    tournament = lock_own(actor, tournament, *_STATES, to=what)
    reason = checked_reason(order.reason)[:LONGEST_REASON]
    blocks = _blocks(tournament, order).select_for_update()
    wanted = [block for block in blocks.order_by("pk") if _changes(block, order)]
    if order.kind == BlockOrder.RERUN:
        wanted = _without_gone(tournament, wanted, is_one=order.block is not None)
    ids = [block.pk for block in wanted]
    Block.objects.filter(pk__in=ids).update(order=order.kind, reason=reason, ordered_by=actor)
    if ids:
        let_run(tournament)
    audit_tournament(
        _AUDITED[order.kind],
        tournament,
        actor=actor,
        reason=reason,
        block=order.block,
        round=order.round,
        blocks=len(ids),
    )
    if order.block is not None:
        carry_out_orders(tournament_id=tournament.pk)
    return len(ids)


@transaction.atomic
def rerun_match(*, actor: User, match: Match, reason: str) -> Match:
    """Play one match of the actor's own tournament again; return the match that will be played.

    A void match waits again. The result of a finished match is taken back, and another match gets
    its place, seed and bots. A match that has not ended is returned as it is.
    """
    place = _place(match)
    tournament = lock_own(actor, place.tournament, *_STATES, to="play again a match of")
    match.refresh_from_db()
    reason = checked_reason(reason)[:LONGEST_REASON]
    if match.state not in {MatchState.DONE, MatchState.VOID}:
        return match
    check_takes_part(tournament, match)
    block = tournament.blocks.select_for_update().filter(number=place.block).first()
    if not _play_again(tournament, place):
        raise _too_early(match)
    if block is not None:
        # The results that were taken back when the block became void are missing, too.
        others = _legs(tournament, block).exclude(pk=place.pk)
        for other in others.filter(match__is_revoked=True):
            _play_again(tournament, other)
        block.state, block.result, block.replays = BlockState.OPEN, None, 0
        block.reason = reason
        store_blocks([block])
    let_run(tournament)
    audit_match(AuditAction.MATCH_RERUN, tournament, match, actor=actor, reason=reason)
    return Match.objects.get(place=place)


@transaction.atomic
def void_match(*, actor: User, match: Match, reason: str) -> Match:
    """Make one match of the actor's own tournament void; return the match in its place.

    A void match is no bot's fault. So the match is played again with the same seed and
    bots, up to `MOST_REPLAYS` times a block; after that, the whole block is void. If the match or
    its block is void already, nothing changes.
    """
    place = _place(match)
    tournament = lock_own(actor, place.tournament, *_STATES, to="make a match void of")
    match.refresh_from_db()
    reason = checked_reason(reason)[:LONGEST_REASON]
    block = tournament.blocks.select_for_update().filter(number=place.block).first()
    if block is None:
        raise NotFound(f"Match {match.pk} has no block so far. Try again soon.", code="not_made")
    if match.state == MatchState.VOID or block.state == BlockState.VOID:
        return match
    block.reason = reason
    if not _void_leg(tournament, place, block):
        raise _too_early(match)
    store_blocks([block])
    let_run(tournament)
    audit_match(AuditAction.MATCH_VOID, tournament, match, actor=actor, reason=reason)
    return Match.objects.get(place=place)


def _void_leg(tournament: Tournament, place: TournamentMatch, block: Block) -> bool:
    """Void a leg and play it again, or void its block; False if a result is yet to be applied."""
    match = place.match
    is_gone = match.seats.filter(version__in=versions_out(tournament)).exists()
    if block.replays < MOST_REPLAYS and not is_gone:
        void_matches(matches=Match.objects.filter(pk=match.pk), reason=block.reason)
        match.refresh_from_db()
        block.state, block.result, block.replays = BlockState.OPEN, None, block.replays + 1
        return _play_again(tournament, place)
    legs = Match.objects.filter(place__in=_legs(tournament, block))
    void_matches(matches=legs, reason=block.reason)
    return make_void(tournament, block, list(legs.all()), reason=block.reason)


@transaction.atomic
def requeue_match(*, actor: User, match: Match) -> Match:
    """Queue a void match of the actor's own tournament again; its earlier attempts stay on record.

    A tournament that closed without the match runs again. No rating changes, because a void match
    has never counted.
    """
    match.refresh_from_db()
    place = _place(match)
    lock_own(actor, place.tournament, *_STATES, to="requeue a match of")
    if match.state != MatchState.VOID:
        raise Conflict(
            f"Match {match.pk} is {match.get_state_display()}; only void matches are requeued.",
            code="not_void",
        )
    return rerun_match(actor=actor, match=match, reason="Queued again by the organiser.")


def carry_out_orders(*, for_s: float = settings.STEP_S, tournament_id: int | None = None) -> int:
    """Carry out orders for about `for_s` seconds; return how many blocks were changed."""
    deadline = time.monotonic() + for_s
    orders = Block.objects.with_orders()
    if tournament_id is not None:
        orders = orders.filter(tournament=tournament_id)
    done = 0
    ordered = list(orders.order_by("pk").values_list("pk", flat=True))
    for is_done in _orders.each(ordered, _carry_out):
        done += is_done
        if time.monotonic() > deadline:
            break
    return done


@transaction.atomic
def _carry_out(block_id: int) -> bool:
    """Carry out the order for a block; False if it has none any more, or a result is unapplied."""
    found = Block.objects.select_related("tournament").get(pk=block_id)
    tournament = Tournament.objects.select_for_update().get(pk=found.tournament_id)
    block = Block.objects.select_for_update().filter(pk=block_id).exclude(order="").first()
    if block is None:
        return False
    places = list(_legs(tournament, block))
    if block.order == BlockOrder.VOID:
        waiting = Match.objects.filter(place__in=places)
        void_matches(matches=waiting, reason=block.reason)
        legs = list(Match.objects.filter(place__in=places))
        is_done = make_void(tournament, block, legs, reason=block.reason)
    else:
        unapplied = [place for place in places if not _play_again(tournament, place)]
        is_done = not unapplied
        block.state, block.result, block.replays = BlockState.OPEN, None, 0
    if is_done:
        block.order = ""
    store_blocks([block])
    return is_done


def _play_again(tournament: Tournament, place: TournamentMatch) -> bool:
    """Play the match of a place again; False if its result has yet to be applied."""
    match = place.match
    if match.state == MatchState.VOID:
        play_void_again([match.pk])
    if match.state != MatchState.DONE:
        return True
    if not match.is_revoked and not take_back(tournament, {match.pk}):
        return False
    seats = MatchSeat.objects.filter(match=match).order_by("seat")
    spec = MatchSpec(
        kind=MatchKind.TOURNAMENT,
        game=match.game,
        seating=tuple(seats.values_list("version", flat=True)),
        seed=match.seed,
        alias=match.alias,
        options=match.options,
        limits=match.limits,
        rated=match.rated,
        lane=match.lane,
    )
    place.match = schedule_matches([spec])[0]
    place.save(update_fields=("match",))
    FormerLeg.objects.create(match=match, place=place)
    for pool in pools_of(tournament):
        enter_matches(pool=pool, matches=[place.match])
    return True


def let_run(tournament: Tournament) -> None:
    """Reopen everything that follows from changed results: pairings, places and table."""
    tournament.results_version += 1
    if reads_results(tournament):
        tournament.is_fully_scheduled, tournament.places = False, None
    tournament.save(update_fields=("results_version", "is_fully_scheduled", "places"))
    if tournament.state == TournamentState.CLOSED:
        reopen(tournament)


def _blocks(tournament: Tournament, order: Order) -> BlockQuerySet:
    blocks = Block.objects.filter(tournament=tournament)
    chosen = (
        blocks.filter(number=order.block) if order.block else blocks.filter(round=order.round or 0)
    )
    if not chosen.exists():
        what = f"block {order.block}" if order.block else f"round {order.round}"
        raise NotFound(f"{tournament.name} has no {what} so far.", code="not_made")
    return chosen


def _changes(block: Block, order: Order) -> bool:
    if block.order:
        return block.order != order.kind
    done = BlockState.VOID if order.kind == BlockOrder.VOID else BlockState.OPEN
    return block.state != done


def _without_gone(tournament: Tournament, blocks: Sequence[Block], *, is_one: bool) -> list[Block]:
    """Leave out the blocks of bots that have left; refuse if only one is asked for."""
    legs = tournament.tournament_matches.filter(block__in=[block.number for block in blocks])
    if is_one:
        for place in legs.select_related("match")[:1]:
            check_takes_part(tournament, place.match)
    gone = versions_out(tournament)
    left_out = set(legs.filter(match__seats__version__in=gone).values_list("block", flat=True))
    return [block for block in blocks if block.number not in left_out]


def _legs(tournament: Tournament, block: Block) -> QuerySet[TournamentMatch]:
    legs = tournament.tournament_matches.filter(block=block.number)
    return legs.select_related("match").order_by("index")


def _place(match: Match) -> TournamentMatch:
    place = TournamentMatch.objects.filter(match=match).select_related("tournament").first()
    if place is None and FormerLeg.objects.filter(match=match).exists():
        raise Conflict(
            f"Match {match.pk} was played again: another match has its place in the schedule.",
            code="played_again",
        )
    if place is None:
        raise NotAllowed(
            "Only matches of a tournament are played again.", code="not_in_a_tournament"
        )
    return place


def _too_early(match: Match) -> Conflict:
    return Conflict(
        f"The result of match {match.pk} is about to be counted. Try again in a moment.",
        code="not_counted_yet",
    )
