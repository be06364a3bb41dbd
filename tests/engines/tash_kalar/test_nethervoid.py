"""Tash-Kalar: the beings of the Nethervoid, each as cases (18.2 of the rules)."""

import pytest

from tests.engines.tash_kalar.positions import (
    Case,
    asked,
    changes,
    destroyed,
    do,
    gateway,
    legal,
    played,
    ready,
    summoned,
    view,
)

WHAT_HAPPENS = [
    Case("shadow_imp e5", own="b4h", gateway="b4", answers="move e5 e6/move b4 b5",
         changes="b4=- b5=0h e6=0c", new_gateway="b5"),
    Case("shadow_imp e5", own="b4h", gateway="b4", answers="move e5 e6/pass", changes="e6=0c",
         new_gateway="b4"),
    Case("shadow_imp e5", own="b4h", gateway="b4", answers="pass", changes="e5=0c",
         new_gateway="b4"),
    Case("shadow_imp e5", own="a5h", enemy="d5", gateway="a5", answers="move e5 d5",
         changes="d5=0c", losses="c", new_gateway="a5"),
    Case("shadow_imp e5", answers="move e5 e6", changes="e6=0c", new_gateway="e6"),
    Case("shadow_imp e5", own="e6", gateway="e6", answers="move e5 e6"),
    Case("flame_imp e5", own="g7h", enemy="g8 f7h", gateway="g7", answers="destroy g8",
         changes="e5=0c g8=-", losses="c", new_gateway="g7"),
    Case("flame_imp e5", own="g7h g6", enemy="g8", gateway="g7", answers="destroy g6",
         changes="e5=0c g6=-", new_gateway="g7"),
    Case("flame_imp e5", answers="destroy d4", changes="d4=- e5=0c", new_gateway="e5"),
    Case("flame_imp e5", own="g7h", enemy="g8", gateway="g7", answers="pass", changes="e5=0c",
         new_gateway="g7"),
    Case("gate_keeper e5", own="b4h", gateway="b4", answers="upgrade e6", changes="e5=0c e6=0h",
         new_gateway="e6"),
    Case("gate_keeper e5", own="b4h", gateway="b4", answers="upgrade e5", changes="e5=0h",
         new_gateway="e5"),
    Case("gate_keeper e5", own="b4h", gateway="b4", answers="place a3", changes="a3=0c e5=0c",
         new_gateway="a3"),
    Case("gate_keeper e5", own="b4h", gateway="b4", answers="pass", changes="e5=0c",
         new_gateway="b4"),
    Case("demon_of_gluttony e5", own="b4h", gateway="b4", answers="move e5 e6", changes="e6=0c",
         new_gateway="b4"),
    Case("demon_of_gluttony e5", own="b4h", enemy="e6", gateway="b4", answers="move e5 e6/pass",
         changes="e6=0h", losses="c", new_gateway="b4"),
    Case("demon_of_gluttony e5", own="b4h", enemy="e6 e7h", gateway="b4",
         answers="move e5 e6/move e6 e7", changes="e6=- e7=0h", losses="ch", new_gateway="e7"),
    Case("demon_of_gluttony e5", own="b4h e6", gateway="b4", answers="move e5 e6/move e6 e7",
         changes="e6=- e7=0h", new_gateway="b4"),
    Case("demon_of_pride e5", own="b4h", gateway="b4", answers="pass", changes="e5=0h",
         new_gateway="e5"),
    Case("demon_of_pride e5", own="b4h", enemy="e6h", gateway="b4", answers="move e5 e6",
         changes="e6=0h", losses="h", new_gateway="e6"),
    Case("acolyte_of_destruction e5", own="h4h", enemy="c7 c8h b6l", gateway="h4",
         answers="destroy c7/destroy c8", changes="c7=- c8=- e5=0h", losses="ch",
         new_gateway="h4"),
    Case("acolyte_of_destruction e5", own="h4h", enemy="c7 c8h", gateway="h4",
         answers="destroy c7/pass", changes="c7=- e5=0h", losses="c", new_gateway="h4"),
    Case("acolyte_of_destruction e5", own="h5h", enemy="c7 c8h", gateway="h5",
         answers="destroy c7", changes="c7=- e5=0h", losses="c", new_gateway="h5"),
    Case("acolyte_of_destruction e5", enemy="a5", answers="destroy d4/destroy e5",
         changes="d4=-"),
    Case("acolyte_of_growth e5", own="c7h", gateway="c7", answers="place a3/place a4",
         changes="a3=0c a4=0h e5=0h", new_gateway="c7"),
    Case("acolyte_of_growth e5", own="c6h", gateway="c6", answers="place a3",
         changes="a3=0c e5=0h", new_gateway="c6"),
    Case("power_seeker e5", enemy="e6", answers="move e5 e6", changes="e6=0h", losses="c",
         new_gateway="e6"),
    Case("power_seeker e5", own="b5h", enemy="d5h", gateway="b5",
         answers="move e5 d5/move d5 c5/pass", changes="c5=0h d5=-", losses="h",
         new_gateway="b5"),
    Case("power_seeker e5", own="b5h", gateway="b5", answers="move e5 d5/move d5 c5/move c5 b5"),
    Case("hell_hound e5", own="b8h", enemy="e6h", gateway="b8", answers="destroy e6",
         changes="e5=0h e6=-", losses="h", new_gateway="b8"),
    Case("hell_hound e5", own="b8h", enemy="e6l", gateway="b8", answers="destroy e6",
         changes="e5=0h e6=-", losses="l", new_gateway="b8"),
    Case("hell_hound e5", own="b8h", enemy="e6l", gateway="b8", answers="pass", changes="e5=0h",
         new_gateway="b8"),
    Case("vortex_master e5", own="b5h b6", enemy="c5h", gateway="b5",
         answers="move b5 c5/move b6 c6", changes="b5=- b6=- c5=0h c6=0c e5=0h", losses="h",
         new_gateway="c5"),
    Case("vortex_master e5", own="b5h b6", gateway="b5", answers="pass/move b6 b7",
         changes="b6=- b7=0c e5=0h", new_gateway="b5"),
    Case("vortex_master e5", own="b5h b6h", gateway="b5", answers="pass/move b6 b5",
         changes="b6=- e5=0h"),
    Case("gate_master e5", answers="pick e6", changes="e5=0l", new_gateway="e6"),
    Case("gate_master e5", own="b4", gateway="b4", answers="pick b4", changes="e5=0l",
         new_gateway="b4"),
    Case("gate_master e5", own="b4h", gateway="b4", answers="pick e5", changes="b4=0l e5=0h",
         new_gateway="e5"),
    Case("gate_master e5", own="b4h a5l a6l a7l", gateway="b4", answers="pick b4",
         changes="e5=0h", new_gateway="b4"),
    Case("hell_rider e5", enemy="e6h", answers="move e5 e6", changes="e5=- e6=0h", losses="h",
         new_gateway="e6"),
    Case("hell_rider e5", answers="pass", changes="e5=0h", new_gateway="e5"),
    Case("hell_rider e5", own="b4h", enemy="e8h", gateway="b4",
         answers="move e5 e6/move e6 e7/move e7 e8", changes="e5=- e8=0h", losses="h",
         new_gateway="b4"),
    Case("hell_rider e5", own="e5h", gateway="e5", answers="move e5 e6", changes="e5=- e6=0h",
         new_gateway="e6"),
    Case("demon_of_wrath e5", own="b4h", enemy="b5 c4h a4", gateway="b4",
         changes="a4=- b5=- e5=0h", losses="cc", new_gateway="b4"),
    Case("demon_of_wrath e5", own="b4h", enemy="b6 c5", gateway="b4", changes="c5=- e5=0h",
         losses="c", new_gateway="b4"),
    Case("demon_of_wrath e5", own="b4h", enemy="b6 c7", gateway="b4", answers="move b4 b5",
         changes="b4=- b5=0h b6=- e5=0h", losses="c", new_gateway="b5"),
    Case("demon_of_wrath e5", own="b4h", enemy="b6", gateway="b4", answers="pass",
         changes="e5=0h", new_gateway="b4"),
    Case("demon_of_greed e5", own="b4h a5h", gateway="b4", answers="destroy d6/destroy a5",
         changes="a5=- d6=- e5=0h", new_gateway="b4", actions=3),
    Case("demon_of_greed e5", own="b4h", gateway="b4", answers="destroy d6", changes="d6=-",
         new_gateway="b4", actions=3),
    Case("demon_of_greed e5", answers="destroy d6", changes="d6=- e5=0h", new_gateway="e5",
         actions=2),
    Case("demon_of_lust e5", own="b4h", enemy="h8h c8", gateway="b4",
         answers="move h8 g7/move c8 c7", changes="c7=1c c8=- e5=0h g7=1h h8=-",
         new_gateway="b4"),
    Case("demon_of_lust e5", own="b4h", enemy="d5 e6", gateway="b4", answers="move e6 d5/pass",
         changes="e5=0h e6=-", losses="c", new_gateway="b4"),
    Case("demon_of_lust e5", own="b4h", gateway="b4", answers="pass", changes="e5=0h",
         new_gateway="b4"),
    Case("demon_of_envy e5", own="b4h", gateway="b4", answers="place a3", changes="a3=0c e5=0h",
         new_gateway="b4"),
    Case("demon_of_envy e5", own="b4h", enemy="h4 h5 h6 h7 g7 g8", gateway="b4",
         answers="place a3/place a4", changes="a3=0c a4=0c e5=0h", new_gateway="b4"),
    Case("demon_of_envy e5", enemy="h4 h5 h6 h7 g7 g8", answers="place e6/place f6/place d4",
         changes="d4=0c e5=0h e6=0c f6=0c", new_gateway="e5"),
    Case("possessed_summoner e5", own="b4h", enemy="h8", gateway="b4", answers="place h7",
         changes="e5=0h h7=1c", new_gateway="b4"),
]  # fmt: skip


