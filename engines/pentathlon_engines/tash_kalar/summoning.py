"""Legal summonings (7)."""

from __future__ import annotations

from pentathlon_engines.contract.bits import IS_COMPILED, count_bits
from pentathlon_engines.contract.compiler import mypyc_attr
from pentathlon_engines.tash_kalar.actions import PICKUPS, SUMMON_TABLE, SUMMONS
from pentathlon_engines.tash_kalar.board import (
    BIT,
    COLOURED,
    LOW_WORD,
    WORD,
    add_bits,
    bits,
    listed,
    listed_words,
    mask,
    nth_square,
)
from pentathlon_engines.tash_kalar.cards.catalogue import MOST_CELLS, PATTERNS, RANK_OF
from pentathlon_engines.tash_kalar.cards.patterns import (
    COMMON,
    HEROIC,
    LEGENDARY,
    MOST_VOIDS,
    Pattern,
    Shape,
    matches,
    matches_with_enemy,
)
from pentathlon_engines.tash_kalar.cards.stencils import HIGH, SEEN, Strip, lay, lay_all
from pentathlon_engines.tash_kalar.constants import LEGENDARIES, RANKS_EACH
from pentathlon_engines.tash_kalar.seat_pieces import (
    ALL_HIGH,
    ALL_LOW,
    SeatPieces,
    joined,
    nth_in_words,
)
from pentathlon_engines.tash_kalar.state import TashKalarPosition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from pentathlon_engines.contract.compiler import i64

    Summons = list[tuple[int, int]]
    """Indices of tables in `SUMMONS` with the squares of each, at least one."""

FEW: Final[int] = MOST_CELLS + max(LEGENDARIES)
"""With more own pieces than this, some are commons or heroics that a pattern does not need."""
_OVERLAP: Final[int] = (1 << SEEN - WORD) - 1
"""The squares of the high word that the low window sees."""


