"""Tash-Kalar: the beings of the Everfrost, each as cases (18.1 of the rules)."""

import pytest

from tests.engines.tash_kalar.positions import (
    EVERFROST,
    Case,
    asked,
    changes,
    destroyed,
    do,
    legal,
    played,
    position,
    ready,
    view,
)

WHAT_HAPPENS = [
    Case("snow_fox e5", answers="move e5 e6/move e6 e7", changes="e7=0c"),
    Case("snow_fox e5", answers="move e5 e6/pass", changes="e6=0c"),
    Case("snow_fox e5", answers="pass", changes="e5=0c"),
    Case("royal_reindeer e5", answers="pass", changes="e5=0h"),
    Case("royal_reindeer e5", answers="leap e7", changes="e7=0h"),
    Case("royal_reindeer e5", enemy="e7", answers="leap e7", changes="e7=0c", losses="c"),
    Case("royal_reindeer e5", own="c5", answers="leap c5"),
    Case("royal_reindeer e5", enemy="e5", answers="pass", changes="e5=0c", losses="c"),
    Case("royal_reindeer e5", enemy="e5", answers="leap g5", changes="e5=- g5=0c", losses="c"),
    Case("royal_reindeer e5", own="e5", answers="pass"),
    Case("crystal_mirror e5 r0", own="c5", enemy="d6", answers="pick c5/pick d6",
         changes="e5=0c f6=0c g5=0c"),
    Case("crystal_mirror e5 r0", own="c5", enemy="d6", answers="pick d6/pass",
         changes="e5=0c f6=0c"),
    Case("crystal_mirror e5 r0", own="c5", enemy="d5h", answers="pick d5", changes="e5=0c f5=0h"),
    Case("crystal_mirror e5 r0", own="c5", answers="pass", changes="e5=0c"),
    Case("crystal_mirror e5 r180", own="g4", answers="pick g4", changes="c4=0c e5=0c"),
    Case("crystal_mirror e5 r90", own="f7", answers="pick f7", changes="e5=0c f3=0c"),
    Case("crystal_mirror e5 r270", own="d4h", answers="pick d4", changes="d6=0h e5=0c"),
    Case("crystal_grower e5", enemy="c7 c8", answers="upgrade c7", changes="c7=1h e5=0c",
         frozen="crystal_grower"),
    Case("crystal_grower e5", enemy="c7 c8h", changes="c7=1h e5=0c", frozen="crystal_grower"),
    Case("crystal_grower e5", own="a5", changes="e5=0c", frozen="crystal_grower"),
    Case("ice_princess e5", enemy="f4", answers="move e4 f4", changes="e4=- e5=0c f4=0c",
         losses="c", frozen="ice_princess"),
    Case("ice_princess e5", answers="pass", changes="e5=0c", frozen="ice_princess"),
    Case("ice_queen e5", own="b4h", enemy="b5h", answers="move b4 b5",
         changes="b4=- b5=0h e5=0h", losses="h", frozen="ice_queen"),
    Case("ice_queen e5", own="b4h", answers="pass", changes="e5=0h", frozen="ice_queen"),
    Case("ice_queen e5", changes="e5=0h", frozen="ice_queen"),
    Case("frostweave_summoner e5", enemy="e6", changes="e5=0h", frozen="frostweave_summoner"),
    Case("winter_whisperer e5", enemy="e6", changes="e5=0h", frozen="winter_whisperer"),
    Case("frozen_chest e5", changes="e5=0h"),
    Case("everfrost_sentinel e5", enemy="e5", answers="downgrade e5", changes="e5=0c",
         losses="c"),
    Case("everfrost_sentinel e5", enemy="e5h", answers="pass", changes="e5=0h", losses="h"),
    Case("everfrost_sentinel e5", own="e5", changes="e5=0h"),
    Case("everfrost_sentinel e5", changes="e5=0h"),
    Case("glacier_giant e5 r0", answers="move e5 d4/move d4 c3/pass", changes="c3=0h"),
    Case("glacier_giant e5 r0", enemy="f4h", answers="move e5 f4/pass", changes="f4=0h",
         losses="h"),
    Case("glacier_giant e5 r0", enemy="c3l", answers="move e5 d4/move d4 c3", changes="c3=-",
         losses="l"),
    Case("glacier_giant e5 r0", own="c3l", answers="move e5 d4/move d4 c3", changes="c3=-"),
    Case("glacier_giant e5 r0", enemy="c3l", answers="move e5 d4/pass", changes="d4=0h"),
    Case("glacier_giant e5 r0", enemy="d4l", answers="pass", changes="e5=0h"),
    Case("glacier_giant e5 r0", enemy="c3l", answers="pass", changes="e5=0h"),
    Case("polar_bear e5", answers="move e5 e6", changes="e6=0h"),
    Case("polar_bear e5", answers="pass", changes="e5=0h"),
    Case("polar_bear e5", enemy="e6h", answers="move e5 e6/move e6 e7", changes="e6=- e7=0h",
         losses="h"),
    Case("polar_bear e5", enemy="e6h", answers="move e5 e6/pass", changes="e6=0h", losses="h"),
    Case("polar_bear e5", own="e7", enemy="e6h", answers="move e5 e6/move e6 e7/move e7 e8",
         changes="e6=- e7=- e8=0h", losses="h"),
    Case("polar_bear e5", enemy="e6h e7", answers="move e5 e6/move e6 e7/pass",
         changes="e6=- e7=0h", losses="ch"),
    Case("war_sled e5 r0", answers="move e5 f5/move f5 g6/move g6 g7", changes="g7=0h"),
    Case("war_sled e5 r0", enemy="f6h", answers="move e5 f6/move f6 g7/pass",
         changes="f6=- g7=0h", losses="h"),
    Case("war_sled e5 r0", enemy="f6h", answers="move e5 f6/move f6 f7/pass",
         changes="f6=- f7=0h", losses="h"),
    Case("war_sled e5 r0", answers="pass", changes="e5=0h"),
    Case("snow_monster e5", enemy="e6 g3 e7 d6h c5", changes="c5=- e5=0h e6=- g3=-",
         losses="ccc"),
    Case("snow_monster e5", enemy="e7 h3 e2", changes="e5=0h"),
    Case("frost_imp e5", answers="move d5 c5", changes="a5=0c d5=- e5=0h"),
    Case("frost_imp e5", own="e9", enemy="e6", answers="move e6 e7", changes="e5=0h e6=- e8=1c"),
    Case("frost_imp e5", enemy="e6", answers="pass", changes="e5=0h"),
    Case("ice_wyvern e5", answers="leap a5", changes="a5=0h", frozen="ice_wyvern"),
    Case("ice_wyvern e5", enemy="a5h", answers="leap a5", changes="a5=-", losses="h",
         frozen="ice_wyvern"),
    Case("ice_wyvern e5", own="a5", answers="leap a5", changes="a5=-", frozen="ice_wyvern"),
    Case("ice_wyvern e5", answers="pass", changes="e5=0h", frozen="ice_wyvern"),
    Case("deathbringer e5", enemy="e6", answers="destroy e6", changes="e5=0h e6=-", losses="cc"),
    Case("deathbringer e5", enemy="e6h", answers="destroy e6", changes="e5=0h e6=-", losses="hh"),
    Case("deathbringer e5", own="f7 g7", enemy="e6l f6l g6", answers="pass", changes="e5=0h"),
    Case("deathbringer e5", own="f7 g7 g6", enemy="f6l", answers="destroy f6",
         changes="e5=0h f6=-", losses="ll"),
    Case("deathbringer e5", answers="destroy d5", changes="d5=- e5=0h"),
    Case("deathbringer e5", enemy="e6", answers="pass", changes="e5=0h"),
    Case("frostweave_illusionist e5", changes="e5=1c", frozen="frostweave_illusionist"),
]  # fmt: skip


