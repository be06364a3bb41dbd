"""The tasks of the High Form: their conditions and types (11)."""

from __future__ import annotations

from pentathlon_engines.tash_kalar.actions import CLAIMS, TASK_IDS
from pentathlon_engines.tash_kalar.board import (
    ADJACENT,
    ALL,
    BIT,
    CENTRE,
    COLOURS,
    DIAGONAL,
    FILES,
    GREEN,
    GRID,
    ORTHOGONAL,
    RED,
    RULES,
    SIDE,
    WITHIN,
    bits,
    bits_of,
    mask,
    named,
    spread,
)
from pentathlon_engines.tash_kalar.cards.catalogue import FIRST_LEGEND, TASK_FILE
from pentathlon_engines.tash_kalar.cards.faults import BadCard
from pentathlon_engines.tash_kalar.cards.patterns import HEROIC, LEGENDARY
from pentathlon_engines.tash_kalar.state import TashKalarPosition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Final

    Test = Callable[[TashKalarPosition, "Counts", int], bool]
    """Tests whether a seat's position meets these numbers."""
    Crossing = tuple[int, int, tuple[int, ...]]
    """Two groups of squares, and the lines between them."""

COLOURED: Final[int] = COLOURS["colored"]
_ONE_ON_EACH: Final = 2
"""The number of upgraded pieces needed to have some on both colours."""
_FILE: Final = (1 << SIDE) - 1
_RANK: Final[int] = mask(range(0, GRID, SIDE))
_ASIDE: Final = SIDE + 1
"""From a square to the next one on a diagonal."""
_COLOURS: Final[dict[str | None, int]] = {"red": RED, "green": GREEN, "any": COLOURED, None: 0}
_CENTRAL: Final[int] = named(RULES["central"])
_CROSSES: Final = (BIT[CENTRE] | ORTHOGONAL[CENTRE], BIT[CENTRE] | DIAGONAL[CENTRE])
_DIAGONALS: Final = tuple(named(names) for names in RULES["diagonals"])
_SIDES: Final = {name: named(names) for name, names in RULES["sides"].items()}
_CORNERS: Final = {name: named(names) for name, names in RULES["corners"].items()}
_SIDE_PAIRS: Final = ((_SIDES["w"], _SIDES["e"]), (_SIDES["s"], _SIDES["n"]))
_CORNER_PAIRS: Final = ((_CORNERS["sw"], _CORNERS["ne"]), (_CORNERS["nw"], _CORNERS["se"]))
_MIDDLE: Final = tuple(FILES.index(name[0]) for name in RULES["central"][:3])
_LINES: Final[tuple[int, ...]] = (
    *(_RANK << middle & ALL for middle in _MIDDLE),
    *(_FILE << SIDE * middle & ALL for middle in _MIDDLE),
)


def _fewest(pairs: tuple[tuple[int, int], ...]) -> int:
    """Return the minimum number of pieces of a chain between one of the pairs of groups."""
    reached = [start for start, _ in pairs]
    pieces = 1
    while not any(there & end for there, (_, end) in zip(reached, pairs, strict=True)):
        reached = [there | spread(there) for there in reached]
        pieces += 1
    return pieces


_ACROSS: Final = _fewest(_SIDE_PAIRS)
_ASLANT: Final = _fewest(_CORNER_PAIRS)


def _crossings(pairs: tuple[tuple[int, int], ...]) -> tuple[Crossing, ...]:
    """Return groups with the files and ranks that every chain between them must touch."""
    return tuple([(start, end, _between(start, end)) for start, end in pairs])


def _between(start: int, end: int) -> tuple[int, ...]:
    """Return the lines that no chain can jump over."""
    found: list[int] = []
    for axis, (line, step) in enumerate(((_FILE, SIDE), (_RANK, 1))):
        ones = [divmod(square, SIDE)[axis] for square in bits(start)]
        others = [divmod(square, SIDE)[axis] for square in bits(end)]
        nearest = min(max(ones), max(others)), max(min(ones), min(others))
        found += [line << step * at & ALL for at in range(nearest[0], nearest[1] + 1)]
    return tuple(found)


_SIDE_CROSSINGS: Final = _crossings(_SIDE_PAIRS)
_CORNER_CROSSINGS: Final = _crossings(_CORNER_PAIRS)


