"""Way of the Dragon: its worked examples, a case for each rule, and what holds in every match."""

import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pentathlon_engines import CHANCE, NotToMove
from pentathlon_engines.way_of_the_dragon import WayOfTheDragonState
from pentathlon_engines.way_of_the_dragon.moves import rank_seats
from tests.engines.way_of_the_dragon.oracle import compare_match
from tests.engines.way_of_the_dragon.positions import DRAGON, do, legal, pieces, position

EXAMPLES = DRAGON.examples()
POWERS: dict[str, Any] = {"options": {"powers": True}}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["id"])
def test_worked_example_comes_out(example: dict[str, Any]) -> None:
    state = DRAGON.load(example["position"])
    assert isinstance(state, WayOfTheDragonState)

    assert legal(state) == example.get("legal", legal(state))
    if "count" in example:
        counted = rank_seats(state, "").to_json()
        del counted["reason"]
        assert counted == example["count"]
        numbered = [state.has_all_numbered(seat) for seat in range(state.seats)]
        assert numbered == example.get("all_numbered", numbered)
    if "action" in example:
        do(state, example["action"])
        if state.to_move == CHANCE:
            state.apply_chance(state.sample_chance(random.Random(1)))
        after = state.to_json()
        assert {name: after[name] for name in example["then"]} == example["then"]


def test_engine_agrees_with_the_oracle() -> None:
    met = sum((compare_match(seed) for seed in range(24)), Counter[str]())

    assert {"dead", "start", "eye", "jump", "equilibrium jump", "wild", "swap", "fear"} <= set(met)
    assert {"rebirth", "again", "end", "pass", "race", "cap"} <= set(met)


class TestRolling:
    """Sections 4.1 and 9 of the rules."""

    def test_three_rolls_then_a_move(self) -> None:
        state = DRAGON.start(2, {"start_seat": "1"})
        assert isinstance(state, WayOfTheDragonState)
        told = []
        for text in ("roll wwmdd", "keep ww", "roll wwfed", "keep wf", "roll wffod"):
            do(state, text)
            told.append((state.to_move, state.to_json()["phase"], state.rolls_left))

        assert told == [
            (1, "keep", 2),
            (CHANCE, "roll", 1),
            (1, "keep", 1),
            (CHANCE, "roll", 0),
            (1, "move", 0),
        ]

    def test_who_stops_has_no_rolls_left(self) -> None:
        state = position(pieces(), pieces(), dice="wwmdd", phase="keep", rolls_left=2)

        do(state, "stop")

        assert (state.to_json()["phase"], state.rolls_left) == ("move", 0)

    def test_five_different_dice_can_be_kept_in_31_ways(self) -> None:
        state = position(pieces(), pieces(), dice="wfmeo", phase="keep", rolls_left=1)

        assert len(legal(state)) == 32
        assert legal(state)[:3] == ["stop", "keep -", "keep w"]
        assert legal(state)[-1] == "keep fmeo"

    def test_kept_dice_stay(self) -> None:
        state = position(pieces(), pieces(), dice="wwmdd", phase="keep", rolls_left=2)
        do(state, "keep wdd")

        rolled = [text for text, _ in state.chance_outcomes()]

        assert len(rolled) == 21
        assert all(Counter(text[5:]) >= Counter("wdd") for text in rolled)


class TestMoving:
    """Sections 4.3 to 4.8 of the rules."""

    def test_pieces_on_the_way_are_passed_over(self) -> None:
        state = position(pieces(fire=1), pieces(fire=2), dice="fffmd", dead={"fire": [3]})

        do(state, "move fire")

        assert state.to_json()["positions"][0]["fire"] == 4
        assert state.to_json()["moved"] == [["fire", 1, 4]]

    def test_a_dead_piece_blocks(self) -> None:
        state = position(pieces(), pieces(), dice="ffmdd", dead={"fire": [2]})

        assert legal(state) == ["move metal"]

    def test_a_piece_that_was_swapped_off_the_numbers_moves_again(self) -> None:
        state = position(pieces(water=8), pieces(water=2), dice="wdddd")

        do(state, "swap water 2 8", "roll wwmdd", "stop", "move metal", "roll wwmdd", "stop")

        assert legal(state) == ["move water"]

    def test_pieces_of_others_can_be_swapped(self) -> None:
        state = position(pieces(), pieces(earth=2), pieces(earth=9), dice="edddd")

        assert legal(state) == ["move earth", "swap earth 2 9"]

    def test_off_board_and_dead_pieces_are_not_swapped(self) -> None:
        state = position(pieces(water=2), pieces(), dice="ddddd", dead={"water": [3]})

        assert legal(state) == ["pass"]

    def test_equilibrium_without_a_move_is_a_pass(self) -> None:
        mine = pieces(water=6, fire=6, metal=6, earth=6, wood=1)
        state = position(mine, pieces(wood=2), dice="wfmeo")

        assert legal(state) == ["pass"]

    def test_four_elements_and_a_dragon_are_no_equilibrium(self) -> None:
        state = position(pieces(), pieces(), dice="wfmed")

        assert legal(state) == ["move water", "move fire", "move metal", "move earth"]