@pytest.mark.parametrize("case", WHAT_HAPPENS, ids=str)
def test_effect_does_what_its_card_says(case: Case) -> None:
    changed, after = played(
        case.play, case.own, case.enemy, case.answers, gateway=case.gateway or None
    )

    assert changed == case.changes
    assert destroyed(after) == case.losses
    assert gateway(after) == (case.new_gateway or None)
    assert view(after)["phase"] == "main"
    assert view(after)["actions_left"] == case.actions


WHAT_IS_OFFERED = [
    Case("shadow_imp e5", own="b4h", enemy="b5l", gateway="b4", answers="move e5 e4",
         offered="move b4 b3/pass"),
    Case("flame_imp e5", own="g7h", enemy="g8 f7h h8l", gateway="g7", offered="destroy g8/pass"),
    Case("flame_imp e5", own="d5h", gateway="d5",
         offered="destroy c5/destroy d4/destroy e5/pass"),
    Case("acolyte_of_destruction e5", own="h4h", enemy="c7h", gateway="h4",
         offered="destroy d4/destroy e2/destroy f4"),
    Case("acolyte_of_destruction e5", own="h4h", enemy="c7 c8h c6l", gateway="h4",
         answers="destroy c7", offered="destroy c8/pass"),
    Case("acolyte_of_growth e5", own="c7h", gateway="c7", answers="place a3",
         offered="place a4/place b2/place b3/place b4"),
    Case("power_seeker e5", own="b5h", gateway="b5",
         offered="move e5 d4/move e5 d5/move e5 d6/pass"),
    Case("power_seeker e5", own="c5h", gateway="c5", answers="move e5 d5",
         offered="move d5 c5/pass"),
    Case("hell_hound e5", own="b8h d6h", enemy="e6l", gateway="b8",
         offered="destroy d5/destroy d6/destroy e4/destroy e6/pass"),
    Case("vortex_master e5", own="a5l b5h", enemy="b6l", gateway="b5", answers="pass",
         offered="move a5 a4/move a5 a6/move a5 b4/move a5 b5/move a5 b6/pass"),
    Case("gate_master e5", own="b4h c8l", gateway="b4",
         offered="pick d5/pick e5/pick e6/pick f5/pick f6/pick g5"),
    Case("demon_of_wrath e5", own="a4h", enemy="b5h b3h", gateway="a4",
         offered="move a4 a3/move a4 a5/move a4 b4/pass"),
    Case("demon_of_greed e5", own="b4h a5h", gateway="b4",
         offered="destroy d4/destroy d6/destroy e6/destroy f4"),
    Case("demon_of_greed e5", own="b4h a5h", gateway="b4", answers="destroy d4",
         offered="destroy a5/destroy e5"),
    Case("demon_of_envy e5", own="b4h", enemy="b3 c3", gateway="b4",
         offered="place a3/place a4/place a5/place b5/place c4/place c5"),
    Case("possessed_summoner e5", own="b4h", enemy="g9", gateway="b4",
         offered="place f8/place f9/place g8/place h8"),
]  # fmt: skip


