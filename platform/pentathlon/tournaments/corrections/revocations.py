"""Takes back wrong results, such as all those of a broken version of a game's rules.

Blocks are ordered to be void, as an organiser would order it, so that pairings, places and tables
follow. Results that belong to no block are taken back one by one. Ratings are recomputed last.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from pentathlon.accounts.audit.models import AuditAction, AuditedKind
from pentathlon.accounts.audit.services import note_action
from pentathlon.bots.services import checked_reason
from pentathlon.matches.models import COMPETITIONS, Match, MatchQuerySet, MatchState
from pentathlon.ratings.models import LedgerRow, LedgerState, Pool
from pentathlon.ratings.recompute import recompute_pool
from pentathlon.ratings.services import apply_results, revoke_results
from pentathlon.tournaments.batches import (
    LONGEST_REASON,
    Block,
    BlockOrder,
    BlockQuerySet,
    BlockState,
)
from pentathlon.tournaments.corrections.orders import carry_out_orders, let_run
from pentathlon.tournaments.models import Tournament, TournamentMatch, TournamentState

_AT_ONCE: Final = 200
"""Matches or blocks in one transaction."""
_ORDERED: Final = (TournamentState.RUNNING, TournamentState.PAUSED, TournamentState.CLOSED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Revocation:
    """The extent of the results that a version of the rules affected."""

    matches: int
    blocks: int
    tournaments: int
    closed: int
    """How many of the tournaments are closed; they run again until they have a new final table."""
    results: dict[str, int]
    """How many of the results count, by the key of their pool."""


def count_results(*, game: str, rules: int) -> Revocation:
    """Count what `revoke_rules` would take back; change nothing."""
    matches = _results(game, rules)
    tournaments = _tournaments(matches)
    applied = LedgerRow.objects.filter(match__in=matches, state=LedgerState.APPLIED)
    pools = Pool.objects.filter(pk__in=applied.values("pool")).order_by("key")
    return Revocation(
        matches=matches.count(),
        blocks=sum(_blocks(each, matches).count() for each in tournaments),
        tournaments=len(tournaments),
        closed=sum(each.state == TournamentState.CLOSED for each in tournaments),
        results={pool.key: applied.filter(pool=pool).count() for pool in pools},
    )


def revoke_rules(*, game: str, rules: int, reason: str) -> Revocation:
    """Revoke all results of a version of a game's rules; return the revoked ones.

    Each part is a transaction of its own. An interrupted revocation goes on when it is called
    again.
    """
    reason = checked_reason(reason)[:LONGEST_REASON]
    found = count_results(game=game, rules=rules)
    note_action(
        AuditAction.RULES_REVOKE,
        actor=None,
        kind=AuditedKind.RULES,
        object_id=f"{game} {rules}",
        object_name=f"version {rules} of the rules of {game}",
        reason=reason,
        command="revoke_results",
        matches=found.matches,
        blocks=found.blocks,
        tournaments=found.tournaments,
    )
    results = _results(game, rules)
    for tournament in _tournaments(results):
        while _order_void(tournament.pk, results, reason):
            pass
        while apply_results() or carry_out_orders(tournament_id=tournament.pk):
            pass
    while _revoke_loose(results):
        pass
    for pool in Pool.objects.outdated().filter(game=game).order_by("pk"):
        recompute_pool(pool_id=pool.pk)
    return found


def order_revocation(results: MatchQuerySet, *, reason: str) -> int:
    """Take back some of these results; return how many, 0 once all are taken back.

    Blocks get the order to be void; the reconciler carries it out and recomputes ratings.
    """
    for tournament in _tournaments(results):
        # Blocks with an order that waits to be carried out do not count again.
        if ordered := _order_void(tournament.pk, results, reason):
            return ordered
    return _revoke_loose(results)


def _results(game: str, rules: int) -> MatchQuerySet:
    """Return the matches by these rules whose results stand."""
    done = Match.objects.of_game(game).filter(state=MatchState.DONE, kind__in=COMPETITIONS)
    return done.filter(rules_version=rules, is_revoked=False)


def _tournaments(results: MatchQuerySet) -> list[Tournament]:
    places = TournamentMatch.objects.filter(match__in=results)
    found = Tournament.objects.filter(pk__in=places.values("tournament"), state__in=_ORDERED)
    return list(found.order_by("pk"))


def _blocks(tournament: Tournament, results: MatchQuerySet) -> BlockQuerySet:
    """Return the blocks of these results that are neither void nor ordered to be."""
    places = tournament.tournament_matches.filter(match__in=results)
    blocks = Block.objects.filter(tournament=tournament, number__in=places.values("block"))
    return blocks.exclude(state=BlockState.VOID).exclude(order=BlockOrder.VOID)


def _places_in_blocks() -> QuerySet[TournamentMatch]:
    """Return the place of the outer query's match if a void order takes its result back."""
    block = Block.objects.filter(tournament=OuterRef("tournament"), number=OuterRef("block"))
    places = TournamentMatch.objects.filter(match=OuterRef("pk"), tournament__state__in=_ORDERED)
    return places.filter(Exists(block.exclude(state=BlockState.VOID)))


@transaction.atomic
def _order_void(tournament_id: int, results: MatchQuerySet, reason: str) -> int:
    """Order some blocks of a tournament to be void; return how many."""
    tournament = Tournament.objects.select_for_update().get(pk=tournament_id)
    blocks = _blocks(tournament, results).order_by("pk")
    part = list(blocks.values_list("pk", flat=True)[:_AT_ONCE])
    if part:
        Block.objects.filter(pk__in=part).update(order=BlockOrder.VOID, reason=reason)
        let_run(tournament)
    return len(part)


@transaction.atomic
def _revoke_loose(results: MatchQuerySet) -> int:
    """Take back some results that belong to no block; return how many."""
    loose = results.filter(~Exists(_places_in_blocks())).order_by("pk")
    part = list(loose.values_list("pk", flat=True)[:_AT_ONCE])
    if part:
        Match.objects.filter(pk__in=part).update(is_revoked=True)
        revoke_results(match_ids=part)
    return len(part)
