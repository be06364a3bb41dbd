"""Tash-Kalar: the beings of the Everfrost, each as cases (18.1 of the rules)."""

from __future__ import annotations

import pytest

from tests.engines.tash_kalar.positions import (
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

SCHOOLS = ("everfrost", "sylvan")

# A summon, own and enemy pieces, answers; then the changes on the board, the enemy pieces
# destroyed, the card in play.
WHAT_HAPPENS = [
    ("snow_fox e5", "", "", "move e5 e6/move e6 e7", "e7=0c", "", ""),
    ("snow_fox e5", "", "", "move e5 e6/pass", "e6=0c", "", ""),
    ("snow_fox e5", "", "", "pass", "e5=0c", "", ""),
    ("royal_reindeer e5", "", "", "pass", "e5=0h", "", ""),
    ("royal_reindeer e5", "", "", "leap e7", "e7=0h", "", ""),
    ("royal_reindeer e5", "", "e7", "leap e7", "e7=0c", "c", ""),
    ("royal_reindeer e5", "c5", "", "leap c5", "", "", ""),
    ("royal_reindeer e5", "", "e5", "pass", "e5=0c", "c", ""),
    ("royal_reindeer e5", "", "e5", "leap g5", "e5=- g5=0c", "c", ""),
    ("royal_reindeer e5", "e5", "", "pass", "", "", ""),
    ("crystal_mirror e5 r0", "c5", "d6", "pick c5/pick d6", "e5=0c f6=0c g5=0c", "", ""),
    ("crystal_mirror e5 r0", "c5", "d6", "pick d6/pass", "e5=0c f6=0c", "", ""),
    ("crystal_mirror e5 r0", "c5", "d5h", "pick d5", "e5=0c f5=0h", "", ""),
    ("crystal_mirror e5 r0", "c5", "", "pass", "e5=0c", "", ""),
    ("crystal_mirror e5 r180", "g4", "", "pick g4", "c4=0c e5=0c", "", ""),
    ("crystal_mirror e5 r90", "f7", "", "pick f7", "e5=0c f3=0c", "", ""),
    ("crystal_mirror e5 r270", "d4h", "", "pick d4", "d6=0h e5=0c", "", ""),
    ("crystal_grower e5", "", "c7 c8", "upgrade c7", "c7=1h e5=0c", "", "crystal_grower"),
    ("crystal_grower e5", "", "c7 c8h", "", "c7=1h e5=0c", "", "crystal_grower"),
    ("crystal_grower e5", "a5", "", "", "e5=0c", "", "crystal_grower"),
    ("ice_princess e5", "", "f4", "move e4 f4", "e4=- e5=0c f4=0c", "c", "ice_princess"),
    ("ice_princess e5", "", "", "pass", "e5=0c", "", "ice_princess"),
    ("ice_queen e5", "b4h", "b5h", "move b4 b5", "b4=- b5=0h e5=0h", "h", "ice_queen"),
    ("ice_queen e5", "b4h", "", "pass", "e5=0h", "", "ice_queen"),
    ("ice_queen e5", "", "", "", "e5=0h", "", "ice_queen"),
    ("frostweave_summoner e5", "", "e6", "", "e5=0h", "", "frostweave_summoner"),
    ("winter_whisperer e5", "", "e6", "", "e5=0h", "", "winter_whisperer"),
    ("frozen_chest e5", "", "", "", "e5=0h", "", ""),
    ("everfrost_sentinel e5", "", "e5", "downgrade e5", "e5=0c", "c", ""),
    ("everfrost_sentinel e5", "", "e5h", "pass", "e5=0h", "h", ""),
    ("everfrost_sentinel e5", "e5", "", "", "e5=0h", "", ""),
    ("everfrost_sentinel e5", "", "", "", "e5=0h", "", ""),
    ("glacier_giant e5 r0", "", "", "move e5 d4/move d4 c3/pass", "c3=0h", "", ""),
    ("glacier_giant e5 r0", "", "f4h", "move e5 f4/pass", "f4=0h", "h", ""),
    ("glacier_giant e5 r0", "", "c3l", "move e5 d4/move d4 c3", "c3=-", "l", ""),
    ("glacier_giant e5 r0", "c3l", "", "move e5 d4/move d4 c3", "c3=-", "", ""),
    ("glacier_giant e5 r0", "", "c3l", "move e5 d4/pass", "d4=0h", "", ""),
    ("glacier_giant e5 r0", "", "d4l", "pass", "e5=0h", "", ""),
    ("glacier_giant e5 r0", "", "c3l", "pass", "e5=0h", "", ""),
    ("polar_bear e5", "", "", "move e5 e6", "e6=0h", "", ""),
    ("polar_bear e5", "", "", "pass", "e5=0h", "", ""),
    ("polar_bear e5", "", "e6h", "move e5 e6/move e6 e7", "e6=- e7=0h", "h", ""),
    ("polar_bear e5", "", "e6h", "move e5 e6/pass", "e6=0h", "h", ""),
    (
        "polar_bear e5", "e7", "e6h",
        "move e5 e6/move e6 e7/move e7 e8", "e6=- e7=- e8=0h", "h", "",
    ),
    ("polar_bear e5", "", "e6h e7", "move e5 e6/move e6 e7/pass", "e6=- e7=0h", "ch", ""),
    ("war_sled e5 r0", "", "", "move e5 f5/move f5 g6/move g6 g7", "g7=0h", "", ""),
    ("war_sled e5 r0", "", "f6h", "move e5 f6/move f6 g7/pass", "f6=- g7=0h", "h", ""),
    ("war_sled e5 r0", "", "f6h", "move e5 f6/move f6 f7/pass", "f6=- f7=0h", "h", ""),
    ("war_sled e5 r0", "", "", "pass", "e5=0h", "", ""),
    ("snow_monster e5", "", "e6 g3 e7 d6h c5", "", "c5=- e5=0h e6=- g3=-", "ccc", ""),
    ("snow_monster e5", "", "e7 h3 e2", "", "e5=0h", "", ""),
    ("frost_imp e5", "", "", "move d5 c5", "a5=0c d5=- e5=0h", "", ""),
    ("frost_imp e5", "e9", "e6", "move e6 e7", "e5=0h e6=- e8=1c", "", ""),
    ("frost_imp e5", "", "e6", "pass", "e5=0h", "", ""),
    ("ice_wyvern e5", "", "", "leap a5", "a5=0h", "", "ice_wyvern"),
    ("ice_wyvern e5", "", "a5h", "leap a5", "a5=-", "h", "ice_wyvern"),
    ("ice_wyvern e5", "a5", "", "leap a5", "a5=-", "", "ice_wyvern"),
    ("ice_wyvern e5", "", "", "pass", "e5=0h", "", "ice_wyvern"),
    ("deathbringer e5", "", "e6", "destroy e6", "e5=0h e6=-", "cc", ""),
    ("deathbringer e5", "", "e6h", "destroy e6", "e5=0h e6=-", "hh", ""),
    ("deathbringer e5", "f7 g7", "e6l f6l g6", "pass", "e5=0h", "", ""),
    ("deathbringer e5", "f7 g7 g6", "f6l", "destroy f6", "e5=0h f6=-", "ll", ""),
    ("deathbringer e5", "", "", "destroy d5", "d5=- e5=0h", "", ""),
    ("deathbringer e5", "", "e6", "pass", "e5=0h", "", ""),
    ("frostweave_illusionist e5", "", "", "", "e5=1c", "", "frostweave_illusionist"),
]  # fmt: skip


@pytest.mark.parametrize("case", WHAT_HAPPENS, ids="-".join)
def test_effect_does_what_its_card_says(case: tuple[str, ...]) -> None:
    summon, own, enemy, answers, board, losses, frozen = case
    changed, after = played(summon, own, enemy, answers, schools=SCHOOLS)

    assert changed == board
    assert destroyed(after) == losses
    assert view(after)["frozen"] == (frozen or None)
    assert view(after)["phase"] == "main"
    assert view(after)["actions_left"] == 1


# A summon, own and enemy pieces, answers; then what is offered.
WHAT_IS_OFFERED = [
    (
        "crystal_mirror e5 r0", "c5 c6h c4l d5 f5", "d6 d4h",
        "", "pick c5/pick c6/pick d4/pick d6/pass",
    ),
    ("crystal_mirror e5 r0", "c5 c6h", "d6 d4h", "pick c5", "pick d6/pass"),
    ("crystal_mirror h5 r0", "f5 g5", "f6", "", "pass/pick g5"),
    ("crystal_grower e5", "a5", "c7 c8 c6h", "", "upgrade c7/upgrade c8"),
    ("everfrost_sentinel e5", "", "e5", "", "downgrade e5/pass"),
    ("glacier_giant e5 r0", "", "", "", "move e5 d4/move e5 f4/pass"),
    ("glacier_giant e5 r0", "", "", "move e5 d4", "move d4 c3/pass"),
    ("glacier_giant e5 r180", "", "d6l", "", "move e5 f6/pass"),
    ("glacier_giant e5 r0", "", "c3l", "move e5 d4", "move d4 c3/pass"),
    ("glacier_giant e5 r0", "", "b2l", "move e5 d4/move d4 c3", "move c3 b2/pass"),
    ("war_sled e5 r0", "", "f6l", "", "move e5 f4/move e5 f5/pass"),
    ("war_sled e5 r0", "", "", "move e5 f5", "move f5 g4/move f5 g5/move f5 g6/pass"),
    (
        "war_sled e5 r0", "", "",
        "move e5 f6/move f6 f7", "move f7 e8/move f7 f8/move f7 g8/pass",
    ),
    ("deathbringer e5", "", "e6 f6h d6h", "", "destroy d5/destroy d6/destroy e6/pass"),
    ("deathbringer e5", "f7 g7", "f6l g6", "", "destroy d5/pass"),
    ("deathbringer e5", "f7 g7 f5h", "f6l", "", "destroy d5/destroy f6/pass"),
]  # fmt: skip


@pytest.mark.parametrize("case", WHAT_IS_OFFERED, ids="-".join)
def test_effect_offers_what_its_card_allows(case: tuple[str, ...]) -> None:
    summon, own, enemy, answers, offered = case
    _, state = played(summon, own, enemy, answers, schools=SCHOOLS)

    assert asked(state) == sorted(offered.split("/"))


# A summon, own and enemy pieces, answers; then who may move, and to where it may not.
WHO_MOVES = [
    ("ice_princess e5", "d9l a5h", "e3h", "", "d3 e4 f3", "e3"),
    ("ice_queen e5", "b4h a5", "b5l a4", "", "b4", "b5"),
    ("polar_bear e5", "", "e6h e7h", "move e5 e6", "e6", "e7"),
    ("polar_bear e5", "", "e6 e7 e8", "move e5 e6/move e6 e7", "e7", "e8"),
    ("frost_imp e5", "e6l d6h", "f5h f6", "", "d5 e4 f6", "e6"),
]


@pytest.mark.parametrize("case", WHO_MOVES, ids="-".join)
def test_only_some_pieces_move_and_not_everywhere(case: tuple[str, ...]) -> None:
    summon, own, enemy, answers, movers, barred = case
    _, state = played(summon, own, enemy, answers, schools=SCHOOLS)
    moves = [text.split() for text in legal(state, "move")]

    assert {start for _, start, _ in moves} == {*movers.split()}
    assert barred not in {to for _, _, to in moves}
    assert "pass" in legal(state)


def test_reindeer_leaps_two_squares_onto_what_is_not_higher() -> None:
    _, state = played("royal_reindeer e5", "c7", "e7 g7h", "", schools=SCHOOLS)

    ring = "c3 c4 c5 c6 c7 d3 d7 e3 e7 f3 f7 g3 g4 g5 g6"
    assert legal(state, "leap") == [f"leap {square}" for square in ring.split()]


def test_wyvern_leaps_anywhere_but_onto_legendaries() -> None:
    _, state = played("ice_wyvern e5", "a5l", "a4l a6h", "", schools=SCHOOLS)

    assert len(legal(state, "leap")) == 69 - 3
    assert "leap a6" in legal(state)
    assert "leap a4" not in legal(state)


def test_sled_stops_where_all_directions_leave_the_board() -> None:
    changed, state = played("war_sled h5 r0", "", "", "move h5 i5", schools=SCHOOLS)

    assert changed == "i5=0h"
    assert view(state)["phase"] == "main"


def test_imp_moves_are_logged_one_by_one() -> None:
    _, state = played("frost_imp e5", "", "", "move d5 c5", schools=SCHOOLS)

    assert [text for _, text in state.to_json()["events"]][-3:] == [
        "move d5 c5",
        "move c5 b5",
        "move b5 a5",
    ]


def test_mirror_needs_pieces_in_supply() -> None:
    own = "c5 " + " ".join(f"{file}9" for file in "cdefg") + " a3 a4 a5 a6 a7 b3 b4 b6"
    with_one = ready("crystal_mirror e5 r0", own, schools=SCHOOLS)
    assert view(with_one)["supply"][0]["common_heroic"] == 1

    do(with_one, "summon crystal_mirror e5 r0")

    assert view(with_one)["phase"] == "main"


def test_illusionist_stays_without_an_enemy_common_in_supply() -> None:
    enemy = "a3 a4 a5 a6 a7 b3 b4 b5 b6 b7 c8 c9 d8 d9 e8 e9 f8"
    changed, state = played("frostweave_illusionist e5", "", enemy, "", schools=SCHOOLS)

    assert changed == "e5=0h"
    assert view(state)["frozen"] == "frostweave_illusionist"


def test_illusionist_was_summoned_and_its_piece_goes_back() -> None:
    _, state = played("frostweave_illusionist e5", "", "", "", schools=SCHOOLS)

    assert view(state)["counters"] == {
        "destroyed": {"common": 0, "heroic": 0, "legendary": 0},
        "summoned": [{"card": "frostweave_illusionist", "square": "e5"}],
    }
    assert [left["common_heroic"] for left in view(state)["supply"]] == [14, 16]


def test_reindeer_that_was_picked_up_on_its_square_captured_nothing() -> None:
    own = "e5 a3 a4 a5 a6 a7 b3 b4 b5 b6 b7 c8 c9 d8"
    state = ready("royal_reindeer e5", own, schools=SCHOOLS)
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
        state = ready("deathbringer e5", own, enemy, schools=SCHOOLS)
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
            "deathbringer e5", "", "e6", "destroy e6", schools=SCHOOLS, mode="deathmatch_duel",
            actions_left=1,
        )  # fmt: skip

        assert view(state)["scores"] == [1, 0]

    def test_a_piece_that_left_is_not_there_to_be_placed(self) -> None:
        gone = [{"common_heroic": 17, "legendary": 0}, {"common_heroic": 0, "legendary": 3}]
        state = position("e5", "", removed=gone, schools=SCHOOLS)

        assert not legal(state, "place")
        assert legal(state, "pickup") == ["pickup e5"]


