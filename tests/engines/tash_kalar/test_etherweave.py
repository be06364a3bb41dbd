"""Tash-Kalar: the beings of the Etherweave as they are summoned, each as cases (18.3)."""

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

SCHOOLS = ("etherweave", "sylvan")
GREATER = {"discards": [["greater_shadow_twin"], []]}
LESSER = {"discards": [["lesser_shadow_twin"], []]}

# A summon, own and enemy pieces, answers; then the changes on the board, the enemy pieces
# destroyed.
WHAT_HAPPENS = [
    ("doppelganger e5", "", "", "", "e5=0c", ""),
    ("paradox_worm e5", "a5h", "h8h i7", "pick a5", "a5=1h e5=0c h8=0h", ""),
    ("paradox_worm e5", "a5h", "i7 i6 h8l", "pick b4/pick i7", "b4=1c e5=0c i7=0c", ""),
    ("paradox_worm e5", "", "i7", "pick e5", "e5=1c i7=0c", ""),
    ("paradox_worm e5", "", "i7", "pass", "e5=0c", ""),
    ("paradox_worm e5", "a5h", "h8l", "", "e5=0c", ""),
    ("translocationist e5", "a5h", "", "pick a5/pick e5/pass", "a5=0c e5=0h", ""),
    ("translocationist e5", "a5h", "", "pick a5/pick d4/pick d4/pick e5", "a5=0c e5=0h", ""),
    ("translocationist e5", "a5h", "", "pick a5/pick d4/pick d4/pick a5", "e5=0c", ""),
    ("translocationist e5", "a5h", "", "pass", "e5=0c", ""),
    ("translocationist e5", "", "a5h", "", "e5=0c", ""),
    ("antimatter_spirit e5", "a5h", "a4", "", "e5=0c", ""),
    ("merchant_of_time e5", "a5h", "a4", "", "e5=0h", ""),
    ("gate_of_oblivion e5 r0", "", "e4l", "", "e4=- e5=0h", "l"),
    ("gate_of_oblivion e5 r0", "e4h", "", "", "e4=- e5=0h", ""),
    ("gate_of_oblivion e5 r0", "", "e4 c4h", "destroy c4", "c4=- e4=- e5=0h", "ch"),
    ("gate_of_oblivion e5 r0", "e6", "g5", "destroy e6", "e5=0h e6=-", ""),
    ("gate_of_oblivion e5 r0", "", "g5", "pass", "e5=0h", ""),
    ("gate_of_oblivion e5 r0", "", "g5l a5 f7", "", "e5=0h", ""),
    ("gate_of_oblivion e5 r180", "", "e6l", "", "e5=0h e6=-", "l"),
    ("warpmaster e5", "", "e6", "move e5 e6", "e6=0h", "c"),
    ("warpmaster e5", "", "e6h", "pass", "e5=0h", ""),
    ("dark_sphere e5", "b4h", "h5h h6", "move b4 c4/move h5 g5/move h6 g7",
     "b4=- c4=0h e5=0h g5=1h g7=1c h5=- h6=-", ""),
    ("dark_sphere e5", "b4h", "h5h g5h", "move h5 g5/pass", "e5=0h h5=-", "h"),
    ("dark_sphere e5", "", "d8", "pass", "e5=0h", ""),
    ("eternal_emperor e5", "", "", "place a3", "a3=0c e5=0h", ""),
    ("eternal_emperor e5", "", "c6", "move d6 c6", "c6=0c d6=- e5=0h", "c"),
    ("eternal_emperor e5", "", "e6", "move e5 e6", "e6=0h", "c"),
    ("eternal_emperor e5", "", "", "pass", "e5=0h", ""),
    ("reality_patch e5", "", "a5h a4", "destroy a5", "a5=- e5=0h", "h"),
    ("reality_patch e5", "", "a5h", "pass", "e5=0h", ""),
    ("reality_patch e5", "a5h", "a4", "", "e5=0h", ""),
    ("polarity_queen e5", "", "e6h", "move d4 d5/move e3 e2", "d4=- d5=0c e3=- e5=0h", ""),
    ("polarity_queen e5", "b8h", "", "move f4 f5/move b8 b7", "b7=0h b8=- e5=0h f4=- f5=0c", ""),
    ("polarity_queen e5", "a5h", "a4h", "move a5 a4/move e2 e3", "a4=0h a5=- e2=- e5=0h", "h"),
    ("polarity_queen e5", "d5", "", "move d4 d5/move e3 e2", "d4=- e3=- e5=0h", ""),
    ("polarity_queen e5", "b8h b6h", "", "move b8 b7/move b6 b7", "b6=- b8=- b7=0h e5=0h", ""),
    ("polarity_queen e5", "e6h", "", "move e6 e5/move e2 e3", "e2=- e5=0h e6=-", ""),
    ("singularity e5", "", "", "pick a3", "e5=0h", ""),
    ("singularity e5", "b4", "a4", "pick a3/move b4 a3", "a3=1c a4=- b4=- e5=0h", ""),
    ("singularity e5", "b4", "a4", "pick a3/move a4 a3", "a3=0c a4=- b4=- e5=0h", "c"),
    ("singularity e5", "b4h", "a4l b2", "pick a3", "a3=1c b2=- e5=0h", ""),
    ("ziggurat_sentinel e5 r0", "", "", "move e5 d4/move d4 c3/move c3 b2",
     "b2=0h", ""),
    ("ziggurat_sentinel e5 r0", "", "d4h", "move e5 d4/pass", "d4=0h", "h"),
    ("ziggurat_sentinel e5 r0", "", "", "pass", "e5=0h", ""),
    ("ziggurat_sentinel e5 r90", "", "", "move e5 d6/pass", "d6=0h", ""),
    ("iris_of_eternity e5", "", "e6l d6h", "destroy e6", "e5=0h e6=-", "l"),
    ("iris_of_eternity e5", "e6l", "", "destroy e6", "e5=0h e6=-", ""),
    ("iris_of_eternity e5", "", "e6l", "upgrade e5", "e5=0l", ""),
    ("iris_of_eternity e5", "", "", "pass", "e5=0h", ""),
]  # fmt: skip


