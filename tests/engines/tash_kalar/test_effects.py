"""Tash-Kalar: what effects do and what they offer, each as a case (13 and 14 of the rules)."""

from typing import NamedTuple

import pytest

from tests.engines.tash_kalar.positions import destroyed, legal, played, view


class Effect(NamedTuple):
    """A being is summoned among own and enemy pieces, and its effect is answered."""

    summon: str
    own: str = ""
    enemy: str = ""
    answers: str = ""
    board: str = ""
    """The squares that have changed."""
    losses: str = ""
    """The ranks of the enemy pieces that count as destroyed."""
    offered: str = ""
    """What can be answered next."""

    def __str__(self) -> str:
        pieces = [
            f"{whose} {at}" for whose, at in (("own", self.own), ("enemy", self.enemy)) if at
        ]
        among = f" among {' and '.join(pieces)}" if pieces else ""
        return f"{self.summon}{among}" + (f": {self.answers}" if self.answers else "")


WHAT_HAPPENS = [
    # Angel of Death: the victim is upgraded first, if it can be, and counted so
    Effect("angel_of_death e5", enemy="e9", answers="pick e9", board="e5=- e9=0l", losses="h"),
    Effect("angel_of_death e5", enemy="e9h", answers="pick e9", board="e5=- e9=0l", losses="l"),
    Effect("angel_of_death e5", enemy="e9h a4l a5l a6l", answers="pick e9", board="e5=- e9=0l",
           losses="h"),
    Effect("angel_of_death e5", enemy="e9l", answers="pick e9", board="e5=- e9=0l", losses="l"),
    Effect("angel_of_death e5", own="e9", answers="pick e9", board="e5=- e9=0l"),
    Effect("angel_of_death e5", enemy="e9", answers="pass", board="e5=0l"),
    # what is mandatory hits own pieces, too
    Effect("assassin d4 r0", own="c5l", board="c5=- d4=0h"),
    Effect("assassin d4 r0", enemy="c5l", board="c5=- d4=0h", losses="l"),
    Effect("assassin d4 r0", answers="move d4 c5", board="c5=0h"),
    Effect("hill_giant e5", own="e6h", enemy="d5h f5l", board="d5=- e4=- e5=0h e6=-", losses="h"),
    Effect("bomb e5", enemy="d5 d4h", board="d5=- f4=-", losses="c"),
    Effect("blood_shaman e4", enemy="a5", answers="destroy e4"),
    Effect("blood_shaman e4", enemy="e5 d5l e6 a5", answers="destroy e5",
           board="e4=0h e5=- e6=- f4=- f5=-", losses="cc"),
    Effect("blood_shaman e4", enemy="a5 a4", answers="destroy a5", board="a5=- e4=0h", losses="c"),
    Effect("earth_elemental e5", enemy="c7", answers="destroy f4", board="c7=1h e5=0l f4=-"),
    Effect("earth_elemental e5", own="g7", answers="destroy g3", board="e5=0l g3=- g7=0h"),
    # Titan: of all that dies only what the summon captured counts
    Effect("titan e6", enemy="e6 e7l d7l f7 d6l", board="d6=- e5=- e6=0l e7=- f7=-", losses="c"),
    # Fire Dragon: no legendary piece is hit or stops it; the side rays need not be indicated
    Effect("fire_dragon e1 r0", own="c1", enemy="d2", answers="dir w", board="c1=- d2=- e1=0l",
           losses="c"),
    Effect("fire_dragon e1 r0", own="c1", enemy="d2", answers="dir s", board="e1=0l"),
    Effect("fire_dragon e5 r0", own="c5h", enemy="d5l c3", answers="dir w",
           board="c3=- c5=- e5=0l", losses="c"),
    Effect("fire_dragon e5 r0", enemy="c7 d6 b5", answers="dir w", board="c7=- d6=- e5=0l",
           losses="cc"),
    # shots: what they pass over, what stops them
    Effect("bone_catapult e4 r0", own="e6h", enemy="e8l d9 f8 f9h", answers="destroy e8",
           board="d9=- e4=0l e8=- f8=-", losses="ccl"),
    Effect("bone_catapult e4 r0", own="e6h f7", enemy="e8l", answers="destroy e6",
           board="d5=- e4=0l e6=- f7=-"),
    Effect("kiskin_leafsplitter e5", enemy="f6l g7", answers="dir ne/pass", board="e5=0h f6=-",
           losses="l"),
    Effect("kiskin_leafsplitter e5", enemy="f6l g7", answers="dir ne/dir ne",
           board="e5=0h f6=- g7=-", losses="cl"),
    Effect("gun_tower e4 r0", enemy="d4 c4l b4", answers="dir w", board="d4=- e4=0h", losses="c"),
    Effect("gun_tower e4 r0", own="g4h", enemy="f4 h4", answers="dir e", board="e4=0h f4=- g4=-",
           losses="c"),
    Effect("cannon e4 r0", own="e8", enemy="e5h e6 e7l", answers="dir n", board="e4=0h e6=- e8=-",
           losses="c"),
    Effect("centaur_spearman d4", enemy="h8h", answers="move d4 e5", board="e5=0h h8=-",
           losses="h"),
    Effect("centaur_spearman d4", enemy="g7l h8", answers="move d4 e5", board="e5=0h"),
    Effect("centaur_spearman d4", own="g7", enemy="e5h h8", answers="move d4 e5",
           board="e5=0h g7=-", losses="h"),
    Effect("centaur_spearman d4", enemy="h8h d9", answers="move d4 d5", board="d5=0h d9=-",
           losses="c"),
    # Hypnotist: enemy pieces capture each other, which counts, or yours
    Effect("hypnotist e4", enemy="b5 b6", answers="move b5 b6", board="b5=- e4=0h", losses="c"),
    Effect("hypnotist e4", enemy="e5", answers="move e5 f5", board="e4=0h e5=- f5=1c"),
    Effect("hypnotist e4", enemy="a5h b5h c5h", answers="move a5 b5/move c5 c6",
           board="a5=- c5=- c6=1h e4=0h", losses="h"),
    # whose pieces are meant
    Effect("high_priestess e4", enemy="f5", answers="pass/upgrade f5", board="e4=0h f5=1h"),
    Effect("clan_axeman e5", own="e6", enemy="d5h", answers="destroy e6", board="e5=0c e6=-"),
    Effect("mountain_troll e5", own="e6", enemy="d6 f6h", board="d6=- e5=0h", losses="c"),
    Effect("time_mage e5 r0", own="d4", board="e5=0h"),
    Effect("time_mage e5 r0", enemy="d4l", board="d4=- e5=0h", losses="l"),
    Effect("fire_elemental e5", own="e6", enemy="d6 f6h e7 d7l", answers="opt adjacent",
           board="d6=- e5=0l f6=-", losses="ch"),
    Effect("fire_elemental e5", own="e6", enemy="d6 f6h e7 d7l", answers="opt distance2",
           board="d6=- e5=0l e7=-", losses="cc"),
    # budgets: one move that captures an equal rank
    Effect("war_drummer e5", enemy="e3", answers="move e4 e3", board="e3=0c e4=- e5=0h",
           losses="c"),
    Effect("war_drummer e5", enemy="d2", answers="move e4 e3/move e3 e2",
           board="e2=0c e4=- e5=0h"),
    Effect("cavalry_captain e5", enemy="b6", answers="move d4 c5/move c5 b5/move b5 b6",
           board="b6=0c d4=- e5=0h", losses="c"),
    # the centre is no coloured square for the Werewolf, and red for the Ritual Keeper
    Effect("werewolf e5", answers="move e5 e6", board="e6=0h"),
    Effect("werewolf g7", enemy="g8h h8h", answers="move g7 g8/move g8 h8/pass",
           board="g8=- h8=0h", losses="hh"),
    Effect("ritual_keeper e5", enemy="e7", answers="move e6 e7", board="e5=0c e6=- e7=0c",
           losses="c"),
    Effect("ritual_keeper g7", answers="upgrade g7", board="g7=0h"),
    Effect("ritual_keeper d4", enemy="d6", board="d4=0c"),
    # Gryphon Rider
    Effect("gryphon_rider e5", enemy="e9h", answers="leap e9/pass", board="e9=0h", losses="h"),
    Effect("gryphon_rider e5", enemy="e9h", answers="leap e9/downgrade e9/place e8",
           board="e8=0c e9=0c", losses="h"),
    Effect("gryphon_rider e5", enemy="e9h", answers="pass", board="e5=0h"),
    # Woodland Druid: the enemy's only common, without a choice
    Effect("woodland_druid e5", enemy="a5", answers="upgrade d6", board="a5=1h d6=0h e5=0h"),
    # Storm Elemental: what it destroys on its way counts, its own end does not
    Effect("storm_elemental e4", enemy="e6", answers="place e5 common/move e5 e6/pass",
           board="e4=0l e6=-", losses="c"),
    Effect("storm_elemental e4", enemy="e6h", answers="place e5 common/pass", board="e4=0l"),
    Effect("storm_elemental e4", enemy="g4h h4l", answers="place f4 heroic/move f4 g4",
           board="e4=0l g4=-", losses="h"),
    Effect("storm_elemental e4", enemy="e6l", answers="place e5 legendary/move e5 e6",
           board="e4=0l e6=-", losses="l"),
    # Leviathan: itself and own pieces, one connected group
    Effect("leviathan e5", enemy="e6h", answers="downgrade e5/downgrade e6/pass",
           board="e5=0h e6=1c"),
    Effect("leviathan e5", own="e6", enemy="f6 f7 g9", answers="destroy e6/destroy f6/pass",
           board="e5=0l e6=- f6=-", losses="c"),
    Effect("leviathan e5", enemy="e6l", answers="downgrade e6/downgrade e5/pass",
           board="e5=0h e6=1h"),
    # Dryad and Sylvan Queen: a converted piece counts at the rank it had
    Effect("dryad e5", enemy="f6h", answers="convert f6", board="e5=0h f6=0c", losses="h"),
    Effect("sylvan_queen e5", enemy="d6h", answers="convert d6", board="d6=0h e5=0h", losses="h"),
    # Champion
    Effect("champion e5", enemy="f6l", answers="destroy f6", board="f6=-", losses="l"),
    Effect("champion e5", enemy="f6h", answers="destroy f6", board="e5=0h f6=-", losses="h"),
]  # fmt: skip


