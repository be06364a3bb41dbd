"""How a match of Way of the Dragon begins, and on paths of which lengths."""

import random

import pytest

from pentathlon_engines import BadOption
from pentathlon_engines.way_of_the_dragon.moves import rank_seats
from tests.engines.way_of_the_dragon.positions import DRAGON, legal, pieces, position


class TestSetup:
    """Section 3 of the rules."""

    def test_dead_pieces_come_one_by_one_and_two_per_path(self) -> None:
        state = DRAGON.start(2, {"dead": 10})
        seen = []
        while state.to_json()["phase"] == "dead":
            seen.append(len(state.chance_outcomes()))
            assert all(weight == 1 for _, weight in state.chance_outcomes())
            state.apply_chance(state.chance_outcomes()[0][0])

        assert seen == [25, 24, 20, 19, 15, 14, 10, 9, 5, 4]
        assert state.to_json()["dead"] == {element: [1, 2] for element in pieces()}

    def test_the_start_seat_is_drawn_evenly(self) -> None:
        state = DRAGON.start(3)

        assert state.chance_outcomes() == [("start 0", 1), ("start 1", 1), ("start 2", 1)]

    def test_a_chosen_start_seat_is_not_drawn(self) -> None:
        state = DRAGON.start(3, {"start_seat": "2"})

        state.apply_chance("roll wwmdd")

        assert state.to_move == 2

    def test_a_start_seat_that_nobody_has_is_refused(self) -> None:
        with pytest.raises(BadOption, match="there are 3 seats: write '0' to '2' or 'draw'"):
            DRAGON.start(3, {"start_seat": "3"})

    def test_colors_are_given_by_the_letters_of_their_elements(self) -> None:
        state = DRAGON.start(3, {"colors": "omwfe"})

        assert state.to_json()["colors"] == ["blue", "white", "black"]


class TestLengths:
    """Section 2.3 of the rules."""

    def test_numbers_follow_the_plain_spaces_of_each_path(self) -> None:
        mine = pieces(water=4, fire=17, metal=8, earth=7, wood=2)
        state = position(mine, pieces(), dice="wwwwo", plain_spaces=[3, 12, 5, 5, 4])

        assert legal(state) == ["move wood"]
        assert rank_seats(state, "").scores == (1 + 5 + 3 + 2, 0)

    @pytest.mark.parametrize("plain", [[3] * 5, [12] * 5, [3, 12, 4, 11, 7]])
    def test_matches_end_on_paths_of_any_length(self, plain: list[int]) -> None:
        for seed in range(5):
            start = DRAGON.start(5, {"dead": 10, "powers": True, "turn_cap_per_player": 20})
            state = DRAGON.load(start.to_json() | {"plain_spaces": plain})
            state.playout(random.Random(seed))

            data = state.to_json()
            assert data["plain_spaces"] == plain
            assert DRAGON.load(data).to_json() == data
