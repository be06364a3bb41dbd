"""Tash-Kalar: the beings of the Etherweave that bring rules of their own (18.3)."""

from typing import Any

import pytest

from tests.engines.tash_kalar.positions import (
    DUEL,
    ETHERWEAVE,
    destroyed,
    do,
    legal,
    played,
    position,
    ready,
    shown,
    view,
)

NO_SUPPLY = "a3 a4 a5 a6 a7 b3 b4 b5 b6 b7 c8 c9 d8 d9"


class TestMerchantOfTime:
    """The piece that lies on the card comes back."""

    @staticmethod
    def summon(piece: dict[str, Any], enemy: str = "", own: str = "") -> Any:
        more: dict[str, Any] = {"pending": "merchant_of_time", "on_card": piece, "turn": 3}
        return ready("merchant_of_time e5", own, enemy, schools=ETHERWEAVE, **more)

    def test_it_leaps_to_any_colourless_square_without_a_piece_as_high(self) -> None:
        state = self.summon({"owner": 1, "rank": "heroic"}, "a4 a6h")
        do(state, "summon merchant_of_time e5")

        # 60 colourless squares without the heroics on a6; the Merchant stands on red.
        assert len(legal(state)) == 60 - 1
        assert not {"leap e5", "leap a6", "leap a5", "leap c2", "pass"} & {*legal(state)}

        do(state, "leap a4")
        assert shown(state)["a4"] == "1h"
        assert destroyed(state) == "c"
        assert view(state)["on_card"] is None
        assert view(state)["supply"][1]["common_heroic"] == 17 - 2

    def test_captured_own_piece_does_not_count(self) -> None:
        state = do(
            self.summon({"owner": 0, "rank": "legendary"}), "summon merchant_of_time e5", "leap d4"
        )

        assert shown(state)["d4"] == "0l"
        assert destroyed(state) == ""

    def test_it_may_capture_him(self) -> None:
        state = ready(
            "merchant_of_time e4", schools=ETHERWEAVE, turn=3, pending="merchant_of_time",
            on_card={"owner": 1, "rank": "legendary"},
        )  # fmt: skip

        do(state, "summon merchant_of_time e4", "leap e4")

        assert shown(state)["e4"] == "1l"
        assert view(state)["discard"] == ["merchant_of_time"]

    def test_while_he_is_summoned_nothing_is_pending_and_the_piece_is_still_there(self) -> None:
        state = do(self.summon({"owner": 1, "rank": "common"}), "summon merchant_of_time e5")

        assert view(state, 1)["pending"] is None
        assert view(state, 1)["on_card"] == {"owner": 1, "rank": "common"}
        assert view(state)["card"] == "merchant_of_time"


