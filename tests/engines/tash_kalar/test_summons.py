"""Tash-Kalar: what may be summoned, onto what, and with which piece (7 of the rules)."""

from tests.engines.tash_kalar.positions import (
    changes,
    destroyed,
    do,
    end_turn,
    far,
    legal,
    pattern,
    position,
    ready,
    shown,
    summoned,
    view,
)


class TestSummon:
    """7"""

    def test_card_of_a_lower_rank_does_not_land_on_a_higher_one(self) -> None:
        state = position("d4 f4", "e5h", cards="wild_eagle")

        assert "summon wild_eagle e5" not in legal(state)
        assert "summon wild_eagle e3" in legal(state)

    def test_own_piece_of_higher_rank_forbids_it_too(self) -> None:
        state = position("d4 f4 e5h", cards="wild_eagle")

        assert "summon wild_eagle e5" not in legal(state)

    def test_required_piece_of_higher_rank_forbids_it(self) -> None:
        state = ready("dryad e5", "e5l")

        assert "summon dryad e5" not in legal(state)

    def test_enemy_of_equal_rank_is_destroyed_and_counts(self) -> None:
        state = do(position("d4 f4", "e5", cards="wild_eagle"), "summon wild_eagle e5", "pass")

        assert shown(state)["e5"] == "0c"
        assert destroyed(state) == "c"

    def test_own_piece_counts_for_nothing(self) -> None:
        state = do(position("d4 f4 e5", cards="wild_eagle"), "summon wild_eagle e5", "pass")

        assert shown(state)["e5"] == "0c"
        assert destroyed(state) == ""
        assert view(state)["counters"]["summoned"] == [{"card": "wild_eagle", "square": "e5"}]

    def test_enemy_pieces_do_not_fill_a_pattern(self) -> None:
        state = position("d4", "f4", cards="wild_eagle")

        assert not legal(state, "summon")

    def test_higher_ranks_fill_a_pattern(self) -> None:
        state = position("d4l f4h", cards="wild_eagle")

        assert "summon wild_eagle e5" in legal(state)

    def test_commons_do_not_fill_heroic_cells(self) -> None:
        assert "summon titan e6" in legal(ready("titan e6"))
        assert "summon titan e6" not in legal(ready("titan e6", "e5c"))

    def test_card_is_played_after_its_effect(self) -> None:
        state = summoned("wild_eagle e5")
        assert view(state)["card"] == "wild_eagle"
        assert view(state)["step"] == 0
        assert view(state)["hand"]["beings"] == []
        assert view(state)["discard"] == []

        do(state, "pass")

        assert view(state)["card"] is None
        assert view(state)["discard"] == ["wild_eagle"]
        assert view(state, 1)["played"]["beings"] == [["wild_eagle"], []]

    def test_legend_goes_to_the_shared_pile(self) -> None:
        state = summoned("titan e6")

        assert view(state)["played"]["legends"] == ["titan"]
        assert view(state)["discard"] == []


class TestShortage:
    """7.5"""

    def test_own_piece_on_the_square_becomes_the_being(self) -> None:
        before = position(far(14) + " d4 f4 e5", cards="wild_eagle")

        after = do(before.copy(), "summon wild_eagle e5")

        assert view(after)["phase"] == "effect"
        assert changes(before, after) == ""

    def test_required_piece_on_the_square_is_flipped(self) -> None:
        before = ready("dryad e5", far(14))

        after = do(before.copy(), "summon dryad e5")

        assert changes(before, after) == "e5=0h"

    def test_unused_piece_is_picked_up(self) -> None:
        before = position(far(14) + " d4 f4 h5h", cards="wild_eagle")

        after = do(before.copy(), "summon wild_eagle e5")

        assert view(after)["phase"] == "shortage"
        assert view(after)["card"] == "wild_eagle"
        assert legal(after) == sorted(f"pickup {there}" for there in [*far(14).split(), "h5"])
        do(after, "pickup h5")
        assert changes(before, after) == "e5=0c h5=-"
        assert destroyed(after) == ""

    def test_only_unused_piece_is_picked_up_without_asking(self) -> None:
        before = ready("time_elemental e6", "a5l a6l a7l")
        assert "summon time_elemental e6" in legal(before)

        one = ready("titan e6", "a5l e5l e4l")
        after = do(one.copy(), "summon titan e6")

        assert "a5=-" in changes(one, after)

    def test_without_an_unused_piece_the_summon_is_illegal(self) -> None:
        state = ready("titan e6", "e5l e4l e3l")

        assert not legal(state, "summon")

    def test_any_match_may_leave_the_piece_unused(self) -> None:
        """Three legendary pieces; two matches at e5, each of which uses another one of them."""
        state = ready("time_elemental e5", "d4l f4l e3l d6h f6h e7h d8 f8")

        do(state, "summon time_elemental e5")

        assert legal(state) == ["pickup d4", "pickup e3", "pickup f4"]


def test_permission_of_the_war_summoner_ends_with_the_turn() -> None:
    state = summoned("war_summoner e5")

    end_turn(state)

    assert view(state)["permissions"] == []


def test_required_enemy_piece_on_the_summon_square_is_destroyed() -> None:
    enemies = pattern("war_drummer b5").split()[0]
    state = summoned("war_summoner e5", "c5 b4 c4", enemies, cards="war_drummer")

    do(state, "summon war_drummer b5", "pass")

    assert shown(state)["b5"] == "0h"
    assert destroyed(state) == "c"


def test_permission_allows_only_one_enemy_piece() -> None:
    state = summoned("war_summoner e5", "a5", "b6", cards="ritual_keeper clan_healer")

    assert "summon ritual_keeper a6" in legal(state)
    assert "summon clan_healer b5" not in legal(state)
