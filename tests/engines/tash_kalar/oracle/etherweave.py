"""The beings of the Etherweave and their warp effects, written from their texts (18.3)."""

from collections.abc import Callable, Iterable

from tests.engines.tash_kalar.oracle.cards import (
    COLORLESS,
    COMMON,
    DIRECTIONS,
    HEROIC,
    LEGENDARY,
    NO_LEGEND,
    SQUARES,
    Piece,
    around,
    distance,
    is_lower,
    offset,
    turned,
    way_of,
)
from tests.engines.tash_kalar.oracle.effects import Asked, Effect, Moved

BOUND = "merchant_of_time"
"""The card that is neither copied nor thrown away nor taken back (18.3.4)."""


def pending(e: Effect) -> list[str]:
    """Return the pending card unless it is bound or there is none."""
    card = e.arena.pending[e.seat]
    return [card] if card and card != BOUND else []


def copied(e: Effect, card: str) -> Asked:
    """18.3.5"""
    first, warp = WARPS[card]
    e.arena.find_discarded(e.seat, card)
    yield from warp(e, first)


def thrown(e: Effect, cards: Iterable[str]) -> Asked:
    """Throw one of the cards away, or none (18.3.3)."""
    card = yield from e.target("throw", cards, may=True)
    if card:
        e.arena.throw(e.seat, card)


def exchanged(e: Effect, pairs: list[tuple[str, str]]) -> Asked:
    """Exchange two pieces, or none."""
    first = yield from e.target("pick", [one for one, _ in pairs], may=True)
    if first:
        fit = [other for one, other in pairs if one == first]
        second = yield from e.target("pick", fit, may=False)
        e.board[first], e.board[second] = e.board[second], e.board[first]
    return first


def after(e: Effect, move: tuple[str, str]) -> dict[str, Piece]:
    """Return the board as it would be after a move."""
    start, end = move
    board = {there: piece for there, piece in e.board.items() if there != start}
    return board | {end: e.board[start]}


def may_enter(board: dict[str, Piece], rank: str, end: str | None) -> bool:
    """Return whether a piece of this rank may make a combat move there."""
    if end is None:
        return False
    return end not in board or not is_lower(rank, board[end].rank)


def opposite(start: str, end: str) -> tuple[int, int]:
    """Return the step of a move, the other way."""
    dx, dy = DIRECTIONS[way_of(start, end)]
    return -dx, -dy


def doppelganger(e: Effect) -> Asked:
    e.at(0)
    card = yield from e.target("warp", pending(e), may=False)
    if card:
        yield from copied(e, card)


def paradox_worm(e: Effect) -> Asked:
    e.at(0)
    ranks = (COMMON, HEROIC)
    yield from exchanged(e, [(a, b) for r in ranks for a in e.own(r) for b in e.enemy(r)])


def lesser_shadow_twin(e: Effect) -> Asked:
    if not e.arena.find_discarded(e.seat, "greater_shadow_twin"):
        return
    e.at(0)
    center = yield from e.target("pick", e.own(), may=False)
    e.at(1)
    for _ in range(2):
        near = [there for there in around(center) if there in e.any(COMMON)]
        if not (yield from e.destroy(near, may=True)):
            return


def translocationist(e: Effect) -> Asked:
    e.at(0)
    for _ in range(2):
        pairs = [(heroic, common) for heroic in e.own(HEROIC) for common in e.own(COMMON)]
        if not (yield from exchanged(e, pairs)):
            return


def antimatter_spirit(e: Effect) -> Asked:
    yield from ()


def merchant_of_time(e: Effect) -> Asked:
    e.at(0)
    piece = e.arena.on_card
    if piece is None:
        return
    free = [
        there
        for there in COLORLESS
        if there not in e.board or is_lower(e.board[there].rank, piece.rank)
    ]
    there = yield from e.target("leap", free, may=False)
    if there:
        if there in e.board:
            e.kill(there)
        e.board[there], e.arena.on_card = piece, None


def gate_of_oblivion(e: Effect) -> Asked:
    e.at(0)
    twice = e.match.marked_twice if e.match else []
    yield from e.destroy([there for there in twice if there in e.board], may=False)
    e.at(1)
    yield from e.destroy([there for there in e.marked if there in e.any(*NO_LEGEND)], may=True)