class TestTimeTraveler:
    """Three in a diagonal row, then anywhere."""

    OWN = "c3 d4 e5h"

    def test_stands_on_any_empty_colourless_square(self) -> None:
        state = position(self.OWN, "a3 b3l", cards="time_traveler", schools=ETHERWEAVE)

        listed = {text.split()[2] for text in legal(state, "summon")}
        assert len(listed) == 60 - 2 - 2
        assert not {"a3", "b3", "d4", "a5", "d8"} & listed

    @pytest.mark.parametrize(
        ("own", "can"),
        [("c3 d4 e5", True), ("c5 d4 e3l", True), ("c3 d4 f6", False), ("c3 d3 e3", False)],
    )
    def test_needs_three_in_a_diagonal_row(self, own: str, can: bool) -> None:
        state = position(own, cards="time_traveler", schools=ETHERWEAVE)

        assert bool(legal(state, "summon")) is can

    def test_without_supply_a_piece_that_one_match_leaves_is_picked_up(self) -> None:
        own = f"{NO_SUPPLY} c3 d4 e5h"
        state = position(own, cards="time_traveler", schools=ETHERWEAVE)

        do(state, "summon time_traveler i4")

        # In a4 b5 c6 and in c3 d4 e5 are matches, so that no piece is needed by both.
        assert len(legal(state, "pickup")) == 17
        do(state, "pickup c3")
        assert shown(state)["i4"] == "0h"

    def test_without_supply_the_pieces_of_the_only_match_stay(self) -> None:
        own = "b3 c4 d5 a5 a6 a7 e8 e9 f8 f9 g8 g9 c1 i4 i5 i6 i7"
        state = position(own, cards="time_traveler", schools=ETHERWEAVE)

        do(state, "summon time_traveler e2")

        assert not {"pickup b3", "pickup c4", "pickup d5"} & {*legal(state)}
        assert len(legal(state)) == 14

    def test_destroys_a_common_and_takes_the_last_discard_back(self) -> None:
        state = position(
            self.OWN, "i5", cards="time_traveler", schools=ETHERWEAVE,
            discards=[["iris_of_eternity", "void_summoner"], []],
            played={"beings": [["iris_of_eternity"], []]}, last_discard="iris_of_eternity",
        )  # fmt: skip
        size = view(state)["deck_sizes"]["beings"][0]

        do(state, "summon time_traveler i4")
        assert legal(state) == ["destroy i5", "pass"]
        do(state, "destroy i5")

        assert state.to_json()["decks"]["beings"][0][0] == "iris_of_eternity"
        assert view(state)["deck_sizes"]["beings"][0] == size + 1
        assert view(state)["discard"] == ["time_traveler", "void_summoner"]
        assert view(state)["played"]["beings"][0] == ["time_traveler"]
        assert view(state)["last_discard"] == "time_traveler"

    def test_takes_nothing_back_if_nothing_was_destroyed(self) -> None:
        more: dict[str, Any] = {
            "discards": [["void_summoner"], []],
            "last_discard": "void_summoner",
        }
        state = position(self.OWN, "i5", cards="time_traveler", schools=ETHERWEAVE, **more)

        do(state, "summon time_traveler i4", "pass")

        assert view(state)["discard"] == ["time_traveler", "void_summoner"]

    def test_takes_nothing_back_without_a_discard(self) -> None:
        state = position(self.OWN, "i5", cards="time_traveler", schools=ETHERWEAVE)

        do(state, "summon time_traveler i4", "destroy i5")

        assert view(state)["discard"] == ["time_traveler"]

    def test_card_discarded_unseen_comes_back_unseen(self) -> None:
        state = position(
            self.OWN, "i5", cards="time_traveler iris_of_eternity", schools=ETHERWEAVE
        )

        do(state, "discard iris_of_eternity", "done")
        assert view(state)["last_discard"] == "iris_of_eternity"
        assert view(state, 1)["last_discard"] == "being"
        do(state, "summon time_traveler i4", "destroy i5")

        assert "iris_of_eternity" in state.to_json()["hands"][0]["beings"]
        assert view(state, 1)["last_discard"] == "time_traveler"
        assert view(state, 1)["played"]["beings"][0] == ["time_traveler"]


