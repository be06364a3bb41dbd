"""What looks good to the built-in bots, and that those who see it beat those who do not."""

import runpy
import subprocess
import sys
from random import Random
from typing import Any

import pytest

from pentathlon_engines import CHANCE, GAMES, State
from pentathlon_engines.bot import Turn
from pentathlon_engines.lookahead import best_first
from pentathlon_engines.manifest import built_in_bots
from pentathlon_engines.match.plain_launcher import ENGINES
from tests.deep import mostly_deep
from tests.engines.azure import positions as azure_positions
from tests.engines.maatatahay import positions as maatatahay_positions
from tests.engines.way_of_the_dragon import positions as dragon_positions
from tests.engines.way_of_the_dragon.positions import pieces

JUDGED = ("azure", "maatatahay", "way_of_the_dragon")
"""The games that are tested here; Tash-Kalar has tests of its own, for each mode and school."""
CLOCK = {"cpu_left_ms": 1000, "match_cpu_left_ms": 20_000}
CHOOSE = runpy.run_path(str(built_in_bots()["greedy"] / "main.py"))["choose"]


def judged(state: State, seat: int = 0) -> float:
    evaluate = state.game.evaluation()
    assert evaluate is not None
    return evaluate(state, seat)


def decide(state: State, rng: Random) -> State:
    """Let chance decide until a seat is to move."""
    while state.to_move == CHANCE:
        state.apply_chance(state.sample_chance(rng))
    return state


def greedy_wins(key: str, other: str, *, seats: int, seed: int) -> bool:
    """Play greedy, in a seat by the seed, among others of one kind; say whether it wins alone."""
    rng, mine = Random(seed), seed % seats
    state = GAMES[key].start(seats)
    hello: dict[str, Any] = {"game": key, "rules": 1, "seat": mine, "seats": seats}
    turn = Turn(
        {**hello, "options": {}, "limits": {}, "match": "test", "dice": f"test-{seed}:{mine}"}
    )
    while (outcome := decide(state, rng).outcome) is None:
        if state.to_move != mine:
            actions = state.legal_actions()
            state.apply(actions[0] if other == "first-come" else rng.choice(actions))
            continue
        seen = state.observation(mine)
        message = {"ply": 0, "events": [], "legal": seen.pop("legal"), "clock": CLOCK}
        turn.begin({**message, "observation": seen})
        state.apply(state.parse(CHOOSE(turn)))
    return outcome.ranks[mine] == 0 and outcome.ranks.count(0) == 1


@pytest.mark.parametrize("other", mostly_deep(["random", "first-come"], keep=["first-come"]))
@pytest.mark.parametrize(
    ("key", "seats", "matches", "least"),
    [
        ("azure", 2, 15, 12),
        ("maatatahay", 2, 10, 8),
        ("way_of_the_dragon", 2, 10, 8),
        ("way_of_the_dragon", 5, 10, 6),
    ],
)
def test_greedy_beats_who_judges_nothing(
    key: str, seats: int, matches: int, least: int, other: str
) -> None:
    won = sum(greedy_wins(key, other, seats=seats, seed=seed) for seed in range(matches))

    assert won >= least


@pytest.mark.parametrize("key", JUDGED)
def test_a_seat_judges_by_what_it_knows(key: str) -> None:
    rng = Random(3)
    state = GAMES[key].start()
    for _ in range(30):
        decide(state, rng)
        if state.to_move is None:
            break
        for seat in range(state.seats):
            assert judged(GAMES[key].load(state.observation(seat)), seat) == judged(state, seat)
        state.apply(state.random_action(rng))


@pytest.mark.parametrize("key", JUDGED)
def test_the_end_looks_best_to_who_has_won(key: str) -> None:
    rng = Random(4)
    state = decide(GAMES[key].start(), rng)
    before = [judged(state, seat) for seat in range(state.seats)]

    ranks = state.playout(rng).ranks

    assert sorted(ranks) == [0, 1]
    for seat, rank in enumerate(ranks):
        assert (judged(state, seat) > before[seat]) == (rank == 0)