@mypyc_attr(acyclic=True, free_list_len=1)
class Windows:
    """The pieces that fill or block patterns, in the two windows of the stencils.

    The windows overlap, so that each pattern fits into one of them wherever it lies.
    """

    __slots__ = (
        "great_high",
        "great_low",
        "heroics",
        "high",
        "high_upgraded",
        "is_scarce",
        "low",
        "low_upgraded",
        "pieces",
        "side",
        "upgraded_high",
        "upgraded_low",
    )

    low: i64
    high: i64
    low_upgraded: i64
    high_upgraded: i64
    upgraded_low: i64
    upgraded_high: i64
    great_low: i64
    great_high: i64
    pieces: i64
    heroics: i64
    """The numbers of all pieces and of upgraded ones."""

    def __init__(self, state: TashKalarPosition) -> None:
        seat = 1 - state.active if state.possessed else state.active
        side, other = state.sides[seat], state.sides[1 - seat]
        self.side: SeatPieces = side
        self.low = side.low | (side.high & _OVERLAP) << WORD
        self.high = side.low >> HIGH | side.high << WORD - HIGH
        self.low_upgraded = side.upgraded_low | (side.upgraded_high & _OVERLAP) << WORD
        self.high_upgraded = side.upgraded_low >> HIGH | side.upgraded_high << WORD - HIGH
        self.upgraded_low = side.upgraded_low | other.upgraded_low
        self.upgraded_high = side.upgraded_high | other.upgraded_high
        self.great_low = side.legendary_low | other.legendary_low
        self.great_high = side.legendary_high | other.legendary_high
        self.pieces, self.heroics = side.pieces, side.upgraded
        self.is_scarce: bool = (
            side.pieces <= FEW or state.possessed or state.legendaries(state.active) <= 0
        )
        """Whether a being may lack a piece."""

    def matches_at(self, shape: Shape, square: i64) -> bool:
        """Return whether all cells of a shape around this square are filled."""
        stencil = shape.stencil
        if square < SEEN:
            low: i64 = lay(stencil, stencil.low_places, self.low, self.low_upgraded)
            if low >> square & 1:
                return True
        if square < HIGH:
            return False
        high: i64 = lay(stencil, stencil.high_places, self.high, self.high_upgraded)
        return high >> square - HIGH & 1 != 0

    def has_pieces(self, pattern: Pattern) -> bool:
        """Return whether there are as many pieces as a pattern needs."""
        return self.pieces >= pattern.pieces and self.heroics >= pattern.heroics

    def count_summons(self, pattern: Pattern) -> i64:
        """Count the summonings of a being that is neither special nor short of a piece."""
        found: i64 = 0
        places: i64 = _count_tables(pattern)
        for place in range(places):
            low, high = self._squares_of(pattern, place)
            if low | high:
                found += count_bits(low) + count_bits(high)
        return found

    def nth_summons(self, card: int, n: i64) -> int:
        """Return the summoning at this index of those that `count_summons` counts."""
        pattern = PATTERNS[card]
        for place in range(_count_tables(pattern)):
            low, high = self._squares_of(pattern, place)
            here = count_bits(low) + count_bits(high)
            if n < here:
                return SUMMONS[SUMMON_TABLE[card] + place][nth_in_words(low, high, n)]
            n -= here
        raise IndexError(n)

    def add_summons(self, card: int, found: Summons) -> None:
        """Add the summonings of a being that is neither special nor short of a piece."""
        pattern = PATTERNS[card]
        for place in range(_count_tables(pattern)):
            low, high = self._squares_of(pattern, place)
            if low | high:
                found.append((SUMMON_TABLE[card] + place, joined(low, high)))

    def _squares_of(self, pattern: Pattern, place: i64) -> tuple[i64, i64]:
        """Return the squares where a being can be summoned, in one orientation if it matters."""
        low: i64
        high: i64
        if pattern.refs:
            stencil = pattern.stencils[place]
            low = lay(stencil, stencil.low_places, self.low, self.low_upgraded)
            high = lay(stencil, stencil.high_places, self.high, self.high_upgraded)
        else:
            own, upgraded = (self.low, self.high), (self.low_upgraded, self.high_upgraded)
            low, high = lay_all(pattern.stencils, own, upgraded)
        if not low | high:
            return 0, 0
        seen_low: i64 = (low | high << HIGH) & LOW_WORD
        return self._allowed(pattern, seen_low, low >> WORD | high >> WORD - HIGH)

    def _allowed(self, pattern: Pattern, low: i64, high: i64) -> tuple[i64, i64]:
        """Return those of some squares on which a being may stand (7.3)."""
        if pattern.rank == COMMON:
            low &= ~self.upgraded_low
            high &= ~self.upgraded_high
        elif pattern.rank == HEROIC:
            low &= ~self.great_low
            high &= ~self.great_high
        if pattern.requires == COMMON:
            low &= self.side.low
            high &= self.side.high
        elif pattern.requires == HEROIC:
            low &= self.side.upgraded_low
            high &= self.side.upgraded_high
        return low, high


def _count_tables(pattern: Pattern) -> i64:
    """Return the number of a being's tables of summonings; make its stencils if necessary."""
    if not pattern.stencils:
        pattern.make_stencils()
    return pattern.tables


def find_summons(state: TashKalarPosition) -> Summons:
    """Return the legal summonings of the active seat, in the order of its cards."""
    if IS_COMPILED:
        return find_in_words(state)
    first = RANKS_EACH * (1 - state.active if state.possessed else state.active)
    board, counts = state.pieces, state.counts
    upgraded = board[first + HEROIC] | board[first + LEGENDARY]
    own = board[first + COMMON] | upgraded
    heroics = counts[first + HEROIC] + counts[first + LEGENDARY]
    pieces = heroics + counts[first + COMMON]
    if state.war or state.voids:
        return _find_loose(state, pieces, heroics)
    found: Summons = []
    # Checked once for the whole hand: no being is short while there are more pieces than these.
    is_scarce = (
        pieces <= FEW
        or state.possessed
        or counts[first + LEGENDARY] >= state.stock[2 + state.active]
    )
    for card in state.hand(state.active).beings:
        pattern = PATTERNS[card]
        if pieces >= pattern.pieces and heroics >= pattern.heroics:
            strip = pattern.made or pattern.strip
            if matched := strip.lay(own, upgraded):
                if pattern.anywhere or (is_scarce and _is_short(state, card)):
                    _add_specially(state, card, found)
                else:
                    _add_matched(state, card, strip, matched, found)
    return found