@pytest.mark.parametrize("case", WHAT_HAPPENS, ids=str)
def test_effect_does_what_its_card_says(case: Case) -> None:
    changed, after = played(case.play, case.own, case.enemy, case.answers, schools=EVERFROST)

    assert changed == case.changes
    assert destroyed(after) == case.losses
    assert view(after)["frozen"] == (case.frozen or None)
    assert view(after)["phase"] == "main"
    assert view(after)["actions_left"] == 1


WHAT_IS_OFFERED = [
    Case("crystal_mirror e5 r0", own="c5 c6h c4l d5 f5", enemy="d6 d4h",
         offered="pick c5/pick c6/pick d4/pick d6/pass"),
    Case("crystal_mirror e5 r0", own="c5 c6h", enemy="d6 d4h", answers="pick c5",
         offered="pick d6/pass"),
    Case("crystal_mirror h5 r0", own="f5 g5", enemy="f6", offered="pass/pick g5"),
    Case("crystal_grower e5", own="a5", enemy="c7 c8 c6h", offered="upgrade c7/upgrade c8"),
    Case("everfrost_sentinel e5", enemy="e5", offered="downgrade e5/pass"),
    Case("glacier_giant e5 r0", offered="move e5 d4/move e5 f4/pass"),
    Case("glacier_giant e5 r0", answers="move e5 d4", offered="move d4 c3/pass"),
    Case("glacier_giant e5 r180", enemy="d6l", offered="move e5 f6/pass"),
    Case("glacier_giant e5 r0", enemy="c3l", answers="move e5 d4", offered="move d4 c3/pass"),
    Case("glacier_giant e5 r0", enemy="b2l", answers="move e5 d4/move d4 c3",
         offered="move c3 b2/pass"),
    Case("war_sled e5 r0", enemy="f6l", offered="move e5 f4/move e5 f5/pass"),
    Case("war_sled e5 r0", answers="move e5 f5", offered="move f5 g4/move f5 g5/move f5 g6/pass"),
    Case("war_sled e5 r0", answers="move e5 f6/move f6 f7",
         offered="move f7 e8/move f7 f8/move f7 g8/pass"),
    Case("deathbringer e5", enemy="e6 f6h d6h", offered="destroy d5/destroy d6/destroy e6/pass"),
    Case("deathbringer e5", own="f7 g7", enemy="f6l g6", offered="destroy d5/pass"),
    Case("deathbringer e5", own="f7 g7 f5h", enemy="f6l", offered="destroy d5/destroy f6/pass"),
]  # fmt: skip


