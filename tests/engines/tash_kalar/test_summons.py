"""Tash-Kalar: what may be summoned, onto what, and with which piece (7 of the rules)."""

import random

import pytest

from pentathlon_engines import CHANCE
from pentathlon_engines.contract.bits import IS_COMPILED
from pentathlon_engines.tash_kalar import board
from pentathlon_engines.tash_kalar.actions import PICKUPS
from pentathlon_engines.tash_kalar.board import ALL, GRID, SQUARES, bits, mask
from pentathlon_engines.tash_kalar.cards import compiler, program
from pentathlon_engines.tash_kalar.cards.catalogue import IDS, PATTERNS, PROGRAMS
from pentathlon_engines.tash_kalar.cards.patterns import COMMON, LEGENDARY, matches
from pentathlon_engines.tash_kalar.constants import MAIN, RANKS_EACH
from pentathlon_engines.tash_kalar.interpreter import AUTOMATICS, CONDITIONS, PERFORM
from pentathlon_engines.tash_kalar.offers import OFFERS
from pentathlon_engines.tash_kalar.seat_pieces import SeatPieces, joined, nth_in_words, unblocked
from pentathlon_engines.tash_kalar.selection import PLACES
from pentathlon_engines.tash_kalar.state import TashKalarPosition
from pentathlon_engines.tash_kalar.summoning import (
    Windows,
    count_summons,
    find_in_words,
    find_summons,
    list_summons,
    nth_of_counted,
)
from tests.engines.tash_kalar.positions import (
    TASH_KALAR,
    changes,
    destroyed,
    do,
    end_turn,
    far,
    legal,
    pattern,
    position,
    ready,
    shown,
    summoned,
    view,
)


class TestSummon:
    """7"""

    def test_card_of_a_lower_rank_does_not_land_on_a_higher_one(self) -> None:
        state = position("d4 f4", "e5h", cards="wild_eagle")

        assert "summon wild_eagle e5" not in legal(state)
        assert "summon wild_eagle e3" in legal(state)

    def test_own_piece_of_higher_rank_forbids_it_too(self) -> None:
        state = position("d4 f4 e5h", cards="wild_eagle")

        assert "summon wild_eagle e5" not in legal(state)

    def test_required_piece_of_higher_rank_forbids_it(self) -> None:
        state = ready("dryad e5", "e5l")

        assert "summon dryad e5" not in legal(state)

    def test_enemy_of_equal_rank_is_destroyed_and_counts(self) -> None:
        state = do(position("d4 f4", "e5", cards="wild_eagle"), "summon wild_eagle e5", "pass")

        assert shown(state)["e5"] == "0c"
        assert destroyed(state) == "c"

    def test_own_piece_counts_for_nothing(self) -> None:
        state = do(position("d4 f4 e5", cards="wild_eagle"), "summon wild_eagle e5", "pass")

        assert shown(state)["e5"] == "0c"
        assert destroyed(state) == ""
        assert view(state)["counters"]["summoned"] == [{"card": "wild_eagle", "square": "e5"}]

    def test_enemy_pieces_do_not_fill_a_pattern(self) -> None:
        state = position("d4", "f4", cards="wild_eagle")

        assert not legal(state, "summon")

    def test_higher_ranks_fill_a_pattern(self) -> None:
        state = position("d4l f4h", cards="wild_eagle")

        assert "summon wild_eagle e5" in legal(state)

    def test_commons_do_not_fill_heroic_cells(self) -> None:
        assert "summon titan e6" in legal(ready("titan e6"))
        assert "summon titan e6" not in legal(ready("titan e6", "e5c"))

    def test_card_is_played_after_its_effect(self) -> None:
        state = summoned("wild_eagle e5")
        assert view(state)["card"] == "wild_eagle"
        assert view(state)["step"] == 0
        assert view(state)["hand"]["beings"] == []
        assert view(state)["discard"] == []

        do(state, "pass")

        assert view(state)["card"] is None
        assert view(state)["discard"] == ["wild_eagle"]
        assert view(state, 1)["played"]["beings"] == [["wild_eagle"], []]

    def test_legend_goes_to_the_shared_pile(self) -> None:
        state = summoned("titan e6")

        assert view(state)["played"]["legends"] == ["titan"]
        assert view(state)["discard"] == []