def find_in_words(state: TashKalarPosition) -> Summons:
    """Return the result of `find_summons`, for compiled code."""
    windows = Windows(state)
    if state.war or state.voids:
        return _find_loose(state, windows.pieces, windows.heroics)
    found: Summons = []
    for card in state.hand(state.active).beings:
        pattern = PATTERNS[card]
        if windows.has_pieces(pattern):
            if _is_special(state, windows, card, pattern):
                _add_specially(state, card, found)
            else:
                windows.add_summons(card, found)
    return found


def count_summons(state: TashKalarPosition) -> int:
    """Return how many summonings are legal, for compiled code."""
    if state.war or state.voids:
        return _count(find_summons(state))
    windows = Windows(state)
    found: i64 = 0
    for card in state.hand(state.active).beings:
        found += _count_of(state, windows, card)
    return found


def _count_of(state: TashKalarPosition, windows: Windows, card: int) -> i64:
    pattern = PATTERNS[card]
    if not windows.has_pieces(pattern):
        return 0
    if _is_special(state, windows, card, pattern):
        return _count(_special_summons(state, card))
    return windows.count_summons(pattern)


def _is_special(state: TashKalarPosition, windows: Windows, card: int, pattern: Pattern) -> bool:
    """Return whether a being may stand anywhere, or is short of a piece."""
    return pattern.anywhere or (windows.is_scarce and _is_short(state, card))


def _special_summons(state: TashKalarPosition, card: int) -> Summons:
    found: Summons = []
    _add_specially(state, card, found)
    return found


def _count(summons: Summons) -> int:
    found = 0
    for _, squares in summons:
        found += squares.bit_count()
    return found


def nth_of_counted(state: TashKalarPosition, n: i64) -> int:
    """Return the summoning at this index of those that `count_summons` counts."""
    if state.war or state.voids:
        return nth_summons(find_summons(state), n)
    windows = Windows(state)
    for card in state.hand(state.active).beings:
        here = _count_of(state, windows, card)
        if n < here:
            if _is_special(state, windows, card, PATTERNS[card]):
                return nth_summons(_special_summons(state, card), n)
            return windows.nth_summons(card, n)
        n -= here
    raise IndexError(n)


def _find_loose(state: TashKalarPosition, pieces: int, heroics: int) -> Summons:
    """Return the summonings in which not only own pieces can serve (7.6, 18.3.7)."""
    found: Summons = []
    heroics += state.war
    pieces += state.war + (MOST_VOIDS if state.voids else 0)
    for card in state.hand(state.active).beings:
        if pieces >= PATTERNS[card].pieces and heroics >= PATTERNS[card].heroics:
            _add_loose(state, card, found)
    return found


def list_summons(state: TashKalarPosition) -> list[int]:
    """Return the summonings of the active seat in a new, unordered list."""
    found: list[int] = []
    if IS_COMPILED:
        for table, squares in find_summons(state):
            add_bits(squares, SUMMONS[table], found)
        return found
    for table, squares in find_summons(state):
        actions, left = SUMMONS[table], squares
        while left:  # in plain Python, a call of `add_bits` would cost a tenth more
            square = left.bit_length() - 1
            found.append(actions[square])
            left ^= BIT[square]
    return found


def nth_summons(summons: Summons, n: int) -> int:
    """Return the summoning at this index."""
    for table, squares in summons:
        here = squares.bit_count()
        if n < here:
            return SUMMONS[table][nth_square(squares, n)]
        n -= here
    raise IndexError(n)


def _is_short(state: TashKalarPosition, card: int) -> bool:
    """Return whether so few pieces can become the being that its pattern may need them all."""
    seat = state.active
    if RANK_OF[card] == LEGENDARY:
        sources = state.count_rank(seat, LEGENDARY)
        return sources <= PATTERNS[card].pieces and state.stock[2 + seat] <= sources
    sources = state.count_two_sided(seat)
    return sources <= PATTERNS[card].pieces and state.stock[seat] <= sources


def matching_seat(state: TashKalarPosition) -> int:
    """Return the seat whose pieces fill the patterns: the active one, unless possessed."""
    return 1 - state.active if state.possessed else state.active


