"""The players behind the published figures of Azure choose what their description says."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from pentathlon_engines import GAMES
from pentathlon_engines.azure.policies import play_greedy, play_two_step
from pentathlon_engines.tools.simulate import POLICIES, policies_of
from tests.engines.azure.positions import position

if TYPE_CHECKING:
    from pentathlon_engines.contract.game import Policy


def chosen(player: Policy, **fields: Any) -> str:
    state = position(**fields)
    return state.text(player(state, state.legal_actions(), random.Random(1)))


@pytest.mark.parametrize("player", [play_greedy, play_two_step])
def test_a_win_at_once_is_taken(player: Policy) -> None:
    fields = {"hands": ["AAAA", "W"], "wisdom": [21, 0]}

    assert chosen(player, **fields) == "place b2"


def test_greedy_prefers_wisdom() -> None:
    assert chosen(play_greedy, hands=["AAAAAA", "W"]) == "place c3"


def test_azure_has_players_of_its_own() -> None:
    assert set(policies_of(GAMES["azure"])) == {*POLICIES, "greedy", "two_step"}
    assert policies_of(GAMES["tuned"]) == POLICIES


def test_they_refuse_other_games() -> None:
    state = GAMES["tuned"].start()

    with pytest.raises(TypeError, match="not Tuned"):
        play_greedy(state, state.legal_actions(), random.Random(1))
