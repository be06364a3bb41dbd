"""How much evidence the dispersion needs before it changes intervals."""

from itertools import combinations

from pentathlon_engines.strength.pair_model import PlayedMatch
from pentathlon_engines.strength.thurstone import fit


def test_twenty_blocks_that_vary_too_much_widen_intervals_halfway() -> None:
    """Whole blocks go to one of two, a factor of 2; twenty as expected are added to twenty."""
    ranks = [(0, 1) if block % 2 else (1, 0) for block in range(20)]
    matches = [
        PlayedMatch((0, 1), won, block) for block, won in enumerate(ranks) for _ in range(2)
    ]

    assert 1.3 < fit(matches, draw_probability=0.1).dispersion < 1.8


def test_as_many_that_vary_too_little_hardly_narrow_intervals() -> None:
    """All pairs of eight share their block, a factor of 0; two hundred are added to 21."""
    matches = [
        PlayedMatch(pair, ranks, block)
        for block, pair in enumerate(combinations(range(8), 2))
        for ranks in ((0, 1), (1, 0))
    ]

    assert 0.85 < fit(matches, draw_probability=0.1).dispersion < 0.95
