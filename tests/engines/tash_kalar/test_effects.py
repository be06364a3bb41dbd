"""Tash-Kalar: what effects do and what they offer, each as a case (13 and 14 of the rules)."""

from __future__ import annotations

import pytest

from tests.engines.tash_kalar.positions import destroyed, legal, played, view

WHAT_HAPPENS = [
    # Angel of Death: the victim is upgraded first, if it can be, and counted so
    ("angel_of_death e5", "", "e9", "pick e9", "e5=- e9=0l", "h"),
    ("angel_of_death e5", "", "e9h", "pick e9", "e5=- e9=0l", "l"),
    ("angel_of_death e5", "", "e9h a4l a5l a6l", "pick e9", "e5=- e9=0l", "h"),
    ("angel_of_death e5", "", "e9l", "pick e9", "e5=- e9=0l", "l"),
    ("angel_of_death e5", "e9", "", "pick e9", "e5=- e9=0l", ""),
    ("angel_of_death e5", "", "e9", "pass", "e5=0l", ""),
    # what is mandatory hits own pieces, too
    ("assassin d4 r0", "c5l", "", "", "c5=- d4=0h", ""),
    ("assassin d4 r0", "", "c5l", "", "c5=- d4=0h", "l"),
    ("assassin d4 r0", "", "", "move d4 c5", "c5=0h", ""),
    ("hill_giant e5", "e6h", "d5h f5l", "", "d5=- e4=- e5=0h e6=-", "h"),
    ("bomb e5", "", "d5 d4h", "", "d5=- f4=-", "c"),
    ("blood_shaman e4", "", "a5", "destroy e4", "", ""),
    ("blood_shaman e4", "", "e5 d5l e6 a5", "destroy e5", "e4=0h e5=- e6=- f4=- f5=-", "cc"),
    ("blood_shaman e4", "", "a5 a4", "destroy a5", "a5=- e4=0h", "c"),
    ("earth_elemental e5", "", "c7", "destroy f4", "c7=1h e5=0l f4=-", ""),
    ("earth_elemental e5", "g7", "", "destroy g3", "e5=0l g3=- g7=0h", ""),
    # Titan: of all that dies only what the summon captured counts
    ("titan e6", "", "e6 e7l d7l f7 d6l", "", "d6=- e5=- e6=0l e7=- f7=-", "c"),
    # Fire Dragon: no legendary piece is hit or stops it; the side rays need not be indicated
    ("fire_dragon e1 r0", "c1", "d2", "dir w", "c1=- d2=- e1=0l", "c"),
    ("fire_dragon e1 r0", "c1", "d2", "dir s", "e1=0l", ""),
    ("fire_dragon e5 r0", "c5h", "d5l c3", "dir w", "c3=- c5=- e5=0l", "c"),
    ("fire_dragon e5 r0", "", "c7 d6 b5", "dir w", "c7=- d6=- e5=0l", "cc"),
    # shots: what they pass over, what stops them
    ("bone_catapult e4 r0", "e6h", "e8l d9 f8 f9h", "destroy e8", "d9=- e4=0l e8=- f8=-", "ccl"),
    ("bone_catapult e4 r0", "e6h f7", "e8l", "destroy e6", "d5=- e4=0l e6=- f7=-", ""),
    ("kiskin_leafsplitter e5", "", "f6l g7", "dir ne/pass", "e5=0h f6=-", "l"),
    ("kiskin_leafsplitter e5", "", "f6l g7", "dir ne/dir ne", "e5=0h f6=- g7=-", "cl"),
    ("gun_tower e4 r0", "", "d4 c4l b4", "dir w", "d4=- e4=0h", "c"),
    ("gun_tower e4 r0", "g4h", "f4 h4", "dir e", "e4=0h f4=- g4=-", "c"),
    ("cannon e4 r0", "e8", "e5h e6 e7l", "dir n", "e4=0h e6=- e8=-", "c"),
    ("centaur_spearman d4", "", "h8h", "move d4 e5", "e5=0h h8=-", "h"),
    ("centaur_spearman d4", "", "g7l h8", "move d4 e5", "e5=0h", ""),
    ("centaur_spearman d4", "g7", "e5h h8", "move d4 e5", "e5=0h g7=-", "h"),
    ("centaur_spearman d4", "", "h8h d9", "move d4 d5", "d5=0h d9=-", "c"),
    # Hypnotist: enemy pieces capture each other, which counts, or yours
    ("hypnotist e4", "", "b5 b6", "move b5 b6", "b5=- e4=0h", "c"),
    ("hypnotist e4", "", "e5", "move e5 f5", "e4=0h e5=- f5=1c", ""),
    ("hypnotist e4", "", "a5h b5h c5h", "move a5 b5/move c5 c6", "a5=- c5=- c6=1h e4=0h", "h"),
    # whose pieces are meant
    ("high_priestess e4", "", "f5", "pass/upgrade f5", "e4=0h f5=1h", ""),
    ("clan_axeman e5", "e6", "d5h", "destroy e6", "e5=0c e6=-", ""),
    ("mountain_troll e5", "e6", "d6 f6h", "", "d6=- e5=0h", "c"),
    ("time_mage e5 r0", "d4", "", "", "e5=0h", ""),
    ("time_mage e5 r0", "", "d4l", "", "d4=- e5=0h", "l"),
    ("fire_elemental e5", "e6", "d6 f6h e7 d7l", "opt adjacent", "d6=- e5=0l f6=-", "ch"),
    ("fire_elemental e5", "e6", "d6 f6h e7 d7l", "opt distance2", "d6=- e5=0l e7=-", "cc"),
    # budgets: one move that captures an equal rank
    ("war_drummer e5", "", "e3", "move e4 e3", "e3=0c e4=- e5=0h", "c"),
    ("war_drummer e5", "", "d2", "move e4 e3/move e3 e2", "e2=0c e4=- e5=0h", ""),
    ("cavalry_captain e5", "", "b6", "move d4 c5/move c5 b5/move b5 b6", "b6=0c d4=- e5=0h", "c"),
    # the centre is no coloured square for the Werewolf, and red for the Ritual Keeper
    ("werewolf e5", "", "", "move e5 e6", "e6=0h", ""),
    ("werewolf g7", "", "g8h h8h", "move g7 g8/move g8 h8/pass", "g8=- h8=0h", "hh"),
    ("ritual_keeper e5", "", "e7", "move e6 e7", "e5=0c e6=- e7=0c", "c"),
    ("ritual_keeper g7", "", "", "upgrade g7", "g7=0h", ""),
    ("ritual_keeper d4", "", "d6", "", "d4=0c", ""),
    # Gryphon Rider
    ("gryphon_rider e5", "", "e9h", "leap e9/pass", "e9=0h", "h"),
    ("gryphon_rider e5", "", "e9h", "leap e9/downgrade e9/place e8", "e8=0c e9=0c", "h"),
    ("gryphon_rider e5", "", "e9h", "pass", "e5=0h", ""),
    # Woodland Druid: the enemy's only common, without a choice
    ("woodland_druid e5", "", "a5", "upgrade d6", "a5=1h d6=0h e5=0h", ""),
    # Storm Elemental: what it destroys on its way counts, its own end does not
    ("storm_elemental e4", "", "e6", "place e5 common/move e5 e6/pass", "e4=0l e6=-", "c"),
    ("storm_elemental e4", "", "e6h", "place e5 common/pass", "e4=0l", ""),
    ("storm_elemental e4", "", "g4h h4l", "place f4 heroic/move f4 g4", "e4=0l g4=-", "h"),
    ("storm_elemental e4", "", "e6l", "place e5 legendary/move e5 e6", "e4=0l e6=-", "l"),
    # Leviathan: itself and own pieces, one connected group
    ("leviathan e5", "", "e6h", "downgrade e5/downgrade e6/pass", "e5=0h e6=1c", ""),
    ("leviathan e5", "e6", "f6 f7 g9", "destroy e6/destroy f6/pass", "e5=0l e6=- f6=-", "c"),
    ("leviathan e5", "", "e6l", "downgrade e6/downgrade e5/pass", "e5=0h e6=1h", ""),
    # Dryad and Sylvan Queen: a converted piece counts at the rank it had
    ("dryad e5", "", "f6h", "convert f6", "e5=0h f6=0c", "h"),
    ("sylvan_queen e5", "", "d6h", "convert d6", "d6=0h e5=0h", "h"),
    # Champion
    ("champion e5", "", "f6l", "destroy f6", "f6=-", "l"),
    ("champion e5", "", "f6h", "destroy f6", "e5=0h f6=-", "h"),
]


