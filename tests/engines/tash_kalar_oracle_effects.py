"""What effects are made of, for the oracle of Tash-Kalar: choices, moves, shots and changes.

An effect is a generator: it yields the texts a seat may choose from and is sent the one chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from typing import Any, NamedTuple

from tests.engines.tash_kalar_oracle_cards import (
    COMMON,
    DIRECTIONS,
    HEROIC,
    LEGENDARY,
    NO_LEGEND,
    RANKS,
    SLANTED,
    SQUARES,
    STRAIGHT,
    Match,
    Piece,
    around,
    is_lower,
    ray,
    way_of,
    within,
)

Asked = Generator[list[str], str, Any]
"""A part of an effect: what it returns differs."""


class Moved(NamedTuple):
    """A move that was made."""

    piece: Piece
    start: str
    end: str
    captured: str | None
    """The rank of what stood there."""
    equal: bool

    @property
    def way(self) -> str:
        return way_of(self.start, self.end)


class Arena:
    """The board with its pieces, what is destroyed, and what the turn grants."""

    def __init__(self, *, is_high: bool) -> None:
        self.board: dict[str, Piece] = {}
        self.is_high = is_high
        self.two_sided = 17 if is_high else 16
        self.destroyed: dict[str, int] = dict.fromkeys(RANKS, 0)
        self.actions_left = 0
        self.permissions: set[str] = set()
        self.extra = {"beings": 0, "legends": 0}
        self.gateway: Piece | None = None
        self.hands: list[dict[str, Any]] = [
            {"beings": [], "legends": [], "flare": None} for _ in (0, 1)
        ]
        self.played: dict[str, Any] = {"beings": [[], []], "legends": [], "flares": []}
        self.points = [0, 0]
        self.summoned: list[dict[str, Any]] = []
        self.discards: list[list[str]] = [[], []]
        self.decks: dict[str, Any] = {"beings": [[], []]}
        self.taken = [0, 0]
        self.step: int | None = None
        self.events: list[tuple[int, str]] = []

    def tell(self, seat: int, text: str) -> None:
        """Note what a seat or chance did."""
        self.events.append((seat, text))

    def score_legend(self, seat: int) -> None:
        """10.3"""
        self.points[seat] += not self.is_high

    def supply(self, owner: int, rank: str) -> int:
        """2.3"""
        legendary = rank == LEGENDARY
        used = [
            piece
            for piece in self.board.values()
            if piece.owner == owner and (piece.rank == LEGENDARY) == legendary
        ]
        return (3 if legendary else self.two_sided) - len(used)

    def square(self, piece: Piece) -> str | None:
        """Return where a piece stands, None if it is gone."""
        return next((there for there, other in self.board.items() if other is piece), None)

    def gate(self) -> list[str]:
        """Return the square of the Gateway, none if there is no Gateway (18.2)."""
        there = self.square(self.gateway) if self.gateway else None
        return [there] if there else []

    def find(self, owners: Iterable[int], ranks: Iterable[str] = RANKS) -> list[str]:
        """Return the squares of these pieces."""
        owners, ranks = list(owners), list(ranks)
        return [
            there
            for there in SQUARES
            if (piece := self.board.get(there)) and piece.owner in owners and piece.rank in ranks
        ]

    def empty(self) -> list[str]:
        """Return the squares without a piece."""
        return [there for there in SQUARES if there not in self.board]

    def can_upgrade(self, there: str) -> bool:
        """6.3"""
        piece = self.board[there]
        if piece.rank == HEROIC:
            return self.supply(piece.owner, LEGENDARY) > 0
        return piece.rank == COMMON

    def can_downgrade(self, there: str) -> bool:
        """6.3"""
        piece = self.board[there]
        if piece.rank == LEGENDARY:
            return self.supply(piece.owner, HEROIC) > 0
        return piece.rank == HEROIC

    def upgrade(self, there: str) -> Piece:
        piece = self.board[there]
        piece.rank = RANKS[RANKS.index(piece.rank) + 1]
        if piece is self.gateway and piece.rank == LEGENDARY:
            self.gateway = None
        return piece

    def downgrade(self, there: str) -> Piece:
        piece = self.board[there]
        piece.rank = RANKS[RANKS.index(piece.rank) - 1]
        return piece


class Effect:
    """One card at work for a seat."""

    def __init__(
        self, arena: Arena, seat: int, match: Match | None = None, being: Piece | None = None
    ) -> None:
        self.arena = arena
        self.board = arena.board
        self.seat = seat
        self.match = match
        self.being = being
        self.square = match.square if match else ""
        self.used = [arena.board[t] for t in match.needs if t != match.square] if match else []
        self.marked = match.marked if match else []
        self.marked_empty = bool(self.marked) and self.marked[0] not in arena.board
        self.pile_empty = not arena.discards[seat]
        self.goes_under = False

    @property
    def here(self) -> str | None:
        """The square of the being now, None if it is gone (7.10)."""
        return self.arena.square(self.being) if self.being else None

    def at(self, step: int) -> None:
        """Begin a step of the card."""
        self.arena.step = step

    def own(self, *ranks: str) -> list[str]:
        return self.arena.find([self.seat], ranks or RANKS)

    def enemy(self, *ranks: str) -> list[str]:
        return self.arena.find([1 - self.seat], ranks or RANKS)

    def any(self, *ranks: str) -> list[str]:
        return self.arena.find([0, 1], ranks or RANKS)

    def others(self, *ranks: str) -> list[str]:
        """Own pieces but the being."""
        return [there for there in self.own(*ranks) if there != self.here]

    def near(self, ways: Iterable[str] = DIRECTIONS) -> list[str]:
        """The squares beside the being (6.6)."""
        return around(self.here, ways) if self.here else []

    def straight(self) -> list[str]:
        return self.near(STRAIGHT)

    def slanted(self) -> list[str]:
        return self.near(SLANTED)

    def within(self, far: int) -> list[str]:
        return within(self.here, far) if self.here else []

    def ask(self, texts: Iterable[str], *, may: bool) -> Asked:
        """Ask for one text, or None if declined or if there is nothing to do (16.3)."""
        listed = sorted(set(texts))
        if not listed:
            return None
        if len(listed) == 1 and not may:
            self.arena.tell(self.seat, listed[0])
            return listed[0]
        text = yield sorted([*listed, "pass"]) if may else listed
        return None if text == "pass" else text

    def target(self, word: str, squares: Iterable[str], *, may: bool) -> Asked:
        """Ask for a square."""
        text = yield from self.ask([f"{word} {there}" for there in squares], may=may)
        return text.split()[1] if text else None

    def kill(self, there: str, *, counts: bool = True) -> Piece:
        """6.4, 10.1"""
        piece = self.board.pop(there)
        if piece.owner != self.seat and counts:
            self.arena.destroyed[piece.rank] += 1
        return piece

    def kill_all(self, squares: Iterable[str], *, counts: bool = True) -> int:
        """8.2"""
        listed = set(squares)
        for there in listed:
            self.kill(there, counts=counts)
        return len(listed)

    def destroy(self, squares: Iterable[str], *, may: bool) -> Asked:
        """Return the piece destroyed and its square, or None."""
        there = yield from self.target("destroy", squares, may=may)
        return (self.kill(there), there) if there else None

    def upgrade(self, squares: Iterable[str], *, may: bool) -> Asked:
        """Return the piece upgraded, or None."""
        fit = [there for there in squares if self.arena.can_upgrade(there)]
        there = yield from self.target("upgrade", fit, may=may)
        return self.arena.upgrade(there) if there else None

    def upgrade_self(self) -> Asked:
        yield from self.upgrade(self.alone(), may=False)

    def placeable(self, squares: Iterable[str], owner: int, rank: str = COMMON) -> list[str]:
        """6.5"""
        return [t for t in squares if t not in self.board and self.arena.supply(owner, rank)]

    def place(
        self, squares: Iterable[str], *, may: bool, rank: str = COMMON, enemy: bool = False
    ) -> Asked:
        """Return the square on which a piece was placed, or None."""
        owner = 1 - self.seat if enemy else self.seat
        there = yield from self.target("place", self.placeable(squares, owner, rank), may=may)
        if there:
            self.board[there] = Piece(owner, rank)
        return there

    def put(self, there: str) -> None:
        """Put down an own common."""
        self.board[there] = Piece(self.seat, COMMON)

    def convert(self, squares: Iterable[str], to: str | None) -> Asked:
        """6.4; an equal rank if none is said."""
        fit = [t for t in squares if self.arena.supply(self.seat, to or self.board[t].rank)]
        there = yield from self.target("convert", fit, may=True)
        if there:
            self.swap(there, to)

    def swap(self, there: str, to: str | None) -> None:
        gone = self.kill(there)
        self.board[there] = Piece(self.seat, to or gone.rank)

    def standard(self, movers: Iterable[str]) -> list[tuple[str, str]]:
        """6.2"""
        return [
            (start, end)
            for start in movers
            for end in around(start)
            if end not in self.board or is_lower(self.board[end].rank, self.board[start].rank)
        ]

    def combat(self, movers: Iterable[str]) -> list[tuple[str, str]]:
        """6.2"""
        return [(s, e) for s in movers for e in around(s) if self.may_hit(s, e)]

    def may_hit(self, start: str, end: str) -> bool:
        """Whether it would be a combat move, leap or not."""
        return end not in self.board or not is_lower(self.board[start].rank, self.board[end].rank)

    def onto_empty(self, movers: Iterable[str]) -> list[tuple[str, str]]:
        return [(s, e) for s in movers for e in around(s) if e not in self.board]

    def alone(self) -> list[str]:
        """The being's square as a list of movers."""
        return [self.here] if self.here else []

    def is_gateway(self) -> bool:
        return self.being is not None and self.being is self.arena.gateway

    def become_gateway(self, there: str) -> None:
        self.arena.gateway = self.board[there]

    def near_gate(self) -> list[str]:
        """The squares beside the Gateway."""
        return [there for gate in self.arena.gate() for there in around(gate)]

    def moves(
        self,
        allowed: Callable[[list[Moved]], list[tuple[str, str]]],
        most: int | None = None,
        *,
        may: bool = True,
    ) -> Asked:
        """Ask for move after move of those allowed after the ones made, and return all made."""
        made: list[Moved] = []
        while most is None or len(made) < most:
            texts = [f"move {start} {end}" for start, end in allowed(made)]
            text = yield from self.ask(texts, may=may)
            if text is None:
                break
            _, start, end = text.split()
            made.append(self.shift(start, end))
        return made

    def shift(self, start: str, end: str) -> Moved:
        """Move or leap a piece; what stands there is destroyed (6.1)."""
        captured = self.kill(end).rank if end in self.board else None
        piece = self.board[end] = self.board.pop(start)
        return Moved(piece, start, end, captured, captured == piece.rank)

    def leap_self(self, squares: Iterable[str] = SQUARES, *, may: bool = True) -> Asked:
        """A combat leap of the being; return whether it was done."""
        start = self.here
        if start is None:
            return False
        ends = [end for end in squares if end != start and self.may_hit(start, end)]
        end = yield from self.target("leap", ends, may=may)
        if end:
            self.shift(start, end)
        return end is not None

    def gain(self, actions: int) -> None:
        """5.4"""
        self.arena.actions_left += actions

    def victims(
        self,
        way: str,
        *,
        ranks: Iterable[str] = RANKS,
        first: int = 99,
        blockers: Iterable[str] = (),
        reach: int = 99,
    ) -> list[str]:
        """What a shot from the being would hit."""
        found: list[str] = []
        for there in ray(self.here, way)[:reach] if self.here else []:
            rank = self.board[there].rank if there in self.board else ""
            if rank in blockers or len(found) == first:
                break
            if rank in ranks:
                found.append(there)
        return found

    def shoot(self, ways: Iterable[str], **how: Any) -> Asked:  # how: as in `victims`
        """An optional shot."""
        hit = {way: self.victims(way, **how) for way in ways}
        way = yield from self.target("dir", [way for way, there in hit.items() if there], may=True)
        if way:
            self.kill_all(hit[way])
        return way is not None

    def in_budget(self, made: list[Moved], movers: list[str]) -> list[tuple[str, str]]:
        """One combat move and else standard ones (budget, and)."""
        if any(move.equal for move in made):
            return self.standard(movers)
        return self.combat(movers)

    def one_or_two(self, made: list[Moved], movers: list[str]) -> list[tuple[str, str]]:
        """Either a combat move or two standard ones (budget, or)."""
        if not made:
            return self.combat(movers)
        return [] if made[0].equal else self.standard(movers)

    def keep_on(self, made: list[Moved], options: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """Only moves in the direction of the first."""
        return [move for move in options if not made or way_of(*move) == made[0].way]

    def non_legends(self, squares: Iterable[str], owner: Iterable[str]) -> list[str]:
        """Those of the squares that hold one of these, but no legendary piece."""
        held = set(owner)
        return [t for t in squares if t in held and self.board[t].rank in NO_LEGEND]