@pytest.mark.parametrize("case", WHAT_HAPPENS, ids="-".join)
def test_effect_does_what_its_card_says(case: tuple[str, ...]) -> None:
    summon, own, enemy, answers, board, losses = case
    changed, after = played(summon, own, enemy, answers, schools=SCHOOLS)

    assert sorted(changed.split()) == sorted(board.split())
    assert destroyed(after) == losses
    assert view(after)["phase"] == "main"
    assert view(after)["actions_left"] == 1


# A summon, own and enemy pieces, answers; then what is offered.
WHAT_IS_OFFERED = [
    ("paradox_worm e5", "a5h c8l", "h8 i7l", "", "pass/pick b4/pick c4/pick d5/pick e5"),
    ("paradox_worm e5", "a5h", "h8h i7h i6", "pick a5", "pick h8/pick i7"),
    ("translocationist e5", "a5h b5l", "a4h", "", "pass/pick a5"),
    ("translocationist e5", "a5h", "a4", "pick a5", "pick d4/pick d5/pick e4/pick e5/pick f6"),
    ("gate_of_oblivion e5 r0", "d6", "e6h f6l c5", "", "destroy c5/destroy d6/destroy e6/pass"),
    (
        "warpmaster e5", "e6 d6l d5 f4h", "f6h f5l e4",
        "", "move e5 d4/move e5 d5/move e5 e4/move e5 e6/pass",
    ),
    ("reality_patch e5", "a5h", "a4h a6l a7", "", "destroy a4/pass"),
    ("polarity_queen e5", "a5l", "", "move d4 c5", "move e2 f1/move e3 f2/move f4 g3"),
    ("singularity e5", "b4", "a4 b3", "pick a3", "move a4 a3/move b3 a3/move b4 a3"),
    ("ziggurat_sentinel e5 r0", "", "c3l", "", "move e5 d4/pass"),
    ("iris_of_eternity e5", "d6l", "e6l e7l f6h", "", "destroy d6/destroy e6/pass/upgrade e5"),
    ("iris_of_eternity e5", "a5l a6l d6l", "", "", "destroy d6/pass"),
]  # fmt: skip


@pytest.mark.parametrize("case", WHAT_IS_OFFERED, ids="-".join)
def test_effect_offers_what_its_card_allows(case: tuple[str, ...]) -> None:
    summon, own, enemy, answers, offered = case
    _, state = played(summon, own, enemy, answers, schools=SCHOOLS)

    assert asked(state) == sorted(offered.split("/"))