@pytest.mark.parametrize("case", WHAT_IS_OFFERED, ids=str)
def test_effect_offers_what_its_card_allows(case: Case) -> None:
    _, state = played(case.play, case.own, case.enemy, case.answers, gateway=case.gateway or None)

    assert asked(state) == sorted(case.offered.split("/"))


def test_lust_moves_no_piece_twice_none_onto_the_gateway_and_not_the_gateway() -> None:
    state = summoned("demon_of_lust e5", "b4h", "b5h h8h", gateway="b4")

    assert not legal(state, "move b5")
    assert not legal(state, "move b4")
    do(state, "move h8 g7")
    assert not legal(state, "move g7")
    assert legal(state, "move e4")
    assert "pass" in legal(state)


def test_gate_keeper_needs_a_piece_in_supply_to_place() -> None:
    state = summoned("gate_keeper e5", "a3 a4 a5 a6 a7 b3 b4 b5 b6 b7 c8 c9 d8")

    assert not legal(state, "place")
    assert legal(state, "upgrade")


class TestDemonOfSloth:
    """It costs an action, or else the Gateway."""

    def test_an_action_is_lost(self) -> None:
        state = summoned("demon_of_sloth e5", "b4h", gateway="b4", actions_left=3)

        assert view(state)["actions_left"] == 1
        assert gateway(state) == "b4"

    def test_the_last_action_is_lost_and_the_gateway_stays(self) -> None:
        state = summoned("demon_of_sloth e5", "b4h", gateway="b4", actions_left=2)

        assert state.to_move == 1
        assert gateway(state) == "b4"

    def test_without_an_action_the_gateway_is_destroyed(self) -> None:
        before = ready("demon_of_sloth e5", "b4h", gateway="b4", actions_left=1)
        after = do(before.copy(), "summon demon_of_sloth e5")

        assert changes(before, after) == "b4=- e5=0h"
        assert gateway(after) is None

    def test_it_destroys_itself_if_it_is_the_gateway(self) -> None:
        before = ready("demon_of_sloth e5", actions_left=1)
        after = do(before.copy(), "summon demon_of_sloth e5")

        assert changes(before, after) == ""
        assert gateway(after) is None


