"""Tash-Kalar: the frozen effect in play, and its thaw (18.1)."""

import random
from typing import Any

import pytest

from pentathlon_engines import State
from tests.engines.tash_kalar.positions import (
    DUEL,
    EVERFROST,
    TASH_KALAR,
    destroyed,
    do,
    legal,
    position,
    ready,
    shown,
    view,
)

FLARES = "a5h b5h c5h"
"""Enemy pieces that allow flare_01 to be invoked."""


def at_end(own: str = "", enemy: str = "", **more: Any) -> State:
    """Return a position at the end of a turn of seat 0, who plays the Everfrost."""
    return position(own, enemy, schools=EVERFROST, phase="turn_end", actions_left=0, **more)


class TestFreezing:
    """A card stays in play, one at a time."""

    def test_there_is_none_at_first(self) -> None:
        assert view(position(schools=EVERFROST))["frozen"] is None

    def test_the_card_stays_in_play_after_its_effect(self) -> None:
        state = ready("ice_wyvern e5", schools=EVERFROST)

        do(state, "summon ice_wyvern e5")
        assert view(state)["frozen"] is None
        do(state, "leap a5")

        assert view(state)["frozen"] == "ice_wyvern"
        assert state.to_json()["events"][-1] == [0, "keep ice_wyvern"]
        assert view(state)["discard"] == view(state)["played"]["beings"][0] == []

    def test_it_is_no_hand_card(self) -> None:
        state = position("a5", cards="snow_fox", frozen="ice_queen", schools=EVERFROST)

        assert legal(state, "discard") == ["discard snow_fox"]
        assert view(state)["hand_sizes"][0]["beings"] == 1
        assert legal(do(state, "discard snow_fox"), "return") == []

    @pytest.mark.parametrize(
        ("kept", "lost"), [("crystal_grower", "ice_queen"), ("ice_queen", "crystal_grower")]
    )
    def test_of_two_the_player_says_which_stays(self, kept: str, lost: str) -> None:
        state = ready("crystal_grower e5", frozen="ice_queen", schools=EVERFROST)

        do(state, "summon crystal_grower e5")
        assert legal(state) == ["keep crystal_grower", "keep ice_queen"]
        assert (view(state)["phase"], view(state)["step"]) == ("effect", 1)
        do(state, f"keep {kept}")

        assert view(state)["frozen"] == kept
        assert view(state)["discard"] == view(state, 1)["played"]["beings"][0] == [lost]

    def test_other_beings_are_discarded_as_ever(self) -> None:
        state = ready("snow_monster e5", frozen="ice_queen", schools=EVERFROST)

        do(state, "summon snow_monster e5")

        assert view(state)["frozen"] == "ice_queen"
        assert view(state)["discard"] == ["snow_monster"]

    def test_it_stays_over_the_enemys_turn(self) -> None:
        state = position("a5", frozen="ice_wyvern", schools=EVERFROST)

        do(state, "place a4", "place a6", "end")
        assert state.to_move == 1
        assert "thaw" not in legal(state)
        do(state, "place i5", "place i6")

        assert state.to_move == 0
        assert view(state)["frozen"] == "ice_wyvern"


class TestThawing:
    """Whenever a flare could be invoked."""

    def test_it_costs_no_action_and_happens_before_or_between_actions(self) -> None:
        state = position("a5", frozen="crystal_grower", schools=EVERFROST)

        do(state, "place a4")
        assert "thaw" in legal(state)
        do(state, "thaw", "upgrade a4")

        assert view(state)["actions_left"] == 1
        assert "thaw" not in legal(state)

    def test_it_may_be_done_after_the_last_action(self) -> None:
        assert legal(at_end("a5", frozen="ice_wyvern")) == ["end", "thaw"]

    def test_the_turn_ends_by_itself_without_it(self) -> None:
        state = position("a5", schools=EVERFROST, actions_left=1)

        do(state, "place a4")

        assert state.to_move == 1

    def test_flare_and_thaw_may_both_be_played(self) -> None:
        state = at_end("e5h", FLARES + " d5h", cards="flare_01", frozen="ice_wyvern")
        assert legal(state) == ["end", "flare", "thaw"]

        do(state, "thaw", "place e6")
        assert legal(state) == ["end", "flare"]
        do(state, "flare", "place a3")

        assert state.to_move == 1

    def test_an_action_that_was_gained_goes_on_with_the_turn(self) -> None:
        state = at_end("a5 b5", cards="flare_12", frozen="winter_whisperer")

        do(state, "thaw", "destroy a5", "opt throw_flare")

        assert view(state)["phase"] == "main"
        assert view(state)["actions_left"] == 1
        assert view(state)["played"]["flares"] == ["flare_12"]

    def test_it_may_be_done_in_the_turn_in_which_it_was_frozen(self) -> None:
        state = do(ready("crystal_grower e5", schools=EVERFROST), "summon crystal_grower e5")

        do(state, "thaw", "upgrade e5")

        assert shown(state)["e5"] == "0h"

    def test_opponent_gets_no_point_in_the_duel(self) -> None:
        state = position(
            "a5", "c7 c8", frozen="frostweave_illusionist", schools=EVERFROST, mode=DUEL
        )

        do(state, "thaw", "convert c7", "place a3", "place a4")

        assert view(state)["scores"] == [0, 0]
        assert view(state)["turn"] == 3

    def test_what_it_destroys_counts_for_the_turn(self) -> None:
        state = position("a5", "c7h", frozen="frostweave_illusionist", schools=EVERFROST)

        assert destroyed(do(state, "thaw")) == ""
        state = position("a5", "c7", frozen="frostweave_illusionist", schools=EVERFROST)
        assert destroyed(do(state, "thaw")) == "c"

    def test_steps_count_on_and_there_is_no_being(self) -> None:
        state = position("a5h", frozen="ice_wyvern", schools=EVERFROST)

        do(state, "thaw")

        seen = view(state, 1)
        assert (seen["card"], seen["step"], seen["frozen"]) == ("ice_wyvern", 3, None)
        effect = seen["progress"]["effect"]
        assert (effect["being"], effect["summon"], effect["onto"]) == (None, None, None)
        assert TASH_KALAR.load(state.to_json()).to_json() == state.to_json()
        assert TASH_KALAR.load(seen).observation(1) == seen