class TestVoidSummoner:
    """Empty squares serve for commons."""

    def test_grants_it_for_the_next_summoning_only(self) -> None:
        _, state = played(
            "void_summoner e5",
            "",
            "",
            "",
            schools=ETHERWEAVE,
            cards="doppelganger",
            actions_left=3,
        )
        assert view(state)["permissions"] == ["void_summon"]

        do(state, "summon doppelganger a4")
        assert view(state)["permissions"] == []

    def test_it_ends_with_the_turn(self) -> None:
        _, state = played("void_summoner e5", "", "", "", schools=ETHERWEAVE, actions_left=1)

        assert state.to_move == 1
        assert view(state)["permissions"] == []

    @pytest.mark.parametrize(
        ("own", "cards", "summon", "can"),
        [
            ("", "doppelganger", "summon doppelganger e5", True),
            ("a5", "polarity_queen", "summon polarity_queen e5", False),
            ("d4 e2", "polarity_queen", "summon polarity_queen e5", True),
            ("d4 e2h", "polarity_queen", "summon polarity_queen e5", True),
            ("d4 d5", "dark_sphere", "summon dark_sphere e5", True),
            ("d4 e5", "dark_sphere", "summon dark_sphere e5", True),
            ("d4", "dark_sphere", "summon dark_sphere e5", False),
            ("c3", "time_traveler", "summon time_traveler i4", True),
            ("c3", "time_traveler", "summon time_traveler d4", True),
            ("", "time_traveler", "summon time_traveler i4", False),
        ],
    )
    def test_two_empty_squares_serve(self, own: str, cards: str, summon: str, can: bool) -> None:
        more: dict[str, Any] = {"cards": cards, "schools": ETHERWEAVE}
        state = position(own, permissions=["void_summon"], **more)

        assert (summon in legal(state)) is can
        assert summon not in legal(position(own, **more))

    def test_enemy_pieces_do_not_serve(self) -> None:
        more: dict[str, Any] = {
            "cards": "doppelganger",
            "schools": ETHERWEAVE,
            "permissions": ["void_summon"],
        }
        state = position("", "d5 d4", **more)

        assert "summon doppelganger e5" in legal(state)  # turned another way
        crowd = "d4 d5 d6 e4 e6 f4 f5 f6"
        assert "summon doppelganger e5" not in legal(position("", crowd, **more))

    def test_legends_may_use_it_but_only_for_commons(self) -> None:
        board = ready("titan e5", schools=ETHERWEAVE).to_json()["board"]
        commons = [there for there, piece in board.items() if piece["rank"] == "common"]
        heroics = [there for there, piece in board.items() if piece["rank"] == "heroic"]

        for gone, can in ((commons[:2], True), (commons[:3], False), (heroics[:1], False)):
            left = {there: piece for there, piece in board.items() if there not in gone}
            state = position(
                cards="titan", schools=ETHERWEAVE, permissions=["void_summon"], board=left
            )
            assert ("summon titan e5" in legal(state)) is can

    def test_empty_squares_are_no_pieces_that_were_used(self) -> None:
        more: dict[str, Any] = {
            "cards": "gate_of_oblivion",
            "schools": ETHERWEAVE,
            "permissions": ["void_summon"],
        }
        state = position("d4 f4", "g5", **more)

        do(state, "summon gate_of_oblivion e5 r0")

        assert state.to_json()["progress"]["effect"]["used"] == ["d4", "f4"]


class TestIris:
    """As a legendary she counts as a legend."""

    LEGENDS = "titan hell_bull"

    def test_upgraded_she_counts_and_the_legends_in_hand_go(self) -> None:
        row = {
            "current": ["task_colored_summoning", "task_isolation", "task_legendary_summoning"],
            "next": "task_diagonals",
            "claimed": [[], []],
            "under": [],
        }
        state = ready(
            "iris_of_eternity e5", cards=self.LEGENDS, schools=ETHERWEAVE, tasks=row,
            actions_left=1, counters={"summoned": [{"card": "doppelganger", "square": "a5"}]},
        )  # fmt: skip

        do(state, "summon iris_of_eternity e5", "upgrade e5")

        last = view(state)["counters"]["summoned"][-1]
        assert last == {"card": "iris_of_eternity", "square": "e5", "as_legend": True}
        assert "claim task_legendary_summoning" in legal(state)
        assert view(state)["hand"]["legends"] == []
        assert view(state, 1)["played"]["legends"] == ["hell_bull", "titan"]

    def test_otherwise_she_does_not(self) -> None:
        _, state = played(
            "iris_of_eternity e5", "", "", "pass", cards=self.LEGENDS, schools=ETHERWEAVE
        )

        assert "as_legend" not in view(state)["counters"]["summoned"][-1]
        assert len(view(state)["hand"]["legends"]) == 2

    @pytest.mark.parametrize(("answer", "points"), [("upgrade e5", 1), ("pass", 0)])
    def test_it_scores_in_the_duel(self, answer: str, points: int) -> None:
        _, state = played("iris_of_eternity e5", "", "", answer, schools=ETHERWEAVE, mode=DUEL)

        assert view(state)["scores"] == [points, 0]