class TestShortage:
    """7.5"""

    def test_own_piece_on_the_square_becomes_the_being(self) -> None:
        before = position(far(14) + " d4 f4 e5", cards="wild_eagle")

        after = do(before.copy(), "summon wild_eagle e5")

        assert view(after)["phase"] == "effect"
        assert changes(before, after) == ""

    def test_required_piece_on_the_square_is_flipped(self) -> None:
        before = ready("dryad e5", far(14))

        after = do(before.copy(), "summon dryad e5")

        assert changes(before, after) == "e5=0h"

    def test_unused_piece_is_picked_up(self) -> None:
        before = position(far(14) + " d4 f4 h5h", cards="wild_eagle")

        after = do(before.copy(), "summon wild_eagle e5")

        assert view(after)["phase"] == "shortage"
        assert view(after)["card"] == "wild_eagle"
        assert legal(after) == sorted(f"pickup {there}" for there in [*far(14).split(), "h5"])
        do(after, "pickup h5")
        assert changes(before, after) == "e5=0c h5=-"
        assert destroyed(after) == ""

    def test_only_unused_piece_is_picked_up_without_asking(self) -> None:
        before = ready("time_elemental e6", "a5l a6l a7l")
        assert "summon time_elemental e6" in legal(before)

        one = ready("titan e6", "a5l e5l e4l")
        after = do(one.copy(), "summon titan e6")

        assert "a5=-" in changes(one, after)

    def test_without_an_unused_piece_the_summon_is_illegal(self) -> None:
        state = ready("titan e6", "e5l e4l e3l")

        assert not legal(state, "summon")

    def test_any_match_may_leave_the_piece_unused(self) -> None:
        """Three legendary pieces; two matches at e5, each of which uses another one of them."""
        state = ready("time_elemental e5", "d4l f4l e3l d6h f6h e7h d8 f8")

        do(state, "summon time_elemental e5")

        assert legal(state) == ["pickup d4", "pickup e3", "pickup f4"]


def test_permission_of_the_war_summoner_ends_with_the_turn() -> None:
    state = summoned("war_summoner e5")

    end_turn(state)

    assert view(state)["permissions"] == []


def test_required_enemy_piece_on_the_summon_square_is_destroyed() -> None:
    enemies = pattern("war_drummer b5").split()[0]
    state = summoned("war_summoner e5", "c5 b4 c4", enemies, cards="war_drummer")

    do(state, "summon war_drummer b5", "pass")

    assert shown(state)["b5"] == "0h"
    assert destroyed(state) == "c"


def test_permission_allows_only_one_enemy_piece() -> None:
    state = summoned("war_summoner e5", "a5", "b6", cards="ritual_keeper clan_healer")

    assert "summon ritual_keeper a6" in legal(state)
    assert "summon clan_healer b5" not in legal(state)


def test_cells_of_a_shape_are_the_same_in_words() -> None:
    for tables in PATTERNS:
        for shape in tables.shapes:
            for square in board.bits(shape.valid):
                low, high = shape.words_at(square)

                assert joined(low, high) == shape.cells_at(square)


def test_entries_of_words_are_those_of_the_mask() -> None:
    for squares in (board.SQUARES, board.SQUARES[::7], board.SQUARES[-3:], ()):
        whole = board.mask(squares)

        found = board.listed_words(whole & board.LOW_WORD, whole >> board.WORD, PICKUPS)

        assert found == board.listed(whole, PICKUPS) == [PICKUPS[square] for square in squares]


CROWDS = (0, 5, 15, 40, len(SQUARES))