class TestExtraTurns:
    """Sections 4.7, 7.2 and 9.1 of the rules."""

    def test_perfection_is_offered_after_a_pass_too(self) -> None:
        state = position(pieces(fire=7), pieces(), dice="fffff")

        do(state, "pass")

        assert legal(state) == ["end", "again"]

    def test_another_turn_is_of_the_same_seat(self) -> None:
        state = position(pieces(fire=7), pieces(), dice="fffff", turn=5)

        do(state, "pass", "again", "roll wwwww")

        assert (state.to_move, state.turn) == (0, 6)

    def test_five_dragons_are_no_perfection(self) -> None:
        state = do(position(pieces(), pieces(), dice="ddddd"), "pass")

        assert state.turn_of == 1

    def test_again_comes_before_rebirth(self) -> None:
        state = position(pieces(), pieces(), dice="fffff", seat=1, **POWERS)

        do(state, "move fire")
        first = legal(state)
        do(state, "again", "roll wfmdd", "stop", "move water")

        assert first == ["end", "again"]
        assert legal(state) == ["end", "rebirth"]

    def test_rebirth_is_one_turn_once(self) -> None:
        state = position(pieces(), pieces(), dice="ffmdd", seat=1, **POWERS)

        do(state, "move fire", "rebirth", "roll wwmdd", "stop", "move water")

        assert state.turn_of == 0
        assert state.to_json()["power_used"] == [False, True]


class TestPowers:
    """Section 7 of the rules."""

    def test_fear_is_offered_only_where_a_move_is_compulsory(self) -> None:
        can = position(pieces(), pieces(), dice="wfmeo", **POWERS)
        cannot = position(pieces(fire=7), pieces(), dice="fffdd", **POWERS)

        assert legal(can) == ["equilibrium", "fear"]
        assert legal(cannot) == ["pass"]

    def test_fear_does_nothing_and_is_used(self) -> None:
        state = position(pieces(), pieces(), dice="wwmdd", **POWERS)

        do(state, "fear")

        assert state.to_json()["power_used"] == [True, False]
        assert not any(state.positions)

    def test_the_eye_is_a_fourth_roll_of_any_dice(self) -> None:
        seats = [pieces()] * 3
        state = position(*seats, dice="wwmdd", phase="keep", seat=2, rolls_left=1, **POWERS)

        do(state, "keep -", "roll fffod")
        offered = legal(state)
        do(state, "eye fff", "roll fffff")

        assert offered[:4] == ["stop", "eye -", "eye f", "eye o"]
        assert legal(state) == ["move fire"]
        assert state.to_json()["power_used"] == [False, False, True]

    def test_who_stopped_before_is_not_asked_for_the_eye(self) -> None:
        seats = [pieces()] * 3
        state = position(*seats, dice="wwmdd", phase="keep", seat=2, rolls_left=1, **POWERS)

        do(state, "stop")

        assert legal(state) == ["move water", "move metal"]

    def test_anxiety_needs_an_empty_space_behind(self) -> None:
        others = [pieces(fire=at) for at in (9, 10)]
        mine = pieces(fire=5)
        state = position(pieces(), *others, mine, dice="ffffm", seat=3, **POWERS)

        assert legal(state) == ["move metal"]

    def test_one_use_of_anxiety_serves_a_whole_equilibrium(self) -> None:
        other = pieces(water=1, fire=3, metal=6)
        mine = pieces(fire=2, metal=5, earth=7)
        state = position(other, pieces(), pieces(), mine, dice="wfmeo", seat=3, **POWERS)

        offered = legal(state)
        do(state, "equilibrium jump")

        assert offered == ["equilibrium", "equilibrium jump"]
        assert state.to_json()["positions"][3] == pieces(water=2, fire=4, metal=7, earth=7, wood=1)

    def test_dragons_that_stand_in_make_no_perfection(self) -> None:
        seats = [pieces()] * 5
        state = position(*seats, dice="wwwwd", seat=4, **POWERS)

        do(state, "wild water 5")

        assert state.turn_of == 0
        assert state.to_json()["positions"][4]["water"] == 5

    def test_five_dragons_stand_in_for_any_element(self) -> None:
        seats = [pieces()] * 5
        state = position(*seats, dice="ddddd", seat=4, **POWERS)

        assert len(legal(state)) == 26
        assert legal(state)[-1] == "pass"

    def test_without_the_option_there_are_no_powers(self) -> None:
        state = position(*[pieces()] * 5, dice="wwmdd", seat=4)

        assert legal(state) == ["move water", "move metal"]