@pytest.mark.parametrize("effect", WHAT_HAPPENS, ids=str)
def test_effect_does_what_its_card_says(effect: Effect) -> None:
    changed, after = played(effect.summon, effect.own, effect.enemy, effect.answers)

    assert changed == effect.board
    assert destroyed(after) == effect.losses
    assert view(after)["phase"] == "main"


WHAT_IS_OFFERED = [
    Effect("angel_of_death e5", enemy="e9",
           offered="pick c5/pick d6/pick e4/pick e9/pick f6/pick g5/pass"),
    Effect("assassin d4 r0", offered="move d4 c5/pass"),
    Effect("blood_shaman e4", enemy="a5l",
           offered="destroy d3/destroy e3/destroy e4/destroy f4/destroy f5"),
    Effect("earth_elemental e5", enemy="a5",
           offered="destroy d3/destroy e4/destroy f4/destroy f5/destroy g3"),
    Effect("earth_elemental e6", enemy="a5 d7h", answers="destroy d7/upgrade a5",
           offered="move e6 e5/pass"),
    Effect("fire_dragon e1 r0", offered="dir e/dir s/dir se/dir sw/dir w"),
    Effect("fire_dragon e5 r0", enemy="e4l", offered="dir e/dir s/dir se/dir sw/dir w"),
    Effect("bone_catapult e4 r0", own="g6h", enemy="e6 e8l h3",
           offered="destroy e6/destroy e8/destroy g6/pass"),
    Effect("kiskin_leafsplitter e5", own="c7", enemy="f6l g7", offered="dir ne/dir nw/pass"),
    Effect("gun_tower e4 r0", enemy="d4l c4 f4", offered="dir e/pass"),
    Effect("gun_tower e4 r90", enemy="e6 e2 f4", offered="dir n/dir s/pass"),
    Effect("cannon e4 r0", enemy="e6 f3 g6h d8", offered="dir n/dir se/pass"),
    Effect("hypnotist e4", enemy="a7 b8h c9l",
           offered="move a7 a6/move a7 b6/move a7 b7/move b8 a7/move b8 b7/move b8 c7/move b8 c8"
                   "/pass"),
    Effect("hypnotist e4", enemy="a7 b7h b8 c9l", answers="move b8 c8",
           offered="move a7 a6/move a7 b6/move a7 b8/pass"),
    Effect("high_priestess e4", own="d3h", enemy="f5 d5h f3", answers="pass",
           offered="upgrade f3/upgrade f5/pass"),
    Effect("legend_slayer e5", enemy="d6l d4", offered="destroy d4/destroy d6/destroy f4/pass"),
    Effect("legend_slayer e5", enemy="d6l d4", answers="destroy f4", offered="destroy d4/pass"),
    Effect("clan_axeman e5", own="e6", enemy="d5h f5l d6", offered="destroy d5/destroy e6/pass"),
    Effect("ritual_master e5", enemy="a5h a6l", offered="destroy a5/destroy e5/pass"),
    Effect("ritual_master e5", enemy="a5h a6", answers="pass",
           offered="destroy a6/destroy d4/destroy d6/destroy f4/pass"),
    Effect("swordmaster e5", own="d6", enemy="f6 f4h e3", offered="destroy f6/pass"),
    Effect("champion e5", own="e6", enemy="f6 d6l g5", offered="destroy d6/destroy f6/pass"),
    Effect("dryad e5", own="f5", enemy="f6h d5 e6l", offered="convert d5/convert f6/pass"),
    Effect("sylvan_queen e5", own="f6", enemy="d6 d4h f4l e6",
           offered="convert d4/convert d6/pass"),
    Effect("sylvan_princess e5", own="f6", enemy="d6 f4h e6", offered="convert d6/pass"),
    Effect("fire_elemental e5", enemy="d6 e7", offered="opt adjacent/opt distance2"),
    Effect("gryphon_rider e5", enemy="e9h", answers="leap e9", offered="downgrade e9/pass"),
    Effect("gryphon_rider e5", enemy="e9h", answers="leap e9/downgrade e9",
           offered="place d8/place d9/place e8/place f8/place f9"),
    Effect("woodland_druid e5", enemy="a5 a6", offered="upgrade d6/upgrade e4/upgrade f6"),
    Effect("woodland_druid e5", enemy="a5 a6", answers="upgrade e4",
           offered="upgrade a5/upgrade a6"),
    Effect("leviathan e5", enemy="a7l",
           offered="destroy b3/downgrade a3/downgrade a7/downgrade c4/downgrade d4/downgrade e5"
                   "/pass"),
    Effect("leviathan e5", enemy="a7 b8h", answers="downgrade e5", offered="downgrade d4/pass"),
    Effect("cavalry_captain e5", enemy="c5 b6", answers="move d4 c5",
           offered="move c5 b4/move c5 b5/move c5 c4/move c5 c6/move c5 d4/move c5 d5/move c5 d6"
                   "/pass"),
    Effect("unicorn d4", enemy="c5l e5l",
           offered="move d4 c3/move d4 c4/move d4 d3/move d4 d5/move d4 e3/move d4 e4/opt action"
                   "/pass"),
    Effect("naiad e5", answers="move d4 d5",
           offered="move e4 d3/move e4 d4/move e4 e3/move e4 f3/move e4 f4/move e4 f5/pass"),
]  # fmt: skip


@pytest.mark.parametrize("effect", WHAT_IS_OFFERED, ids=str)
def test_effect_offers_what_its_card_allows(effect: Effect) -> None:
    _, state = played(effect.summon, effect.own, effect.enemy, effect.answers)

    assert legal(state) == sorted(effect.offered.split("/"))
    assert view(state)["phase"] == "effect"