@pytest.mark.parametrize("case", WHAT_HAPPENS, ids=" ".join)
def test_effect_does_what_its_card_says(case: tuple[str, ...]) -> None:
    summon, own, enemy, answers, board, losses = case
    changed, after = played(summon, own, enemy, answers)

    assert changed == board
    assert destroyed(after) == losses
    assert view(after)["phase"] == "main"


WHAT_IS_OFFERED = [
    ("angel_of_death e5", "", "e9", "", "pick c5/pick d6/pick e4/pick e9/pick f6/pick g5/pass"),
    ("assassin d4 r0", "", "", "", "move d4 c5/pass"),
    ("blood_shaman e4", "", "a5l", "", "destroy d3/destroy e3/destroy e4/destroy f4/destroy f5"),
    ("earth_elemental e5", "", "a5", "", "destroy d3/destroy e4/destroy f4/destroy f5/destroy g3"),
    ("earth_elemental e6", "", "a5 d7h", "destroy d7/upgrade a5", "move e6 e5/pass"),
    ("fire_dragon e1 r0", "", "", "", "dir e/dir s/dir se/dir sw/dir w"),
    ("fire_dragon e5 r0", "", "e4l", "", "dir e/dir s/dir se/dir sw/dir w"),
    ("bone_catapult e4 r0", "g6h", "e6 e8l h3", "", "destroy e6/destroy e8/destroy g6/pass"),
    ("kiskin_leafsplitter e5", "c7", "f6l g7", "", "dir ne/dir nw/pass"),
    ("gun_tower e4 r0", "", "d4l c4 f4", "", "dir e/pass"),
    ("gun_tower e4 r90", "", "e6 e2 f4", "", "dir n/dir s/pass"),
    ("cannon e4 r0", "", "e6 f3 g6h d8", "", "dir n/dir se/pass"),
    (
        "hypnotist e4",
        "",
        "a7 b8h c9l",
        "",
        "move a7 a6/move a7 b6/move a7 b7/move b8 a7/move b8 b7/move b8 c7/move b8 c8/pass",
    ),
    ("hypnotist e4", "", "a7 b7h b8 c9l", "move b8 c8", "move a7 a6/move a7 b6/move a7 b8/pass"),
    ("high_priestess e4", "d3h", "f5 d5h f3", "pass", "upgrade f3/upgrade f5/pass"),
    ("legend_slayer e5", "", "d6l d4", "", "destroy d4/destroy d6/destroy f4/pass"),
    ("legend_slayer e5", "", "d6l d4", "destroy f4", "destroy d4/pass"),
    ("clan_axeman e5", "e6", "d5h f5l d6", "", "destroy d5/destroy e6/pass"),
    ("ritual_master e5", "", "a5h a6l", "", "destroy a5/destroy e5/pass"),
    ("ritual_master e5", "", "a5h a6", "pass", "destroy a6/destroy d4/destroy d6/destroy f4/pass"),
    ("swordmaster e5", "d6", "f6 f4h e3", "", "destroy f6/pass"),
    ("champion e5", "e6", "f6 d6l g5", "", "destroy d6/destroy f6/pass"),
    ("dryad e5", "f5", "f6h d5 e6l", "", "convert d5/convert f6/pass"),
    ("sylvan_queen e5", "f6", "d6 d4h f4l e6", "", "convert d4/convert d6/pass"),
    ("sylvan_princess e5", "f6", "d6 f4h e6", "", "convert d6/pass"),
    ("fire_elemental e5", "", "d6 e7", "", "opt adjacent/opt distance2"),
    ("gryphon_rider e5", "", "e9h", "leap e9", "downgrade e9/pass"),
    (
        "gryphon_rider e5",
        "",
        "e9h",
        "leap e9/downgrade e9",
        "place d8/place d9/place e8/place f8/place f9",
    ),
    ("woodland_druid e5", "", "a5 a6", "", "upgrade d6/upgrade e4/upgrade f6"),
    ("woodland_druid e5", "", "a5 a6", "upgrade e4", "upgrade a5/upgrade a6"),
    (
        "leviathan e5",
        "",
        "a7l",
        "",
        "destroy b3/downgrade a3/downgrade a7/downgrade c4/downgrade d4/downgrade e5/pass",
    ),
    ("leviathan e5", "", "a7 b8h", "downgrade e5", "downgrade d4/pass"),
    (
        "cavalry_captain e5",
        "",
        "c5 b6",
        "move d4 c5",
        "move c5 b4/move c5 b5/move c5 c4/move c5 c6/move c5 d4/move c5 d5/move c5 d6/pass",
    ),
    (
        "unicorn d4",
        "",
        "c5l e5l",
        "",
        "move d4 c3/move d4 c4/move d4 d3/move d4 d5/move d4 e3/move d4 e4/opt action/pass",
    ),
    (
        "naiad e5",
        "",
        "",
        "move d4 d5",
        "move e4 d3/move e4 d4/move e4 e3/move e4 f3/move e4 f4/move e4 f5/pass",
    ),
]


@pytest.mark.parametrize(
    ("summon", "own", "enemy", "answers", "offered"),
    WHAT_IS_OFFERED,
    ids=lambda value: value or "-",
)
def test_effect_offers_what_its_card_allows(
    summon: str, own: str, enemy: str, answers: str, offered: str
) -> None:
    _, state = played(summon, own, enemy, answers)

    assert legal(state) == sorted(offered.split("/"))
    assert view(state)["phase"] == "effect"
