"""Tash-Kalar: positions, hidden parts and pictures of the Everfrost (18.1)."""

import random
import re
from typing import Any

import pytest

from pentathlon_engines import BadPosition, State
from pentathlon_engines.tash_kalar.cards.catalogue import FROZEN_CARDS, IDS
from tests.engines.tash_kalar.positions import (
    EVERFROST,
    TASH_KALAR,
    do,
    legal,
    position,
    ready,
    view,
)
from tests.engines.tash_kalar.test_rules import check_invariants

FROZEN = tuple(IDS[card] for card in FROZEN_CARDS)


def chest(pile: str) -> State:
    """Return the position in which the Frozen Chest asks, with cards in the discard pile."""
    state = ready("frozen_chest e5", schools=EVERFROST, discards=[pile.split(), []])
    return do(state, "summon frozen_chest e5")


class TestHiddenParts:
    """What the other seat imagines can be played on."""

    def test_card_in_play_stays_there(self) -> None:
        state = position("a5", cards="snow_fox", frozen="ice_queen", schools=EVERFROST)

        for seed in range(5):
            twin = state.determinize(1, random.Random(seed)).to_json()
            check_invariants(twin)
            assert twin["frozen"] == "ice_queen"

    def test_pile_has_a_card_to_choose_while_the_chest_asks(self) -> None:
        state = chest("ice_queen snow_fox")
        seen = view(state, 1)

        for seed in range(20):
            twin = state.determinize(1, random.Random(seed))
            assert {*FROZEN} & {*twin.to_json()["discards"][0]}
            assert legal(twin, "keep")
        assert legal(TASH_KALAR.load(seen), "keep")
        assert TASH_KALAR.load(seen).observation(1) == seen

    def test_hand_has_a_being_to_summon_while_one_must_be(self) -> None:
        state = position(
            "f5", "g4", cards="snow_fox titan", frozen="frostweave_summoner", schools=EVERFROST,
            discards=[["ice_queen"], []],
        )  # fmt: skip
        do(state, "thaw")
        seen = view(state, 1)

        for seed in range(20):
            assert legal(state.determinize(1, random.Random(seed)), "summon")
        assert legal(TASH_KALAR.load(seen), "summon")
        assert TASH_KALAR.load(seen).observation(1) == seen

    def test_seat_that_can_thaw_need_not_have_a_burning_flare(self) -> None:
        state = position(
            "a4", "a5h b5h c5h d5h", cards="flare_12", frozen="ice_wyvern", schools=EVERFROST,
            phase="turn_end", actions_left=0,
        )  # fmt: skip

        flares = {
            state.determinize(1, random.Random(seed)).to_json()["hands"][0]["flare"]
            for seed in range(60)
        }
        assert len(flares) == 12

    def test_nothing_of_it_is_hidden_in_events(self) -> None:
        state = chest("ice_queen snow_fox")

        assert state.event_for(1, "keep ice_queen") == "keep ice_queen"
        do(state, "keep ice_queen", "thaw")
        texts = [text for _, text in view(state, 1)["events"]]
        assert texts[-2:] == ["keep ice_queen", "thaw"]


class TestPositions:
    """What a position may say of it."""

    def test_other_schools_do_not_speak_of_it(self) -> None:
        state = position("e5", cards="sapling")

        for seen in (view(state), state.to_json()):
            assert not {"frozen", "removed"} & {*seen}
            assert "slowed" not in seen["progress"]

    @pytest.mark.parametrize(
        ("named", "more"),
        [
            ("frozen", {"frozen": "snow_fox"}),
            ("frozen", {"frozen": "sapling"}),
            ("frozen", {"frozen": "ice_queen", "schools": ("highland", "sylvan")}),
            ("removed", {"removed": [{}, {"common_heroic": 18}]}),
            ("removed", {"removed": [{"legendary": 4}, {}]}),
            ("removed", {"removed": [[], {}]}),
            ("removed", {"removed": [{}]}),
            ("removed", {"removed": [{}, {}], "schools": ("highland", "sylvan")}),
            ("progress.slowed", {"progress": {"slowed": 0}}),
            ("progress.slowed", {"progress": {"slowed": 2}}),
            ("progress.slowed", {"progress": {"slowed": 0}, "schools": ("highland", "sylvan")}),
            ("hands", {"frozen": "ice_queen", "cards": "ice_queen"}),
            ("hands", {"frozen": "ice_queen", "discards": [["ice_queen"], []]}),
            ("permissions", {"permissions": ["summon_then"]}),
        ],
    )
    def test_what_cannot_be_is_refused(self, named: str, more: dict[str, Any]) -> None:
        with pytest.raises(BadPosition, match=re.escape(named)):
            position("e5", **{"schools": EVERFROST, **more})

    @pytest.mark.parametrize(
        "change", [{"summon": "e5"}, {"onto": "somebody"}, {"onto": "enemy", "at": 0}]
    )
    def test_effect_that_does_not_fit_is_refused(self, change: dict[str, Any]) -> None:
        state = do(position("a5h", frozen="ice_wyvern", schools=EVERFROST), "thaw")
        data = state.to_json()
        data["progress"]["effect"] |= change

        with pytest.raises(BadPosition):
            TASH_KALAR.load(data)

    def test_card_in_play_is_drawn_with_both_its_texts(self) -> None:
        state = position("e5h", frozen="ice_wyvern", schools=EVERFROST)
        picture = state.svg()

        assert "frozen, seat 0" in picture
        assert "Ice Wyvern, heroic" in picture
        assert "frozen effect of Ice Wyvern" in picture
        assert "Frozen: Place one own common" in re.sub(r"</?tspan[^>]*>", " ", picture)
        assert "frozen effect of Ice Wyvern" in str(state).replace("\n", " ")
        assert "No frozen effect in play" in position("e5", schools=EVERFROST).svg()
        assert "frozen" not in position("e5", cards="sapling").svg()