class TestSentinel:
    """The other player's next turn is shorter."""

    def test_the_next_turn_has_one_action(self) -> None:
        _, state = played(
            "everfrost_sentinel e5", "", "e5", "downgrade e5", schools=SCHOOLS, actions_left=1
        )

        assert state.to_move == 1
        assert view(state)["actions_left"] == 1
        assert view(state)["progress"]["slowed"] is None

    def test_until_then_everybody_sees_it(self) -> None:
        _, state = played("everfrost_sentinel e5", "", "e5", "downgrade e5", schools=SCHOOLS)

        assert [view(state, seat)["progress"]["slowed"] for seat in (0, 1)] == [1, 1]
        assert "next turn one action less" in state.svg()

    def test_without_the_downgrade_it_is_as_long_as_ever(self) -> None:
        _, state = played(
            "everfrost_sentinel e5", "", "e5", "pass", schools=SCHOOLS, actions_left=1
        )

        assert view(state)["actions_left"] == 2

    def test_own_extra_turn_is_not_meant(self) -> None:
        state = ready(
            "everfrost_sentinel e5", "", "e5", schools=SCHOOLS, permissions=["extra_turn"],
            actions_left=1,
        )  # fmt: skip

        do(state, "summon everfrost_sentinel e5", "downgrade e5")

        assert (state.to_move, view(state)["actions_left"]) == (0, 2)
        assert view(state)["progress"]["slowed"] == 1
        do(state, "place a5", "place a4")
        assert (state.to_move, view(state)["actions_left"]) == (1, 1)


