"""The tasks of the High Form: their conditions and types (11)."""

from __future__ import annotations

from abc import abstractmethod

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
    mask,
    named,
    spread,
)
from pentathlon_engines.tash_kalar.cards.catalogue import FIRST_LEGEND, TASK_FILE
from pentathlon_engines.tash_kalar.cards.patterns import HEROIC, LEGENDARY, BadCard
from pentathlon_engines.tash_kalar.state import TashKalarPosition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    Crossing = tuple[int, int, tuple[int, ...]]
    """Two groups of squares and the lines between them."""

COLOURED: Final[int] = COLOURS["colored"]
_ONE_ON_EACH: Final = 2
"""The number of upgraded pieces needed to have one on each colour."""
_FILE: Final = (1 << SIDE) - 1
_RANK: Final[int] = mask(range(0, GRID, SIDE))
_ASIDE: Final = SIDE + 1
"""The difference between a square and the next one on a diagonal."""
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
    """Return pairs of groups with the files and ranks that every chain between them touches."""
    return tuple([(start, end, _between(start, end)) for start, end in pairs])


def _between(start: int, end: int) -> tuple[int, ...]:
    """Return the files and ranks that every chain between two groups must touch."""
    found: list[int] = []
    for axis, (line, step) in enumerate(((_FILE, SIDE), (_RANK, 1))):
        ones = [divmod(square, SIDE)[axis] for square in bits(start)]
        others = [divmod(square, SIDE)[axis] for square in bits(end)]
        nearest = min(max(ones), max(others)), max(min(ones), min(others))
        found += [line << step * at & ALL for at in range(nearest[0], nearest[1] + 1)]
    return tuple(found)


_SIDE_CROSSINGS: Final = _crossings(_SIDE_PAIRS)
_CORNER_CROSSINGS: Final = _crossings(_CORNER_PAIRS)
_NO_CLAIMS: Final[list[int]] = []


class Requirement:
    """The demands of a task as numbers; subclasses know what is counted."""

    __slots__ = ("colour", "count", "more", "total")

    def __init__(self, *, total: int, more: int, count: int, colour: int) -> None:
        self.total = total
        """The number of pieces, destroyed pieces or summoned beings."""
        self.more = more
        """How many of these pieces must be upgraded, or of these beings legendary."""
        self.count = count
        """How many must be legendary, or summoned on the colour."""
        self.colour = colour

    @abstractmethod
    def is_met(self, state: TashKalarPosition, seat: int) -> bool:
        """Return whether a seat's position meets these numbers."""


def is_satisfied(state: TashKalarPosition, task: int, seat: int) -> bool:
    """Return whether a seat has fulfilled a task at the end of its turn."""
    return _REQUIREMENTS[task].is_met(state, seat)


def list_claims(state: TashKalarPosition) -> list[int]:
    """Return the claims of current tasks that the active seat has fulfilled, a read-only list."""
    seat, found = state.active, _NO_CLAIMS
    for task in state.current:
        if _REQUIREMENTS[task].is_met(state, seat):
            found = [*found, CLAIMS[task]]
    return found


class _Destroyed(Requirement):
    """Enough enemy pieces, upgraded ones among them, were destroyed in this turn."""

    __slots__ = ()

    def is_met(self, state: TashKalarPosition, seat: int) -> bool:
        destroyed = state.destroyed
        upgraded = destroyed[HEROIC] + destroyed[LEGENDARY]
        return destroyed[0] + upgraded >= self.total and upgraded >= self.more


class _DestroyedGreat(Requirement):
    """A legendary piece, or enough heroic ones, were destroyed in this turn."""

    __slots__ = ()

    def is_met(self, state: TashKalarPosition, seat: int) -> bool:
        destroyed = state.destroyed
        return destroyed[LEGENDARY] >= self.count or destroyed[HEROIC] >= self.total


class _OnColour(Requirement):
    """Enough own pieces stand on squares of a colour."""

    __slots__ = ()

    def is_met(self, state: TashKalarPosition, seat: int) -> bool:
        if state.count_upgraded(seat) < self.more:  # the usual case, known without counting
            return False
        colour = self.colour
        return (
            (state.own(seat) & colour).bit_count() >= self.total
            and (state.upgraded(seat) & colour).bit_count() >= self.more
            and (state.of_rank(seat, LEGENDARY) & colour).bit_count() >= self.count
        )


class _BothColours(Requirement):
    """The seat has more upgraded pieces on each colour than its enemy."""

    __slots__ = ()

    def is_met(self, state: TashKalarPosition, seat: int) -> bool:
        if state.count_upgraded(seat) < _ONE_ON_EACH:
            return False
        mine, theirs = state.upgraded(seat), state.upgraded(1 - seat)
        for colour in (RED, GREEN):  # checked in every turn, and a generator is slower
            if (mine & colour).bit_count() <= (theirs & colour).bit_count():
                return False
        return True


class _Summoned(Requirement):
    """Enough beings were summoned in this turn."""

    __slots__ = ()

    def is_met(self, state: TashKalarPosition, seat: int) -> bool:
        if len(state.summoned) < self.total:
            return False
        legends = on_colour = 0
        for summoning in state.summoned:
            card, square = divmod(summoning, GRID)
            legends += card >= FIRST_LEGEND or state.raised >> card & 1
            on_colour += self.colour >> square & 1
        return legends >= self.more and on_colour >= self.count


