"""What effects are made of, for the oracle of Tash-Kalar: choices, moves, shots and changes.

An effect is a generator: it yields the texts a seat may choose from and is sent the one chosen.
"""

from collections.abc import Callable, Generator, Iterable
from typing import Any, NamedTuple

from tests.engines.tash_kalar.oracle.arena import Arena
from tests.engines.tash_kalar.oracle.cards import (
    COMMON,
    DIRECTIONS,
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
"""A part of an effect; what it returns differs from part to part."""


class Moved(NamedTuple):
    """A move that was made."""

    piece: Piece
    start: str
    end: str
    captured: str | None
    """The rank of the piece that stood there; None for an empty square."""
    equal: bool

    @property
    def way(self) -> str:
        return way_of(self.start, self.end)


class Effect:
    """One card at work for a seat."""

    def __init__(
        self,
        arena: Arena,
        seat: int,
        match: Match | None = None,
        being: Piece | None = None,
        *,
        onto: int | None = None,
    ) -> None:
        self.arena = arena
        self.board = arena.board
        self.seat = seat
        self.match = match
        self.being = being
        self.onto = onto
        self.square = match.square if match else ""
        self.used = (
            [arena.board[t] for t in match.needs if t != match.square and t in arena.board]
            if match
            else []
        )
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
            self.arena.count(piece.rank)
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

    def convert(self, squares: Iterable[str], to: str | None, *, may: bool = True) -> Asked:
        """6.4; an equal rank if none is said."""
        fit = [t for t in squares if self.arena.supply(self.seat, to or self.board[t].rank)]
        there = yield from self.target("convert", fit, may=may)
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

    def move(self, options: Iterable[tuple[str, str]], *, may: bool = True) -> Asked:
        """Ask for one of these moves; return it or None."""
        listed = list(options)
        made = yield from self.moves(lambda made: listed, 1, may=may)
        return made[0] if made else None

    def shift(self, start: str, end: str) -> Moved:
        """Move or leap a piece; what stands there is destroyed (6.1)."""
        captured = self.kill(end).rank if end in self.board else None
        piece = self.board[end] = self.board.pop(start)
        return Moved(piece, start, end, captured, captured == piece.rank)

    def leap_self(self, squares: Iterable[str] = SQUARES, *, may: bool = True) -> Asked:
        """A combat leap of the being; return it or None."""
        start = self.here
        if start is None:
            return None
        ends = [end for end in squares if end != start and self.may_hit(start, end)]
        end = yield from self.target("leap", ends, may=may)
        return self.shift(start, end) if end else None

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

    def indicated(self, made: list[Moved]) -> list[tuple[str, str]]:
        """Combat moves of the being, the first in an indicated direction of the match."""
        ways = self.match.ways if self.match else []
        return [move for move in self.combat(self.alone()) if made or way_of(*move) in ways]

    def throw_flare(self) -> Asked:
        """Return whether the flare in hand was thrown away."""
        hand = self.arena.hands[self.seat]
        if not hand["flare"] or not (yield from self.ask(["opt throw_flare"], may=True)):
            return False
        self.arena.played["flares"].append(hand["flare"])
        hand["flare"] = None
        return True

    def counts_as_legend(self) -> None:
        """18.2.3"""
        self.arena.summoned[-1]["as_legend"] = True
        self.arena.score_legend(self.seat)

    def non_legends(self, squares: Iterable[str], owner: Iterable[str]) -> list[str]:
        """Those of the squares that hold one of these, but no legendary piece."""
        held = set(owner)
        return [t for t in squares if t in held and self.board[t].rank in NO_LEGEND]