class Counts:
    """The numbers of a condition, and the test that uses them."""

    __slots__ = ("colour", "count", "more", "test", "total")

    def __init__(self, test: Test, *, total: int, more: int, count: int, colour: int) -> None:
        self.test = test
        self.total = total
        """The number of pieces, destroyed pieces or summoned beings."""
        self.more = more
        """How many of them must be upgraded, or beings that must be legendary."""
        self.count = count
        """How many must be legendary, or summoned on the colour."""
        self.colour = colour


_OPEN: Final[dict[int, list[tuple[int, Counts]]]] = {}
"""A cache of the requirements of current tasks, by mask: a few thousand at most."""


def is_satisfied(state: TashKalarPosition, task: int, seat: int) -> bool:
    """Return whether a seat has fulfilled a task at the end of its turn."""
    counts = _CONDITIONS[task]
    return counts.test(state, counts, seat)


def add_claims(state: TashKalarPosition, found: list[int]) -> None:
    """Add the claims of current tasks that the active seat has fulfilled."""
    current, seat = state.current, state.active
    tests = _OPEN.get(current)
    if tests is None:
        tests = _OPEN[current] = [(task, _CONDITIONS[task]) for task in bits_of(current)]
    for task, counts in tests:
        if counts.test(state, counts, seat):
            found.append(CLAIMS[task])


def _has_destroyed(state: TashKalarPosition, counts: Counts, seat: int) -> bool:
    destroyed = state.destroyed
    upgraded = destroyed[HEROIC] + destroyed[LEGENDARY]
    return destroyed[0] + upgraded >= counts.total and upgraded >= counts.more


def _has_destroyed_great(state: TashKalarPosition, counts: Counts, seat: int) -> bool:
    destroyed = state.destroyed
    return destroyed[LEGENDARY] >= counts.count or destroyed[HEROIC] >= counts.total


def _stands_on_colour(state: TashKalarPosition, counts: Counts, seat: int) -> bool:
    if state.count_upgraded(seat) < counts.more:  # most often, and counted already
        return False
    colour = counts.colour
    return (
        (state.own(seat) & colour).bit_count() >= counts.total
        and (state.upgraded(seat) & colour).bit_count() >= counts.more
        and (state.of_rank(seat, LEGENDARY) & colour).bit_count() >= counts.count
    )


def _dominates_colours(state: TashKalarPosition, counts: Counts, seat: int) -> bool:
    if state.count_upgraded(seat) < _ONE_ON_EACH:
        return False
    mine, theirs = state.upgraded(seat), state.upgraded(1 - seat)
    for colour in (RED, GREEN):  # asked in every turn, and a generator is slower
        if (mine & colour).bit_count() <= (theirs & colour).bit_count():
            return False
    return True


def _has_summoned(state: TashKalarPosition, counts: Counts, seat: int) -> bool:
    if len(state.summoned) < counts.total:
        return False
    legends = on_colour = 0
    for summoning in state.summoned:
        card, square = divmod(summoning, GRID)
        legends += card >= FIRST_LEGEND or state.raised >> card & 1
        on_colour += counts.colour >> square & 1
    return legends >= counts.more and on_colour >= counts.count


def _dominates_centre(state: TashKalarPosition, counts: Counts, seat: int) -> bool:
    if state.count_upgraded(seat) < counts.more:
        return False
    return (state.own(seat) & _CENTRAL).bit_count() >= counts.total and (
        state.upgraded(seat) & _CENTRAL
    ).bit_count() >= counts.more


def _has_cross(state: TashKalarPosition, counts: Counts, seat: int) -> bool:
    if not state.board[CENTRE]:
        return False
    own = state.own(seat)
    for cross in _CROSSES:  # noqa: SIM110  # no generator, as above
        if own & cross == cross:
            return True
    return False


def _dominates_line(state: TashKalarPosition, counts: Counts, seat: int) -> bool:
    own, enemy = state.own(seat), state.own(1 - seat)
    for line in _LINES:
        more = (own & line).bit_count() - counts.total
        if more >= 0 and (enemy & line).bit_count() <= more:
            return True
    return False


def _has_diagonals(state: TashKalarPosition, counts: Counts, seat: int) -> bool:
    own, upgraded = state.own(seat), state.upgraded(seat)
    return all(
        (own & line).bit_count() >= counts.total and (upgraded & line).bit_count() >= counts.more
        for line in _DIAGONALS
    )


def _joins_sides(state: TashKalarPosition, counts: Counts, seat: int) -> bool:
    return state.count(seat) >= _ACROSS and _has_chain(state.own(seat), _SIDE_CROSSINGS)


def _joins_corners(state: TashKalarPosition, counts: Counts, seat: int) -> bool:
    return state.count(seat) >= _ASLANT and _has_chain(state.own(seat), _CORNER_CROSSINGS)