class _Central(Requirement):
    """Enough own pieces stand on the central squares."""

    __slots__ = ()

    def is_met(self, state: TashKalarPosition, seat: int) -> bool:
        if state.count_upgraded(seat) < self.more:
            return False
        return (state.own(seat) & _CENTRAL).bit_count() >= self.total and (
            state.upgraded(seat) & _CENTRAL
        ).bit_count() >= self.more


class _CentreCross(Requirement):
    """All squares of a cross in the centre have own pieces."""

    __slots__ = ()

    def is_met(self, state: TashKalarPosition, seat: int) -> bool:
        if not state.board[CENTRE]:
            return False
        own = state.own(seat)
        for cross in _CROSSES:  # noqa: SIM110  # no generator, as above
            if own & cross == cross:
                return True
        return False


class _Line(Requirement):
    """A middle line has enough more own pieces than enemy ones."""

    __slots__ = ()

    def is_met(self, state: TashKalarPosition, seat: int) -> bool:
        own, enemy = state.own(seat), state.own(1 - seat)
        for line in _LINES:
            more = (own & line).bit_count() - self.total
            if more >= 0 and (enemy & line).bit_count() <= more:
                return True
        return False


class _Diagonals(Requirement):
    """Both long diagonals have enough own pieces."""

    __slots__ = ()

    def is_met(self, state: TashKalarPosition, seat: int) -> bool:
        own, upgraded = state.own(seat), state.upgraded(seat)
        return all(
            (own & line).bit_count() >= self.total and (upgraded & line).bit_count() >= self.more
            for line in _DIAGONALS
        )


class _SideChain(Requirement):
    """A chain of own pieces joins two opposite sides."""

    __slots__ = ()

    def is_met(self, state: TashKalarPosition, seat: int) -> bool:
        return state.count(seat) >= _ACROSS and _has_chain(state.own(seat), _SIDE_CROSSINGS)


class _CornerChain(Requirement):
    """A chain of own pieces joins two opposite corners."""

    __slots__ = ()

    def is_met(self, state: TashKalarPosition, seat: int) -> bool:
        return state.count(seat) >= _ASLANT and _has_chain(state.own(seat), _CORNER_CROSSINGS)


class _Surrounding(Requirement):
    """An enemy piece has enough adjacent own ones."""

    __slots__ = ()

    def is_met(self, state: TashKalarPosition, seat: int) -> bool:
        own = state.own(seat)
        # At most two of eight neighbours may be missing, so one of any three lines through the
        # piece has own pieces on both sides.
        lined = own << 1 & own >> 1 | own << SIDE & own >> SIDE | own << _ASIDE & own >> _ASIDE
        for square in bits(state.own(1 - seat) & lined):  # no generator, as above
            if (ADJACENT[square] & own).bit_count() >= self.total:
                return True
        return False


class _Isolation(Requirement):
    """An enemy piece has another one near but cannot reach any (11.4)."""

    __slots__ = ()

    def is_met(self, state: TashKalarPosition, seat: int) -> bool:
        enemies, empty = state.own(1 - seat), state.free()
        return any(
            WITHIN[self.total][square] & enemies
            and not _comes_to_another(square, enemies ^ BIT[square], empty, self.count)
            for square in bits(enemies)
        )


def _has_chain(own: int, crossings: tuple[Crossing, ...]) -> bool:
    for start, end, between in crossings:  # noqa: SIM110  # no generator, as above
        if _is_chain(own, start, end, between):
            return True
    return False


def _is_chain(own: int, start: int, end: int, between: tuple[int, ...]) -> bool:
    """Return whether adjacent pieces lead from one group of squares to another."""
    for line in between:  # usually one of these lines is free
        if not own & line:
            return False
    reached = 0
    new = own & start
    while new and not new & end:
        reached |= new
        new = spread(new) & own & ~reached
    return new != 0


def _comes_to_another(square: int, others: int, empty: int, moves: int) -> bool:
    beside = spread(others)
    reached = BIT[square]
    for _ in range(moves):
        if reached & beside:
            return True
        reached |= spread(reached) & empty
    return reached & beside != 0


_KINDS: Final[dict[str, type[Requirement]]] = {
    "destroyed": _Destroyed,
    "destroyed_any_of": _DestroyedGreat,
    "on_color": _OnColour,
    "rainbow": _BothColours,
    "summoned": _Summoned,
    "central": _Central,
    "center_cross": _CentreCross,
    "line": _Line,
    "diagonals": _Diagonals,
    "side_chain": _SideChain,
    "corner_chain": _CornerChain,
    "surround": _Surrounding,
    "isolation": _Isolation,
}
_WORDS: Final = {
    "total": ("total", "heroic", "beings", "margin", "each", "distance"),
    "more": ("upgraded", "legends", "upgraded_each"),
    "count": ("legendary", "on_count", "moves"),
    "colour": ("color", "on"),
}


def compile_condition(task: str, data: dict[str, Any]) -> Requirement:
    """Return a task's condition as numbers, or raise `BadCard` with its name."""
    data = dict(data)
    kind = data.pop("kind", None)
    if kind not in _KINDS:
        raise BadCard(task, f"its condition has an unknown kind {kind!r}")
    colour = _COLOURS[data.pop(next((w for w in _WORDS["colour"] if w in data), ""), None)]
    numbers: dict[str, int] = {}
    for name in ("total", "more", "count"):
        word = next((word for word in _WORDS[name] if word in data), "")
        numbers[name] = data.pop(word, 0)
    if data:
        raise BadCard(task, f"its condition has unknown words {', '.join(sorted(data))}")
    return _KINDS[kind](colour=colour, **numbers)


_REQUIREMENTS: Final = [
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
