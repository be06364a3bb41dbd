"""The Imperial beings of Tash-Kalar, one function each, written from their texts."""

from tests.engines.tash_kalar.oracle.cards import COMMON, HEROIC, LEGENDARY, NO_LEGEND, around
from tests.engines.tash_kalar.oracle.effects import Asked, Effect, Moved


def swordmaster(e: Effect) -> Asked:
    e.at(0)
    targets = [there for there in e.slanted() if there in e.enemy(COMMON)]
    if (yield from e.destroy(targets, may=True)):
        e.at(1)
        yield from e.upgrade_self()


def messenger(e: Effect) -> Asked:
    e.at(0)
    yield from e.moves(
        lambda made: e.keep_on(made, e.standard([made[-1].end] if made else e.own(COMMON, HEROIC)))
    )


def herald(e: Effect) -> Asked:
    e.at(0)
    yield from e.moves(lambda made: e.onto_empty(e.own()), 2)


def bomb(e: Effect) -> Asked:
    if e.arena.actions_left > 0 and e.here:
        commons = [there for there in around(e.here) if there in e.any(COMMON)]
        e.kill_all([e.here, *commons])
    yield from ()


def chronicler(e: Effect) -> Asked:
    e.at(0)
    piece = yield from e.upgrade(e.others(COMMON), may=False)
    if piece:
        e.at(1)
        yield from e.moves(lambda made: e.standard([e.arena.square(piece) or ""]), 1)


def assassin(e: Effect) -> Asked:
    yield from e.destroy([there for there in e.marked if there in e.board], may=False)
    if e.marked_empty:
        e.at(1)
        yield from e.moves(
            lambda made: [move for move in e.onto_empty(e.alone()) if move[1] in e.marked], 1
        )


def time_mage(e: Effect) -> Asked:
    e.gain(1)
    yield from e.destroy([there for there in e.marked if there in e.enemy()], may=False)


def summoner(e: Effect) -> Asked:
    e.at(0)
    if (yield from e.place(e.marked, may=True)):
        yield from e.place(e.marked, may=True)


def hypnotist(e: Effect) -> Asked:
    e.at(0)

    def allowed(made: list[Moved]) -> list[tuple[str, str]]:
        if not made:
            return e.combat(e.enemy(COMMON, HEROIC))
        rank = made[0].piece.rank
        if len(made) == {COMMON: 3, HEROIC: 2}[rank]:
            return []
        moved = [move.piece for move in made]
        return e.combat(t for t in e.enemy(rank) if e.board[t] not in moved)

    yield from e.moves(allowed)


def cannon(e: Effect) -> Asked:
    e.at(0)
    yield from e.shoot(e.match.ways if e.match else [], ranks=[COMMON])


def champion(e: Effect) -> Asked:
    e.at(0)
    hit = yield from e.destroy([t for t in e.near() if t in e.enemy()], may=True)
    if hit and hit[0].rank == LEGENDARY:
        e.kill_all(e.alone())
        e.gain(1)


def infantry_captain(e: Effect) -> Asked:
    e.at(0)
    yield from e.moves(lambda made: e.combat(e.others()), 2)


def cavalry_captain(e: Effect) -> Asked:
    e.at(0)
    yield from e.moves(lambda made: e.in_budget(made, [made[-1].end] if made else e.others()), 3)


def gryphon_rider(e: Effect) -> Asked:
    e.at(0)
    if not (yield from e.leap_self()):
        return
    e.at(1)
    downgraded = yield from e.target("downgrade", e.alone(), may=True)
    if downgraded:
        e.arena.downgrade(downgraded)
        e.at(2)
        yield from e.place(e.near(), may=False)


def knight(e: Effect) -> Asked:
    e.at(0)

    def allowed(made: list[Moved]) -> list[tuple[str, str]]:
        commons = e.any(COMMON)
        return [move for move in e.combat(e.alone()) if move[1] not in commons]

    yield from e.moves(allowed, 3)


def high_priestess(e: Effect) -> Asked:
    e.at(0)
    yield from e.moves(lambda made: e.standard(e.alone()), 1)
    e.at(1)
    yield from e.upgrade([t for t in e.near() if t in e.any(COMMON)], may=True)


def master_of_intrigue(e: Effect) -> Asked:
    e.at(0)

    def allowed(made: list[Moved]) -> list[tuple[str, str]]:
        used = [there for there in e.any(COMMON, HEROIC) if e.board[there] in e.used]
        return e.standard(e.alone()) + e.combat(used)

    yield from e.moves(allowed, 3)


def gun_tower(e: Effect) -> Asked:
    e.at(0)
    ways = e.match.ways if e.match else []
    yield from e.shoot(ways, ranks=NO_LEGEND, first=2, blockers=[LEGENDARY])
