"""Tash-Kalar: the beings of the Nethervoid, each as cases (18.2 of the rules)."""

from __future__ import annotations

import pytest

from tests.engines.tash_kalar.positions import (
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

# A summon, own and enemy pieces, the Gateway, answers; then the changes on the board, the enemy
# pieces destroyed, the Gateway, the actions left of two.
WHAT_HAPPENS = [
    ("shadow_imp e5", "b4h", "", "b4", "move e5 e6/move b4 b5", "b4=- b5=0h e6=0c", "", "b5", 1),
    ("shadow_imp e5", "b4h", "", "b4", "move e5 e6/pass", "e6=0c", "", "b4", 1),
    ("shadow_imp e5", "b4h", "", "b4", "pass", "e5=0c", "", "b4", 1),
    ("shadow_imp e5", "a5h", "d5", "a5", "move e5 d5", "d5=0c", "c", "a5", 1),
    ("shadow_imp e5", "", "", "", "move e5 e6", "e6=0c", "", "e6", 1),
    ("shadow_imp e5", "e6", "", "e6", "move e5 e6", "", "", "", 1),
    ("flame_imp e5", "g7h", "g8 f7h", "g7", "destroy g8", "e5=0c g8=-", "c", "g7", 1),
    ("flame_imp e5", "g7h g6", "g8", "g7", "destroy g6", "e5=0c g6=-", "", "g7", 1),
    ("flame_imp e5", "", "", "", "destroy d4", "d4=- e5=0c", "", "e5", 1),
    ("flame_imp e5", "g7h", "g8", "g7", "pass", "e5=0c", "", "g7", 1),
    ("gate_keeper e5", "b4h", "", "b4", "upgrade e6", "e5=0c e6=0h", "", "e6", 1),
    ("gate_keeper e5", "b4h", "", "b4", "upgrade e5", "e5=0h", "", "e5", 1),
    ("gate_keeper e5", "b4h", "", "b4", "place a3", "a3=0c e5=0c", "", "a3", 1),
    ("gate_keeper e5", "b4h", "", "b4", "pass", "e5=0c", "", "b4", 1),
    ("demon_of_gluttony e5", "b4h", "", "b4", "move e5 e6", "e6=0c", "", "b4", 1),
    ("demon_of_gluttony e5", "b4h", "e6", "b4", "move e5 e6/pass", "e6=0h", "c", "b4", 1),
    (
        "demon_of_gluttony e5", "b4h", "e6 e7h", "b4",
        "move e5 e6/move e6 e7", "e6=- e7=0h", "ch", "e7", 1,
    ),
    (
        "demon_of_gluttony e5", "b4h e6", "", "b4",
        "move e5 e6/move e6 e7", "e6=- e7=0h", "", "b4", 1,
    ),
    ("demon_of_pride e5", "b4h", "", "b4", "pass", "e5=0h", "", "e5", 1),
    ("demon_of_pride e5", "b4h", "e6h", "b4", "move e5 e6", "e6=0h", "h", "e6", 1),
    (
        "acolyte_of_destruction e5", "h4h", "c7 c8h b6l", "h4",
        "destroy c7/destroy c8", "c7=- c8=- e5=0h", "ch", "h4", 1,
    ),
    (
        "acolyte_of_destruction e5", "h4h", "c7 c8h", "h4",
        "destroy c7/pass", "c7=- e5=0h", "c", "h4", 1,
    ),
    ("acolyte_of_destruction e5", "h5h", "c7 c8h", "h5", "destroy c7", "c7=- e5=0h", "c", "h5", 1),
    ("acolyte_of_destruction e5", "", "a5", "", "destroy d4/destroy e5", "d4=-", "", "", 1),
    (
        "acolyte_of_growth e5", "c7h", "", "c7",
        "place a3/place a4", "a3=0c a4=0h e5=0h", "", "c7", 1,
    ),
    ("acolyte_of_growth e5", "c6h", "", "c6", "place a3", "a3=0c e5=0h", "", "c6", 1),
    ("power_seeker e5", "", "e6", "", "move e5 e6", "e6=0h", "c", "e6", 1),
    (
        "power_seeker e5", "b5h", "d5h", "b5",
        "move e5 d5/move d5 c5/pass", "c5=0h d5=-", "h", "b5", 1,
    ),
    ("power_seeker e5", "b5h", "", "b5", "move e5 d5/move d5 c5/move c5 b5", "", "", "", 1),
    ("hell_hound e5", "b8h", "e6h", "b8", "destroy e6", "e5=0h e6=-", "h", "b8", 1),
    ("hell_hound e5", "b8h", "e6l", "b8", "destroy e6", "e5=0h e6=-", "l", "b8", 1),
    ("hell_hound e5", "b8h", "e6l", "b8", "pass", "e5=0h", "", "b8", 1),
    (
        "vortex_master e5", "b5h b6", "c5h", "b5",
        "move b5 c5/move b6 c6", "b5=- b6=- c5=0h c6=0c e5=0h", "h", "c5", 1,
    ),
    ("vortex_master e5", "b5h b6", "", "b5", "pass/move b6 b7", "b6=- b7=0c e5=0h", "", "b5", 1),
    ("vortex_master e5", "b5h b6h", "", "b5", "pass/move b6 b5", "b6=- e5=0h", "", "", 1),
    ("gate_master e5", "", "", "", "pick e6", "e5=0l", "", "e6", 1),
    ("gate_master e5", "b4", "", "b4", "pick b4", "e5=0l", "", "b4", 1),
    ("gate_master e5", "b4h", "", "b4", "pick e5", "b4=0l e5=0h", "", "e5", 1),
    ("gate_master e5", "b4h a5l a6l a7l", "", "b4", "pick b4", "e5=0h", "", "b4", 1),
    ("hell_rider e5", "", "e6h", "", "move e5 e6", "e5=- e6=0h", "h", "e6", 1),
    ("hell_rider e5", "", "", "", "pass", "e5=0h", "", "e5", 1),
    (
        "hell_rider e5", "b4h", "e8h", "b4",
        "move e5 e6/move e6 e7/move e7 e8", "e5=- e8=0h", "h", "b4", 1,
    ),
    ("hell_rider e5", "e5h", "", "e5", "move e5 e6", "e5=- e6=0h", "", "e6", 1),
    ("demon_of_wrath e5", "b4h", "b5 c4h a4", "b4", "", "a4=- b5=- e5=0h", "cc", "b4", 1),
    (
        "demon_of_wrath e5", "b4h", "b6 c5", "b4",
        "", "c5=- e5=0h", "c", "b4", 1,
    ),
    (
        "demon_of_wrath e5", "b4h", "b6 c7", "b4",
        "move b4 b5", "b4=- b5=0h b6=- e5=0h", "c", "b5", 1,
    ),
    ("demon_of_wrath e5", "b4h", "b6", "b4", "pass", "e5=0h", "", "b4", 1),
    (
        "demon_of_greed e5", "b4h a5h", "", "b4",
        "destroy d6/destroy a5", "a5=- d6=- e5=0h", "", "b4", 3,
    ),
    ("demon_of_greed e5", "b4h", "", "b4", "destroy d6", "d6=-", "", "b4", 3),
    ("demon_of_greed e5", "", "", "", "destroy d6", "d6=- e5=0h", "", "e5", 2),
    (
        "demon_of_lust e5", "b4h", "h8h c8", "b4",
        "move h8 g7/move c8 c7", "c7=1c c8=- e5=0h g7=1h h8=-", "", "b4", 1,
    ),
    ("demon_of_lust e5", "b4h", "d5 e6", "b4", "move e6 d5/pass", "e5=0h e6=-", "c", "b4", 1),
    ("demon_of_lust e5", "b4h", "", "b4", "pass", "e5=0h", "", "b4", 1),
    ("demon_of_envy e5", "b4h", "", "b4", "place a3", "a3=0c e5=0h", "", "b4", 1),
    (
        "demon_of_envy e5", "b4h", "h4 h5 h6 h7 g7 g8", "b4",
        "place a3/place a4", "a3=0c a4=0c e5=0h", "", "b4", 1,
    ),
    (
        "demon_of_envy e5", "", "h4 h5 h6 h7 g7 g8", "",
        "place e6/place f6/place d4", "d4=0c e5=0h e6=0c f6=0c", "", "e5", 1,
    ),
    ("possessed_summoner e5", "b4h", "h8", "b4", "place h7", "e5=0h h7=1c", "", "b4", 1),
]  # fmt: skip


@pytest.mark.parametrize("case", WHAT_HAPPENS, ids=lambda case: " ".join(map(str, case)))
def test_effect_does_what_its_card_says(case: tuple[str, ...]) -> None:
    summon, own, enemy, gate, answers, board, losses, new_gate, actions = case
    changed, after = played(summon, own, enemy, answers, gateway=gate or None)

    assert changed == board
    assert destroyed(after) == losses
    assert gateway(after) == (new_gate or None)
    assert view(after)["phase"] == "main"
    assert view(after)["actions_left"] == actions


# A summon, own and enemy pieces, the Gateway, answers; then what is offered.
WHAT_IS_OFFERED = [
    ("shadow_imp e5", "b4h", "b5l", "b4", "move e5 e4", "move b4 b3/pass"),
    ("flame_imp e5", "g7h", "g8 f7h h8l", "g7", "", "destroy g8/pass"),
    ("flame_imp e5", "d5h", "", "d5", "", "destroy c5/destroy d4/destroy e5/pass"),
    ("acolyte_of_destruction e5", "h4h", "c7h", "h4", "", "destroy d4/destroy e2/destroy f4"),
    ("acolyte_of_destruction e5", "h4h", "c7 c8h c6l", "h4", "destroy c7", "destroy c8/pass"),
    ("acolyte_of_growth e5", "c7h", "", "c7", "place a3", "place a4/place b2/place b3/place b4"),
    ("power_seeker e5", "b5h", "", "b5", "", "move e5 d4/move e5 d5/move e5 d6/pass"),
    ("power_seeker e5", "c5h", "", "c5", "move e5 d5", "move d5 c5/pass"),
    (
        "hell_hound e5", "b8h d6h", "e6l", "b8",
        "", "destroy d5/destroy d6/destroy e4/destroy e6/pass",
    ),
    (
        "vortex_master e5", "a5l b5h", "b6l", "b5",
        "pass", "move a5 a4/move a5 a6/move a5 b4/move a5 b5/move a5 b6/pass",
    ),
    ("gate_master e5", "b4h c8l", "", "b4", "", "pick d5/pick e5/pick e6/pick f5/pick f6/pick g5"),
    ("demon_of_wrath e5", "a4h", "b5h b3h", "a4", "", "move a4 a3/move a4 a5/move a4 b4/pass"),
    ("demon_of_greed e5", "b4h a5h", "", "b4", "", "destroy d4/destroy d6/destroy e6/destroy f4"),
    ("demon_of_greed e5", "b4h a5h", "", "b4", "destroy d4", "destroy a5/destroy e5"),
    (
        "demon_of_envy e5", "b4h", "b3 c3", "b4",
        "", "place a3/place a4/place a5/place b5/place c4/place c5",
    ),
    ("possessed_summoner e5", "b4h", "g9", "b4", "", "place f8/place f9/place g8/place h8"),
]  # fmt: skip


@pytest.mark.parametrize("case", WHAT_IS_OFFERED, ids=" ".join)
def test_effect_offers_what_its_card_allows(case: tuple[str, ...]) -> None:
    summon, own, enemy, gate, answers, offered = case
    _, state = played(summon, own, enemy, answers, gateway=gate or None)

    assert asked(state) == sorted(offered.split("/"))


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
