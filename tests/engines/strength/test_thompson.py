from collections import Counter
from random import Random

import pytest

from pentathlon_engines.strength.best import chances_of_best, next_pair
from pentathlon_engines.strength.thurstone import Strengths, fit
from tests.engines.strength.fields import draw_truth, round_robin

KEY = bytes(range(32))


def _field(cycles: int = 2, spread: float = 0.5) -> Strengths:
    truth = draw_truth(6, Random(1), spread)
    return fit(round_robin(truth, cycles, Random(2)), draw_probability=0.1)


def test_choice_follows_from_the_key() -> None:
    field = _field()

    pairs = [next_pair(field, key=KEY, turn=turn) for turn in range(20)]

    assert pairs == [next_pair(field, key=KEY, turn=turn) for turn in range(20)]
    assert pairs != [next_pair(field, key=bytes(32), turn=turn) for turn in range(20)]


def test_leaders_come_as_often_as_they_may_be_the_best() -> None:
    field = _field()

    leaders = Counter(next_pair(field, key=KEY, turn=turn)[0] for turn in range(1500))

    chances = chances_of_best(field).chances
    shares = [leaders[player] / 1500 for player in field.players]
    assert shares == pytest.approx(chances, abs=0.05)


def test_challenger_is_the_one_easiest_to_confuse() -> None:
    field = Strengths(
        players=(3, 5, 8),
        mu=(30.0, 28.0, 27.0),
        covariance=((0.01, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 9.0)),
    )

    # The third is farther behind, but much less is known of it.
    assert {next_pair(field, key=KEY, turn=turn) for turn in range(5)} <= {(3, 8), (8, 3), (8, 5)}
    assert (3, 8) in {next_pair(field, key=KEY, turn=turn) for turn in range(5)}


def test_nobody_meets_oneself() -> None:
    field = _field(cycles=1, spread=0.1)

    assert all(len(set(next_pair(field, key=KEY, turn=turn))) == 2 for turn in range(200))


def test_one_player_alone_is_refused() -> None:
    with pytest.raises(ValueError, match="two players"):
        next_pair(fit([], players=(1,), draw_probability=0.1), key=KEY, turn=1)
