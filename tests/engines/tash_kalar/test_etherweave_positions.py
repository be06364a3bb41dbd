"""Tash-Kalar: positions, hidden parts and pictures of the Etherweave (18.3.9)."""

import copy
import random
import re
from typing import Any

import pytest

from pentathlon_engines import BadPosition
from pentathlon_engines.tash_kalar.cards import catalogue
from pentathlon_engines.tash_kalar.cards.patterns import BadCard
from tests.engines.tash_kalar.positions import (
    DUEL,
    ETHERWEAVE,
    TASH_KALAR,
    do,
    legal,
    position,
    ready,
    view,
    woven,
)


class TestPositions:
    """What a position may say of it."""

    def test_other_schools_do_not_speak_of_it(self) -> None:
        for seen in (view(position("e5", cards="sapling")), position("e5").to_json()):
            assert not {"pending", "on_card", "last_discard"} & {*seen}
            assert "warped" not in seen["progress"]

    @pytest.mark.parametrize(
        ("named", "more"),
        [
            ("pending", {"pending": "polarity_queen"}),
            ("pending", {"pending": "iris_of_eternity", "cards": "iris_of_eternity"}),
            ("pending", {"pending": "sapling"}),
            ("pending", {"pending": "polarity_queen", "schools": ("highland", "sylvan")}),
            ("on_card", {"on_card": {"owner": 0, "rank": "common"}}),
            ("on_card", {"on_card": {"owner": 0, "rank": "king"}}),
            ("on_card", {"on_card": {"owner": 2, "rank": "common"}}),
            ("last_discard", {"last_discard": "polarity_queen"}),
            ("last_discard", {"last_discard": "being"}),
            ("progress.warped", {"progress": {"warped": ["doppelganger"]}}),
            ("progress.warped", {"progress": {"warped": ["sapling"]}}),
            ("progress.warped", {"progress": {"warped": "polarity_queen"}}),
            ("permissions", {"permissions": ["void_summon"], "schools": ("highland", "sylvan")}),
            ("permissions", {"permissions": ["counts_double"], "to_move": 1}),
            ("scores", {"scores": [-2, 0], "mode": DUEL}),
        ],
    )
    def test_what_cannot_be_is_refused(self, named: str, more: dict[str, Any]) -> None:
        with pytest.raises(BadPosition, match=re.escape(named)):
            woven("e5", **more)

    @pytest.mark.parametrize(
        "change",
        [
            {"warp": "sapling"},
            {"warp": "doppelganger"},
            {"warp": None},
            {"summon": "e5"},
            {"own_moves": 1},
        ],
    )
    def test_effect_that_does_not_fit_is_refused(self, change: dict[str, Any]) -> None:
        state = do(woven("a5 a4", cards="lesser_shadow_twin"), "warp lesser_shadow_twin")
        data = state.to_json()
        data["progress"]["effect"] |= change

        with pytest.raises(BadPosition):
            TASH_KALAR.load(data)

    def test_no_piece_is_on_a_card_that_is_lifting_one(self) -> None:
        state = do(woven("b4 b5", cards="merchant_of_time"), "warp merchant_of_time")
        data = state.to_json() | {"on_card": {"owner": 0, "rank": "common"}}

        with pytest.raises(BadPosition, match="on_card"):
            TASH_KALAR.load(data)

    def test_bound_card_is_not_copied(self) -> None:
        more: dict[str, Any] = {"pending": "polarity_queen", "cards": "polarity_queen"}
        state = ready("doppelganger e5", "", "a4", schools=ETHERWEAVE, turn=3, **more)
        data = do(state, "summon doppelganger e5").to_json()
        data["progress"]["effect"] |= {"warp": "merchant_of_time", "at": 1}

        with pytest.raises(BadPosition, match="cannot be copied"):
            TASH_KALAR.load(data)

    def test_moves_of_each_seat_are_remembered(self) -> None:
        state = do(
            ready("dark_sphere e5", "b4h", "h5h", schools=ETHERWEAVE), "summon dark_sphere e5"
        )
        do(state, "move h5 g5", "move b4 c4")

        assert view(state)["progress"]["effect"]["own_moves"] == 1
        twin = TASH_KALAR.load(state.to_json())
        assert twin.legal_actions() == state.legal_actions()

    @pytest.mark.parametrize(
        ("card", "change", "named"),
        [
            ("time_traveler", {"summon_on": "somewhere"}, "summon_on"),
            ("time_traveler", {"summon_on": ""}, "0 summon cells"),
            ("warpmaster", {"summon_on": "empty_colorless"}, "1 summon cells"),
        ],
    )
    def test_pattern_without_a_summon_cell_must_say_so(
        self, card: str, change: dict[str, str], named: str
    ) -> None:
        data = copy.deepcopy(catalogue.card_data(card)) | change

        with pytest.raises(BadCard, match=f"{card}: .*{named}"):
            catalogue.compile_being(data)

    @pytest.mark.parametrize(
        ("step", "named"),
        [
            ({"op": "copy_warp", "from": "hand"}, "from"),
            ({"op": "throw", "what": "deck"}, "what"),
            ({"op": "throw"}, "what is missing"),
            ({"op": "swap"}, "with is missing"),
            ({"op": "pick_square", "where": "nowhere"}, "unknown place"),
            ({"op": "leap_from_card", "kind": "combat", "where": "board"}, "kind"),
            ({"op": "void_summon", "if": "discarded:nobody"}, "nobody"),
        ],
    )
    def test_unknown_words_are_refused(self, step: dict[str, str], named: str) -> None:
        data = copy.deepcopy(catalogue.card_data("doppelganger")) | {"steps": [step]}

        with pytest.raises(BadCard, match=f"doppelganger: .*{named}"):
            catalogue.compile_being(data)