@pytest.mark.parametrize("case", WHAT_IS_OFFERED, ids=str)
def test_effect_offers_what_its_card_allows(case: Case) -> None:
    _, state = played(case.play, case.own, case.enemy, case.answers, schools=EVERFROST)

    assert asked(state) == sorted(case.offered.split("/"))


WHO_MOVES = [
    Case("ice_princess e5", own="d9l a5h", enemy="e3h", movers="d3 e4 f3", barred="e3"),
    Case("ice_queen e5", own="b4h a5", enemy="b5l a4", movers="b4", barred="b5"),
    Case("polar_bear e5", enemy="e6h e7h", answers="move e5 e6", movers="e6", barred="e7"),
    Case("polar_bear e5", enemy="e6 e7 e8", answers="move e5 e6/move e6 e7", movers="e7",
         barred="e8"),
    Case("frost_imp e5", own="e6l d6h", enemy="f5h f6", movers="d5 e4 f6", barred="e6"),
]  # fmt: skip


@pytest.mark.parametrize("case", WHO_MOVES, ids=str)
def test_only_some_pieces_move_and_not_everywhere(case: Case) -> None:
    _, state = played(case.play, case.own, case.enemy, case.answers, schools=EVERFROST)
    moves = [text.split() for text in legal(state, "move")]

    assert {start for _, start, _ in moves} == {*case.movers.split()}
    assert case.barred not in {to for _, _, to in moves}
    assert "pass" in legal(state)


def test_reindeer_leaps_two_squares_onto_what_is_not_higher() -> None:
    _, state = played("royal_reindeer e5", "c7", "e7 g7h", "", schools=EVERFROST)

    ring = "c3 c4 c5 c6 c7 d3 d7 e3 e7 f3 f7 g3 g4 g5 g6"
    assert legal(state, "leap") == [f"leap {square}" for square in ring.split()]


def test_wyvern_leaps_anywhere_but_onto_legendaries() -> None:
    _, state = played("ice_wyvern e5", "a5l", "a4l a6h", "", schools=EVERFROST)

    assert len(legal(state, "leap")) == 69 - 3
    assert "leap a6" in legal(state)
    assert "leap a4" not in legal(state)


def test_sled_stops_where_all_directions_leave_the_board() -> None:
    changed, state = played("war_sled h5 r0", "", "", "move h5 i5", schools=EVERFROST)

    assert changed == "i5=0h"
    assert view(state)["phase"] == "main"


def test_imp_moves_are_logged_one_by_one() -> None:
    _, state = played("frost_imp e5", "", "", "move d5 c5", schools=EVERFROST)

    assert [text for _, text in state.to_json()["events"]][-3:] == [
        "move d5 c5",
        "move c5 b5",
        "move b5 a5",
    ]


