"""Tash-Kalar: warp effects, and the being that is pending (18.3)."""

from typing import Any

import pytest

from tests.engines.tash_kalar.positions import (
    DUEL,
    ETHERWEAVE,
    HIGH,
    Case,
    changes,
    destroyed,
    do,
    end_turn,
    legal,
    ready,
    view,
    woven,
)

WHAT_HAPPENS = [
    Case("paradox_worm", own="a5", enemy="a4 b4", answers="upgrade a4/pass", changes="a4=1h"),
    Case("paradox_worm", own="a5", enemy="a4", answers="pass", changes="a4=1h"),
    Case("paradox_worm", own="a5", enemy="a4h", answers="pass"),
    Case("lesser_shadow_twin", own="a5 a4 b4h", answers="upgrade a4", changes="a4=0h"),
    Case("greater_shadow_twin", own="a5", enemy="a4", changes="a5=0h"),
    Case("greater_shadow_twin", own="a5h", enemy="a4"),
    Case("antimatter_spirit", answers="place e4/move e4 e3", changes="e3=0c e5=1c"),
    Case("antimatter_spirit", enemy="e4 e6", answers="place e3/move e3 e4",
         changes="e2=1c e4=0c", losses="c"),
    Case("antimatter_spirit", own="d4", enemy="f4", answers="place e4/move e4 d4", losses="c"),
    Case("antimatter_spirit", own="d4", enemy="f4", answers="place e4/move e4 f4",
         changes="d4=1c f4=0c", losses="c"),
    Case("merchant_of_time", own="b4", enemy="a4l", answers="pickup a4", changes="a4=-"),
    Case("merchant_of_time", own="b4h", enemy="a5l", changes="b4=-"),
    Case("merchant_of_time", own="e5", enemy="a5l"),
    Case("void_summoner", own="a5 b4h c9l", enemy="a4", answers="move b4 a4",
         changes="a4=0h b4=-", losses="c"),
    Case("void_summoner", own="c9l", enemy="a4"),
    Case("eternal_emperor", own="a5 b4h", enemy="a4", answers="place c4", changes="c4=0c"),
    Case("eternal_emperor", own="a5 b4h", enemy="a4", answers="move a5 a4", changes="a4=0c a5=-",
         losses="c"),
    Case("eternal_emperor", own="a5 b4h", enemy="a4 b5h", answers="move b4 a4",
         changes="a4=0h b4=-", losses="c"),
    Case("polarity_queen", enemy="a4", answers="place a3", changes="a3=0c"),
    Case("polarity_queen", own="a5"),
    Case("ziggurat_sentinel", own="a5 b4h", enemy="a4h", answers="move b4 a4",
         changes="a4=0h b4=-", losses="h"),
    Case("ziggurat_sentinel", own="a5 b4h", enemy="a4", answers="move b4 a4/move a4 a3",
         changes="a3=0h a4=- b4=-", losses="c"),
    Case("ziggurat_sentinel", own="a5 b4h", enemy="a4", answers="move b4 b5/pass",
         changes="b4=- b5=0h"),
]  # fmt: skip


@pytest.mark.parametrize("case", WHAT_HAPPENS, ids=str)
def test_warp_effect_does_what_its_card_says(case: Case) -> None:
    before = woven(case.own, case.enemy, case.play)
    after = do(before.copy(), f"warp {case.play}", *filter(None, case.answers.split("/")))

    assert changes(before, after) == case.changes
    assert destroyed(after) == case.losses
    assert view(after)["phase"] == "main"
    assert view(after)["actions_left"] == 2
    assert view(after)["pending"] == case.play
    assert view(after)["hand"]["beings"] == [case.play]


WHAT_IS_OFFERED = [
    Case("paradox_worm", own="a5", enemy="a4 b4 c4h", offered="upgrade a4/upgrade b4"),
    Case("paradox_worm", own="a5", enemy="a4", offered="pass/throw paradox_worm"),
    Case("antimatter_spirit", own="d3h d4h d5h f4l", answers="place e4",
         offered="move e4 e3/move e4 e5"),
    Case("merchant_of_time", own="a5 b4", enemy="a4l d8 e5h c3h",
         offered="pickup a4/pickup b4/pickup c3"),
    Case("void_summoner", own="c4h a5l", enemy="b4 c5h c3 d4h",
         offered="move c4 b3/move c4 b4/move c4 b5/move c4 c3/move c4 d3/move c4 d5"),
    Case("polarity_queen", own="a5", enemy="c1 g1",
         offered="place b2/place c2/place d1/place d2/place f1/place f2/place g2/place h2"),
    Case("ziggurat_sentinel", own="c4h a5l", enemy="b4h c5l c3 d3", answers="move c4 d4",
         offered="move d4 c4/move d4 d3/move d4 c3/move d4 d5/move d4 e3/move d4 e4/move d4 e5/"
                 "pass"),
]  # fmt: skip


