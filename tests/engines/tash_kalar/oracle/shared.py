"""The legends and the flares of Tash-Kalar, one function each, written from their texts."""

from collections.abc import Callable

from tests.engines.tash_kalar.oracle.cards import (
    CLOCK,
    COMMON,
    GREEN,
    HEROIC,
    LEGENDARY,
    NO_LEGEND,
    RANKS,
    RED,
    SLANTED,
    SQUARES,
    STRAIGHT,
    Piece,
    around,
    ray,
)
from tests.engines.tash_kalar.oracle.effects import Asked, Effect, Moved


def fire_dragon(e: Effect) -> Asked:
    e.at(0)
    way = yield from e.target("dir", e.match.ways if e.match else [], may=False)
    at = CLOCK.index(way)
    fan = [CLOCK[at - 1], way, CLOCK[(at + 1) % 8]]
    e.kill_all(t for one in fan for t in e.victims(one, ranks=NO_LEGEND, reach=2))


def hell_bull(e: Effect) -> Asked:
    e.at(0)

    def allowed(made: list[Moved]) -> list[tuple[str, str]]:
        if made and made[-1].captured == LEGENDARY:
            return []
        return e.keep_on(made, e.combat(e.alone()))

    yield from e.moves(allowed)


def angel_of_death(e: Effect) -> Asked:
    e.at(0)
    there = yield from e.target("pick", [t for t in e.any() if t != e.here], may=True)
    if there:
        if e.arena.can_upgrade(there):
            e.arena.upgrade(there)
        e.at(2)
        yield from e.leap_self([there], may=False)


def the_eldest_tree(e: Effect) -> Asked:
    e.at(0)
    done: list[str] = []
    for _ in range(3):
        free = [there for there in e.near() if there not in done]
        texts = [f"destroy {t}" for t in free if t in e.enemy(*NO_LEGEND)]
        texts += [f"upgrade {t}" for t in free if t in e.own(COMMON)]
        texts += [f"place {t}" for t in e.placeable(free, e.seat)]
        text = yield from e.ask(texts, may=True)
        if not text:
            return
        word, there = text.split()
        done.append(there)
        if word == "destroy":
            e.kill(there)
        elif word == "upgrade":
            e.arena.upgrade(there)
        else:
            e.put(there)


def bone_catapult(e: Effect) -> Asked:
    e.at(0)
    lines = [t for way in (e.match.ways if e.match else []) for t in ray(e.square, way)]
    hit = yield from e.destroy([t for t in lines if t in e.board], may=True)
    if hit:
        e.kill_all([there for there in around(hit[1]) if there in e.any(COMMON)])


def fire_elemental(e: Effect) -> Asked:
    e.at(0)
    areas = {
        "opt adjacent": [there for there in e.near() if there in e.enemy(*NO_LEGEND)],
        "opt distance2": [there for there in e.within(2) if there in e.enemy(COMMON)],
    }
    text = yield from e.ask([o for o, hit in areas.items() if hit] or list(areas), may=False)
    e.kill_all(areas[text])


def leviathan(e: Effect) -> Asked:
    e.at(0)
    word = ""
    pieces: list[Piece] = []
    squares: list[str] = []
    while len(pieces) < {"": 1, "downgrade": 3, "destroy": 4}[word]:
        texts = [f"downgrade {t}" for t in e.any() if e.arena.can_downgrade(t)]
        texts += [f"destroy {t}" for t in e.any(COMMON)]
        text = yield from e.ask(
            [t for t in texts if _joins(e, t, word, pieces, squares)], may=True
        )
        if not text:
            return
        word, there = text.split()
        squares.append(there)
        pieces.append(e.kill(there) if word == "destroy" else e.arena.downgrade(there))


def _joins(e: Effect, text: str, word: str, pieces: list[Piece], squares: list[str]) -> bool:
    """Whether a choice of the Leviathan goes with those before."""
    if not word:
        return True
    beside = [near for there in squares for near in around(there)]
    said, there = text.split()
    fresh = there not in squares and e.board[there] not in pieces
    return said == word and there in beside and fresh


def two_headed_dragon(e: Effect) -> Asked:
    e.at(0)
    used = [there for there in e.any(*NO_LEGEND) if e.board[there] in e.used]
    piece = yield from e.upgrade(used, may=True)
    if piece:
        e.at(1)
        beside = around(e.arena.square(piece) or "")
        yield from e.destroy([there for there in beside if there in e.any(HEROIC)], may=True)


def earth_elemental(e: Effect) -> Asked:
    e.at(0)
    on_red = RED + [near for red in RED for near in around(red)]
    yield from e.destroy([there for there in on_red if there in e.any(*NO_LEGEND)], may=False)
    e.at(1)
    on_green = GREEN + [near for green in GREEN for near in around(green)]
    yield from e.upgrade([there for there in on_green if there in e.any(COMMON)], may=False)
    e.at(2)
    yield from e.moves(
        lambda made: [move for move in e.combat(e.alone()) if move[1] in RED + GREEN], 1
    )