class TestHellHound:
    """Its card comes back, unless it had a legendary or the deck is empty."""

    def test_card_goes_under_the_deck(self) -> None:
        state = summoned("hell_hound e5", "", "e6h")
        size = view(state)["deck_sizes"]["beings"][0]

        do(state, "destroy e6")

        assert state.to_json()["decks"]["beings"][0][-1] == "hell_hound"
        assert view(state)["deck_sizes"]["beings"][0] == size + 1
        assert view(state)["discard"] == []
        assert view(state)["played"]["beings"][0] == []

    def test_it_goes_there_even_if_nothing_was_destroyed(self) -> None:
        state = do(summoned("hell_hound e5"), "pass")

        assert state.to_json()["decks"]["beings"][0][-1] == "hell_hound"

    def test_after_a_legendary_it_is_discarded(self) -> None:
        state = do(summoned("hell_hound e5", "", "e6l"), "destroy e6")

        assert view(state)["discard"] == ["hell_hound"]
        assert view(state)["played"]["beings"][0] == ["hell_hound"]

    def test_with_an_empty_deck_it_is_discarded(self) -> None:
        state = ready("hell_hound e5")
        deck = state.to_json()["decks"]["beings"][0]

        state = ready("hell_hound e5", discards=[sorted(deck), []])
        do(state, "summon hell_hound e5", "pass")

        assert "hell_hound" in view(state)["discard"]
        assert view(state)["deck_sizes"]["beings"][0] == 0
