"""Games with many options are tested with few setups in which any two choices meet."""

from itertools import combinations, product

import pytest

from pentathlon_engines import GAMES
from tests.engines.contract.setups import all_pairs, covering, setups


@pytest.mark.parametrize("sizes", [(2, 2), (4, 2, 2, 3), (4, 2, 2, 2, 2, 6, 3)])
def test_any_two_values_stand_together_in_some_row(sizes: tuple[int, ...]) -> None:
    factors = [range(size) for size in sizes]

    rows = all_pairs(factors)

    for one, other in combinations(range(len(sizes)), 2):
        assert {(row[one], row[other]) for row in rows} == set(
            product(factors[one], factors[other])
        )
    assert len(rows) <= 2 * max(sizes) * sorted(sizes)[-2]


@pytest.mark.parametrize("key", list(GAMES))
def test_every_number_of_seats_and_every_flag_is_tried(key: str) -> None:
    game = GAMES[key]
    low, high = game.info.seats

    found = setups(game)

    assert {setup.seats for setup in found} == set(range(low, high + 1))
    assert len({str(setup) for setup in found}) == len(found)
    assert all(setup.can_start() for setup in found)
    for option in game.info.options:
        if option.kind == "flag":
            assert {setup.options[option.name] for setup in found} == {False, True}


@pytest.mark.parametrize("key", list(GAMES))
def test_few_setups_leave_no_number_of_seats_and_no_value_out(key: str) -> None:
    found = setups(GAMES[key])

    few = covering(found)

    assert len(few) <= len(found)
    assert {setup.seats for setup in few} == {setup.seats for setup in found}
    for option in GAMES[key].info.options:
        values = {str(setup.options[option.name]) for setup in found}
        assert {str(setup.options[option.name]) for setup in few} == values