# The card in play, own and enemy pieces, answers; then changes, losses, actions left of two.
WHAT_THAWS = [
    ("crystal_grower", "a5 b5h", "c5", "", "a5=0h", "", 2),
    ("crystal_grower", "a5 b5", "", "upgrade b5", "b5=0h", "", 2),
    ("crystal_grower", "b5h", "c5", "", "", "", 2),
    ("ice_princess", "a5 b6h", "", "move a5 a6", "a5=- a6=0c", "", 2),
    ("ice_princess", "b6h", "", "", "", "", 2),
    ("ice_queen", "a5h d9", "a6", "move a5 a6", "a5=- a6=0h", "c", 2),
    ("ice_queen", "a5l d9", "a6", "", "", "", 2),
    ("winter_whisperer", "a5 b5h", "", "destroy a5/opt throw_flare", "a5=-", "", 3),
    ("winter_whisperer", "a5 b5h", "", "destroy a5/pass", "a5=-", "", 2),
    ("winter_whisperer", "a5 b5h", "", "pass/opt throw_flare", "", "", 2),
    ("winter_whisperer", "a5", "", "pass/pass", "", "", 2),
    ("ice_wyvern", "e5h", "", "place e6", "e6=0c", "", 2),
    ("ice_wyvern", "e5l a5", "", "", "", "", 2),
    ("frostweave_illusionist", "a5", "c7 c8h", "", "c7=0c", "c", 2),
    ("frostweave_illusionist", "a5", "c7 d7", "convert d7", "d7=0c", "c", 2),
    ("frostweave_illusionist", "a5", "c8h", "", "", "", 2),
]


