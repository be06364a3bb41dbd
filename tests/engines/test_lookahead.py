"""Looking ahead finds wins in one action and threats in two."""

from typing import cast

import pytest

from pentathlon_engines import GAMES, Outcome, State
from pentathlon_engines.lookahead import after, has_won, is_safe, winning_action


def played(*texts: str) -> State:
    state = GAMES["tuned"].start()
    for text in texts:
        state.apply(state.parse(text))
    return state


class Over:
    """A position of a match that is over."""

    to_move = None

    def __init__(self, *ranks: int) -> None:
        self.outcome = Outcome(ranks, "test")


def over(*ranks: int) -> State:
    return cast("State", Over(*ranks))


def test_position_before_the_action_stays_as_it_is() -> None:
    state = played()
    before = state.to_json()

    later = after(state, state.legal_actions()[0])

    assert state.to_json() == before
    assert later.to_json() != before


@pytest.mark.parametrize(
    ("ranks", "winners"), [((0, 1), [0]), ((1, 0), [1]), ((0, 0), []), ((1, 1), [])]
)
def test_only_who_is_first_alone_has_won(ranks: tuple[int, ...], winners: list[int]) -> None:
    assert [seat for seat in range(2) if has_won(over(*ranks), seat)] == winners


def test_nobody_has_won_while_the_match_goes_on() -> None:
    assert not has_won(played(), 0)


def test_finished_match_has_no_winning_action() -> None:
    assert winning_action(over(0, 1)) is None


@pytest.mark.parametrize(("ranks", "safe"), [((0, 1), [0]), ((0, 0), [0, 1]), ((1, 1), [])])
def test_end_is_safe_for_those_who_have_not_lost(ranks: tuple[int, ...], safe: list[int]) -> None:
    assert [seat for seat in range(2) if is_safe(over(*ranks), seat)] == safe


def test_win_in_one_action_is_found_and_a_threat_to_the_other() -> None:
    state = played("add donkey b2", "add donkey a3")

    win = winning_action(state)

    assert win is not None
    assert has_won(after(state, win), 0)
    assert not is_safe(state, 1)
    assert is_safe(state, 0)