def time_traveler(e: Effect) -> Asked:
    e.at(0)
    if (yield from e.destroy([there for there in e.near() if there in e.any(COMMON)], may=True)):
        e.arena.recover_last(e.seat)


def greater_shadow_twin(e: Effect) -> Asked:
    if not e.arena.find_discarded(e.seat, "lesser_shadow_twin"):
        return
    e.at(0)
    own = e.own()
    targets = [t for t in e.any(HEROIC) if sum(near in own for near in around(t)) >= 2]
    yield from e.destroy(targets, may=True)


def warpmaster(e: Effect) -> Asked:
    e.at(0)
    texts = ["opt take_back"] * len(pending(e))
    texts += [f"move {start} {end}" for start, end in e.standard(e.alone())]
    text = yield from e.ask(texts, may=True)
    if text == "opt take_back":
        e.arena.pending[e.seat] = None
    elif text:
        e.shift(*text.split()[1:])


def dark_sphere(e: Effect) -> Asked:
    e.at(0)

    def allowed(made: list[Moved]) -> list[tuple[str, str]]:
        moved = [move.piece for move in made]
        owners = [piece.owner for piece in moved]
        able = [
            there
            for there in e.any(*NO_LEGEND)
            if e.board[there] not in moved and owners.count(e.board[there].owner) < 2
        ]
        return [move for move in e.combat(able) if e.here and distance(move[1], e.here) == 2]

    yield from e.moves(allowed, 3)


def void_summoner(e: Effect) -> Asked:
    e.arena.permissions.add("void_summon")
    yield from ()


def eternal_emperor(e: Effect) -> Asked:
    if "eternal_emperor" not in e.arena.warped:
        yield from place_or_move(e, 0, may=True)


def reality_patch(e: Effect) -> Asked:
    e.at(0)
    yield from e.destroy(e.enemy(HEROIC), may=True)
    e.at(1)
    yield from thrown(e, pending(e))
    e.at(2)
    hand = e.arena.hands[e.seat]
    cards = [*hand["beings"], *hand["legends"], *filter(None, [hand["flare"]])]
    yield from thrown(e, [card for card in cards if card != e.arena.pending[e.seat]])


def polarity_queen(e: Effect) -> Asked:
    e.at(0)
    able = e.others(*NO_LEGEND)
    moves = [move for move in e.combat(able) if _answers(e, move)]
    first = yield from e.move(moves, may=False)
    if first:
        e.at(1)
        able = [there for there in e.others(*NO_LEGEND) if e.board[there] is not first.piece]
        back = opposite(first.start, first.end)
        yield from e.move(
            [(t, end) for t, end in e.combat(able) if end == offset(t, *back)], may=False
        )


def _answers(e: Effect, move: tuple[str, str]) -> bool:
    """Return whether another piece could move the other way after this move."""
    board, back = after(e, move), opposite(*move)
    return any(
        may_enter(board, piece.rank, offset(there, *back))
        for there, piece in board.items()
        if piece.owner == e.seat and piece.rank != LEGENDARY
        if piece is not e.being and there != move[1]
    )


def singularity(e: Effect) -> Asked:
    e.at(0)
    there = yield from e.target("pick", [t for t in COLORLESS if t not in e.board], may=False)
    e.at(1)
    while there:
        commons = [near for near in around(there) if near in e.any(COMMON)]
        if not (yield from e.move([(near, there) for near in commons], may=False)):
            return


def ziggurat_sentinel(e: Effect) -> Asked:
    e.at(0)
    step = turned(-1, -1, e.match.turn if e.match else "r0")

    def ahead(made: list[Moved]) -> list[tuple[str, str]]:
        return [(s, end) for s, end in e.combat(e.alone()) if end == offset(s, *step)]

    pile = [card for card in e.arena.discards[e.seat] if card in WARPS and card != BOUND]
    texts = [f"warp {card}" for card in pile]
    texts += [f"move {start} {end}" for start, end in ahead([])]
    text = yield from e.ask(texts, may=True)
    if text and text.startswith("warp"):
        yield from copied(e, text.split()[1])
    elif text:
        e.shift(*text.split()[1:])
        yield from e.moves(ahead, 2)


