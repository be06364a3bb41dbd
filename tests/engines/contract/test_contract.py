"""Every game keeps the promises of the contract, for each number of seats and each option."""

from collections.abc import Callable

import pytest

from pentathlon_engines import GAMES
from tests.deep import mostly_deep
from tests.engines.contract.checks import CHECKS
from tests.engines.contract.commentary_checks import check_choices, check_commentary
from tests.engines.contract.picture_checks import check_picture
from tests.engines.contract.setups import Setup, covering, setups

SETUPS = [
    case
    for found in map(setups, GAMES.values())
    for case in mostly_deep(found, keep=covering(found))
]
HIDDEN = [
    case
    for found in map(setups, GAMES.values())
    if found[0].game.info.hidden
    for case in mostly_deep(found, keep=covering(found))
]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
@pytest.mark.parametrize("setup", SETUPS, ids=str)
def test_every_game_keeps_the_contract(
    setup: Setup, check: Callable[[Setup, int], None], pytestconfig: pytest.Config
) -> None:
    for seed in range(matches_of(setup, pytestconfig)):
        check(setup, seed)


@pytest.mark.parametrize("setup", SETUPS, ids=str)
def test_every_picture_keeps_to_the_frame(setup: Setup, pytestconfig: pytest.Config) -> None:
    for seed in range(1 + matches_of(setup, pytestconfig) // 10):
        check_picture(setup, seed + 4)


@pytest.mark.parametrize("setup", SETUPS, ids=str)
def test_every_event_is_told_in_words(setup: Setup) -> None:
    check_commentary(setup, seed=5)


@pytest.mark.parametrize("setup", HIDDEN, ids=str)
def test_what_an_action_would_do_tells_nothing_hidden(setup: Setup) -> None:
    check_choices(setup, seed=6)


def matches_of(setup: Setup, pytestconfig: pytest.Config) -> int:
    """Return how many matches of a setup are looked at; all setups share those of a game."""
    return max(1, int(pytestconfig.getoption("contract_matches")) // len(setups(setup.game)))
