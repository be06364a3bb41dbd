"""Tash-Kalar: the beings of the Etherweave as they are summoned, each as cases (18.3)."""

from typing import Any

import pytest

from tests.engines.tash_kalar.positions import (
    ETHERWEAVE,
    Case,
    asked,
    changes,
    destroyed,
    do,
    legal,
    played,
    position,
    ready,
    shown,
    view,
    woven,
)

GREATER = {"discards": [["greater_shadow_twin"], []]}
LESSER = {"discards": [["lesser_shadow_twin"], []]}

WHAT_HAPPENS = [
    Case("doppelganger e5", changes="e5=0c"),
    Case("paradox_worm e5", own="a5h", enemy="h8h i7", answers="pick a5",
         changes="a5=1h e5=0c h8=0h"),
    Case("paradox_worm e5", own="a5h", enemy="i7 i6 h8l", answers="pick b4/pick i7",
         changes="b4=1c e5=0c i7=0c"),
    Case("paradox_worm e5", enemy="i7", answers="pick e5", changes="e5=1c i7=0c"),
    Case("paradox_worm e5", enemy="i7", answers="pass", changes="e5=0c"),
    Case("paradox_worm e5", own="a5h", enemy="h8l", changes="e5=0c"),
    Case("translocationist e5", own="a5h", answers="pick a5/pick e5/pass", changes="a5=0c e5=0h"),
    Case("translocationist e5", own="a5h", answers="pick a5/pick d4/pick d4/pick e5",
         changes="a5=0c e5=0h"),
    Case("translocationist e5", own="a5h", answers="pick a5/pick d4/pick d4/pick a5",
         changes="e5=0c"),
    Case("translocationist e5", own="a5h", answers="pass", changes="e5=0c"),
    Case("translocationist e5", enemy="a5h", changes="e5=0c"),
    Case("antimatter_spirit e5", own="a5h", enemy="a4", changes="e5=0c"),
    Case("merchant_of_time e5", own="a5h", enemy="a4", changes="e5=0h"),
    Case("gate_of_oblivion e5 r0", enemy="e4l", changes="e4=- e5=0h", losses="l"),
    Case("gate_of_oblivion e5 r0", own="e4h", changes="e4=- e5=0h"),
    Case("gate_of_oblivion e5 r0", enemy="e4 c4h", answers="destroy c4",
         changes="c4=- e4=- e5=0h", losses="ch"),
    Case("gate_of_oblivion e5 r0", own="e6", enemy="g5", answers="destroy e6",
         changes="e5=0h e6=-"),
    Case("gate_of_oblivion e5 r0", enemy="g5", answers="pass", changes="e5=0h"),
    Case("gate_of_oblivion e5 r0", enemy="g5l a5 f7", changes="e5=0h"),
    Case("gate_of_oblivion e5 r180", enemy="e6l", changes="e5=0h e6=-", losses="l"),
    Case("warpmaster e5", enemy="e6", answers="move e5 e6", changes="e6=0h", losses="c"),
    Case("warpmaster e5", enemy="e6h", answers="pass", changes="e5=0h"),
    Case("dark_sphere e5", own="b4h", enemy="h5h h6", answers="move b4 c4/move h5 g5/move h6 g7",
         changes="b4=- c4=0h e5=0h g5=1h g7=1c h5=- h6=-"),
    Case("dark_sphere e5", own="b4h", enemy="h5h g5h", answers="move h5 g5/pass",
         changes="e5=0h h5=-", losses="h"),
    Case("dark_sphere e5", enemy="d8", answers="pass", changes="e5=0h"),
    Case("eternal_emperor e5", answers="place a3", changes="a3=0c e5=0h"),
    Case("eternal_emperor e5", enemy="c6", answers="move d6 c6", changes="c6=0c d6=- e5=0h",
         losses="c"),
    Case("eternal_emperor e5", enemy="e6", answers="move e5 e6", changes="e6=0h", losses="c"),
    Case("eternal_emperor e5", answers="pass", changes="e5=0h"),
    Case("reality_patch e5", enemy="a5h a4", answers="destroy a5", changes="a5=- e5=0h",
         losses="h"),
    Case("reality_patch e5", enemy="a5h", answers="pass", changes="e5=0h"),
    Case("reality_patch e5", own="a5h", enemy="a4", changes="e5=0h"),
    Case("polarity_queen e5", enemy="e6h", answers="move d4 d5/move e3 e2",
         changes="d4=- d5=0c e3=- e5=0h"),
    Case("polarity_queen e5", own="b8h", answers="move f4 f5/move b8 b7",
         changes="b7=0h b8=- e5=0h f4=- f5=0c"),
    Case("polarity_queen e5", own="a5h", enemy="a4h", answers="move a5 a4/move e2 e3",
         changes="a4=0h a5=- e2=- e5=0h", losses="h"),
    Case("polarity_queen e5", own="d5", answers="move d4 d5/move e3 e2",
         changes="d4=- e3=- e5=0h"),
    Case("polarity_queen e5", own="b8h b6h", answers="move b8 b7/move b6 b7",
         changes="b6=- b8=- b7=0h e5=0h"),
    Case("polarity_queen e5", own="e6h", answers="move e6 e5/move e2 e3",
         changes="e2=- e5=0h e6=-"),
    Case("singularity e5", answers="pick a3", changes="e5=0h"),
    Case("singularity e5", own="b4", enemy="a4", answers="pick a3/move b4 a3",
         changes="a3=1c a4=- b4=- e5=0h"),
    Case("singularity e5", own="b4", enemy="a4", answers="pick a3/move a4 a3",
         changes="a3=0c a4=- b4=- e5=0h", losses="c"),
    Case("singularity e5", own="b4h", enemy="a4l b2", answers="pick a3",
         changes="a3=1c b2=- e5=0h"),
    Case("ziggurat_sentinel e5 r0", answers="move e5 d4/move d4 c3/move c3 b2", changes="b2=0h"),
    Case("ziggurat_sentinel e5 r0", enemy="d4h", answers="move e5 d4/pass", changes="d4=0h",
         losses="h"),
    Case("ziggurat_sentinel e5 r0", answers="pass", changes="e5=0h"),
    Case("ziggurat_sentinel e5 r90", answers="move e5 d6/pass", changes="d6=0h"),
    Case("iris_of_eternity e5", enemy="e6l d6h", answers="destroy e6", changes="e5=0h e6=-",
         losses="l"),
    Case("iris_of_eternity e5", own="e6l", answers="destroy e6", changes="e5=0h e6=-"),
    Case("iris_of_eternity e5", enemy="e6l", answers="upgrade e5", changes="e5=0l"),
    Case("iris_of_eternity e5", answers="pass", changes="e5=0h"),
]  # fmt: skip


