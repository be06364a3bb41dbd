"""Tash-Kalar: the Gateway, possessed summonings, and matches of the Nethervoid (18.2)."""

import pytest

from pentathlon_engines import BadPosition
from tests.engines.tash_kalar.positions import (
    DUEL,
    TASH_KALAR,
    destroyed,
    do,
    end_turn,
    gateway,
    legal,
    position,
    ready,
    shown,
    summoned,
    view,
)


class TestGateway:
    """Who becomes it, and when it ends."""

    def test_there_is_none_at_first(self) -> None:
        assert gateway(position(cards="flame_imp")) is None

    @pytest.mark.parametrize(
        ("gate", "being", "new"),
        [
            ("", "gate_keeper", "e5"),
            ("a5", "gate_keeper", "a5"),
            ("a5h", "gate_keeper", "a5"),
            ("", "hell_hound", "e5"),
            ("a5", "hell_hound", "e5"),
            ("a5h", "hell_hound", "a5"),
        ],
    )
    def test_new_being_becomes_it_if_none_is_or_a_lower_one(
        self, gate: str, being: str, new: str
    ) -> None:
        state = summoned(f"{being} e5", gate, gateway=gate[:2] or None)

        assert gateway(state) == new

    def test_legend_does_not_become_it(self) -> None:
        state = summoned("titan e5", schools=("nethervoid", "highland"))

        assert shown(state)["e5"] == "0l"
        assert gateway(state) is None

    def test_being_of_another_school_does_not_become_it(self) -> None:
        state = summoned("sapling e5", schools=("sylvan", "nethervoid"))

        assert shown(state)["e5"] == "0h"
        assert gateway(state) is None

    def test_summoned_onto_it_the_new_being_takes_its_place(self) -> None:
        state = summoned("shadow_imp e5", "e5", gateway="e5")

        assert gateway(state) == "e5"
        assert shown(state)["e5"] == "0c"

    def test_it_ends_when_it_is_picked_up(self) -> None:
        own = "a3 a4 a5 a6 a7 b3 b4 b5 b6 b7 c8 c9 d8 d9 e8 e9 e5h"
        state = position(own, schools=("nethervoid", "highland"), gateway="e5")

        do(state, "pickup e5")
        assert gateway(state) is None
        do(state, "place e5")
        assert gateway(state) is None

    def test_it_moves_with_the_piece_when_the_enemy_moves_it(self) -> None:
        state = summoned(
            "hypnotist e4",
            "",
            "a5h b5h",
            schools=("northern_imperial", "nethervoid"),
            gateway="a5",
        )

        do(state, "move a5 a6")
        assert gateway(state) == "a6"
        do(state, "move b5 a6")
        assert gateway(state) is None

    def test_it_ends_when_it_is_converted(self) -> None:
        state = summoned("dryad e5", "", "f6h", schools=("sylvan", "nethervoid"), gateway="f6")

        assert gateway(do(state, "convert f6")) is None

    @pytest.mark.parametrize(("gate", "left"), [("h2", "h2"), ("g5", None)])
    def test_it_stays_through_an_upgrade_to_heroic_and_ends_as_a_legendary(
        self, gate: str, left: str | None
    ) -> None:
        schools = ("nethervoid", "highland")
        state = summoned("two_headed_dragon e5 r0", schools=schools, gateway=gate)

        do(state, f"upgrade {gate}")

        assert gateway(state) == left

    def test_it_is_shown_to_everybody_and_in_pictures(self) -> None:
        state = position("e5h c5", cards="flame_imp", gateway="e5")

        assert view(state, 1)["gateway"] == "e5"
        assert state.observation(None)["gateway"] == "e5"
        assert "0h*r" in str(state)
        assert "e5, red: heroic of seat 0, the Gateway" in state.svg()
        assert "the Gateway" not in position("e5h", cards="flame_imp").svg()

    def test_other_schools_do_not_speak_of_it(self) -> None:
        state = position("e5h", cards="sapling")

        assert "gateway" not in view(state)
        assert "gateway" not in state.to_json()

    @pytest.mark.parametrize(
        ("own", "schools", "square"),
        [
            ("e5l", ("nethervoid", "highland"), "e5"),
            ("e5", ("nethervoid", "highland"), "e6"),
            ("e5", ("highland", "nethervoid"), "e5"),
            ("e5", ("highland", "sylvan"), "e5"),
            ("e5", ("nethervoid", "highland"), "z9"),
        ],
    )
    def test_position_with_another_gateway_is_refused(
        self, own: str, schools: tuple[str, str], square: str
    ) -> None:
        with pytest.raises(BadPosition, match="gateway"):
            position(own, schools=schools, gateway=square)