class TestEnd:
    """Section 5 of the rules."""

    def test_the_cap_ends_the_match_without_another_question(self) -> None:
        state = position(pieces(fire=3), pieces(), dice="fffff", turn=120)

        do(state, "move fire")

        assert state.to_move is None
        assert state.to_json()["result"] == {
            "ranks": [0, 1],
            "reason": "cap",
            "scores": [3, 0],
            "numbered": [1, 0],
        }

    def test_a_race_that_ends_in_the_last_turn_is_a_race(self) -> None:
        mine = pieces(water=6, fire=6, metal=6, earth=6, wood=5)
        state = do(position(mine, pieces(), dice="foddd", turn=120), "move wood")

        assert state.outcome is not None
        assert state.outcome.reason == "race"

    def test_a_swap_can_end_the_match_for_another_seat(self) -> None:
        other = pieces(water=6, fire=6, metal=6, earth=6, wood=2)
        state = position(pieces(wood=8), other, dice="odddd")

        do(state, "swap wood 2 8")

        assert state.outcome is not None
        assert state.outcome.scores == (0, 7)

    def test_nobody_acts_after_the_end(self) -> None:
        state = do(position(pieces(), pieces(), dice="wwmdd", turn=120), "move water")

        with pytest.raises(NotToMove):
            state.sample_chance(random.Random(1))
        assert state.legal_actions() == []

    def test_no_match_is_longer_than_the_longest(self) -> None:
        options = {"powers": True, "dead": 10, "colors": "mwfeo", "turn_cap_per_player": 200}
        state = DRAGON.start(5, options)
        assert isinstance(state, WayOfTheDragonState)
        while state.to_move is not None:
            if state.to_move == CHANCE:
                state.apply_chance(_slowest_chance(state))
            else:
                state.apply(_slowest_action(state))

        assert state.ply == DRAGON.info.longest


def _slowest_chance(state: WayOfTheDragonState) -> str:
    outcomes = [text for text, _ in state.chance_outcomes()]
    return "roll wwwww" if "roll wwwww" in outcomes else outcomes[0]


def _slowest_action(state: WayOfTheDragonState) -> int:
    """Roll as often as can be, use the eye in the last turn, take every other turn."""
    texts = legal(state)
    wanted = ["keep -", "again"]
    if state.turn == state.cap:
        wanted.append("eye -")
    return state.parse(next((text for text in wanted if text in texts), texts[0]))


@given(st.integers(2, 5), st.booleans(), st.lists(st.integers(0, 10**6), max_size=80))
def test_any_course_keeps_pieces_apart(seats: int, powers: bool, choices: list[int]) -> None:
    state = DRAGON.start(seats, {"powers": powers, "dead": 3, "turn_cap_per_player": 5})
    assert isinstance(state, WayOfTheDragonState)
    for choice in choices:
        if state.to_move is None:
            break
        if state.to_move == CHANCE:
            outcomes = state.chance_outcomes()
            state.apply_chance(outcomes[choice % len(outcomes)][0])
        else:
            actions = state.legal_actions()
            state.apply(actions[choice % len(actions)])
        _check_spaces(state)


def _check_spaces(state: WayOfTheDragonState) -> None:
    for path in range(5):
        places = [at for at in state.positions[path::5] if at]
        dead = [at for at in range(18) if state.dead[path] >> at & 1]
        assert len({*places, *dead}) == len(places) + len(dead)
        assert state.taken[path] == sum(1 << at for at in (*places, *dead))
        assert all(at <= state.board.last[path] for at in places)
