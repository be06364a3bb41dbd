"""The contract's checks pass an honest game with secrets and fail each kind of broken one."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from pentathlon_engines import GAMES, BadPosition, EngineError
from tests.deep import mostly_deep
from tests.engines.card_game import GAME, CardGame, CardState
from tests.engines.contract import checks
from tests.engines.contract.checks import CHECKS
from tests.engines.contract.commentary_checks import check_choices, check_commentary
from tests.engines.contract.picture_checks import check_picture
from tests.engines.contract.setups import Setup, covering, setups

Check = Callable[[Setup, int], None]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("setup", setups(GAME), ids=str)
def test_an_honest_game_with_secrets_passes(setup: Setup, check: Check) -> None:
    for seed in range(5):
        check(setup, seed)


class ShowsAllHands(CardState):
    def observation(self, seat: int | None) -> dict[str, Any]:
        return self._seen_by(self.to_json(), seat)


class ShowsSpectatorsAllHands(CardState):
    def observation(self, seat: int | None) -> dict[str, Any]:
        return self.to_json() if seat is None else super().observation(seat)


class ShowsTooLittle(CardState):
    def observation(self, seat: int | None) -> dict[str, Any]:
        return super().observation(seat) | {"choices": []}


class TellsTheDeal(CardState):
    def event_for(self, seat: int | None, text: str) -> str:
        return text


class RedrawsNothing(CardState):
    def determinize(self, seat: int, rng: Random) -> CardState:
        return self.copy()


class RedrawsTheOwnCard(CardState):
    def determinize(self, seat: int, rng: Random) -> CardState:
        return super().determinize((seat + 1) % self.seats, rng)


class SharesItsChoices(CardState):
    def copy(self) -> CardState:
        twin = super().copy()
        twin.choices = self.choices
        return twin


class SharesItsChoicesWithPython(CardState):
    def __copy__(self) -> CardState:
        twin = self.copy()
        twin.choices = self.choices
        return twin


class PrefersToPlay(CardState):
    def random_action(self, rng: Random) -> int:
        return self.legal_actions()[-1 if rng.random() < 0.7 else 0]


class AllowsPlayingNothing(CardState):
    def is_legal(self, action: int) -> bool:
        return action in (0, 1)


LENT = [0, 1]


class LendsItsList(CardState):
    def legal_actions(self) -> list[int]:
        actions = super().legal_actions()
        return LENT if len(actions) > 1 else actions


class AppliesAnything(CardState):
    def apply(self, action: int) -> None:
        self.apply_unchecked(action)


class ForgetsChoices(CardState):
    def to_json(self) -> dict[str, Any]:
        return {**super().to_json(), "choices": []}


class NamesActionsAlike(CardState):
    def text(self, action: int) -> str:
        return "keep"


class AcceptsAnyDeal(CardState):
    def apply_chance(self, text: str) -> None:
        super().apply_chance(text if text[0].isdigit() else "0 1 2"[: 2 * self.seats - 1])


class HidesThePhase(CardState):
    def observation(self, seat: int | None) -> dict[str, Any]:
        view = super().observation(seat)
        return {name: value for name, value in view.items() if name != "phase"}


class ListsForAll(CardState):
    def observation(self, seat: int | None) -> dict[str, Any]:
        return {**super().observation(seat), "legal": []}


@pytest.mark.parametrize(
    ("kind", "check"),
    [
        (ShowsAllHands, checks.check_hidden_parts_stay_hidden),
        (ShowsSpectatorsAllHands, checks.check_hidden_parts_stay_hidden),
        (RedrawsNothing, checks.check_hidden_parts_stay_hidden),
        (RedrawsTheOwnCard, checks.check_hidden_parts_stay_hidden),
        (ShowsTooLittle, checks.check_an_observation_is_enough_to_search),
        (TellsTheDeal, checks.check_events_tell_no_more_than_observations),
        (SharesItsChoices, checks.check_copies_are_independent),
        (SharesItsChoicesWithPython, checks.check_python_copies_are_independent),
        (PrefersToPlay, checks.check_random_actions_are_uniform),
        (AllowsPlayingNothing, checks.check_the_list_is_what_is_legal),
        (LendsItsList, checks.check_the_list_is_what_is_legal),
        (AppliesAnything, checks.check_what_is_illegal_changes_nothing),
        (ForgetsChoices, checks.check_json_round_trips),
        (NamesActionsAlike, checks.check_texts_and_actions_are_one_to_one),
        (AcceptsAnyDeal, checks.check_nobody_acts_out_of_turn),
        (HidesThePhase, checks.check_observations_have_the_common_frame),
        (ListsForAll, checks.check_observations_have_the_common_frame),
    ],
)
def test_a_broken_game_fails(kind: type[CardState], check: Check) -> None:
    own = BadPosition if kind in REFUSED_BY_LOAD else None
    assert _fails(Setup(CardGame(kind), 3, {"loud": False}), check, own=own)


def test_a_game_longer_than_it_says_fails() -> None:
    setup = Setup(CardGame(longest=3), 3, {"loud": False})

    assert _fails(setup, checks.check_it_ends_in_time)


def test_a_game_with_more_actions_than_it_says_fails() -> None:
    setup = Setup(CardGame(actions=1), 3, {"loud": False})

    assert _fails(setup, checks.check_all_actions_are_in_the_fixed_range)


REFUSED_BY_LOAD = (ShowsTooLittle, ForgetsChoices)
"""Games whose own `load` refuses what they have described, before a check can compare it."""


def _fails(setup: Setup, check: Check, *, own: type[EngineError] | None = None) -> bool:
    """Return whether one of several matches shows that a promise is broken.

    A check must say so by an assertion. Only the error `own` of the game stands for one: any other
    is a mistake in the check or in the game, and escapes.
    """
    for seed in range(20):
        try:
            check(setup, seed)
        except (AssertionError, pytest.fail.Exception):
            return True
        except EngineError as error:
            if own is None or not isinstance(error, own):
                raise
            return True
    return False


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
