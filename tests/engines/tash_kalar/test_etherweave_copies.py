"""Tash-Kalar: copies of warp effects, linked parts, cards thrown away or taken back (18.3)."""

from typing import Any

from tests.engines.tash_kalar.positions import ETHERWEAVE, do, legal, ready, shown, view, woven


class TestCopies:
    """The effect of another card."""

    def test_doppelganger_copies_what_is_pending(self) -> None:
        more: dict[str, Any] = {"schools": ETHERWEAVE, "turn": 3, "pending": "polarity_queen"}
        state = ready("doppelganger e5", "", "a4 i6", cards="polarity_queen", **more)

        do(state, "summon doppelganger e5")

        assert [text for _, text in state.to_json()["events"]][-1] == "warp polarity_queen"
        assert view(state)["card"] == "doppelganger"
        assert view(state)["step"] == 2
        assert view(state)["progress"]["effect"]["warp"] == "polarity_queen"
        do(state, "place a3")
        assert view(state)["pending"] == "polarity_queen"
        assert view(state)["progress"]["warped"] == []

    def test_doppelganger_may_throw_what_is_pending_for_the_worm(self) -> None:
        more: dict[str, Any] = {"schools": ETHERWEAVE, "turn": 3, "pending": "paradox_worm"}
        state = ready("doppelganger e5", "", "a4", cards="paradox_worm polarity_queen", **more)

        do(state, "summon doppelganger e5", "throw paradox_worm")

        assert shown(state)["a4"] == "1h"
        assert view(state)["pending"] is None
        assert view(state, 1)["played"]["beings"][0] == ["paradox_worm", "doppelganger"]
        assert legal(state, "warp") == ["warp polarity_queen"]

    def test_sentinel_copies_a_discarded_card_which_is_shown(self) -> None:
        pile = ["merchant_of_time", "polarity_queen", "reality_patch", "translocationist"]
        state = ready("ziggurat_sentinel e5 r0", "", "i6", schools=ETHERWEAVE, discards=[pile, []])

        do(state, "summon ziggurat_sentinel e5 r0")
        assert legal(state, "warp") == ["warp polarity_queen", "warp translocationist"]
        assert {"pass", "move e5 d4"} <= {*legal(state)}
        do(state, "warp polarity_queen")

        assert view(state, 1)["played"]["beings"][0] == ["polarity_queen"]
        assert view(state)["discard"] == pile
        assert legal(state, "place") == legal(state)

    def test_emperor_uses_his_own_unless_it_was_used_in_this_turn(self) -> None:
        more: dict[str, Any] = {"schools": ETHERWEAVE, "turn": 3, "pending": "eternal_emperor"}
        fresh = ready("eternal_emperor e5", **more)
        used = ready("eternal_emperor e5", **more, progress={"warped": ["eternal_emperor"]})

        do(fresh, "summon eternal_emperor e5")
        do(used, "summon eternal_emperor e5")

        assert "pass" in legal(fresh)
        assert view(used)["phase"] == "main"

    def test_a_copy_of_his_effect_is_no_use_of_it(self) -> None:
        state = ready(
            "eternal_emperor e5", "h5 h4", schools=ETHERWEAVE, turn=3, pending="eternal_emperor",
            cards="doppelganger",
        )  # fmt: skip
        do(state, "summon doppelganger i5", "place a3", "summon eternal_emperor e5")

        assert "pass" in legal(state)

    def test_linked_effect_is_done_wholly_or_not_at_all(self) -> None:
        state = woven("", ENEMIES, "antimatter_spirit")
        assert view(state)["supply"][1]["common_heroic"] == 0

        do(state, "warp antimatter_spirit")

        # Only if the first move captures an enemy common there is one for the second part.
        assert "place e4" not in legal(state)
        do(state, "place c8")
        assert legal(state) == ["move c8 c9", "move c8 d9"]

    def test_linked_effect_that_is_impossible_is_not_begun(self) -> None:
        heroics = " ".join(f"{there}h" for there in ENEMIES.split())
        state = do(woven("", heroics, "antimatter_spirit"), "warp antimatter_spirit")

        assert view(state)["phase"] == "main"
        assert view(state)["pending"] == "antimatter_spirit"
        assert len(shown(state)) == 17


ENEMIES = "c1 d1 e1 f1 g1 c9 d9 e9 f9 g9 a3 a4 a5 a6 a7 i4 i5"


class TestTakingBack:
    """Warpmaster's other choice."""

    def test_the_card_is_in_hand_as_before_and_may_be_warped_again(self) -> None:
        more: dict[str, Any] = {"schools": ETHERWEAVE, "turn": 3, "pending": "polarity_queen"}
        state = ready("warpmaster e5", cards="polarity_queen", **more)

        do(state, "summon warpmaster e5")
        assert {"opt take_back", "pass", "move e5 e6"} <= {*legal(state)}
        do(state, "opt take_back")

        assert view(state, 1)["pending"] is None
        assert view(state)["hand"]["beings"] == ["polarity_queen"]
        assert view(state)["scores"][0] == 0
        assert legal(state, "warp") == ["warp polarity_queen"]


class TestThrowing:
    """Reality Patch throws away what is pending, then a card of the hand."""

    def test_in_this_order_and_each_may_be_declined(self) -> None:
        more: dict[str, Any] = {"schools": ETHERWEAVE, "turn": 3, "pending": "paradox_worm"}
        cards = "paradox_worm polarity_queen titan"
        state = ready("reality_patch e5", "", "a4h", cards=cards, **more)

        do(state, "summon reality_patch e5")
        assert legal(state) == ["destroy a4", "pass"]
        do(state, "pass")
        assert legal(state) == ["pass", "throw paradox_worm"]
        thrown = do(state.copy(), "throw paradox_worm")
        assert view(thrown)["pending"] is None
        assert view(thrown, 1)["last_discard"] == "paradox_worm"
        do(state, "pass")
        assert legal(state) == ["pass", "throw polarity_queen", "throw titan"]
        assert view(state)["pending"] == "paradox_worm"
        assert state.event_for(1, "throw titan") == "throw titan"
