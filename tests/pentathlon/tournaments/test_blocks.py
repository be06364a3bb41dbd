"""Void blocks count nowhere, those cut short stand, and organisers may have them played again."""

from __future__ import annotations

import pytest

from pentathlon.core.errors import Conflict, NotAllowed
from pentathlon.matches.models import Match, MatchState
from pentathlon.matches.services import void_matches
from pentathlon.ratings.models import LedgerRow, LedgerState, Pool
from pentathlon.ratings.services import apply_results
from pentathlon.ratings.verification import verify_pool
from pentathlon.tournaments.batches import Block, BlockOrder, BlockState, FormerLeg
from pentathlon.tournaments.corrections.orders import (
    Order,
    carry_out_orders,
    give_order,
    rerun_match,
    void_match,
)
from pentathlon.tournaments.entries.withdrawals import withdraw_entry
from pentathlon.tournaments.models import Tournament, TournamentState
from pentathlon.tournaments.results.standings import standings
from pentathlon.tournaments.scheduling.blocks import MOST_REPLAYS, settle_blocks
from pentathlon.tournaments.scheduling.secrecy import with_seals
from pentathlon.tournaments.services import close_finished
from tests.factories import make_user
from tests.pentathlon.tournaments.acting import matches_of, settle, started

pytestmark = pytest.mark.django_db


def _void(match: Match) -> None:
    void_matches(matches=Match.objects.filter(pk=match.pk), reason="Hosts failed.")
    apply_results()


def _block(tournament: Tournament, number: int = 1) -> Block:
    return tournament.blocks.get(number=number)


def _order(tournament: Tournament, kind: BlockOrder, **target: int) -> int:
    order = Order(kind=kind, reason="The host was broken.", **target)
    return give_order(actor=tournament.owner, tournament=tournament, order=order)


def _ratings_are_right() -> bool:
    while apply_results():
        pass
    return not any(verify_pool(pool_id=pool.pk) for pool in Pool.objects.all())


def test_block_is_complete_with_its_ranks_once_all_legs_are_done() -> None:
    tournament = started(bots=2)
    first, second = matches_of(tournament)

    settle([first])
    settle_blocks()
    between = _block(tournament).state
    settle([second])
    settle_blocks()

    block = _block(tournament)
    assert (between, block.state) == (BlockState.OPEN, BlockState.COMPLETE)
    assert sorted(map(tuple, block.result or [])) == [(0, 1), (1, 0)]


def test_void_leg_is_played_again_with_its_seed_and_place() -> None:
    tournament = started(bots=2)
    first, second = matches_of(tournament)
    settle([first])
    _void(second)

    settle_blocks()

    again = Match.objects.get(pk=second.pk)
    assert (again.state, again.seed, again.place.index) == (MatchState.PENDING, first.seed, 2)
    assert _block(tournament).replays == 1
    settle([again])
    settle_blocks()
    assert _block(tournament).state == BlockState.COMPLETE
    assert _ratings_are_right()


def test_block_that_stays_void_counts_nowhere_at_all() -> None:
    tournament = started(bots=3)
    first, second, *others = matches_of(tournament)
    settle([first, *others])
    for _ in range(MOST_REPLAYS + 1):
        _void(second)
        settle_blocks()

    block = _block(tournament)
    assert (block.state, block.reason) == (BlockState.VOID, "Hosts failed.")
    assert Match.objects.get(pk=first.pk).is_revoked
    assert close_finished() == [tournament]
    assert {row.matches for row in standings(tournament)} == {2, 4}
    assert _ratings_are_right()


def test_half_block_of_a_bot_that_left_is_cut_short_and_what_was_played_stands() -> None:
    tournament = started(bots=2)
    first, second = matches_of(tournament)
    settle([first])
    entry = tournament.entries.first()
    assert entry is not None
    entry.state = "withdrawn"
    entry.save()
    _void(second)

    settle_blocks()

    assert _block(tournament).state == BlockState.PARTIAL
    assert not Match.objects.get(pk=first.pk).is_revoked
    assert {row.match_id for row in LedgerRow.objects.filter(state=LedgerState.APPLIED)} == {
        first.pk
    }
    assert _ratings_are_right()