@pytest.mark.parametrize("case", WHAT_HAPPENS, ids=str)
def test_effect_does_what_its_card_says(case: Case) -> None:
    changed, after = played(case.play, case.own, case.enemy, case.answers, schools=ETHERWEAVE)

    assert sorted(changed.split()) == sorted(case.changes.split())
    assert destroyed(after) == case.losses
    assert view(after)["phase"] == "main"
    assert view(after)["actions_left"] == 1


WHAT_IS_OFFERED = [
    Case("paradox_worm e5", own="a5h c8l", enemy="h8 i7l",
         offered="pass/pick b4/pick c4/pick d5/pick e5"),
    Case("paradox_worm e5", own="a5h", enemy="h8h i7h i6", answers="pick a5",
         offered="pick h8/pick i7"),
    Case("translocationist e5", own="a5h b5l", enemy="a4h", offered="pass/pick a5"),
    Case("translocationist e5", own="a5h", enemy="a4", answers="pick a5",
         offered="pick d4/pick d5/pick e4/pick e5/pick f6"),
    Case("gate_of_oblivion e5 r0", own="d6", enemy="e6h f6l c5",
         offered="destroy c5/destroy d6/destroy e6/pass"),
    Case("warpmaster e5", own="e6 d6l d5 f4h", enemy="f6h f5l e4",
         offered="move e5 d4/move e5 d5/move e5 e4/move e5 e6/pass"),
    Case("reality_patch e5", own="a5h", enemy="a4h a6l a7", offered="destroy a4/pass"),
    Case("polarity_queen e5", own="a5l", answers="move d4 c5",
         offered="move e2 f1/move e3 f2/move f4 g3"),
    Case("singularity e5", own="b4", enemy="a4 b3", answers="pick a3",
         offered="move a4 a3/move b3 a3/move b4 a3"),
    Case("ziggurat_sentinel e5 r0", enemy="c3l", offered="move e5 d4/pass"),
    Case("iris_of_eternity e5", own="d6l", enemy="e6l e7l f6h",
         offered="destroy d6/destroy e6/pass/upgrade e5"),
    Case("iris_of_eternity e5", own="a5l a6l d6l", offered="destroy d6/pass"),
]  # fmt: skip


@pytest.mark.parametrize("case", WHAT_IS_OFFERED, ids=str)
def test_effect_offers_what_its_card_allows(case: Case) -> None:
    _, state = played(case.play, case.own, case.enemy, case.answers, schools=ETHERWEAVE)

    assert asked(state) == sorted(case.offered.split("/"))


