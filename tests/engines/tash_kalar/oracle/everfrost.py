"""The beings of the Everfrost and their frozen effects, written from their texts (18.1)."""

from collections.abc import Callable

from tests.engines.tash_kalar.oracle.cards import (
    CLOCK,
    COMMON,
    DIRECTIONS,
    HEROIC,
    LEGENDARY,
    Piece,
    around,
    distance,
    drawing,
    offset,
    turned,
    way_of,
)
from tests.engines.tash_kalar.oracle.effects import Asked, Effect, Moved


def snow_fox(e: Effect) -> Asked:
    e.at(0)
    yield from e.moves(lambda made: e.standard(e.alone()), 2)


def royal_reindeer(e: Effect) -> Asked:
    e.at(0)
    leapt = yield from e.leap_self([t for t in e.within(2) if distance(e.square, t) == 2])
    if e.onto is None and not (leapt and leapt.captured):
        yield from e.upgrade_self()


def crystal_mirror(e: Effect) -> Asked:
    e.at(0)
    most = 2
    while most:
        picked = yield from e.target("pick", _seen_in_the_mirror(e, most), may=True)
        if not picked:
            return
        rank = e.board[picked].rank
        most = most - 1 if rank == COMMON else 0
        e.board[_reflected(e)[picked]] = Piece(e.seat, rank)


def _seen_in_the_mirror(e: Effect, most: int) -> list[str]:
    """Return the squares whose piece can be reflected, only a common as the second."""
    ranks = (COMMON, HEROIC) if most == 2 else (COMMON,)
    return [
        there
        for there, to in _reflected(e).items()
        if there in e.any(*ranks) and e.placeable([to], e.seat, e.board[there].rank)
    ]


def _reflected(e: Effect) -> dict[str, str]:
    """Return the squares of the source, each with the one on the other side of the pattern."""
    turn = e.match.turn if e.match else ""
    sides = [
        (offset(e.square, *turned(x, y, turn)), offset(e.square, *turned(-x, y, turn)))
        for (x, y), token in drawing("crystal_mirror").items()
        if token == "*"
    ]
    return {there: to for there, to in sides if there and to}


def crystal_grower(e: Effect) -> Asked:
    e.at(0)
    yield from e.upgrade(e.enemy(COMMON), may=False)


def ice_princess(e: Effect) -> Asked:
    e.at(0)
    yield from e.move(e.combat(e.others(COMMON)))


def ice_queen(e: Effect) -> Asked:
    e.at(0)
    yield from e.move(e.combat(e.others(HEROIC)))


def frostweave_summoner(e: Effect) -> Asked:
    yield from ()


winter_whisperer = frostweave_summoner


def frozen_chest(e: Effect) -> Asked:
    e.at(0)
    pile = e.arena.discards[e.seat]
    card = yield from e.target("keep", [card for card in pile if card in FROZEN], may=True)
    if card:
        pile.remove(card)
        if card in e.arena.played["beings"][e.seat]:
            e.arena.played["beings"][e.seat].remove(card)
        e.arena.put_in_play(e.seat, card)


def everfrost_sentinel(e: Effect) -> Asked:
    e.at(0)
    if e.onto == 1 - e.seat:
        there = yield from e.target("downgrade", e.alone(), may=True)
        if there:
            e.arena.downgrade(there)
            e.arena.slowed = 1 - e.seat


def glacier_giant(e: Effect) -> Asked:
    e.at(0)
    made = yield from e.moves(lambda made: e.keep_on(made, e.indicated(made)))
    if made:
        e.at(1)
        end = offset(made[-1].end, *DIRECTIONS[made[-1].way])
        if (yield from e.move([(made[-1].end, end)] if end in e.any(LEGENDARY) else [])):
            e.kill_all(e.alone())


def polar_bear(e: Effect) -> Asked:
    for step, kind in enumerate((e.combat, e.standard, e.onto_empty)):
        e.at(step)
        made = yield from e.move(kind(e.alone()))
        if not made or not made.captured:
            return


def war_sled(e: Effect) -> Asked:
    e.at(0)

    def allowed(made: list[Moved]) -> list[tuple[str, str]]:
        moves = e.indicated(made)
        return [m for m in moves if not made or _turns_little(made[-1].way, way_of(*m))]

    yield from e.moves(allowed, 3)


def _turns_little(way: str, other: str) -> bool:
    """Whether two directions are at most 45 degrees apart."""
    return (CLOCK.index(way) - CLOCK.index(other)) % 8 in (0, 1, 7)


def snow_monster(e: Effect) -> Asked:
    targets = [there for there in e.within(2) if there in e.enemy(COMMON)]
    e.kill_all(there for there in targets if {*around(there)} & {*e.own()})
    yield from ()


def frost_imp(e: Effect) -> Asked:
    e.at(0)
    near = [there for there in e.near() if there in e.any(COMMON)]
    made = yield from e.move(e.standard(near))
    while made:
        on = [move for move in e.standard([made.end]) if way_of(*move) == made.way]
        made = yield from e.move(on, may=False)


def ice_wyvern(e: Effect) -> Asked:
    e.at(0)
    leapt = yield from e.leap_self()
    if leapt and leapt.captured:
        e.kill_all(e.alone())


def deathbringer(e: Effect) -> Asked:
    e.at(0)
    friends = set(e.others())
    targets = [
        there
        for there in e.near()
        if there in e.board
        and len(friends & {*around(there)})
        >= {COMMON: 0, HEROIC: 1, LEGENDARY: 3}[e.board[there].rank]
    ]
    hit = yield from e.destroy(targets, may=True)
    if hit:
        piece = hit[0]
        e.arena.remove_for_good(piece)
        if piece.owner != e.seat:
            e.arena.count(piece.rank)


def frostweave_illusionist(e: Effect) -> Asked:
    if e.here and e.arena.supply(1 - e.seat, COMMON):
        e.board[e.here] = Piece(1 - e.seat, COMMON)
    yield from ()


def thawed_grower(e: Effect) -> Asked:
    yield from e.upgrade(e.own(COMMON), may=False)


def thawed_princess(e: Effect) -> Asked:
    yield from e.move(e.standard(e.own(COMMON)), may=False)


def thawed_queen(e: Effect) -> Asked:
    yield from e.move(e.standard(e.own(HEROIC)), may=False)


def thawed_summoner(e: Effect) -> Asked:
    e.arena.permissions |= {"war_summon", "summon_now"}
    yield from ()


def thawed_whisperer(e: Effect) -> Asked:
    gone = yield from e.destroy(e.own(COMMON), may=True)
    e.at(2)
    if (yield from e.throw_flare()) and gone:
        e.gain(1)


def thawed_wyvern(e: Effect) -> Asked:
    yield from e.place([near for there in e.own(HEROIC) for near in around(there)], may=False)


def thawed_illusionist(e: Effect) -> Asked:
    yield from e.convert(e.enemy(COMMON), COMMON, may=False)


FROZEN: dict[str, tuple[int, Callable[[Effect], Asked]]] = {
    "crystal_grower": (1, thawed_grower),
    "ice_princess": (1, thawed_princess),
    "ice_queen": (1, thawed_queen),
    "frostweave_summoner": (0, thawed_summoner),
    "winter_whisperer": (0, thawed_whisperer),
    "ice_wyvern": (2, thawed_wyvern),
    "frostweave_illusionist": (1, thawed_illusionist),
}
"""For each card, the step that freezes it (its frozen effect begins with the next) and the
effect."""
