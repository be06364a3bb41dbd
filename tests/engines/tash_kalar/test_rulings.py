"""Tash-Kalar: rulings on single cards that take more than one look (14 of the rules)."""

import pytest

from tests.engines.tash_kalar.positions import (
    DUEL,
    changes,
    destroyed,
    do,
    end_turn,
    far,
    legal,
    position,
    ready,
    shown,
    summoned,
    view,
)

HOW_MANY_ACTIONS = [
    ("time_mage e5 r0", "", 2),
    ("war_summoner e5", "", 2),
    ("ritual_master g7", "", 3),
    ("ritual_master d4", "", 1),
    ("mountain_troll e5", "d6 e6", 2),
    ("mountain_troll e5", "e5 e6", 1),
    ("mountain_troll e5", "d6 e6h", 1),
]


@pytest.mark.parametrize(("summon", "enemy", "actions"), HOW_MANY_ACTIONS)
def test_actions_are_gained(summon: str, enemy: str, actions: int) -> None:
    state = summoned(summon, "", enemy)

    assert view(state)["actions_left"] == actions


def test_a_champion_that_fells_a_legend_gains_an_action() -> None:
    state = summoned("champion e5", "", "f6l")

    do(state, "destroy f6")

    assert view(state)["actions_left"] == 2


def test_the_unicorn_may_gain_an_action_instead() -> None:
    state = do(summoned("unicorn d4"), "opt action")

    assert view(state)["actions_left"] == 2
    assert shown(state)["d4"] == "0h"


def test_a_bomb_as_last_action_stays() -> None:
    state = summoned("bomb e5", "", "d5", actions_left=1, cards="flare_01")

    assert shown(state)["e5"] == "0c"
    assert shown(state)["d5"] == "1c"
    assert shown(state)["f4"] == "0c"


def test_a_bomb_is_not_armed_by_a_later_flare() -> None:
    enemies = "a5h a6h b5h b6h"
    state = summoned("bomb e5", "", enemies, cards="flare_08", actions_left=1)

    do(state, "flare")

    assert view(state)["actions_left"] == 1
    assert shown(state)["e5"] == "0c"


def test_a_third_move_needs_the_warlord() -> None:
    state = do(summoned("warlord e5"), "move d4 d5", "move d5 d6")

    movers = {text.split()[1] for text in legal(state, "move")}

    assert movers == {"e5"}


def test_a_third_move_is_free_once_the_warlord_has_moved() -> None:
    state = do(summoned("warlord e5"), "move d4 d5", "move e5 e6")

    movers = {text.split()[1] for text in legal(state, "move")}

    assert movers == {"c3", "d5", "e4", "e6", "f4", "g3"}


def test_war_drummers_second_move_is_standard() -> None:
    state = do(summoned("war_drummer e5", "", "d2"), "move e4 d3")

    assert "move d3 c3" in legal(state)
    assert "move d3 d2" not in legal(state)
    assert not legal(state, "move e5")


def test_flare_with_both_moves_lets_one_of_them_capture_an_equal() -> None:
    state = position("d4", "d5 e4 a5 a6 a7 b7", cards="flare_09")

    first = do(state, "flare", "move d4 d5")

    assert view(first)["card"] == "flare_09"
    assert legal(first, "move d5") == sorted(
        f"move d5 {there}" for there in ("c4", "c5", "c6", "d4", "d6", "e5", "e6")
    )
    assert "pass" in legal(first)


def test_flare_with_both_moves_allows_the_capture_last() -> None:
    state = position("d4", "d6 e4 a5 a6 a7 b7", cards="flare_09")

    do(state, "flare", "move d4 d5", "move d5 d6")

    assert destroyed(state) == "c"
    assert view(state)["phase"] == "main"


def test_flare_with_one_or_two_moves_ends_with_a_capture_of_an_equal() -> None:
    state = position("d4 g4", "d5 e4 a5 a6 a7 b7", cards="flare_11")

    do(state, "flare", "move d4 d5")

    assert view(state)["phase"] == "main"


def test_flare_with_one_or_two_moves_goes_on_with_a_standard_one() -> None:
    state = position("d4 g4h h8l", "d6 e4 a5 a6 a7 b7 b6", cards="flare_11")

    do(state, "flare", "move d4 d5")

    assert "move d5 d6" not in legal(state)
    assert "move g4 g5" in legal(state)
    assert not legal(state, "move h8")


@pytest.mark.parametrize(("on_board", "placed"), [(17, 0), (16, 1), (15, 2)])
def test_forest_ancient_destroys_as_many_as_it_could_place(on_board: int, placed: int) -> None:
    state = summoned("forest_ancient e5", "", far(on_board))

    for _ in range(placed):
        do(state, legal(state, "place")[0])
    for _ in range(placed):
        do(state, legal(state, "destroy")[0])

    assert destroyed(state) == "c" * placed
    assert view(state)["phase"] == "main"


