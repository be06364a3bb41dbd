"""Masks in two words are the masks that plain Python has, in both builds."""

from pentathlon_engines.tash_kalar import board
from pentathlon_engines.tash_kalar.actions import PICKUPS
from pentathlon_engines.tash_kalar.cards.catalogue import PATTERNS
from pentathlon_engines.tash_kalar.seat_pieces import joined


def test_cells_of_a_shape_are_the_same_in_words() -> None:
    for pattern in PATTERNS:
        for shape in pattern.shapes:
            for square in board.bits(shape.valid):
                low, high = shape.words_at(square)

                assert joined(low, high) == shape.cells_at(square)


def test_entries_of_words_are_those_of_the_mask() -> None:
    for squares in (board.SQUARES, board.SQUARES[::7], board.SQUARES[-3:], ()):
        whole = board.mask(squares)

        found = board.listed_words(whole & board.LOW_WORD, whole >> board.WORD, PICKUPS)

        assert found == board.listed(whole, PICKUPS) == [PICKUPS[square] for square in squares]