class TestGateMaster:
    """An upgrade to legendary counts as a legend summoned."""

    def test_summoning_counts_as_a_legend_for_the_task(self) -> None:
        row = {
            "current": ["task_colored_summoning", "task_isolation", "task_legendary_summoning"],
            "next": "task_diagonals",
            "claimed": [[], []],
            "under": [],
        }
        state = ready(
            "gate_master e5",
            cards="demon_of_sloth",
            tasks=row,
            counters={"summoned": [{"card": "shadow_imp", "square": "a5"}]},
            actions_left=1,
        )

        do(state, "summon gate_master e5", "pick e6")

        last = view(state)["counters"]["summoned"][-1]
        assert last == {"card": "gate_master", "square": "e5", "as_legend": True}
        assert "claim task_legendary_summoning" in legal(state)
        assert TASH_KALAR.load(state.to_json()).to_json() == state.to_json()

    def test_it_does_not_count_if_no_legendary_came_of_it(self) -> None:
        state = summoned("gate_master e5", "a5l a6l a7l b4h", gateway="b4")

        do(state, "pick e5")

        assert "as_legend" not in view(state)["counters"]["summoned"][-1]

    @pytest.mark.parametrize(("more", "points"), [("", 1), ("a5l a6l a7l", 0)])
    def test_it_scores_in_the_duel(self, more: str, points: int) -> None:
        state = summoned("gate_master e5", more, mode=DUEL)

        assert view(state)["scores"] == [points, 0]


class TestPossession:
    """The next summoning matches enemy pieces."""

    def test_possessed_summoner_grants_it_for_what_was_placed(self) -> None:
        state = do(summoned("possessed_summoner e5", "", "h8"), "place h7")

        assert view(state)["permissions"] == ["possessed_summon"]

    def test_without_an_enemy_to_place_there_is_none(self) -> None:
        state = summoned("possessed_summoner e5")

        assert view(state)["permissions"] == []

    def test_enemy_pieces_fill_the_pattern_and_own_ones_do_not(self) -> None:
        state = position("c3 d2", "c5 d4", cards="flame_imp", permissions=["possessed_summon"])
        free = position("c3 d2", "c5 d4", cards="flame_imp")

        assert "summon flame_imp e5" in legal(state)
        assert "summon flame_imp e3" not in legal(state)
        assert "summon flame_imp e5" not in legal(free)
        assert "summon flame_imp e3" in legal(free)

    def test_required_piece_on_the_summon_square_is_the_enemys_and_is_destroyed(self) -> None:
        state = position("", "e5 f5 g5 e4", cards="hell_rider", permissions=["possessed_summon"])

        do(state, "summon hell_rider e5")

        assert shown(state)["e5"] == "0h"
        assert destroyed(state) == "c"
        assert view(state)["permissions"] == []

    def test_legends_are_matched_so_too(self) -> None:
        board = ready("titan e5", schools=("nethervoid", "highland")).to_json()["board"]
        enemy = {square: {**piece, "owner": 1} for square, piece in board.items()}

        state = position(cards="titan shadow_imp", board=enemy, permissions=["possessed_summon"])

        assert "summon titan e5" in legal(state)

    def test_without_supply_an_own_piece_is_picked_up(self) -> None:
        own = "a3 a4 a5 a6 a7 b3 b4 b5 b6 b7 c8 c9 d8 d9 e8 e9 f8"
        state = position(own, "c5 d4", cards="flame_imp", permissions=["possessed_summon"])

        do(state, "summon flame_imp e5")

        assert len(legal(state, "pickup")) == 17
        do(state, "pickup a3")
        assert shown(state)["e5"] == "0c"

    def test_it_ends_with_the_turn(self) -> None:
        state = position("", "c5 d4", cards="flame_imp", permissions=["possessed_summon"])

        assert view(end_turn(state))["permissions"] == []


class TestThrownFlare:
    """A flare for an action."""

    def test_flare_is_thrown_away_for_an_action(self) -> None:
        state = do(summoned("possessed_summoner e5", "", "h8", cards="flare_03"), "place h7")

        assert legal(state) == ["opt throw_flare", "pass"]
        do(state, "opt throw_flare")

        assert view(state)["actions_left"] == 2
        assert view(state)["hand"]["flare"] is None
        assert view(state)["played"]["flares"] == ["flare_03"]
        assert view(state)["scores"] == [0, 0]

    def test_it_may_be_kept(self) -> None:
        state = do(
            summoned("possessed_summoner e5", "", "h8", cards="flare_03"), "place h7", "pass"
        )

        assert view(state)["actions_left"] == 1
        assert view(state)["hand"]["flare"] == "flare_03"

    def test_opponent_gets_no_point_in_the_duel(self) -> None:
        state = summoned("possessed_summoner e5", "", "h8", cards="flare_03", mode=DUEL)

        do(state, "place h7", "opt throw_flare")

        assert view(state)["scores"] == [0, 0]