class TestShadowTwins:
    """Each needs the other in the own discard pile."""

    @pytest.mark.parametrize(
        ("answers", "board", "losses"),
        [
            ("pick e5/destroy f6/destroy e4", "e4=- e5=0c f6=-", "c"),
            ("pick e5/destroy f6/pass", "e5=0c f6=-", "c"),
            ("pick a5/destroy a4", "a4=- e5=0c", "c"),
            ("pick a5/pass", "e5=0c", ""),
            ("pick b8", "e5=0c", ""),
        ],
    )
    def test_lesser_destroys_commons_around_an_own_piece(
        self, answers: str, board: str, losses: str
    ) -> None:
        summon, own, enemy = "lesser_shadow_twin e5", "a5h b8l", "f6 d6h a4"
        changed, state = played(summon, own, enemy, answers, schools=SCHOOLS, **GREATER)

        assert changed == board
        assert destroyed(state) == losses
        assert view(state)["phase"] == "main"

    def test_lesser_does_nothing_without_the_greater(self) -> None:
        changed, state = played("lesser_shadow_twin e5", "", "f6", "", schools=SCHOOLS)

        assert changed == "e5=0c"
        assert view(state)["phase"] == "main"

    def test_greater_destroys_a_heroic_beside_two_own_pieces(self) -> None:
        summon, own, enemy = "greater_shadow_twin e5", "d4 a5h", "e4h f4h h6h g4l c4h f6"
        _, state = played(summon, own, enemy, "", schools=SCHOOLS, **LESSER)

        assert legal(state) == [f"destroy {there}" for there in ("e4", "e5", "f4", "h6")] + [
            "pass"
        ]
        assert destroyed(do(state, "destroy h6")) == "h"

    def test_greater_does_nothing_without_the_lesser(self) -> None:
        _, state = played("greater_shadow_twin e5", "", "f6h", "", schools=SCHOOLS)

        assert view(state)["phase"] == "main"

    @pytest.mark.parametrize(
        ("summon", "twin"),
        [
            ("lesser_shadow_twin e5", "greater_shadow_twin"),
            ("greater_shadow_twin e5", "lesser_shadow_twin"),
        ],
    )
    def test_twin_that_lay_unseen_is_shown(self, summon: str, twin: str) -> None:
        state = ready(summon, schools=SCHOOLS, discards=[[twin, "void_summoner"], []])
        assert view(state, 1)["played"]["beings"][0] == []

        do(state, f"summon {summon}")

        assert twin in view(state, 1)["played"]["beings"][0]


def test_queen_has_nothing_to_do_if_nobody_can_move_the_other_way() -> None:
    # Her pieces are fenced in by legendaries, and the commons cannot capture them.
    own = "d4 f4 e3 e2"
    fence = "c3l c4l c5l d5l e4l f5l g5l g4l g3l f3l d3l d2l f2l d1l e1l f1l"
    before = position(own, fence, cards="polarity_queen", schools=SCHOOLS)
    after = do(before.copy(), "summon polarity_queen e5")

    assert changes(before, after) == "e5=0h"
    assert view(after)["phase"] == "main"


def test_sphere_moves_pieces_onto_her_ring_only() -> None:
    _, state = played("dark_sphere e5", "h7l", "h5", "move h5 g5", schools=SCHOOLS)

    moves = {text.removeprefix("move ") for text in legal(state, "move")}
    assert moves == {
        *("d4 c3", "d4 c4", "d4 c5", "d4 d3", "d4 e3"),
        *("d5 c4", "d5 c5", "d5 c6", "e4 d3", "e4 e3", "e4 f3"),
    }


def test_sphere_moves_two_pieces_of_a_seat_at_most_and_none_twice() -> None:
    _, state = played("dark_sphere e5", "b4h", "h5h h6", "", schools=SCHOOLS)

    do(state, "move b4 c4", "move d4 c3")

    assert {text.split()[1] for text in legal(state, "move")} == {"h5", "h6"}


def test_patch_throws_a_card_of_the_hand() -> None:
    cards = "void_summoner titan flare_03"
    _, state = played("reality_patch e5", "", "", "", schools=SCHOOLS, cards=cards)

    assert legal(state) == ["pass", "throw flare_03", "throw titan", "throw void_summoner"]
    for card, kind in (("flare_03", "flares"), ("titan", "legends")):
        assert view(do(state.copy(), f"throw {card}"), 1)["played"][kind] == [card]
    do(state, "throw void_summoner")
    assert view(state)["last_discard"] == "reality_patch"
    assert view(state, 1)["played"]["beings"][0] == ["void_summoner", "reality_patch"]
    assert view(state)["scores"] == [0, 0]