def test_mirror_needs_pieces_in_supply() -> None:
    own = "c5 " + " ".join(f"{file}9" for file in "cdefg") + " a3 a4 a5 a6 a7 b3 b4 b6"
    with_one = ready("crystal_mirror e5 r0", own, schools=EVERFROST)
    assert view(with_one)["supply"][0]["common_heroic"] == 1

    do(with_one, "summon crystal_mirror e5 r0")

    assert view(with_one)["phase"] == "main"


def test_illusionist_stays_without_an_enemy_common_in_supply() -> None:
    enemy = "a3 a4 a5 a6 a7 b3 b4 b5 b6 b7 c8 c9 d8 d9 e8 e9 f8"
    changed, state = played("frostweave_illusionist e5", "", enemy, "", schools=EVERFROST)

    assert changed == "e5=0h"
    assert view(state)["frozen"] == "frostweave_illusionist"


def test_illusionist_was_summoned_and_its_piece_goes_back() -> None:
    _, state = played("frostweave_illusionist e5", "", "", "", schools=EVERFROST)

    assert view(state)["counters"] == {
        "destroyed": {"common": 0, "heroic": 0, "legendary": 0},
        "summoned": [{"card": "frostweave_illusionist", "square": "e5"}],
    }
    assert [left["common_heroic"] for left in view(state)["supply"]] == [14, 16]


def test_reindeer_that_was_picked_up_on_its_square_captured_nothing() -> None:
    own = "e5 a3 a4 a5 a6 a7 b3 b4 b5 b6 b7 c8 c9 d8"
    state = ready("royal_reindeer e5", own, schools=EVERFROST)
    assert view(state)["supply"][0]["common_heroic"] == 0

    do(state, "summon royal_reindeer e5")

    assert view(state)["progress"]["effect"]["onto"] is None
    do(state, "pass")
    assert view(state)["board"]["e5"] == {"owner": 0, "rank": "heroic"}


class TestDeathbringer:
    """What it destroys leaves the game."""

    @pytest.mark.parametrize(
        ("own", "enemy", "victim", "removed"),
        [
            ("", "e6", "e6", [(0, 0), (1, 0)]),
            ("", "e6h", "e6", [(0, 0), (1, 0)]),
            ("f7 g7 g6", "f6l", "f6", [(0, 0), (0, 1)]),
            ("", "", "d5", [(1, 0), (0, 0)]),
        ],
    )
    def test_supply_of_its_owner_shrinks(
        self, own: str, enemy: str, victim: str, removed: list[tuple[int, int]]
    ) -> None:
        state = ready("deathbringer e5", own, enemy, schools=EVERFROST)
        do(state, "summon deathbringer e5", f"destroy {victim}")

        seen = view(state, 1)
        assert seen["removed"] == [
            {"common_heroic": two_sided, "legendary": legendary}
            for two_sided, legendary in removed
        ]
        for seat in (0, 1):
            ranks = [p["rank"] for p in seen["board"].values() if p["owner"] == seat]
            legendary = ranks.count("legendary")
            assert seen["supply"][seat] == {
                "common_heroic": 17 - removed[seat][0] - len(ranks) + legendary,
                "legendary": 3 - removed[seat][1] - legendary,
            }

    def test_two_commons_make_a_point_in_the_duel(self) -> None:
        _, state = played(
            "deathbringer e5", "", "e6", "destroy e6", schools=EVERFROST, mode="deathmatch_duel",
            actions_left=1,
        )  # fmt: skip

        assert view(state)["scores"] == [1, 0]

    def test_a_piece_that_left_is_not_there_to_be_placed(self) -> None:
        gone = [{"common_heroic": 17, "legendary": 0}, {"common_heroic": 0, "legendary": 3}]
        state = position("e5", "", removed=gone, schools=EVERFROST)

        assert not legal(state, "place")
        assert legal(state, "pickup") == ["pickup e5"]


