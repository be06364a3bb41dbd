"""What only compiled code asks about pieces in words agrees with the masks of plain Python."""

import random

import pytest

from pentathlon_engines import CHANCE
from pentathlon_engines.contract.bits import IS_COMPILED
from pentathlon_engines.tash_kalar.board import GRID, bits, mask
from pentathlon_engines.tash_kalar.cards.catalogue import PATTERNS
from pentathlon_engines.tash_kalar.cards.patterns import COMMON, LEGENDARY, matches
from pentathlon_engines.tash_kalar.constants import MAIN, RANKS_EACH
from pentathlon_engines.tash_kalar.seat_pieces import SeatPieces, joined, nth_in_words, unblocked
from pentathlon_engines.tash_kalar.state import TashKalarPosition
from pentathlon_engines.tash_kalar.summoning import (
    Windows,
    count_summons,
    find_in_words,
    find_summons,
    list_summons,
    nth_of_counted,
)
from tests.engines.tash_kalar.positions import TASH_KALAR

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
    for pattern in PATTERNS:
        for shape in pattern.shapes:
            found = [square for square in bits(shape.valid) if windows.matches_at(shape, square)]

            assert mask(found) == matches(shape, state.own(seat), state.upgraded(seat))


def test_nth_square_of_two_words_is_that_of_the_mask() -> None:
    squares = [0, 7, 53, 54, 60, 80]
    low, high = mask(squares[:3]), mask(square - 54 for square in squares[3:])

    assert [nth_in_words(low, high, at) for at in range(len(squares))] == squares
