"""The beings of Highland and Sylvan, one function each, written from their texts."""

from tests.engines.tash_kalar.oracle.cards import (
    COMMON,
    GREEN,
    HEROIC,
    LEGENDARY,
    NO_LEGEND,
    RED,
    SLANTED,
    around,
    distance,
    way_of,
)
from tests.engines.tash_kalar.oracle.effects import Asked, Effect, Moved


def wild_eagle(e: Effect) -> Asked:
    e.at(0)
    yield from e.leap_self()


def clan_axeman(e: Effect) -> Asked:
    e.at(0)
    yield from e.destroy([t for t in e.straight() if t in e.any(COMMON, HEROIC)], may=True)


def clan_healer(e: Effect) -> Asked:
    e.at(0)
    beside_green = [there for green in GREEN for there in around(green)]
    if (yield from e.place(beside_green, may=True)):
        yield from e.place(beside_green, may=True)


def dire_wolf(e: Effect) -> Asked:
    e.at(0)
    yield from e.moves(lambda made: e.combat(e.alone()), 2)


def ritual_keeper(e: Effect) -> Asked:
    if e.square in GREEN:
        e.at(0)
        yield from e.upgrade(e.own(COMMON), may=False)
    if e.square in RED:
        e.at(1)
        yield from e.moves(lambda made: e.combat(e.own()), 1)


eagle_lord = wild_eagle
wolf_rider = dire_wolf


def blood_shaman(e: Effect) -> Asked:
    e.at(0)
    hit = yield from e.destroy(e.any(*NO_LEGEND), may=False)
    if hit and hit[1] in RED:
        e.kill_all([there for there in around(hit[1]) if there in e.any(COMMON)])


def war_drummer(e: Effect) -> Asked:
    e.at(0)
    yield from e.moves(lambda made: e.one_or_two(made, e.others()), 2)


def hill_giant(e: Effect) -> Asked:
    e.kill_all([there for there in e.straight() if there in e.any(*NO_LEGEND)])
    yield from ()


def warlord(e: Effect) -> Asked:
    e.at(0)

    def allowed(made: list[Moved]) -> list[tuple[str, str]]:
        has_moved = any(move.piece is e.being for move in made)
        return e.combat(e.own() if len(made) < 2 or has_moved else e.alone())

    yield from e.moves(allowed, 3)


def war_summoner(e: Effect) -> Asked:
    e.gain(1)
    e.arena.permissions.add("war_summon")
    yield from ()


def ritual_master(e: Effect) -> Asked:
    if e.square in GREEN:
        e.gain(2)
    if e.square in RED:
        e.at(1)
        yield from e.destroy(e.any(HEROIC), may=True)
        e.at(2)
        yield from e.destroy(e.any(COMMON), may=True)


def legend_slayer(e: Effect) -> Asked:
    e.at(0)
    hit = yield from e.destroy([t for t in e.slanted() if t in e.any()], may=True)
    if hit and hit[0].rank != LEGENDARY:
        yield from e.destroy([t for t in e.slanted() if t in e.any(*NO_LEGEND)], may=True)


def mountain_troll(e: Effect) -> Asked:
    if e.kill_all([there for there in e.near() if there in e.enemy(COMMON)]) >= 2:
        e.gain(1)
    yield from ()


def hungry_bear(e: Effect) -> Asked:
    e.at(0)
    yield from e.moves(
        lambda made: [] if made and not made[-1].captured else e.standard(e.alone()), 2
    )


def werewolf(e: Effect) -> Asked:
    if e.square in GREEN or (e.square in RED and e.square != "e5"):
        e.at(0)
        yield from e.moves(lambda made: e.combat(e.alone()), 3)
    else:
        e.at(1)
        yield from e.moves(lambda made: e.standard(e.alone()), 1)


def clan_guardian(e: Effect) -> Asked:
    e.at(0)
    yield from e.upgrade([t for t in e.any(COMMON) if e.board[t] in e.used], may=True)


def sapling(e: Effect) -> Asked:
    yield from e.upgrade_self()


def kiskin_farseeders(e: Effect) -> Asked:
    e.at(0)
    yield from e.place([t for own in e.own() for t in around(own)], may=True)


def charging_buck(e: Effect) -> Asked:
    e.at(0)
    for _ in range(2):
        here = e.here or ""
        if not (yield from e.leap_self([t for t in e.within(2) if distance(here, t) == 2])):
            return


