import random

import pytest

from pentathlon.tournaments.challenges.results import reading_of
from pentathlon.tournaments.challenges.services import count_orders, seat_orders
from pentathlon_engines.strength.sprt import counts_of, half_points, score_of


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_everybody_has_every_seat_equally_often(seats: int) -> None:
    orders = seat_orders(range(seats))

    assert len(orders) == len(set(orders)) == count_orders(seats)
    for seat in range(seats):
        sitting = [order[seat] for order in orders]
        assert {sitting.count(player) for player in range(seats)} == {len(orders) // seats}


def test_larger_table_gives_everybody_each_neighbour_on_both_sides() -> None:
    orders = seat_orders(range(5))

    following = [(order[0], order[1]) for order in orders]

    assert sorted(following) == sorted(set(following))
    assert {(second, first) for first, second in following} == set(following)


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [([0, 1], 2), ([1, 0], 0), ([0, 0], 1), ([1, 1], 0), ([1, 2, 0], 2), ([1, 1, 0], 1)],
)
def test_match_counts_who_is_ahead_of_whom(ranks: list[int], expected: int) -> None:
    assert half_points(ranks, own=0, other=1) == expected


def test_no_complete_block_says_nothing_yet() -> None:
    assert score_of(counts_of([], matches=2)) is None


def test_score_is_the_share_of_the_points_in_complete_blocks() -> None:
    score = score_of([1, 0, 2, 3, 4])

    assert score is not None
    assert (score.blocks, score.matches, score.points) == (10, 20, 14.5)
    assert score.share == pytest.approx(0.725)
    assert score.low < score.share < score.high


def test_few_blocks_that_all_ended_alike_leave_doubt() -> None:
    one, ten = score_of([0, 0, 0, 0, 1]), score_of([0, 0, 0, 0, 10])

    assert one is not None
    assert ten is not None
    assert one.low < 0.1
    assert one.high == ten.high == 1
    assert 0.7 < ten.low < 0.8


@pytest.mark.parametrize("blocks", [2, 5, 10, 20])
@pytest.mark.parametrize("alike", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("win", [0.5, 0.8, 0.97])
def test_interval_holds_the_true_share_nineteen_times_in_twenty(
    blocks: int, alike: float, win: float
) -> None:
    rng = random.Random(f"{blocks} {alike} {win}")
    draw = 0.1
    truth = draw / 2 + (1 - draw) * win
    held = 0
    for _ in range(400):
        cells = []
        for _ in range(blocks):
            first = _leg(rng, win, draw)
            cells.append(first + (first if rng.random() < alike else _leg(rng, win, draw)))
        score = score_of(counts_of(cells, matches=2))
        assert score is not None
        held += score.low <= truth <= score.high

    assert held / 400 >= 0.92


@pytest.mark.parametrize(
    ("cells", "decision", "blocks"),
    [
        ([4] * 60, "better", 28),
        ([0] * 60, "not_better", 32),
        ([0, 4, 2, 4, 2, 0, 4, 2] * 8, "undecided", 64),
        ([4] * 19, "undecided", 19),
    ],
)
def test_sequential_test_reads_blocks_in_their_order(
    cells: list[int], decision: str, blocks: int
) -> None:
    reading = reading_of(cells, matches=2)

    assert reading is not None
    assert reading.decision == decision
    assert reading.blocks == blocks


def test_no_block_is_no_reading() -> None:
    assert reading_of([], matches=2) is None


def _leg(rng: random.Random, win: float, draw: float) -> int:
    drawn = rng.random()
    if drawn < draw:
        return 1
    return 2 if drawn < draw + (1 - draw) * win else 0
