"""Every game keeps the promises of the contract, for each number of seats and each option."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pentathlon_engines import GAMES
from tests.engines.contract.checks import CHECKS
from tests.engines.contract.commentary_checks import check_commentary
from tests.engines.contract.picture_checks import check_picture
from tests.engines.contract.setups import Setup, setups

SETUPS = [setup for game in GAMES.values() for setup in setups(game)]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
@pytest.mark.parametrize("setup", SETUPS, ids=str)
def test_every_game_keeps_the_contract(
    setup: Setup, check: Callable[[Setup, int], None], pytestconfig: pytest.Config
) -> None:
    matches = pytestconfig.getoption("contract_matches")
    for seed in range(max(1, matches // len(setups(setup.game)))):
        check(setup, seed)


@pytest.mark.parametrize("setup", SETUPS, ids=str)
def test_every_picture_keeps_to_the_frame(setup: Setup) -> None:
    check_picture(setup, seed=4)


@pytest.mark.parametrize("setup", SETUPS, ids=str)
def test_every_event_is_told_in_words(setup: Setup) -> None:
    check_commentary(setup, seed=5)