def forest_wardens(e: Effect) -> Asked:
    e.at(0)
    if len(e.enemy(COMMON)) > len(e.own(COMMON)):
        yield from e.destroy(e.enemy(COMMON), may=False)
    e.at(1)
    if len(e.enemy(HEROIC, LEGENDARY)) > len(e.own(HEROIC, LEGENDARY)):
        yield from e.destroy(e.enemy(HEROIC), may=False)


def naiad(e: Effect) -> Asked:
    e.at(0)
    beside = [e.board[there] for there in e.near() if there in e.own()]

    def allowed(made: list[Moved]) -> list[tuple[str, str]]:
        moved = [move.piece for move in made]
        free = [t for t in e.own() if e.board[t] in beside and e.board[t] not in moved]
        return e.standard(free)

    yield from e.moves(allowed, 2)


def kiskin_spirit(e: Effect) -> Asked:
    e.at(0)
    card = yield from e.target("take", e.arena.discards[e.seat], may=True)
    if card:
        e.arena.taken[e.seat] += 1
        e.arena.discards[e.seat].remove(card)
        e.arena.decks["beings"][e.seat].insert(0, card)
    if card or e.pile_empty:
        e.arena.extra["beings"] += 1


def dryad(e: Effect) -> Asked:
    e.at(0)
    yield from e.convert(e.non_legends(e.near(), e.enemy()), COMMON)


def centaur_spearman(e: Effect) -> Asked:
    e.at(0)
    made = yield from e.moves(lambda made: e.combat(e.alone()), 1)
    if made:
        way = made[0].way
        yield from e.target("dir", [way], may=False)
        e.kill_all(e.victims(way, ranks=NO_LEGEND, first=1, blockers=[LEGENDARY]))


def centaur_chieftain(e: Effect) -> Asked:
    e.at(0)
    first = yield from e.moves(lambda made: e.combat(e.alone()), 1)
    if first:
        e.at(1)
        way = first[0].way
        yield from e.moves(
            lambda made: [move for move in e.combat(e.others()) if way_of(*move) == way], 3
        )


def unicorn(e: Effect) -> Asked:
    e.at(0)
    moves = [f"move {start} {end}" for start, end in e.combat(e.alone())]
    text = yield from e.ask([*moves, "opt action"], may=True)
    if text == "opt action":
        e.gain(1)
    elif text:
        e.shift(*text.split()[1:])


def sylvan_queen(e: Effect) -> Asked:
    e.at(0)
    yield from e.convert(e.non_legends(e.slanted(), e.enemy()), None)


def sylvan_princess(e: Effect) -> Asked:
    e.at(0)
    yield from e.convert([t for t in e.slanted() if t in e.enemy(COMMON)], COMMON)


def woodland_druid(e: Effect) -> Asked:
    e.at(0)
    yield from e.upgrade(e.own(COMMON), may=False)
    e.at(1)
    yield from e.upgrade(e.enemy(COMMON), may=False)


def forest_ancient(e: Effect) -> Asked:
    e.at(0)
    placed = 0
    for _ in range(2):
        placed += bool((yield from e.place(e.within(2), may=False, enemy=True)))
    e.at(1)
    for _ in range(placed):
        targets = [there for there in e.within(3) if there in e.enemy(COMMON)]
        yield from e.destroy(targets, may=False)


def forest_mystic(e: Effect) -> Asked:
    e.arena.extra["beings"] += 1
    e.arena.extra["legends"] += 1
    yield from ()


def kiskin_leafsplitter(e: Effect) -> Asked:
    e.at(0)
    for _ in range(2):
        if not (yield from e.shoot(SLANTED, first=1)):
            return


def kiskin_boughrunner(e: Effect) -> Asked:
    e.at(0)

    def allowed(made: list[Moved]) -> list[tuple[str, str]]:
        others = e.others()
        return [m for m in e.combat(e.alone()) if any(t in others for t in around(m[1]))]

    yield from e.moves(allowed, 3)


def tree_shepherd(e: Effect) -> Asked:
    e.at(0)
    moves = e.combat(e.own(HEROIC)) + e.standard(e.own(LEGENDARY))
    texts = [f"move {start} {end}" for start, end in moves]
    text = yield from e.ask([*texts, *(f"upgrade {t}" for t in e.own(COMMON))], may=True)
    if text and text.startswith("move"):
        e.shift(*text.split()[1:])
    elif text:
        e.arena.upgrade(text.split()[1])