def time_elemental(e: Effect) -> Asked:
    e.arena.permissions.add("extra_turn")
    yield from ()


def storm_elemental(e: Effect) -> Asked:
    e.at(0)
    texts = [
        f"place {there} {rank}"
        for rank in RANKS
        for there in e.placeable(e.within(3), e.seat, rank)
    ]
    text = yield from e.ask(texts, may=True)
    if not text:
        return
    _, there, rank = text.split()
    storm = e.board[there] = Piece(e.seat, rank)
    e.at(1)
    most = {COMMON: 5, HEROIC: 3, LEGENDARY: 1}[rank]
    made = yield from e.moves(
        lambda made: e.keep_on(made, e.combat([made[-1].end if made else there])), most
    )
    e.kill(made[-1].end if made else there)
    assert e.arena.square(storm) is None


def titan(e: Effect) -> Asked:
    e.kill_all([there for there in e.near(STRAIGHT) if there in e.board], counts=False)
    slanted = [there for there in e.near(SLANTED) if there in e.any(*NO_LEGEND)]
    e.kill_all(slanted, counts=False)
    yield from ()


Half = Callable[[Effect, int], Asked]


def place_commons(n: int) -> Half:
    def half(e: Effect, step: int) -> Asked:
        e.at(step)
        for _ in range(n):
            yield from e.place(SQUARES, may=False)

    return half


def place_heroic(e: Effect, step: int) -> Asked:
    e.at(step)
    yield from e.place(SQUARES, may=False, rank=HEROIC)


def three_moves(e: Effect, step: int) -> Asked:
    e.at(step)
    yield from e.moves(lambda made: e.standard(e.own(COMMON)), 3)


def gain_action(e: Effect, step: int) -> Asked:
    e.gain(1)
    yield from ()


def either(e: Effect, step: int, texts: list[str]) -> Asked:
    """One of several mandatory things."""
    e.at(step)
    text = yield from e.ask(texts, may=False)
    if not text:
        return
    word, there, *end = text.split()
    if word == "move":
        e.shift(there, *end)
    elif word == "upgrade":
        e.arena.upgrade(there)
    elif word == "convert":
        e.swap(there, COMMON)
    else:
        e.put(there)


def places(e: Effect) -> list[str]:
    return [f"place {there}" for there in e.placeable(SQUARES, e.seat)]


def upgrades(e: Effect) -> list[str]:
    return [f"upgrade {there}" for there in e.own(COMMON)]


def place_or_convert(e: Effect, step: int) -> Asked:
    targets = e.enemy(COMMON) if e.arena.supply(e.seat, COMMON) else []
    yield from either(e, step, places(e) + [f"convert {there}" for there in targets])


def move_or_upgrade(e: Effect, step: int) -> Asked:
    moves = [f"move {start} {end}" for start, end in e.standard(e.own(COMMON))]
    yield from either(e, step, moves + upgrades(e))


def place_or_upgrade(e: Effect, step: int) -> Asked:
    yield from either(e, step, places(e) + upgrades(e))


def upgrade_and_gain(e: Effect, step: int) -> Asked:
    e.at(step)
    yield from e.upgrade(e.own(COMMON), may=False)
    e.gain(1)


def leap(*captures: str) -> Half:
    """A leap with one of the commons onto an empty square or one of these ranks."""

    def half(e: Effect, step: int) -> Asked:
        e.at(step)
        ends = [t for t in SQUARES if t not in e.board or e.board[t].rank in captures]
        able = [start for start in e.own(COMMON) if any(end != start for end in ends)]
        start = yield from e.target("pick", able, may=True)
        if start:
            end = yield from e.target("leap", [end for end in ends if end != start], may=False)
            e.shift(start, end)

    return half


def both_moves(e: Effect, step: int) -> Asked:
    e.at(step)
    yield from e.moves(lambda made: e.in_budget(made, e.own(COMMON)), 2)


def combat_or_two(e: Effect, step: int) -> Asked:
    e.at(step)
    yield from e.moves(lambda made: e.one_or_two(made, e.own(*NO_LEGEND)), 2)


FLARES: dict[str, tuple[Half, Half]] = {
    "flare_01": (place_commons(1), place_heroic),
    "flare_02": (place_commons(1), place_commons(1)),
    "flare_03": (three_moves, gain_action),
    "flare_04": (place_commons(1), place_or_convert),
    "flare_05": (move_or_upgrade, place_commons(2)),
    "flare_06": (place_or_upgrade, leap(COMMON)),
    "flare_07": (place_commons(1), upgrade_and_gain),
    "flare_08": (gain_action, place_commons(1)),
    "flare_09": (place_heroic, both_moves),
    "flare_10": (place_commons(2), place_commons(1)),
    "flare_11": (place_commons(1), combat_or_two),
    "flare_12": (leap(), gain_action),
}
"""The upper and the lower half of each flare; every upper half is one step."""
