"""Tash-Kalar: where patterns match, by the published figures (17.2 to 17.4 of the rules)."""

import random
from itertools import product

import pytest

from pentathlon_engines.tash_kalar.actions import MOVES_TO, PICKUPS, PLACES
from pentathlon_engines.tash_kalar.board import ADJACENT, ALL, GRID, SQUARES, bits, mask
from pentathlon_engines.tash_kalar.square_lists import LIFTS, PLACEMENTS, SquareLists, add_moves
from tests.engines.tash_kalar.oracle import cards
from tests.engines.tash_kalar.positions import legal, pieces, position

COUNTS = """
swordmaster:57/102 messenger:69/172 herald:69/172 bomb:69/384 chronicler:57/192 assassin:69/124
time_mage:69/172 summoner:69/192 hypnotist:45/164 cannon:69/384 champion:69/368
infantry_captain:57/128 cavalry_captain:69/164 gryphon_rider:69/288 knight:69/344
high_priestess:69/164 master_of_intrigue:37/37 gun_tower:69/368 wild_eagle:69/192
clan_axeman:49/86 clan_healer:57/368 dire_wolf:69/336 ritual_keeper:69/216 eagle_lord:41/128
wolf_rider:69/328 blood_shaman:49/168 war_drummer:69/208 hill_giant:69/164 warlord:65/116
war_summoner:57/164 ritual_master:49/160 legend_slayer:69/320 mountain_troll:69/344
hungry_bear:69/208 werewolf:69/152 clan_guardian:57/168 sapling:69/204 kiskin_farseeders:69/384
charging_buck:69/384 forest_wardens:57/168 naiad:69/368 kiskin_spirit:69/352 dryad:69/384
centaur_spearman:69/328 centaur_chieftain:49/120 unicorn:69/336 sylvan_queen:69/288
sylvan_princess:69/320 woodland_druid:45/164 forest_ancient:45/344 forest_mystic:45/172
kiskin_leafsplitter:45/45 kiskin_boughrunner:69/180 tree_shepherd:57/368 fire_dragon:69/136
hell_bull:45/164 angel_of_death:37/124 the_eldest_tree:37/124 bone_catapult:49/320
fire_elemental:65/232 leviathan:69/232 two_headed_dragon:69/112 earth_elemental:69/272
time_elemental:69/136 storm_elemental:69/344 titan:69/136
"""
"""For each card on a full board: summon squares, and pairs of square and orientation."""

OWN, ENEMY = ("c4 d4 d5 e4 f5 e6 g6 b3 e5h f4h g4h d6l", "c5 f6 d7 e3h g5l")
SCHOOL_SQUARES = """
swordmaster d4 d5 e4 f6; herald c3 c4 c6 c7 d3 d4 f3 f6 f7 g3 g6; chronicler d4 d5 e4 f6;
assassin a6(r180) b7(r180) c3(r90) d3(r90) d7(r180) e2(r0) f3(r0) g7(r270) h3(r0) h7(r270);
time_mage d4(r180) f4(r90) f6(r0); hypnotist d5 e5; cannon c4(r180) d4(r0,r180,m270) d5(m0)
e4(r90) e5(r0,r180,m0) e6(r270,m90) f4(r90,m180,m270) f5(r0,m180) g4(m180); infantry_captain e3
e5; gryphon_rider c5 f4 f6; high_priestess e5 e6 f4 f5; master_of_intrigue f5; eagle_lord e4;
war_drummer d4 d5 e4 e5 e6 f4 f5; warlord e6; clan_guardian d4(r180) e4(r0,r180) f4(r0) f6(r0);
ritual_keeper b4 c3 c5 d4 d5 e4 e6 f5 f6; sylvan_queen c3 c4 c6 d3 e3 e7 f3 g7 h4 h6;
forest_ancient d5 e5; kiskin_leafsplitter e5; centaur_chieftain c5 d4; dryad c4 d4 d5 e4 e5 e6
f4 f5
"""

LEGENDS_OWN, LEGENDS_ENEMY = (
    "c4h d5h e4h f5h e6h g4h d7h f7h c6h d3h e5 d4 f4 c3 g6 e7 c5 g5 c7 e2",
    "f6l d6 e3",
)
LEGEND_SQUARES = """
hell_bull d4 e5; angel_of_death d5 e4 e6; the_eldest_tree d5 e4 e6; fire_elemental b5 c4 e4 e6
e8 f5; two_headed_dragon c4(r270) d7(r0) f3(r180) f7(r90) g6(r90); time_elemental b5 c6 d3 d5
d7 e4 e8 f3 f5 g6
"""


def read(text: str) -> dict[str, dict[str, str]]:
    """Return card to square to orientations, which may be left out."""
    table = {}
    for line in text.split(";"):
        card, *squares = line.split()
        pairs = (square.rstrip(")").partition("(") for square in squares)
        table[card] = {square: turns for square, _, turns in pairs}
    return table


IN_SCHOOLS, IN_LEGENDS = read(SCHOOL_SQUARES), read(LEGEND_SQUARES)