@pytest.mark.parametrize("case", WHAT_IS_OFFERED, ids=str)
def test_warp_effect_offers_what_its_card_allows(case: Case) -> None:
    state = do(
        woven(case.own, case.enemy, case.play),
        f"warp {case.play}",
        *filter(None, case.answers.split("/")),
    )

    assert legal(state) == sorted(case.offered.split("/"))
    assert view(state)["phase"] == "effect"
    assert view(state)["card"] == case.play


class TestUse:
    """When a warp effect may be used, and what it costs."""

    def test_not_in_the_first_round(self) -> None:
        assert [
            bool(legal(woven("a5", cards="paradox_worm", turn=n), "warp")) for n in (2, 3)
        ] == [False, True]

    def test_before_and_after_any_action(self) -> None:
        state = do(woven("a5", cards="translocationist"), "place a3", "place a4")

        assert view(state)["phase"] == "turn_end"
        assert legal(state) == ["end", "warp translocationist"]
        do(state, "warp translocationist")

        assert view(state)["phase"] == "main"
        assert view(state)["actions_left"] == 1

    def test_only_while_nothing_is_pending(self) -> None:
        state = woven("a5 d5 d4", cards="paradox_worm doppelganger polarity_queen")
        do(state, "warp polarity_queen")

        assert not legal(state, "warp")

    def test_only_with_a_warp_effect(self) -> None:
        state = woven("a5", cards="doppelganger warpmaster iris_of_eternity")

        assert not legal(state, "warp")

    def test_nobody_gets_a_point(self) -> None:
        state = do(woven("a5", cards="polarity_queen", mode=DUEL), "warp polarity_queen")

        assert view(state)["scores"] == [-2, 0]

    def test_the_opponent_sees_it(self) -> None:
        state = do(woven("a5", cards="polarity_queen"), "warp polarity_queen")

        assert view(state, 1)["events"][-1] == [0, "warp polarity_queen"]
        assert view(state, 1)["progress"]["warped"] == ["polarity_queen"]
        assert state.event_for(1, "warp polarity_queen") == "warp polarity_queen"

    def test_what_was_warped_is_forgotten_with_the_turn(self) -> None:
        state = do(woven("a5", cards="polarity_queen"), "warp polarity_queen")

        assert view(end_turn(state))["progress"]["warped"] == []


class TestPendingBeing:
    """A card face up, and still in hand."""

    def test_it_is_seen_by_everybody(self) -> None:
        state = woven("a5", cards="polarity_queen doppelganger", pending="polarity_queen")

        for seen in (view(state), view(state, 1), state.observation(None), state.to_json()):
            assert seen["pending"] == "polarity_queen"
            assert seen["on_card"] is None
        assert view(state)["hand_sizes"][0]["beings"] == 2

    def test_it_can_be_neither_discarded_nor_returned(self) -> None:
        cards = "polarity_queen doppelganger void_summoner"
        state = woven("a5", cards=cards, pending="polarity_queen")

        assert legal(state, "discard") == ["discard doppelganger", "discard void_summoner"]
        do(state, "discard doppelganger")
        assert legal(state) == ["done", "return void_summoner"]
        do(state, "return void_summoner")
        assert view(state)["phase"] == "main"

    def test_it_may_be_summoned_and_makes_room(self) -> None:
        state = ready(
            "polarity_queen e5", schools=ETHERWEAVE, turn=3, pending="polarity_queen",
            cards="paradox_worm",
        )  # fmt: skip
        do(state, "summon polarity_queen e5", "move d4 d5", "move e3 e2")

        assert view(state)["pending"] is None
        assert view(state)["scores"][0] == 0
        assert legal(state, "warp") == ["warp paradox_worm"]
        assert view(state)["played"]["beings"][0] == ["polarity_queen"]

    def test_it_counts_for_the_limit_of_the_hand(self) -> None:
        state = woven("a5", cards="polarity_queen doppelganger", pending="polarity_queen")

        assert view(end_turn(state))["hand_sizes"][0]["beings"] == 3

    @pytest.mark.parametrize(("pending", "triggered"), [(None, True), ("polarity_queen", False)])
    def test_it_costs_two_points_in_the_test_for_the_end(
        self, pending: str | None, triggered: bool
    ) -> None:
        state = woven(
            "a5", cards="polarity_queen", pending=pending, mode=DUEL,
            scores=[18 if pending is None else 16, 3],
        )  # fmt: skip

        assert (view(end_turn(state))["end"] is not None) is triggered

    def test_it_costs_two_points_at_the_end(self) -> None:
        state = woven(
            "a5", cards="polarity_queen", pending="polarity_queen", mode=DUEL, scores=[3, 4],
            end={"seat": 0, "reason": "deck", "turns_left": 1},
        )  # fmt: skip

        end_turn(state)

        assert state.outcome is not None
        assert state.outcome.scores == (3, 4)
        assert state.outcome.ranks == (1, 0)

    def test_high_form_counts_it_too(self) -> None:
        state = woven("a5l", cards="polarity_queen", pending="polarity_queen", mode=HIGH)

        assert view(state)["scores"] == [-1, 0]


