"""The beings of the Nethervoid, one function each, written from their texts (18.2)."""

from collections.abc import Iterable

from tests.engines.tash_kalar.oracle.cards import (
    COMMON,
    GREEN,
    HEROIC,
    LEGENDARY,
    NO_LEGEND,
    RED,
    SQUARES,
    around,
    distance,
    way_of,
)
from tests.engines.tash_kalar.oracle.effects import Asked, Effect, Moved


def closer(e: Effect, moves: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Only moves that end closer to the Gateway."""
    return [
        (start, end)
        for gate in e.arena.gate()
        for start, end in moves
        if distance(end, gate) < distance(start, gate)
    ]


def shadow_imp(e: Effect) -> Asked:
    e.at(0)
    made = yield from e.move(e.combat(e.alone()))
    if made and not e.is_gateway():
        e.at(1)
        yield from e.move(m for m in e.combat(e.arena.gate()) if way_of(*m) == made.way)


def flame_imp(e: Effect) -> Asked:
    e.at(0)
    yield from e.destroy([there for there in e.near_gate() if there in e.any(COMMON)], may=True)


def gate_keeper(e: Effect) -> Asked:
    e.at(0)
    texts = [f"upgrade {there}" for there in e.own(COMMON)]
    texts += [f"place {there}" for there in e.placeable(SQUARES, e.seat)]
    text = yield from e.ask(texts, may=True)
    if not text:
        return
    word, there = text.split()
    if word == "upgrade":
        e.arena.upgrade(there)
    else:
        e.put(there)
    e.become_gateway(there)


def demon_of_gluttony(e: Effect) -> Asked:
    e.at(0)
    made = yield from e.move(e.combat(e.alone()))
    if made and made.captured:
        yield from e.upgrade_self()
        e.at(2)
        made = yield from e.move(e.combat(e.alone()))
        if made and made.captured:
            e.become_gateway(made.end)


def demon_of_pride(e: Effect) -> Asked:
    yield from e.upgrade_self()
    e.become_gateway(e.square)
    e.at(2)
    yield from e.move(e.combat(e.alone()))


def acolyte_of_destruction(e: Effect) -> Asked:
    e.at(0)
    hit = yield from e.destroy(e.any(COMMON), may=False)
    if hit and set(e.arena.gate()) & set(RED):
        e.at(1)
        yield from e.destroy([t for t in around(hit[1]) if t in e.any(HEROIC)], may=True)


def acolyte_of_growth(e: Effect) -> Asked:
    e.at(0)
    there = yield from e.place(SQUARES, may=False)
    if there and set(e.arena.gate()) & set(GREEN):
        e.at(1)
        yield from e.place(around(there), may=False, rank=HEROIC)


def power_seeker(e: Effect) -> Asked:
    if e.is_gateway():
        e.at(0)
        yield from e.move(e.standard(e.alone()))
    else:
        e.at(1)
        yield from e.moves(lambda made: closer(e, e.combat(e.alone())))


def hell_hound(e: Effect) -> Asked:
    e.at(0)
    hit = yield from e.destroy([there for there in e.near() if there in e.board], may=True)
    e.goes_under = not hit or hit[0].rank != LEGENDARY


def vortex_master(e: Effect) -> Asked:
    e.at(0)
    yield from e.move(e.combat(e.arena.gate()))
    e.at(1)
    yield from e.move(e.combat(there for there in e.near_gate() if there in e.own()))


def gate_master(e: Effect) -> Asked:
    e.at(0)
    piece = yield from e.upgrade(e.arena.gate(), may=False)
    if piece and piece.rank == LEGENDARY:
        e.counts_as_legend()
    e.at(2)
    there = yield from e.target("pick", e.own(*NO_LEGEND), may=False)
    if there:
        e.become_gateway(there)


def hell_rider(e: Effect) -> Asked:
    most = 1 if e.is_gateway() else 3
    e.at(0 if most == 1 else 1)
    yield from e.moves(lambda made: e.combat(e.alone()), most)


def demon_of_wrath(e: Effect) -> Asked:
    if not e.kill_all(_victims(e)):
        e.at(1)
        yield from e.move(e.standard(e.arena.gate()))
        e.kill_all(_victims(e))


def _victims(e: Effect) -> list[str]:
    """Whom the Demon of Wrath destroys."""
    return [there for there in e.near_gate() if there in e.enemy(COMMON)]


def demon_of_greed(e: Effect) -> Asked:
    for step, rank in ((0, COMMON), (2, HEROIC)):
        e.at(step)
        targets = [there for there in e.own(rank) if there not in e.arena.gate()]
        if (yield from e.destroy(targets, may=False)):
            e.gain(1)


def demon_of_lust(e: Effect) -> Asked:
    e.at(0)

    def allowed(made: list[Moved]) -> list[tuple[str, str]]:
        moved = [move.piece for move in made]
        moves = closer(e, e.combat(t for t in e.any() if e.board[t] not in moved))
        return [move for move in moves if move[1] not in e.arena.gate()]

    yield from e.moves(allowed, 2)


def demon_of_sloth(e: Effect) -> Asked:
    if e.arena.actions_left > 0:
        e.gain(-1)
    else:
        e.kill_all(e.arena.gate())
    yield from ()


def demon_of_envy(e: Effect) -> Asked:
    e.at(0)
    placed = yield from e.place(e.near_gate(), may=False)
    e.at(1)
    while placed and len(e.enemy()) > len(e.own()):
        placed = yield from e.place(e.near_gate(), may=False)


def possessed_summoner(e: Effect) -> Asked:
    e.at(0)
    beside = [there for enemy in e.enemy() for there in around(enemy)]
    if (yield from e.place(beside, may=False, enemy=True)):
        e.arena.permissions.add("possessed_summon")
    e.at(2)
    if (yield from e.throw_flare()):
        e.gain(1)
