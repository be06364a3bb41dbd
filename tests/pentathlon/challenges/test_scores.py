import random

import pytest

from pentathlon.challenges.scores import empty_counts, half_points, score_of
from pentathlon.challenges.seatings import count_orders, seat_orders


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
    assert half_points(ranks, challenger=0, opponent=1) == expected


def test_no_complete_block_says_nothing_yet() -> None:
    assert score_of(empty_counts(2)) is None
    assert score_of([]) is None


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
        counts = empty_counts(2)
        for _ in range(blocks):
            first = _leg(rng, win, draw)
            counts[first + (first if rng.random() < alike else _leg(rng, win, draw))] += 1
        score = score_of(counts)
        assert score is not None
        held += score.low <= truth <= score.high

    assert held / 400 >= 0.92


def _leg(rng: random.Random, win: float, draw: float) -> int:
    drawn = rng.random()
    if drawn < draw:
        return 1
    return 2 if drawn < draw + (1 - draw) * win else 0
