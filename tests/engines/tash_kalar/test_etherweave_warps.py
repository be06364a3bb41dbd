"""Tash-Kalar: warp effects, and the being that is pending (18.3)."""

from __future__ import annotations

from typing import Any

import pytest

from pentathlon_engines import State
from tests.engines.tash_kalar.positions import (
    DUEL,
    HIGH,
    changes,
    destroyed,
    do,
    end_turn,
    legal,
    position,
    ready,
    view,
)

SCHOOLS = ("etherweave", "sylvan")


def woven(own: str = "", enemy: str = "", cards: str = "", **more: Any) -> State:
    """Return a position in which warp effects may be used."""
    return position(own, enemy, cards=cards, **{"schools": SCHOOLS, "turn": 3, **more})


# A card, own and enemy pieces, answers; then the changes on the board, the enemy pieces
# destroyed.
WHAT_HAPPENS = [
    ("paradox_worm", "a5", "a4 b4", "upgrade a4/pass", "a4=1h", ""),
    ("paradox_worm", "a5", "a4", "pass", "a4=1h", ""),
    ("paradox_worm", "a5", "a4h", "pass", "", ""),
    ("lesser_shadow_twin", "a5 a4 b4h", "", "upgrade a4", "a4=0h", ""),
    ("greater_shadow_twin", "a5", "a4", "", "a5=0h", ""),
    ("greater_shadow_twin", "a5h", "a4", "", "", ""),
    ("antimatter_spirit", "", "", "place e4/move e4 e3", "e3=0c e5=1c", ""),
    ("antimatter_spirit", "", "e4 e6", "place e3/move e3 e4", "e2=1c e4=0c", "c"),
    ("antimatter_spirit", "d4", "f4", "place e4/move e4 d4", "", "c"),
    ("antimatter_spirit", "d4", "f4", "place e4/move e4 f4", "d4=1c f4=0c", "c"),
    ("merchant_of_time", "b4", "a4l", "pickup a4", "a4=-", ""),
    ("merchant_of_time", "b4h", "a5l", "", "b4=-", ""),
    ("merchant_of_time", "e5", "a5l", "", "", ""),
    ("void_summoner", "a5 b4h c9l", "a4", "move b4 a4", "a4=0h b4=-", "c"),
    ("void_summoner", "c9l", "a4", "", "", ""),
    ("eternal_emperor", "a5 b4h", "a4", "place c4", "c4=0c", ""),
    ("eternal_emperor", "a5 b4h", "a4", "move a5 a4", "a4=0c a5=-", "c"),
    ("eternal_emperor", "a5 b4h", "a4 b5h", "move b4 a4", "a4=0h b4=-", "c"),
    ("polarity_queen", "", "a4", "place a3", "a3=0c", ""),
    ("polarity_queen", "a5", "", "", "", ""),
    ("ziggurat_sentinel", "a5 b4h", "a4h", "move b4 a4", "a4=0h b4=-", "h"),
    ("ziggurat_sentinel", "a5 b4h", "a4", "move b4 a4/move a4 a3", "a3=0h a4=- b4=-", "c"),
    ("ziggurat_sentinel", "a5 b4h", "a4", "move b4 b5/pass", "b4=- b5=0h", ""),
]  # fmt: skip


@pytest.mark.parametrize("case", WHAT_HAPPENS, ids="-".join)
def test_warp_effect_does_what_its_card_says(case: tuple[str, ...]) -> None:
    card, own, enemy, answers, board, losses = case
    before = woven(own, enemy, card)
    after = do(before.copy(), f"warp {card}", *filter(None, answers.split("/")))

    assert changes(before, after) == board
    assert destroyed(after) == losses
    assert view(after)["phase"] == "main"
    assert view(after)["actions_left"] == 2
    assert view(after)["pending"] == card
    assert view(after)["hand"]["beings"] == [card]


# A card, own and enemy pieces, answers; then what is offered.
WHAT_IS_OFFERED = [
    ("paradox_worm", "a5", "a4 b4 c4h", "", "upgrade a4/upgrade b4"),
    ("paradox_worm", "a5", "a4", "", "pass/throw paradox_worm"),
    ("antimatter_spirit", "d3h d4h d5h f4l", "", "place e4", "move e4 e3/move e4 e5"),
    ("merchant_of_time", "a5 b4", "a4l d8 e5h c3h", "", "pickup a4/pickup b4/pickup c3"),
    ("void_summoner", "c4h a5l", "b4 c5h c3 d4h", "",
     "move c4 b3/move c4 b4/move c4 b5/move c4 c3/move c4 d3/move c4 d5"),
    ("polarity_queen", "a5", "c1 g1", "",
     "place b2/place c2/place d1/place d2/place f1/place f2/place g2/place h2"),
    ("ziggurat_sentinel", "c4h a5l", "b4h c5l c3 d3", "move c4 d4",
     "move d4 c4/move d4 d3/move d4 c3/move d4 d5/move d4 e3/move d4 e4/move d4 e5/pass"),
]  # fmt: skip


@pytest.mark.parametrize("case", WHAT_IS_OFFERED, ids="-".join)
def test_warp_effect_offers_what_its_card_allows(case: tuple[str, ...]) -> None:
    card, own, enemy, answers, offered = case
    state = do(woven(own, enemy, card), f"warp {card}", *filter(None, answers.split("/")))

    assert legal(state) == sorted(offered.split("/"))
    assert view(state)["phase"] == "effect"
    assert view(state)["card"] == card


class TestUse:
    """When a warp effect may be used, and what it costs."""

    def test_not_in_the_first_round(self) -> None:
        assert [
            bool(legal(woven("a5", cards="paradox_worm", turn=n), "warp")) for n in (2, 3)
        ] == [
            False,
            True,
        ]

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
            "polarity_queen e5", schools=SCHOOLS, turn=3, pending="polarity_queen",
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
            schools=SCHOOLS,
            turn=3,
            permissions=["counts_double"],
        )
        do(state, "summon reality_patch e5", "destroy a5")

        assert destroyed(state) == "cchh"

    def test_own_pieces_do_not_count(self) -> None:
        more: dict[str, Any] = {"schools": SCHOOLS, "turn": 3, "permissions": ["counts_double"]}
        state = do(ready("reality_patch e5", "e5", **more), "summon reality_patch e5")

        assert destroyed(state) == ""

    def test_a_copy_does_not_double_it_again(self) -> None:
        state = ready(
            "doppelganger e5", "", "e5", schools=SCHOOLS, turn=3, pending="gate_of_oblivion",
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
        more: dict[str, Any] = {"schools": SCHOOLS, "turn": 3, "pending": "merchant_of_time"}
        state = ready(summon, "", "a4h", cards="merchant_of_time", **more)

        do(state, f"summon {summon}")

        assert not legal(state, barred)
        assert view(state)["pending"] == "merchant_of_time"