WARDENS = [
    ("a5 a6 a7 b7", "destroy a5/destroy a6/destroy a7/destroy b7"),
    ("a5 a6 a7", ""),
    ("a5 a6 a7h b7h", "destroy a7/destroy b7"),
    ("a5l a6l", ""),
]


@pytest.mark.parametrize(("enemy", "offered"), WARDENS)
def test_forest_wardens_compare_commons_then_upgraded(enemy: str, offered: str) -> None:
    state = summoned("forest_wardens e5", "", enemy)

    assert legal(state, "destroy") == [text for text in offered.split("/") if text]


def test_forest_wardens_compare_again_for_their_second_part() -> None:
    state = summoned("forest_wardens e5", "", "a5 a6 a7 b7 c7h c8h")

    do(state, "destroy a5")

    assert legal(state) == ["destroy c7", "destroy c8"]


def test_gryphon_rider_places_nothing_without_supply() -> None:
    state = summoned("gryphon_rider e5", far(12))

    do(state, "leap i5", "downgrade i5")

    assert view(state)["supply"][0]["common_heroic"] == 0
    assert view(state)["phase"] == "main"


def test_leviathan_spares_a_legend_that_could_not_become_heroic() -> None:
    state = summoned("leviathan g5", "", far(17) + " i5l")

    assert "downgrade g5" in legal(state)
    assert "downgrade i5" not in legal(state)


def test_an_upgrade_to_legendary_needs_a_piece_in_supply() -> None:
    state = summoned("two_headed_dragon c5 r0", "a5l a6l")

    assert legal(state, "upgrade") == ["upgrade e3", "upgrade f2"]


def test_kiskin_spirit_takes_only_own_school_cards() -> None:
    state = ready(
        "kiskin_spirit e5",
        cards="sapling naiad",
        discards=[["dryad"], ["warlord"]],
        played={"beings": [["dryad"], ["warlord"]], "legends": ["titan"], "flares": ["flare_01"]},
    )

    do(state, "discard naiad", "done", "summon kiskin_spirit e5")

    assert legal(state) == ["pass", "take dryad", "take naiad"]


@pytest.mark.parametrize(
    ("pile", "answers", "beings"),
    [(["dryad"], ["take dryad"], 4), (["dryad"], ["pass"], 3), ([], [], 4)],
)
def test_kiskin_spirit_draws_one_more(pile: list[str], answers: list[str], beings: int) -> None:
    state = ready("kiskin_spirit e5", cards="sapling naiad", actions_left=1, discards=[pile, []])

    end_turn(do(state, "summon kiskin_spirit e5", *answers))

    hand = view(state)["hand"]["beings"]
    assert len(hand) == beings
    assert ("dryad" in hand) == (answers == ["take dryad"])


def test_forest_mystic_draws_one_more_of_both() -> None:
    state = summoned("forest_mystic e5", actions_left=1)

    end_turn(state)

    assert view(state)["hand_sizes"][0] == {"beings": 4, "legends": 3, "flare": 1}


def test_storm_elemental_places_a_legend_only_from_the_supply() -> None:
    rich, poor = summoned("storm_elemental e4", "a5l"), summoned("storm_elemental e4", "a5l a6l")

    assert "place e5 legendary" in legal(rich)
    assert "place e5 legendary" not in legal(poor)
    assert "place e5 heroic" in legal(poor)


def test_titans_victims_bring_no_points() -> None:
    state = summoned("titan e6", "", "e7l d6l", mode=DUEL, actions_left=1)

    end_turn(state)

    assert view(state)["scores"] == [1, 0]


def test_war_summoner_lets_an_enemy_piece_serve_once() -> None:
    state = summoned("war_summoner e5", "", "a5", cards="ritual_keeper clan_axeman")

    assert view(state)["permissions"] == ["war_summon"]
    assert "summon ritual_keeper b4" not in legal(state)
    do(state, "place b4")
    assert "summon ritual_keeper b5" in legal(state)
    do(state, "summon ritual_keeper b5")
    assert view(state)["permissions"] == []
    assert shown(state)["a5"] == "1c"


def test_an_enemy_piece_used_for_a_summon_may_be_upgraded_by_it() -> None:
    state = summoned("war_summoner e5", "c7 d7", "f7", cards="clan_guardian")

    do(state, "summon clan_guardian e7 r0", "upgrade f7")

    assert shown(state)["f7"] == "1h"


@pytest.mark.parametrize(("turn", "hit"), [("r0", "c5=-"), ("r180", "e3=-")])
def test_the_chosen_match_decides_what_is_marked(turn: str, hit: str) -> None:
    before = ready("assassin d4 r0", "e1 f2 g3", "c5 e3")

    after = do(before.copy(), f"summon assassin d4 {turn}")

    assert changes(before, after).replace("d4=0h", "").strip() == hit


def test_a_captured_being_does_no_more() -> None:
    """A heroic of the pattern captures the Master of Intrigue and goes on in its own way."""
    state = summoned("master_of_intrigue e5 r0", "d4h", "e6h e4h")

    do(state, "move d4 e5")

    assert {"move e5 e6", "move e5 e4"} <= set(legal(state))
