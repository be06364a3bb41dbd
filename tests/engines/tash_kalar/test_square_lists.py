"""Lists that are joined from pieces are what a table has square by square."""

import random
from itertools import product

import pytest

from pentathlon_engines.tash_kalar.actions import MOVES_TO, PICKUPS, PLACES
from pentathlon_engines.tash_kalar.board import ADJACENT, ALL, GRID, SQUARES, bits, mask
from pentathlon_engines.tash_kalar.square_lists import LIFTS, PLACEMENTS, SquareLists, add_moves

CROWDS = (0, 1, 5, 15, 40, len(SQUARES) - 1, len(SQUARES))


@pytest.mark.parametrize("pieces", CROWDS)
@pytest.mark.parametrize(("lists", "table"), [(PLACEMENTS, PLACES), (LIFTS, PICKUPS)])
def test_lists_have_the_action_of_each_square_in_order(
    lists: SquareLists, table: list[int], pieces: int
) -> None:
    squares = mask(random.Random(pieces).sample(SQUARES, pieces))

    assert lists.on(squares) == [table[square] for square in bits(squares)]


def test_each_listing_is_a_new_list() -> None:
    PLACEMENTS.on(ALL).clear()

    assert len(PLACEMENTS.on(ALL)) == len(SQUARES)


def test_other_actions_come_first_and_are_only_read() -> None:
    others = [7, 5]

    assert PLACEMENTS.on(ALL, others) == [7, 5, *PLACEMENTS.on(ALL)]
    assert others == [7, 5]


def test_single_moves_are_those_to_the_adjacent_squares_in_reach() -> None:
    reaches = [(square, ADJACENT[square]) for square in SQUARES]
    for square, reach in (*reaches, *product(SQUARES, (mask(SQUARES[::2]), ALL, 0))):
        moves = [MOVES_TO[square * GRID + to] for to in bits(reach & ADJACENT[square])]
        found = [7]

        add_moves(square, reach, found)
        add_moves(square, reach, found)  # as it was kept

        assert found == [7, *moves, *moves], f"square {square}"
