"""A series seats, seeds and counts its matches as it says."""

from pentathlon_engines.desk.match_pool import Series, desk_alias
from tests.engines.desk.acting import desk_result


def _all_matches(series: Series) -> list[tuple[int, tuple[int, ...], int, str]]:
    matches = iter(series.next_match, None)
    return [(match.block, match.players, match.seed, match.alias) for match in matches]


def test_swapped_series_plays_each_seed_in_both_seats() -> None:
    series = Series(seats=2, matches=4, seed=7, swaps=True)

    assert _all_matches(series) == [
        (1, (0, 1), 7, desk_alias(7, leg=1)),
        (1, (1, 0), 7, desk_alias(7, leg=2)),
        (2, (0, 1), 8, desk_alias(8, leg=1)),
        (2, (1, 0), 8, desk_alias(8, leg=2)),
    ]


def test_series_without_swaps_keeps_the_seats() -> None:
    series = Series(seats=3, matches=2, seed=7, swaps=False)

    assert _all_matches(series) == [
        (1, (0, 1, 2), 7, desk_alias(7, leg=1)),
        (2, (0, 1, 2), 8, desk_alias(8, leg=1)),
    ]


def test_names_do_not_show_the_seed() -> None:
    names = [desk_alias(6012345678901234, leg=leg) for leg in (1, 2)]

    assert len(set(names)) == 2
    assert all(len(bytes.fromhex(name)) == 16 for name in names)


def test_blocks_are_whole() -> None:
    series = Series(seats=3, matches=7, seed=2**53 - 1, swaps=True)

    matches = _all_matches(series)

    assert (series.blocks, series.matches, len(matches)) == (2, 12, 12)
    assert {seed for _, _, seed, _ in matches} == {2**53 - 1, 0}
    assert len({alias for *_, alias in matches}) == 12


def test_score_counts_whole_blocks_only() -> None:
    series = Series(seats=2, matches=4, seed=7, swaps=True)
    ranks = [(0, 1), (1, 0), (0, 1)]

    for each in ranks:
        match = series.next_match()
        assert match is not None
        series.take(match, desk_result(each))

    score = series.score(0)
    assert score is not None
    assert (score.blocks, score.share) == (1, 1.0)
    assert score.low < 0.5
    assert series.tally.lines[0].wins == 3


def test_void_match_leaves_its_block_out() -> None:
    series = Series(seats=2, matches=2, seed=7, swaps=True)

    for result in (desk_result((0, 1)), None):
        match = series.next_match()
        assert match is not None
        series.take(match, result)

    assert series.score(0) is None
    assert (series.void, series.tally.lines[0].matches) == (1, 1)


def test_larger_table_scores_against_every_opponent() -> None:
    series = Series(seats=3, matches=1, seed=7, swaps=False)
    match = series.next_match()
    assert match is not None

    series.take(match, desk_result((0, 1, 1)))

    shares = [score.share if (score := series.score(player)) else None for player in range(3)]
    assert shares == [1.0, 0.25, 0.25]
    assert series.tally.lines[0].points(3) == 1.0


def test_two_that_failed_have_both_lost() -> None:
    series = Series(seats=2, matches=1, seed=7, swaps=False)
    match = series.next_match()
    assert match is not None

    series.take(match, desk_result((1, 1), failed=(0, 1)))

    assert [line.against for line in series.tally.lines] == [{1: [0, 0, 1]}, {0: [0, 0, 1]}]
    assert series.tally.seats == []
    assert [line.losses for line in series.tally.lines] == [1, 1]