class TestFrostweaveSummoner:
    """An enemy piece serves in the summoning that follows at once."""

    def test_it_is_thawed_only_if_a_summoning_follows(self) -> None:
        lacks = position(
            "f5", "a4", cards="snow_fox", frozen="frostweave_summoner", schools=EVERFROST
        )
        serves = position(
            "f5", "g4", cards="snow_fox", frozen="frostweave_summoner", schools=EVERFROST
        )

        assert "thaw" not in legal(lacks)
        assert "thaw" in legal(serves)
        assert "summon snow_fox e5" not in legal(serves)

    def test_it_is_not_thawed_after_the_last_action(self) -> None:
        state = position(
            "f5", "g4", cards="snow_fox", frozen="frostweave_summoner", schools=EVERFROST,
            actions_left=1,
        )  # fmt: skip

        assert do(state, "place a5").to_move == 1

    def test_then_only_summonings_are_listed(self) -> None:
        state = position(
            "f5 a4 b3", "g4 d4h", cards="snow_fox flare_01", frozen="frostweave_summoner",
            schools=EVERFROST,
        )  # fmt: skip

        do(state, "thaw")

        assert view(state)["permissions"] == ["summon_now", "war_summon"]
        assert {text.split()[0] for text in legal(state)} == {"summon"}
        assert "summon snow_fox e5" in legal(state)
        assert view(state)["actions_left"] == 2
        assert view(state)["discard"] == ["frostweave_summoner"]
        assert "a summoning is due" in state.svg()
        do(state, "summon snow_fox e5", "pass")
        assert view(state)["permissions"] == []
        assert shown(state)["g4"] == "1c"

    def test_required_enemy_on_the_summon_square_serves_and_is_destroyed(self) -> None:
        state = position(
            "d5 f5", "e5", cards="frozen_chest", frozen="frostweave_summoner", schools=EVERFROST
        )

        do(state, "thaw", "summon frozen_chest e5")

        assert shown(state)["e5"] == "0h"
        assert destroyed(state) == "c"

    def test_two_enemies_do_not_serve(self) -> None:
        state = position(
            "e4 g4", "d4 f4 c4 f5", cards="winter_whisperer snow_fox",
            frozen="frostweave_summoner", schools=EVERFROST,
        )  # fmt: skip

        do(state, "thaw")

        assert not legal(state, "summon winter_whisperer")
        assert legal(state, "summon snow_fox")

    def test_random_playouts_know_it(self) -> None:
        state = position(
            "f5", "g4", cards="snow_fox", frozen="frostweave_summoner", schools=EVERFROST
        )
        do(state, "thaw")

        for seed in range(5):
            assert len(state.copy().playout(random.Random(seed)).ranks) == 2


class TestFrozenChest:
    """It brings a card back into play."""

    def chest(self, pile: str, **more: Any) -> State:
        """Return the position after its summoning, with cards in the discard pile."""
        state = ready("frozen_chest e5", schools=EVERFROST, discards=[pile.split(), []], **more)
        return do(state, "summon frozen_chest e5")

    def test_cards_with_a_frozen_effect_are_offered(self) -> None:
        state = self.chest("crystal_grower ice_queen snow_fox")

        assert legal(state) == ["keep crystal_grower", "keep ice_queen", "pass"]

    def test_what_is_chosen_is_in_play_and_its_effect_does_not_happen(self) -> None:
        played = {"beings": [["ice_queen"], []]}
        state = self.chest("ice_queen snow_fox", played=played)

        do(state, "keep ice_queen")

        assert view(state, 1)["frozen"] == "ice_queen"
        assert view(state)["discard"] == ["frozen_chest", "snow_fox"]
        assert view(state)["played"]["beings"][0] == ["frozen_chest"]
        assert view(state)["phase"] == "main"
        assert "thaw" in legal(state)

    def test_it_takes_the_place_of_the_card_in_play(self) -> None:
        state = self.chest("ice_queen", frozen="ice_wyvern")

        do(state, "keep ice_queen")

        assert view(state)["frozen"] == "ice_queen"
        assert view(state)["discard"] == ["frozen_chest", "ice_wyvern"]
        assert view(state, 1)["played"]["beings"][0] == ["ice_wyvern", "frozen_chest"]

    def test_it_may_be_declined(self) -> None:
        state = do(self.chest("ice_queen", frozen="ice_wyvern"), "pass")

        assert view(state)["frozen"] == "ice_wyvern"

    def test_without_such_a_card_nothing_is_asked(self) -> None:
        assert view(self.chest("snow_fox"))["phase"] == "main"

    def test_a_card_thawed_in_this_turn_may_come_back(self) -> None:
        state = ready("frozen_chest e5", frozen="crystal_grower", schools=EVERFROST)

        do(state, "thaw", "upgrade d5", "summon frozen_chest e5")

        assert legal(state) == ["keep crystal_grower", "pass"]