def board(own: str, enemy: str) -> dict[str, cards.Piece]:
    """Return a board for the oracle."""
    both = pieces(0, own) | pieces(1, enemy)
    return {there: cards.Piece(piece["owner"], piece["rank"]) for there, piece in both.items()}


def found(own: str, enemy: str, card: str) -> dict[str, str]:
    """Return squares and orientations of the oracle's matches."""
    by_square: dict[str, list[str]] = {}
    for match in cards.matches(board(own, enemy), card, 0):
        by_square.setdefault(match.square, []).append(match.turn)
    return {square: ",".join(turns) for square, turns in by_square.items()}


def agree(got: dict[str, str], expected: dict[str, str]) -> bool:
    """Compare, orientations only where they are given."""
    if got.keys() != expected.keys():
        return False
    return all(
        not turns or set(turns.split(",")) == set(got[square].split(","))
        for square, turns in expected.items()
    )


def test_oracle_has_the_published_number_of_matches() -> None:
    for line in COUNTS.split():
        card, counts = line.split(":")
        rank = "common" if cards.rank_of(card) == "common" else "heroic"
        full = {square: cards.Piece(0, rank) for square in cards.SQUARES}
        all_matches = cards.matches(full, card, 0)
        squares = {match.square for match in all_matches}
        assert f"{len(squares)}/{len(all_matches)}" == counts, card


def test_oracle_finds_the_published_squares() -> None:
    for card, expected in IN_SCHOOLS.items():
        assert agree(found(OWN, ENEMY, card), expected), card
    for card in cards.cards_of("legends"):
        assert found(OWN, ENEMY, card) == {}
        assert agree(found(LEGENDS_OWN, LEGENDS_ENEMY, card), IN_LEGENDS.get(card, {})), card


@pytest.mark.parametrize("school", ["northern_imperial", "highland", "sylvan"])
def test_engine_offers_the_published_squares(school: str) -> None:
    beings, legends = cards.cards_of(cards.SCHOOLS[school]), cards.cards_of("legends")
    state = position(OWN, ENEMY, cards=" ".join([*beings, *legends]))

    offered: dict[str, dict[str, list[str]]] = {}
    for text in legal(state, "summon"):
        _, card, square, *turn = text.split()
        offered.setdefault(card, {}).setdefault(square, []).extend(turn)

    assert not [card for card in offered if cards.kind_of(card) == "legend"]
    for card in set(beings) & set(IN_SCHOOLS):
        squares = {square: ",".join(turns) for square, turns in offered[card].items()}
        if any(squares.values()):
            assert agree(squares, IN_SCHOOLS[card]), card
        assert squares.keys() == IN_SCHOOLS[card].keys(), card


@pytest.mark.parametrize("card", list(IN_LEGENDS))
def test_engine_offers_the_published_squares_of_legends(card: str) -> None:
    """The published board has more pieces than there are: here lie those that a summon needs."""
    full = board(LEGENDS_OWN, LEGENDS_ENEMY)
    for square in IN_LEGENDS[card]:
        found_here = [match for match in cards.matches(full, card, 0) if match.square == square]
        needed = {there for match in found_here for there in match.needs}
        own = [piece for piece in LEGENDS_OWN.split() if piece[:2] in needed]
        state = position(" ".join(own), LEGENDS_ENEMY, cards=card)
        texts = {f"summon {card} {square}", f"summon {card} {square} {found_here[0].turn}"}
        assert texts & set(legal(state)), square


CROWDS = (0, 1, 5, 15, 40, len(SQUARES) - 1, len(SQUARES))


@pytest.mark.parametrize("pieces", CROWDS)
@pytest.mark.parametrize(("lists", "table"), [(PLACEMENTS, PLACES), (LIFTS, PICKUPS)])
def test_lists_have_the_action_of_each_square_in_order(
    lists: SquareLists, table: list[int], pieces: int
) -> None:
    squares = mask(random.Random(pieces).sample(SQUARES, pieces))

    assert lists.on(squares) == [table[square] for square in bits(squares)]


def test_each_listing_is_a_new_list() -> None:
    PLACEMENTS.on(ALL).clear()

    assert len(PLACEMENTS.on(ALL)) == len(SQUARES)


def test_other_actions_come_first_and_are_only_read() -> None:
    others = [7, 5]

    assert PLACEMENTS.on(ALL, others) == [7, 5, *PLACEMENTS.on(ALL)]
    assert others == [7, 5]


def test_single_moves_are_those_to_the_adjacent_squares_in_reach() -> None:
    reaches = [(square, ADJACENT[square]) for square in SQUARES]
    for square, reach in (*reaches, *product(SQUARES, (mask(SQUARES[::2]), ALL, 0))):
        moves = [MOVES_TO[square * GRID + to] for to in bits(reach & ADJACENT[square])]
        found = [7]

        add_moves(square, reach, found)
        add_moves(square, reach, found)  # as it was kept

        assert found == [7, *moves, *moves], f"square {square}"