class TestShadowTwins:
    """Each needs the other in the own discard pile."""

    @pytest.mark.parametrize(
        ("answers", "board", "losses"),
        [
            ("pick e5/destroy f6/destroy e4", "e4=- e5=0c f6=-", "c"),
            ("pick e5/destroy f6/pass", "e5=0c f6=-", "c"),
            ("pick a5/destroy a4", "a4=- e5=0c", "c"),
            ("pick a5/pass", "e5=0c", ""),
            ("pick b8", "e5=0c", ""),
        ],
    )
    def test_lesser_destroys_commons_around_an_own_piece(
        self, answers: str, board: str, losses: str
    ) -> None:
        summon, own, enemy = "lesser_shadow_twin e5", "a5h b8l", "f6 d6h a4"
        changed, state = played(summon, own, enemy, answers, schools=ETHERWEAVE, **GREATER)

        assert changed == board
        assert destroyed(state) == losses
        assert view(state)["phase"] == "main"

    def test_lesser_does_nothing_without_the_greater(self) -> None:
        changed, state = played("lesser_shadow_twin e5", "", "f6", "", schools=ETHERWEAVE)

        assert changed == "e5=0c"
        assert view(state)["phase"] == "main"

    def test_greater_destroys_a_heroic_beside_two_own_pieces(self) -> None:
        summon, own, enemy = "greater_shadow_twin e5", "d4 a5h", "e4h f4h h6h g4l c4h f6"
        _, state = played(summon, own, enemy, "", schools=ETHERWEAVE, **LESSER)

        assert legal(state) == [f"destroy {there}" for there in ("e4", "e5", "f4", "h6")] + [
            "pass"
        ]
        assert destroyed(do(state, "destroy h6")) == "h"

    def test_greater_does_nothing_without_the_lesser(self) -> None:
        _, state = played("greater_shadow_twin e5", "", "f6h", "", schools=ETHERWEAVE)

        assert view(state)["phase"] == "main"

    @pytest.mark.parametrize(
        ("summon", "twin"),
        [
            ("lesser_shadow_twin e5", "greater_shadow_twin"),
            ("greater_shadow_twin e5", "lesser_shadow_twin"),
        ],
    )
    def test_twin_that_lay_unseen_is_shown(self, summon: str, twin: str) -> None:
        state = ready(summon, schools=ETHERWEAVE, discards=[[twin, "void_summoner"], []])
        assert view(state, 1)["played"]["beings"][0] == []

        do(state, f"summon {summon}")

        assert twin in view(state, 1)["played"]["beings"][0]


def test_queen_has_nothing_to_do_if_nobody_can_move_the_other_way() -> None:
    # Her pieces are fenced in by legendaries, and the commons cannot capture them.
    own = "d4 f4 e3 e2"
    fence = "c3l c4l c5l d5l e4l f5l g5l g4l g3l f3l d3l d2l f2l d1l e1l f1l"
    before = position(own, fence, cards="polarity_queen", schools=ETHERWEAVE)
    after = do(before.copy(), "summon polarity_queen e5")

    assert changes(before, after) == "e5=0h"
    assert view(after)["phase"] == "main"


def test_sphere_moves_pieces_onto_her_ring_only() -> None:
    _, state = played("dark_sphere e5", "h7l", "h5", "move h5 g5", schools=ETHERWEAVE)

    moves = {text.removeprefix("move ") for text in legal(state, "move")}
    assert moves == {
        *("d4 c3", "d4 c4", "d4 c5", "d4 d3", "d4 e3"),
        *("d5 c4", "d5 c5", "d5 c6", "e4 d3", "e4 e3", "e4 f3"),
    }


def test_sphere_moves_two_pieces_of_a_seat_at_most_and_none_twice() -> None:
    _, state = played("dark_sphere e5", "b4h", "h5h h6", "", schools=ETHERWEAVE)

    do(state, "move b4 c4", "move d4 c3")

    assert {text.split()[1] for text in legal(state, "move")} == {"h5", "h6"}


def test_patch_throws_a_card_of_the_hand() -> None:
    cards = "void_summoner titan flare_03"
    _, state = played("reality_patch e5", "", "", "", schools=ETHERWEAVE, cards=cards)

    assert legal(state) == ["pass", "throw flare_03", "throw titan", "throw void_summoner"]
    for card, kind in (("flare_03", "flares"), ("titan", "legends")):
        assert view(do(state.copy(), f"throw {card}"), 1)["played"][kind] == [card]
    do(state, "throw void_summoner")
    assert view(state)["last_discard"] == "reality_patch"
    assert view(state, 1)["played"]["beings"][0] == ["void_summoner", "reality_patch"]
    assert view(state)["scores"] == [0, 0]


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