class TestSentinel:
    """The other player's next turn is shorter."""

    def test_the_next_turn_has_one_action(self) -> None:
        _, state = played(
            "everfrost_sentinel e5", "", "e5", "downgrade e5", schools=EVERFROST, actions_left=1
        )

        assert state.to_move == 1
        assert view(state)["actions_left"] == 1
        assert view(state)["progress"]["slowed"] is None

    def test_until_then_everybody_sees_it(self) -> None:
        _, state = played("everfrost_sentinel e5", "", "e5", "downgrade e5", schools=EVERFROST)

        assert [view(state, seat)["progress"]["slowed"] for seat in (0, 1)] == [1, 1]
        assert "next turn one action less" in state.svg()

    def test_without_the_downgrade_it_is_as_long_as_ever(self) -> None:
        _, state = played(
            "everfrost_sentinel e5", "", "e5", "pass", schools=EVERFROST, actions_left=1
        )

        assert view(state)["actions_left"] == 2

    def test_own_extra_turn_is_not_meant(self) -> None:
        state = ready(
            "everfrost_sentinel e5", "", "e5", schools=EVERFROST, permissions=["extra_turn"],
            actions_left=1,
        )  # fmt: skip

        do(state, "summon everfrost_sentinel e5", "downgrade e5")

        assert (state.to_move, view(state)["actions_left"]) == (0, 2)
        assert view(state)["progress"]["slowed"] == 1
        do(state, "place a5", "place a4")
        assert (state.to_move, view(state)["actions_left"]) == (1, 1)


WHAT_THAWS = [
    Case("crystal_grower", own="a5 b5h", enemy="c5", changes="a5=0h", actions=2),
    Case("crystal_grower", own="a5 b5", answers="upgrade b5", changes="b5=0h", actions=2),
    Case("crystal_grower", own="b5h", enemy="c5", actions=2),
    Case("ice_princess", own="a5 b6h", answers="move a5 a6", changes="a5=- a6=0c", actions=2),
    Case("ice_princess", own="b6h", actions=2),
    Case("ice_queen", own="a5h d9", enemy="a6", answers="move a5 a6", changes="a5=- a6=0h",
         losses="c", actions=2),
    Case("ice_queen", own="a5l d9", enemy="a6", actions=2),
    Case("winter_whisperer", own="a5 b5h", answers="destroy a5/opt throw_flare", changes="a5=-",
         actions=3),
    Case("winter_whisperer", own="a5 b5h", answers="destroy a5/pass", changes="a5=-", actions=2),
    Case("winter_whisperer", own="a5 b5h", answers="pass/opt throw_flare", actions=2),
    Case("winter_whisperer", own="a5", answers="pass/pass", actions=2),
    Case("ice_wyvern", own="e5h", answers="place e6", changes="e6=0c", actions=2),
    Case("ice_wyvern", own="e5l a5", actions=2),
    Case("frostweave_illusionist", own="a5", enemy="c7 c8h", changes="c7=0c", losses="c",
         actions=2),
    Case("frostweave_illusionist", own="a5", enemy="c7 d7", answers="convert d7",
         changes="d7=0c", losses="c", actions=2),
    Case("frostweave_illusionist", own="a5", enemy="c8h", actions=2),
]  # fmt: skip


@pytest.mark.parametrize("case", WHAT_THAWS, ids=str)
def test_frozen_effect_does_what_its_card_says(case: Case) -> None:
    before = position(case.own, case.enemy, cards="flare_12", frozen=case.play, schools=EVERFROST)

    after = do(before.copy(), "thaw", *filter(None, case.answers.split("/")))

    assert changes(before, after) == case.changes
    assert destroyed(after) == case.losses
    assert view(after)["phase"] == "main"
    assert view(after)["actions_left"] == case.actions
    assert view(after)["frozen"] is None
    assert view(after)["discard"] == [case.play]
    assert view(after, 1)["played"]["beings"][0] == [case.play]


WHAT_A_THAW_OFFERS = [
    Case("ice_princess", own="a5 b6h", enemy="a4", offered="move a5 a6/move a5 b4/move a5 b5"),
    Case("ice_queen", own="a5h b6", enemy="a4 b4h",
         offered="move a5 a4/move a5 a6/move a5 b5/move a5 b6"),
    Case("winter_whisperer", own="a5 b5h c5", offered="destroy a5/destroy c5/pass"),
    Case("winter_whisperer", own="a5", answers="pass", offered="opt throw_flare/pass"),
    Case("ice_wyvern", own="a5h i5l", enemy="a4", offered="place a6/place b4/place b5/place b6"),
]  # fmt: skip


@pytest.mark.parametrize("case", WHAT_A_THAW_OFFERS, ids=str)
def test_frozen_effect_offers_what_its_card_allows(case: Case) -> None:
    state = position(case.own, case.enemy, cards="flare_12", frozen=case.play, schools=EVERFROST)

    do(state, "thaw", *filter(None, case.answers.split("/")))

    assert legal(state) == case.offered.split("/")
    assert view(state)["card"] == case.play