def test_no_evaluation_is_loaded_before_it_is_asked_for() -> None:
    program = """
import random, sys
from pentathlon_engines import GAMES, lookahead
def loaded(): return [name for name in sys.modules if name.endswith("evaluation")]
state = GAMES["azure"].start()
state.apply_chance(state.sample_chance(random))
print(lookahead.winning_action(state), loaded())
print(state.game.evaluation() is not None, loaded())
"""

    done = subprocess.run(
        [sys.executable, "-s", "-S", "-c", program],
        env={"PYTHONPATH": str(ENGINES)},
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.splitlines() == ["None []", "True ['pentathlon_engines.azure.evaluation']"]


def test_games_without_judgement_keep_their_order() -> None:
    state = GAMES["tuned"].start()
    actions = state.legal_actions()[::-1]

    assert state.game.evaluation() is None
    assert best_first(state, actions) == actions


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({"wisdom": [3, 0]}, {"wisdom": [0, 0]}),
        ({"wisdom": [0, 0]}, {"wisdom": [0, 3]}),
        ({"hands": ["AAW", "WV"]}, {"hands": ["A", "WV"]}),
    ],
)
def test_azure_likes_wisdom_and_cards(better: dict[str, Any], worse: dict[str, Any]) -> None:
    usual = {"hands": ["A", "WV"]}
    first, second = (azure_positions.position(**{**usual, **more}) for more in (better, worse))

    assert judged(first) > judged(second)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (pieces(water=8), pieces(water=7)),
        (pieces(water=6), pieces(water=5)),
        (pieces(water=5), pieces(water=4)),
        (pieces(water=1), pieces()),
    ],
)
def test_the_dragon_likes_pieces_far_ahead(
    better: dict[str, int | None], worse: dict[str, int | None]
) -> None:
    first, second = (
        dragon_positions.position(mine, pieces(), dice="ddddd", phase="keep", rolls_left=1)
        for mine in (better, worse)
    )

    assert judged(first) > judged(second)
    assert judged(first, 1) < judged(second, 1)


@pytest.mark.parametrize(
    ("dice", "best"),
    [("wwwmo", "keep www"), ("wwwww", "stop"), ("ddddd", "keep -"), ("wfmeo", "stop")],
)
def test_the_dragon_keeps_what_gets_a_piece_far(dice: str, best: str) -> None:
    state = dragon_positions.position(pieces(), pieces(), dice=dice, phase="keep", rolls_left=1)

    assert state.text(best_first(state, state.legal_actions())[0]) == best


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({"a1": "0.8n"}, {"a1": "0.7n"}),  # more gems
        ({"a1": "0.6n s1e0"}, {"a1": "0.6n"}),
        ({"a1": "0.6n s0e2", "a2": "1.5n"}, {"a1": "0.6n", "a2": "1.5n"}),  # stronger in danger
        ({"a1": "0.6n", "e5": "1.8n"}, {"a1": "0.6n", "a2": "1.8n"}),
        ({"a1": "0.6n", "c1": "1.6x"}, {"a1": "0.6n", "c1": "1.6n"}),
        ({"a1": "0.9n"}, {"a1": "0.9s"}),  # supports a tile to come
    ],
)
def test_maatatahay_likes_what_lives_and_supports(
    better: dict[str, str], worse: dict[str, str]
) -> None:
    first, second = (maatatahay_positions.position(board) for board in (better, worse))

    assert judged(first) > judged(second)
    assert judged(first, 1) < judged(second, 1)


def test_maatatahay_likes_a_store_for_relics_while_there_are_any() -> None:
    def of_store(stored: str, **more: Any) -> float:  # any field of a position
        return judged(maatatahay_positions.position(storage=[stored, "s0e0"], **more))

    assert (
        of_store("s1e1")
        > of_store("s0e2")
        > of_store("s0e0")
        == of_store("s0e0", relics_on_map=[])
    )
    assert of_store("s1e1") > of_store("s1e1", relics_on_map=[])