def iris_of_eternity(e: Effect) -> Asked:
    e.at(0)
    texts = [f"destroy {there}" for there in e.near() if there in e.any(LEGENDARY)]
    texts += [f"upgrade {there}" for there in e.alone() if e.arena.can_upgrade(there)]
    text = yield from e.ask(texts, may=True)
    if not text:
        return
    word, there = text.split()
    if word == "destroy":
        e.kill(there)
        return
    e.arena.upgrade(there)
    e.counts_as_legend()
    for card in sorted(e.arena.hands[e.seat]["legends"]):
        e.arena.throw(e.seat, card)


def warp_worm(e: Effect, step: int) -> Asked:
    e.at(step)
    yield from e.upgrade(e.enemy(COMMON), may=False)
    e.at(step + 1)
    yield from thrown(e, pending(e))


def warp_twin(e: Effect, step: int) -> Asked:
    e.at(step)
    yield from e.upgrade(e.own(COMMON), may=False)


def warp_translocationist(e: Effect, step: int) -> Asked:
    e.gain(1)
    yield from ()


def warp_spirit(e: Effect, step: int) -> Asked:
    e.at(step)
    squares = e.placeable(COLORLESS, e.seat)
    there = yield from e.place([t for t in squares if _annihilations(e, t)], may=False)
    if there:
        e.at(step + 1)
        first = yield from e.move(_annihilations(e, there), may=False)
        e.at(step + 2)
        yield from e.place([there], may=False, enemy=True)
        e.at(step + 3)
        end = offset(there, *opposite(first.start, first.end))
        yield from e.move([(there, end or "")], may=False)


def _annihilations(e: Effect, there: str) -> list[tuple[str, str]]:
    """Return the moves of a common there that an enemy one can follow the other way."""
    return [
        (there, end)
        for end in around(there)
        if may_enter(e.board, COMMON, end)
        and may_enter(e.board, COMMON, offset(there, *opposite(there, end)))
        and (e.arena.supply(1 - e.seat, COMMON) or end in e.enemy(COMMON))
    ]


def warp_merchant(e: Effect, step: int) -> Asked:
    e.at(step)
    there = yield from e.target("pickup", [t for t in COLORLESS if t in e.board], may=False)
    if there:
        e.arena.on_card = e.board.pop(there)
        if e.arena.on_card is e.arena.gateway:
            e.arena.gateway = None


def warp_gate(e: Effect, step: int) -> Asked:
    e.arena.permissions.add("counts_double")
    yield from ()


def warp_void(e: Effect, step: int) -> Asked:
    e.at(step)
    yield from e.move(e.standard(e.own(*NO_LEGEND)), may=False)


def warp_emperor(e: Effect, step: int) -> Asked:
    yield from place_or_move(e, step, may=False)


def place_or_move(e: Effect, step: int, *, may: bool) -> Asked:
    e.at(step)
    moves = e.combat(e.own(COMMON)) + e.standard(e.own(HEROIC, LEGENDARY))
    texts = [f"move {start} {end}" for start, end in moves]
    texts += [f"place {there}" for there in e.placeable(SQUARES, e.seat)]
    text = yield from e.ask(texts, may=may)
    if text and text.startswith("place"):
        e.put(text.split()[1])
    elif text:
        e.shift(*text.split()[1:])


def warp_queen(e: Effect, step: int) -> Asked:
    e.at(step)
    yield from e.place([near for t in e.enemy() for near in around(t)], may=False)


def warp_ziggurat(e: Effect, step: int) -> Asked:
    e.at(step)
    first = yield from e.move(e.combat(e.own(*NO_LEGEND)), may=False)
    if first and not first.equal:
        yield from e.move(e.standard([first.end]))


WARPS: dict[str, tuple[int, Callable[[Effect, int], Asked]]] = {
    "paradox_worm": (1, warp_worm),
    "lesser_shadow_twin": (2, warp_twin),
    "translocationist": (1, warp_translocationist),
    "antimatter_spirit": (0, warp_spirit),
    "merchant_of_time": (1, warp_merchant),
    "gate_of_oblivion": (2, warp_gate),
    "greater_shadow_twin": (1, warp_twin),
    "void_summoner": (1, warp_void),
    "eternal_emperor": (1, warp_emperor),
    "polarity_queen": (2, warp_queen),
    "ziggurat_sentinel": (1, warp_ziggurat),
}
"""The first step of each warp effect, and the effect."""