def test_strip_finds_what_each_shape_finds() -> None:
    rng = random.Random(7)
    for name, tables, pieces in (
        (name, tables, pieces)
        for name, tables in zip(IDS, PATTERNS, strict=False)
        for pieces in CROWDS
    ):
        squares = rng.sample(SQUARES, pieces)
        own, upgraded = mask(squares), mask(squares[: (pieces + 1) // 2])

        found = tables.strip.lay(own, upgraded)

        bands = [matches(shape, own, upgraded) for shape in tables.shapes]
        together = 0
        for band in bands:
            together |= band
        while bands and not bands[-1]:
            bands.pop()
        assert tables.strip.bands(found) == bands, name
        assert tables.strip.fold(found) & ALL == together, name


pytestmark = pytest.mark.skipif(IS_COMPILED, reason="compiled positions keep no masks to compare")


def main_positions(seed: int) -> list[TashKalarPosition]:
    """Return positions of a random match in which anything may be summoned, with their words."""
    rng = random.Random(seed)
    found: list[TashKalarPosition] = []
    state = TASH_KALAR.start()
    assert isinstance(state, TashKalarPosition)
    while state.to_move is not None:
        if state.to_move == CHANCE:
            state.apply_chance(state.sample_chance(rng))
            continue
        if state.phase == MAIN:
            twin = state.copy()
            twin.sides = words_of(twin)
            found.append(twin)
        state.apply_unchecked(state.random_action(rng))
    return found


def words_of(state: TashKalarPosition) -> list[SeatPieces]:
    sides = [SeatPieces(), SeatPieces()]
    for square in range(GRID):
        if state.board[square]:
            seat, rank = divmod(state.board[square] - 1, RANKS_EACH)
            sides[seat].put(square, rank)
    return sides


@pytest.mark.parametrize("seed", range(3))
def test_summonings_of_words_are_those_of_masks(seed: int) -> None:
    for state in main_positions(seed):
        assert find_in_words(state) == find_summons(state)


@pytest.mark.parametrize("seed", range(3))
def test_each_counted_summoning_can_be_drawn(seed: int) -> None:
    for state in main_positions(seed):
        drawn = [nth_of_counted(state, at) for at in range(count_summons(state))]

        assert sorted(drawn) == sorted(list_summons(state))


def test_words_hold_the_pieces_of_each_rank() -> None:
    for state in main_positions(5):
        for seat, pieces in enumerate(state.sides):
            assert joined(pieces.low, pieces.high) == state.own(seat)
            assert [pieces.of_rank(rank) for rank in range(RANKS_EACH)] == [
                state.of_rank(seat, rank) for rank in range(RANKS_EACH)
            ]
            assert [pieces.count_rank(rank) for rank in range(RANKS_EACH)] == [
                state.count_rank(seat, rank) for rank in range(RANKS_EACH)
            ]
        for rank in range(COMMON - 1, LEGENDARY):
            assert unblocked(state.sides[0], state.sides[1], rank) == state.up_to(rank)


def test_windows_match_a_shape_where_masks_do() -> None:
    state = main_positions(6)[-1]
    windows, seat = Windows(state), state.active
    for tables in PATTERNS:
        for shape in tables.shapes:
            found = [square for square in bits(shape.valid) if windows.matches_at(shape, square)]

            assert mask(found) == matches(shape, state.own(seat), state.upgraded(seat))


def test_nth_square_of_two_words_is_that_of_the_mask() -> None:
    squares = [0, 7, 53, 54, 60, 80]
    low, high = mask(squares[:3]), mask(square - 54 for square in squares[3:])

    assert [nth_in_words(low, high, at) for at in range(len(squares))] == squares


def test_every_operation_that_asks_is_offered_and_performed() -> None:
    assert OFFERS.keys() == compiler.DECISIONS.keys()
    assert PERFORM.keys() == compiler.DECISIONS.keys() - {"choose_one"}


def test_every_operation_that_asks_nobody_is_run() -> None:
    assert AUTOMATICS.keys() == compiler.AUTOMATICS.keys()


def test_every_place_and_condition_of_the_cards_can_be_looked_up() -> None:
    steps = [step for effect in PROGRAMS for step in effect.steps]
    places = {place.kind for step in steps for place in step.selector.places}
    conditions = {condition.kind for step in steps for condition in step.conditions}

    assert places | program.PLAIN_PLACES <= PLACES.keys()
    assert conditions | program.PLAIN_CONDITIONS <= CONDITIONS.keys()