@pytest.mark.parametrize("case", WHAT_THAWS, ids=lambda case: "-".join(map(str, case)))
def test_frozen_effect_does_what_its_card_says(case: tuple[str, ...]) -> None:
    card, own, enemy, answers, board, losses, actions = case
    before = position(own, enemy, cards="flare_12", frozen=card, schools=SCHOOLS)

    after = do(before.copy(), "thaw", *filter(None, answers.split("/")))

    assert changes(before, after) == board
    assert destroyed(after) == losses
    assert view(after)["phase"] == "main"
    assert view(after)["actions_left"] == actions
    assert view(after)["frozen"] is None
    assert view(after)["discard"] == [card]
    assert view(after, 1)["played"]["beings"][0] == [card]


# The card in play, own and enemy pieces, answers; then what is offered.
WHAT_A_THAW_OFFERS = [
    ("ice_princess", "a5 b6h", "a4", "", "move a5 a6/move a5 b4/move a5 b5"),
    ("ice_queen", "a5h b6", "a4 b4h", "", "move a5 a4/move a5 a6/move a5 b5/move a5 b6"),
    ("winter_whisperer", "a5 b5h c5", "", "", "destroy a5/destroy c5/pass"),
    ("winter_whisperer", "a5", "", "pass", "opt throw_flare/pass"),
    ("ice_wyvern", "a5h i5l", "a4", "", "place a6/place b4/place b5/place b6"),
]


@pytest.mark.parametrize("case", WHAT_A_THAW_OFFERS, ids="-".join)
def test_frozen_effect_offers_what_its_card_allows(case: tuple[str, ...]) -> None:
    card, own, enemy, answers, offered = case
    state = position(own, enemy, cards="flare_12", frozen=card, schools=SCHOOLS)

    do(state, "thaw", *filter(None, answers.split("/")))

    assert legal(state) == offered.split("/")
    assert view(state)["card"] == card