class TestGateOfOblivion:
    """What is destroyed counts twice."""

    def test_in_the_rest_of_the_turn_only(self) -> None:
        state = woven("c4h c6h", "c5h b4 i4h", "gate_of_oblivion void_summoner paradox_worm",
                      counters={"destroyed": {"common": 1}})  # fmt: skip
        do(state, "warp gate_of_oblivion")

        assert view(state, 1)["permissions"] == ["counts_double"]
        assert destroyed(state) == "c"
        assert view(end_turn(state))["permissions"] == []

    def test_whatever_destroys_it(self) -> None:
        state = ready(
            "reality_patch e5",
            "",
            "a5h e5",
            schools=ETHERWEAVE,
            turn=3,
            permissions=["counts_double"],
        )
        do(state, "summon reality_patch e5", "destroy a5")

        assert destroyed(state) == "cchh"

    def test_own_pieces_do_not_count(self) -> None:
        more: dict[str, Any] = {"schools": ETHERWEAVE, "turn": 3, "permissions": ["counts_double"]}
        state = do(ready("reality_patch e5", "e5", **more), "summon reality_patch e5")

        assert destroyed(state) == ""

    def test_a_copy_does_not_double_it_again(self) -> None:
        state = ready(
            "doppelganger e5", "", "e5", schools=ETHERWEAVE, turn=3, pending="gate_of_oblivion",
            cards="gate_of_oblivion", permissions=["counts_double"],
        )  # fmt: skip
        do(state, "summon doppelganger e5")

        assert destroyed(state) == "cc"
        assert view(state)["permissions"] == ["counts_double"]

    def test_common_pairs_score_in_the_duel(self) -> None:
        state = woven("a5", "a4", "eternal_emperor", mode=DUEL, permissions=["counts_double"])
        do(state, "warp eternal_emperor", "move a5 a4")

        assert view(end_turn(state))["scores"] == [1 - 2, 0]


class TestMerchantOfTime:
    """A piece on the card."""

    def test_the_piece_is_neither_on_the_board_nor_in_supply(self) -> None:
        state = do(woven("b4", "a4l", "merchant_of_time"), "warp merchant_of_time", "pickup a4")

        assert view(state, 1)["on_card"] == {"owner": 1, "rank": "legendary"}
        assert view(state)["supply"][1] == {"common_heroic": 17, "legendary": 2}
        assert view(state)["scores"] == [-2, 0]
        assert destroyed(state) == ""

    def test_a_lifted_gateway_ends(self) -> None:
        state = woven(
            "b5", "a4h", "merchant_of_time", schools=("etherweave", "nethervoid"), gateway="a4"
        )
        do(state, "warp merchant_of_time", "pickup a4")

        assert view(state)["gateway"] is None

    def test_it_stays_when_the_turn_ends(self) -> None:
        state = do(woven("b4", "", "merchant_of_time"), "warp merchant_of_time")

        assert view(end_turn(state))["on_card"] == {"owner": 0, "rank": "common"}

    @pytest.mark.parametrize(
        ("summon", "barred"),
        [
            ("doppelganger e5", "warp"),
            ("reality_patch e5", "throw merchant_of_time"),
            ("warpmaster e5", "opt"),
        ],
    )
    def test_it_is_bound(self, summon: str, barred: str) -> None:
        more: dict[str, Any] = {"schools": ETHERWEAVE, "turn": 3, "pending": "merchant_of_time"}
        state = ready(summon, "", "a4h", cards="merchant_of_time", **more)

        do(state, f"summon {summon}")

        assert not legal(state, barred)
        assert view(state)["pending"] == "merchant_of_time"