def _has_chain(own: int, crossings: tuple[Crossing, ...]) -> bool:
    for start, end, between in crossings:  # noqa: SIM110  # no generator, as above
        if _is_chain(own, start, end, between):
            return True
    return False


def _is_chain(own: int, start: int, end: int, between: tuple[int, ...]) -> bool:
    """Return whether adjacent pieces lead from one group of squares to another."""
    for line in between:  # most often one of them is free
        if not own & line:
            return False
    reached = 0
    new = own & start
    while new and not new & end:
        reached |= new
        new = spread(new) & own & ~reached
    return new != 0


def _surrounds(state: TashKalarPosition, counts: Counts, seat: int) -> bool:
    own = state.own(seat)
    # At most two of eight neighbours may be missing, so of any three lines through the piece one
    # has own pieces on both sides.
    lined = own << 1 & own >> 1 | own << SIDE & own >> SIDE | own << _ASIDE & own >> _ASIDE
    for square in bits(state.own(1 - seat) & lined):  # no generator, as above
        if (ADJACENT[square] & own).bit_count() >= counts.total:
            return True
    return False


def _isolates(state: TashKalarPosition, counts: Counts, seat: int) -> bool:
    """Return whether an enemy piece has another one near but cannot reach any (11.4)."""
    enemies, empty = state.own(1 - seat), state.free()
    return any(
        WITHIN[counts.total][square] & enemies
        and not _comes_to_another(square, enemies ^ BIT[square], empty, counts.count)
        for square in bits(enemies)
    )


def _comes_to_another(square: int, others: int, empty: int, moves: int) -> bool:
    beside = spread(others)
    reached = BIT[square]
    for _ in range(moves):
        if reached & beside:
            return True
        reached |= spread(reached) & empty
    return reached & beside != 0


_TESTS: Final[dict[str, Test]] = {
    "destroyed": _has_destroyed,
    "destroyed_any_of": _has_destroyed_great,
    "on_color": _stands_on_colour,
    "rainbow": _dominates_colours,
    "summoned": _has_summoned,
    "central": _dominates_centre,
    "center_cross": _has_cross,
    "line": _dominates_line,
    "diagonals": _has_diagonals,
    "side_chain": _joins_sides,
    "corner_chain": _joins_corners,
    "surround": _surrounds,
    "isolation": _isolates,
}
_WORDS: Final = {
    "total": ("total", "heroic", "beings", "margin", "each", "distance"),
    "more": ("upgraded", "legends", "upgraded_each"),
    "count": ("legendary", "on_count", "moves"),
    "colour": ("color", "on"),
}


def compile_condition(task: str, data: dict[str, Any]) -> Counts:
    """Return a task's condition as numbers, or raise `BadCard` with its name."""
    data = dict(data)
    kind = data.pop("kind", None)
    if kind not in _TESTS:
        raise BadCard(task, f"its condition has an unknown kind {kind!r}")
    colour = _COLOURS[data.pop(next((w for w in _WORDS["colour"] if w in data), ""), None)]
    numbers: dict[str, int] = {}
    for name in ("total", "more", "count"):
        word = next((word for word in _WORDS[name] if word in data), "")
        numbers[name] = data.pop(word, 0)
    if data:
        raise BadCard(task, f"its condition has unknown words {', '.join(sorted(data))}")
    return Counts(_TESTS[kind], colour=colour, **numbers)


_CONDITIONS: Final = [
    compile_condition(task["id"], task["condition"]) for task in TASK_FILE["cards"]
]
POINTS: Final[tuple[int, ...]] = tuple(task["points"] for task in TASK_FILE["cards"])
_TYPES: Final = tuple(dict.fromkeys(task["type"] for task in TASK_FILE["cards"]))
TYPE_OF: Final[tuple[int, ...]] = tuple(_TYPES.index(task["type"]) for task in TASK_FILE["cards"])
IS_ADVANCED: Final[tuple[bool, ...]] = tuple(task["advanced"] for task in TASK_FILE["cards"])
TASKS: Final = len(TASK_IDS)
CURRENT: Final[int] = RULES["current_tasks"]
_MOST_OF_A_TYPE: Final[int] = RULES["most_of_a_type"]


def is_mixed(tasks: list[int]) -> bool:
    """Return whether the open tasks respect the limit per type (4.2, 11.2)."""
    types = [TYPE_OF[task] for task in tasks]
    return all(types.count(kind) <= _MOST_OF_A_TYPE for kind in types)