class TestOrders:
    @pytest.fixture
    def played(self) -> Tournament:
        tournament = started(bots=3)
        settle(matches_of(tournament))
        close_finished()
        tournament.refresh_from_db()
        assert tournament.state == TournamentState.CLOSED
        return tournament

    def test_rerun_block_gets_new_matches_with_the_same_seed(self, played: Tournament) -> None:
        before = matches_of(played)[:2]

        assert _order(played, BlockOrder.RERUN, block=1) == 1

        played.refresh_from_db()
        after = matches_of(played)[:2]
        assert played.state == TournamentState.RUNNING
        assert [match.seed for match in after] == [match.seed for match in before]
        assert {match.pk for match in before}.isdisjoint(match.pk for match in after)
        assert FormerLeg.objects.count() == 2
        settle(after)
        assert close_finished() == [played]
        assert {row.matches for row in standings(played)} == {4}
        assert _ratings_are_right()

    def test_same_order_again_changes_nothing(self, played: Tournament) -> None:
        for kind in (BlockOrder.RERUN, BlockOrder.VOID):
            assert _order(played, kind, block=1) == 1
            matches = [match.pk for match in matches_of(played)]

            assert _order(played, kind, block=1) == 0
            assert [match.pk for match in matches_of(played)] == matches

    def test_void_block_is_taken_back_with_its_reason(self, played: Tournament) -> None:
        _order(played, BlockOrder.VOID, block=2)

        block = _block(played, 2)
        assert (block.state, block.reason) == (BlockState.VOID, "The host was broken.")
        assert close_finished() == [played]
        assert sorted(row.matches for row in standings(played)) == [2, 2, 4]
        assert _ratings_are_right()

    def test_round_is_carried_out_beside_the_request(self, played: Tournament) -> None:
        assert _order(played, BlockOrder.VOID, round=1) == 1
        assert _block(played).state == BlockState.COMPLETE
        assert close_finished() == []

        assert carry_out_orders() == 1

        assert _block(played).state == BlockState.VOID
        assert close_finished() == [played]

    def test_seed_of_the_match_before_is_sealed_while_it_is_played_again(self) -> None:
        tournament = started(bots=3)
        first, second, *_ = matches_of(tournament)
        settle([first, second])

        rerun_match(actor=tournament.owner, match=first, reason="A cable was loose.")

        sealed = with_seals(Match.objects.filter(pk__in=[first.pk, second.pk]))
        assert [match.is_sealed for match in sealed] == [True, True]

    def test_void_match_is_played_anew_with_its_seed(self, played: Tournament) -> None:
        match, other = matches_of(played)[:2]

        anew = void_match(actor=played.owner, match=match, reason="The host was broken.")

        match.refresh_from_db()
        played.refresh_from_db()
        assert match.is_revoked
        assert (anew.state, anew.seed) == (MatchState.PENDING, match.seed)
        assert played.state == TournamentState.RUNNING
        assert (_block(played).state, _block(played).replays) == (BlockState.OPEN, 1)
        assert _block(played).reason == "The host was broken."
        assert matches_of(played)[1] == other
        settle([anew])
        assert close_finished() == [played]
        assert {row.matches for row in standings(played)} == {4}
        assert _ratings_are_right()

    def test_block_is_void_as_a_whole_after_its_replays(self, played: Tournament) -> None:
        for _ in range(MOST_REPLAYS):
            anew = void_match(actor=played.owner, match=matches_of(played)[0], reason="Broken.")
            settle([anew])

        last = void_match(actor=played.owner, match=matches_of(played)[0], reason="Enough.")

        block = _block(played)
        assert last.is_revoked
        assert (block.state, block.reason) == (BlockState.VOID, "Enough.")
        assert close_finished() == [played]
        assert sorted(row.matches for row in standings(played)) == [2, 2, 4]
        assert _ratings_are_right()

    def test_void_match_that_waits_is_played_anew(self) -> None:
        tournament = started(bots=3)
        match = matches_of(tournament)[0]

        anew = void_match(actor=tournament.owner, match=match, reason="Broken.")

        assert (anew, anew.state) == (match, MatchState.PENDING)
        assert _block(tournament).replays == 1

    def test_void_match_of_a_bot_that_left_makes_its_block_void(self) -> None:
        tournament = started(bots=3)
        first, second, *_ = matches_of(tournament)
        settle([first])
        entry = tournament.entries.get(version=first.seats.get(seat=0).version)
        withdraw_entry(actor=tournament.owner, tournament=tournament, version_id=entry.version_id)
        first.refresh_from_db()

        void_match(actor=tournament.owner, match=first, reason="Broken.")

        second.refresh_from_db()
        assert second.state == MatchState.VOID
        assert _block(tournament).state == BlockState.VOID

    def test_void_match_stays_as_it_is(self, played: Tournament) -> None:
        _order(played, BlockOrder.VOID, block=1)
        match = matches_of(played)[0]

        assert void_match(actor=played.owner, match=match, reason="Once more.") == match
        assert _block(played).reason == "The host was broken."

    def test_only_the_organiser_may_make_a_match_void(self, played: Tournament) -> None:
        with pytest.raises(NotAllowed):
            void_match(
                actor=make_user(organiser=True), match=matches_of(played)[0], reason="I lost."
            )

    def test_only_the_organiser_may(self, played: Tournament) -> None:
        order = Order(kind=BlockOrder.VOID, reason="I lost it.", block=1)

        with pytest.raises(NotAllowed):
            give_order(actor=make_user(organiser=True), tournament=played, order=order)

    def test_block_of_a_bot_that_left_is_not_played_again(self, played: Tournament) -> None:
        played.entries.update(state="withdrawn")

        with pytest.raises(Conflict) as caught:
            _order(played, BlockOrder.RERUN, block=1)

        assert caught.value.code == "not_in_play"