def _add_matched(
    state: TashKalarPosition, card: int, strip: Strip, matched: int, found: Summons
) -> None:
    """Add the summonings of a being whose strip fits own pieces as in `matched`."""
    pattern, table = PATTERNS[card], SUMMON_TABLE[card]
    allowed = _squares_for(state, card) if pattern.requires >= 0 else state.up_to(RANK_OF[card])
    if pattern.refs:
        for place, squares in enumerate(strip.bands(matched)):
            if squares & allowed:
                found.append((table + place, squares & allowed))
    elif squares := strip.fold(matched) & allowed:
        found.append((table, squares))


def _add_loose(state: TashKalarPosition, card: int, found: Summons) -> None:
    """Add the summonings in which not only own pieces can serve (7.6, 18.3.7)."""
    if PATTERNS[card].anywhere or _is_short(state, card):
        _add_specially(state, card, found)
        return
    for place, squares in _places(state, card, _squares_for(state, card)):
        if squares:
            found.append((SUMMON_TABLE[card] + max(place, 0), squares))


def _add_specially(state: TashKalarPosition, card: int, found: Summons) -> None:
    """Add the summonings that are possible anywhere, or without a piece in supply."""
    if PATTERNS[card].anywhere:
        _add_anywhere(state, card, found)
    else:
        _add_short(state, card, found)


def _places(state: TashKalarPosition, card: int, allowed: int) -> list[tuple[int, int]]:
    """Return the summon squares per orientation of a being; -1 for all if it does not matter."""
    pattern = PATTERNS[card]
    squares = [_shape_matches(state, card, shape) & allowed for shape in pattern.shapes]
    if pattern.refs:
        return list(enumerate(squares))
    together = 0
    for part in squares:
        together |= part
    return [(-1, together)]


def _squares_for(state: TashKalarPosition, card: int) -> int:
    """Return the squares on which this being may stand, by their present pieces (7.3)."""
    allowed = state.up_to(RANK_OF[card])
    requires = PATTERNS[card].requires
    if requires < 0 or state.war or state.voids:
        return allowed
    whose = matching_seat(state)
    return allowed & (state.own(whose) if requires == COMMON else state.upgraded(whose))


def _war_matches(state: TashKalarPosition, card: int, shape: Shape) -> int:
    """Return the summon squares where a shape fits with at most one enemy piece (7.6)."""
    seat = state.active
    own = (state.own(seat), state.upgraded(seat))
    enemy = (state.own(1 - seat), state.upgraded(1 - seat))
    pure, mixed = matches_with_enemy(shape, own, enemy)
    requires = PATTERNS[card].requires
    if requires >= 0:
        mixed = (mixed & own[requires]) | (pure & enemy[requires])
        pure &= own[requires]
    return pure | mixed


def _void_matches(state: TashKalarPosition, card: int, shape: Shape) -> int:
    """Return the summon squares where a shape fits with at most two empty squares (18.3.7)."""
    own, upgraded = state.own(state.active), state.upgraded(state.active)
    empty = state.free()
    found = shape.with_empty(own, upgraded, empty)
    requires = PATTERNS[card].requires
    if requires == HEROIC:
        return found[MOST_VOIDS] & upgraded
    if requires == COMMON:
        return (found[MOST_VOIDS] & own) | (found[MOST_VOIDS - 1] & empty)
    return found[MOST_VOIDS]


def _add_anywhere(state: TashKalarPosition, card: int, found: Summons) -> None:
    """Add the summonings of a being whose pattern has no summon cell (18.3.6)."""
    shapes = PATTERNS[card].shapes
    squares = state.free() & ~COLOURED
    matched = squares and any(_shape_matches(state, card, shape) for shape in shapes)
    if matched and (state.in_supply(state.active, RANK_OF[card]) or spare(state, card, -1, -1)):
        found.append((SUMMON_TABLE[card], squares))


def _spare_anywhere(state: TashKalarPosition, card: int) -> int:
    """Return the own pieces that at least one fit of the pattern does not need."""
    needed = -1
    for shape in PATTERNS[card].shapes:
        for at in bits(_shape_matches(state, card, shape)):
            needed &= shape.cells_at(at)
    return of_type(state, card) & ~needed