class TestHiddenParts:
    """A pending card is known to all, and yet in the hand."""

    def test_it_stays_in_the_hand_that_is_dealt_anew(self) -> None:
        hand = "polarity_queen doppelganger void_summoner"
        state = woven("a5", cards=hand, pending="polarity_queen")

        hands = [
            state.determinize(1, random.Random(seed)).to_json()["hands"][0]["beings"]
            for seed in range(20)
        ]
        assert all("polarity_queen" in beings and len(beings) == 3 for beings in hands)
        assert len({*map(tuple, hands)}) > 10

    def test_seat_that_is_asked_at_the_end_has_something_to_play(self) -> None:
        state = woven(
            "a4", "a5h b5h c5h d5h", "paradox_worm doppelganger", phase="turn_end", actions_left=0
        )

        for seed in range(40):
            dealt = state.determinize(1, random.Random(seed))
            assert len(legal(dealt)) > 1
        assert TASH_KALAR.load(view(state, 1)).observation(1) == view(state, 1)

    def test_discard_that_nobody_saw_is_any_of_those(self) -> None:
        state = woven(
            "a4", discards=[["doppelganger", "paradox_worm", "warpmaster"], []],
            played={"beings": [["warpmaster"], []]}, last_discard="paradox_worm",
        )  # fmt: skip

        assert view(state)["last_discard"] == "paradox_worm"
        assert state.observation(None)["last_discard"] == "being"
        dealt = [state.determinize(1, random.Random(seed)) for seed in range(40)]
        last = {twin.to_json()["last_discard"] for twin in dealt}
        assert len(last) > 10
        assert "warpmaster" not in last
        assert {twin.observation(1)["last_discard"] for twin in dealt} == {"being"}

    def test_effect_of_a_warped_card_is_the_same_for_all(self) -> None:
        state = do(woven("a5 a4", cards="lesser_shadow_twin"), "warp lesser_shadow_twin")

        for seed in range(5):
            dealt = state.determinize(1, random.Random(seed))
            assert dealt.legal_actions() == state.legal_actions()
            assert dealt.observation(1) == state.observation(1)


class TestPictures:
    """A pending card lies face up."""

    def test_it_is_drawn_once_with_both_its_texts(self) -> None:
        state = woven("a5", cards="polarity_queen doppelganger", pending="polarity_queen")

        for seat in (0, 1, None):
            picture = state.svg(seat)
            assert picture.count('data-card="polarity_queen"') == 1
            assert "pending, seat 0" in picture
            assert "Polarity Queen pending" in picture
            said = re.sub(r"</?tspan[^>]*>", " ", picture)
            assert "Warp: Place one own common" in said
        assert 'data-card="doppelganger"' in state.svg(0)
        assert 'data-card="doppelganger"' not in state.svg(1)

    def test_without_one_its_place_is_kept(self) -> None:
        assert "No pending being in play" in woven("a5").svg()
        assert "pending" not in position("a5", cards="sapling").svg()

    def test_the_piece_on_the_merchant_is_told(self) -> None:
        state = do(woven("b4", "a4h", "merchant_of_time"), "warp merchant_of_time", "pickup a4")

        assert "Merchant of Time pending, heroic of seat 1 on a card" in state.svg()
        assert "heroic of seat 1 on a card" in " ".join(str(state).split())
        bare = woven("b4", cards="merchant_of_time", pending="merchant_of_time")
        assert state.svg(1).count("seat-1-ink") > bare.svg(1).count("seat-1-ink")
