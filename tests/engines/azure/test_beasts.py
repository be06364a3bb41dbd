"""Azure: the beasts and the gifted stones, where the worked examples leave something open."""

import pytest

from pentathlon_engines import Outcome
from tests.engines.azure.positions import do, kinds, legal, position


class TestBeasts:
    """Section 8 of the rules."""

    def test_losing_guards_frees_no_beast(self) -> None:
        state = position(beasts={"dragon": 1}, stones={"b6": 0}, hands=["V", "AAAA"])

        do(state, "place a6")

        assert state.to_json()["beasts"]["dragon"] == 1

    def test_the_dragon_ends_the_match_before_the_tiger_is_checked(self) -> None:
        stones = {"b1": 0, "d2": 0, "d3": 0, "e1": 1, "f1": 1}
        state = position(
            hands=["A", "W"], wisdom=[21, 2], stones=stones, beasts={"dragon": 1, "tiger": 1}
        )

        do(state, "place a2")

        # One wisdom of the space, three of the Dragon; its loser has only two to lose.
        assert state.outcome == Outcome((0, 1), "wisdom", (25, 0))
        assert state.to_json()["beasts"]["tiger"] == 1
        assert kinds(state) == ["place", "gather", "wisdom", "favour", "wisdom", "wisdom", "end"]

    def test_the_loser_returns_cards_and_then_has_the_turn(self) -> None:
        state = position(
            hands=["V", "AWWB"], beasts={"bird": 1}, stones={"a5": 1, "c5": 1, "c6": 0, "a6": 0}
        )

        do(state, "place b6")
        seen_by_mover = kinds(state, 0)
        do(state, "return WW")

        assert seen_by_mover == ["place", "gather", "favour"]
        assert state.to_move == 1
        assert kinds(state, 1) == ["return", "draw"]
        assert kinds(state, 0) == ["place", "gather", "favour", "return", "draw"]

    def test_only_the_drawer_sees_what_was_drawn(self) -> None:
        state = do(position(hands=["V", "AWWB"], stones={"c6": 0}), "place b6")

        draws = [state.observation(seat)["events"][-1] for seat in (0, 1, None)]

        assert draws[0] == {"kind": "draw", "player": 0, "n": 2, "cards": "WV"}
        assert draws[1] == draws[2] == {"kind": "draw", "player": 0, "n": 2}


class TestGifted:
    """Section 11 of the rules."""

    @pytest.mark.parametrize(
        ("gifted", "cost"), [("mighty", 4), ("perceptive", 4), ("bountiful", 3), ("favored", 3)]
    )
    def test_the_gifted_stone_costs_more(self, gifted: str, cost: int) -> None:
        state = position(gifted, hands=["AAAA", "W"])

        assert state.cost(state.parse("place b1")) == 2
        assert state.cost(state.parse("gift b1")) == cost

    def test_it_is_placed_once_and_is_no_common_stone(self) -> None:
        state = do(position("favored", hands=["AAAA", "WWB"]), "gift b3", "place f1")

        assert state.to_json()["gifted_at"] == ["b3", None]
        assert state.to_json()["supply"] == [14, 11 + 1 + 1]
        assert not any(text.startswith("gift") for text in legal(state))

    def test_without_the_module_there_is_none(self) -> None:
        state = position(hands=["AAAA", "WWB"])

        assert not any(text.startswith("gift") for text in legal(state))

    def test_the_last_stone_may_be_the_gifted_one(self) -> None:
        state = position("mighty", hands=["AAA", "WWB"], supply=[0, 14])

        assert legal(state) == ["gift c2", "gift b3"]

    def test_a_mountain_blocks_the_diagonal(self) -> None:
        near = position("perceptive", gifted_at=["c5", None], stones={"c5": 0}, hands=["V", "W"])
        far = position("perceptive", gifted_at=["c3", None], stones={"c3": 0}, hands=["V", "W"])

        assert near.cost(near.parse("place b6")) == 0
        assert far.cost(far.parse("place e5")) == 1

    def test_mighty_guards_once(self) -> None:
        stones = {"b1": 0}
        state = position("mighty", gifted_at=["b1", None], stones=stones, hands=["V", "W"])

        do(state, "place b6")

        assert state.to_json()["beasts"]["dragon"] is None

    def test_bountiful_takes_the_only_sort_by_itself(self) -> None:
        state = position(
            "bountiful", gifted_at=["b2", None], stones={"b2": 0}, hands=["A", "AWVB"]
        )

        do(state, "place b3")

        assert state.to_json()["hands"][0] == "AWW"
        assert kinds(state) == ["place", "gather", "gather"]

    def test_bountiful_may_ask_for_qi_that_is_not_there(self) -> None:
        state = position(
            "bountiful",
            gifted_at=["b2", None],
            stones={"b2": 0},
            hands=["AAA", "W" + "B" * 11],
            hidden="",
        )

        do(state, "place a2", "boon qi")

        assert state.to_json()["hands"][0] == "AAB"
        assert state.to_move == 1

    def test_bountiful_wisdom_may_end_the_match(self) -> None:
        state = position(
            "bountiful",
            gifted_at=["b2", None],
            stones={"b2": 0},
            hands=["AAA", "W"],
            wisdom=[23, 0],
        )

        do(state, "place a2", "boon wisdom")

        assert state.outcome == Outcome((0, 1), "wisdom", (25, 0))

    def test_favored_needs_the_other_gifted_stone_elsewhere(self) -> None:
        for at, owner in (("f6", 0), ("c5", 1)):
            stones = {"a5": 1, "c5": 1, "c6": 0, "f6": 1}
            state = position(
                "favored",
                gifted_at=["c6", at],
                hands=["V", "AW"],
                beasts={"bird": 1},
                stones=stones,
            )

            do(state, "place b6")

            assert state.to_json()["beasts"]["bird"] == owner
