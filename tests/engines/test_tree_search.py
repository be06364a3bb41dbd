"""The tree search: it finds what is there, repeats itself, and knows only what its seat knows."""

from random import Random
from typing import cast

import pytest

from pentathlon_engines import CHANCE, GAMES, Outcome, State
from pentathlon_engines.lookahead import after, has_won, is_safe, winning_action
from pentathlon_engines.tree_search import TreeSearch, shares_of
from tests.engines.twelve_game import TWELVE

HIDING = [key for key, game in GAMES.items() if game.info.hidden]


def in_play(key: str, *, seats: int | None = None, plies: int = 12, seed: int = 5) -> State:
    """Return a position in which a seat has a choice."""
    rng = Random(seed)
    state = GAMES[key].start(seats)
    while True:
        if state.to_move == CHANCE:
            state.apply_chance(state.sample_chance(rng))
        elif plies > 0 or len(state.legal_actions()) == 1:
            plies -= 1
            state.apply(state.random_action(rng))
        else:
            return state


def search(state: State, *, steps: int, seed: int = 1) -> TreeSearch:
    """Search for the seat to move."""
    assert state.to_move is not None
    found = TreeSearch(state, seat=state.to_move, rng=Random(seed))
    for _ in range(steps):
        found.step()
    return found


def in_tuned(board: dict[str, str], hands: list[str], roosters: list[str | None]) -> State:
    data = {"board": board, "hands": hands, "rooster": roosters, "to_move": 0, "actions": 4}
    return GAMES["tuned"].load({"game": "tuned", **data})


@pytest.mark.parametrize("key", GAMES)
def test_search_finds_a_legal_action_and_leaves_the_root_alone(key: str) -> None:
    state = in_play(key)
    before = state.to_json()

    found = search(state, steps=20)

    assert found.best() in state.legal_actions()
    assert 0 <= found.expected() <= 1
    assert state.to_json() == before


@pytest.mark.parametrize("key", GAMES)
def test_search_repeats_itself_with_the_same_random_numbers(key: str) -> None:
    state = in_play(key)

    found = [search(state, steps=30) for _ in range(2)]

    assert found[0].best() == found[1].best()
    assert found[0].expected() == found[1].expected()


@pytest.mark.parametrize("key", HIDING)
def test_search_does_not_see_what_is_hidden_from_its_seat(key: str) -> None:
    state = in_play(key)
    seat = state.to_move
    assert seat is not None
    other = _otherwise_hidden(state, seat)

    # The bot sees positions through observations, whose hidden parts are arbitrary.
    seen = [GAMES[key].load(world.observation(seat)) for world in (state, other)]
    found = [search(world, steps=30) for world in seen]

    assert state.to_json() != other.to_json()
    assert found[0].best() == found[1].best()
    assert found[0].expected() == found[1].expected()


def test_search_finds_the_win() -> None:
    state = in_tuned({"a1": "D", "b1": "D"}, ["DGGCC", "DGGCC"], ["add", "add"])

    assert state.text(search(state, steps=300).best()) == "add donkey c1"


def test_search_takes_no_action_that_lets_the_other_seat_win() -> None:
    state = in_tuned({"a1": "D", "b1": "D"}, ["GGCC", "DDGGCC"], ["move", "add"])

    best = search(state, steps=3000).best()
    state.apply(best)

    assert not any(_wins(state, action, seat=1) for action in state.legal_actions())


@pytest.mark.parametrize("seats", [2, 3])
def test_search_copes_with_a_game_that_has_no_evaluation_but_secrets(seats: int) -> None:
    rng = Random(3)
    state = TWELVE.start(seats)
    while state.to_move == CHANCE:
        state.apply_chance(state.sample_chance(rng))

    assert search(state, steps=50).best() in state.legal_actions()


def test_lead_is_how_far_the_best_action_is_ahead() -> None:
    state = in_tuned({"a1": "D", "b1": "D"}, ["DGGCC", "DGGCC"], ["add", "add"])

    found = search(state, steps=400)

    assert 100 < found.lead() <= found.tries == 400


def test_shares_count_who_was_beaten_and_half_of_who_was_level() -> None:
    assert shares_of(Outcome((0, 2, 0, 3, 4), "race")) == [0.875, 0.5, 0.875, 0.25, 0.0]


def _otherwise_hidden(state: State, seat: int) -> State:
    """Return another position that looks the same to the seat."""
    for seed in range(20):
        other = state.determinize(seat, Random(seed))
        if other.to_json() != state.to_json():
            assert other.observation(seat) == state.observation(seat)
            return other
    raise AssertionError("nothing is hidden here")


def _wins(state: State, action: int, *, seat: int) -> bool:
    after = state.copy()
    after.apply(action)
    return after.outcome is not None and after.outcome.ranks[seat] == 0


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