def _shape_matches(state: TashKalarPosition, card: int, shape: Shape) -> int:
    """Return the summon squares where a shape fits, whatever is on them."""
    if state.war:
        return _war_matches(state, card, shape)
    if state.voids:
        return _void_matches(state, card, shape)
    whose = matching_seat(state)
    return matches(shape, state.own(whose), state.upgraded(whose))


def _add_short(state: TashKalarPosition, card: int, found: Summons) -> None:
    """Add the summonings that are possible without a piece in supply (7.5)."""
    allowed, table = _squares_for(state, card), SUMMON_TABLE[card]
    for place, squares in _places(state, card, allowed):
        can = mask([at for at in bits(squares) if _has_piece(state, card, at, place)])
        if can:
            found.append((table + max(place, 0), can))


def _has_piece(state: TashKalarPosition, card: int, square: int, place: int) -> bool:
    """Return whether the board can supply a piece for the being."""
    return stands_ready(state, card, square) or spare(state, card, square, place) != 0


def of_type(state: TashKalarPosition, card: int) -> int:
    """Return the own pieces on the board of the type that a being needs (2.2)."""
    if RANK_OF[card] == LEGENDARY:
        return state.of_rank(state.active, LEGENDARY)
    return state.two_sided_pieces(state.active)


def stands_ready(state: TashKalarPosition, card: int, square: int) -> bool:
    """Return whether the own piece on the summon square can become the being (7.5 a)."""
    kind = state.board[square] - 1 - RANKS_EACH * state.active
    return kind == LEGENDARY if RANK_OF[card] == LEGENDARY else COMMON <= kind <= HEROIC


def spare(state: TashKalarPosition, card: int, square: int, place: int) -> int:
    """Return the own pieces that may be picked up for a being (7.5 b).

    With an orientation, these are the pieces that the pattern does not use; without, those that at
    least one fit of the pattern does not need.
    """
    shapes = PATTERNS[card].shapes
    if PATTERNS[card].anywhere:
        return _spare_anywhere(state, card)
    if IS_COMPILED:
        low, high = _spare_in_words(state, card, square, place)
        return joined(low, high)
    if place >= 0:
        return of_type(state, card) & ~shapes[place].cells_at(square)
    needed = -1
    for shape in _shapes_at(state, card, square):
        needed &= shape.cells_at(square)
    return of_type(state, card) & ~needed


def _spare_in_words(
    state: TashKalarPosition, card: int, square: int, place: int
) -> tuple[i64, i64]:
    """Return the result of `spare` in words, for a being that may not stand anywhere."""
    side, pattern = state.sides[state.active], PATTERNS[card]
    low, high = side.legendary_low, side.legendary_high
    if pattern.rank < LEGENDARY:
        low, high = side.two_sided()
    shapes = [pattern.shapes[place]] if place >= 0 else _shapes_at(state, card, square)
    needed_low: i64 = ALL_LOW
    needed_high: i64 = ALL_HIGH
    for shape in shapes:
        cells_low, cells_high = shape.words_at(square)
        needed_low &= cells_low
        needed_high &= cells_high
    return low & ~needed_low, high & ~needed_high


def _shapes_at(state: TashKalarPosition, card: int, square: int) -> list[Shape]:
    """Return the shapes of a being that fit around a summon square."""
    pattern = PATTERNS[card]
    if state.war or state.voids:
        bit, shapes = BIT[square], pattern.shapes
        return [shape for shape in shapes if _shape_matches(state, card, shape) & bit]
    if IS_COMPILED:
        windows = Windows(state)
        return [shape for shape in pattern.shapes if windows.matches_at(shape, square)]
    whose, strip = matching_seat(state), pattern.strip
    matched = strip.lay(state.own(whose), state.upgraded(whose))
    return [pattern.shapes[band] for band in strip.bands_at(matched, square)]


def shortage_actions(state: TashKalarPosition) -> list[int]:
    """Return the pickups for the being that is being played."""
    if IS_COMPILED and not PATTERNS[state.card].anywhere:
        low, high = _spare_in_words(state, state.card, state.square, state.shape)
        return listed_words(low, high, PICKUPS)
    return listed(spare(state, state.card, state.square, state.shape), PICKUPS)
