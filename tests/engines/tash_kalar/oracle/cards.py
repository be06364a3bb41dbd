"""The board and the cards of Tash-Kalar as strings and drawings, for the oracle.

Squares are texts such as `e5`; patterns are read from their drawings. The numbers in comments are
those of the rules page.
"""

import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

DATA: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "data" / "tash_kalar.json").read_text(encoding="utf-8")
)
COMMON, HEROIC, LEGENDARY = RANKS = ("common", "heroic", "legendary")
NO_LEGEND = (COMMON, HEROIC)
MISSING = ["a1", "b1", "a2", "h1", "i1", "i2", "a8", "a9", "b9", "h9", "i9", "i8"]
SQUARES = sorted({f + r for f in "abcdefghi" for r in "123456789"} - set(MISSING))  # 1.1
RED = ["c2", "d8", "e5", "h4"]  # 1.2
GREEN = ["a5", "c7", "f2", "g7", "i6"]
COLORLESS = [there for there in SQUARES if there not in (*RED, *GREEN)]
DIRECTIONS = {
    "n": (0, 1), "ne": (1, 1), "e": (1, 0), "se": (1, -1),
    "s": (0, -1), "sw": (-1, -1), "w": (-1, 0), "nw": (-1, 1),
}  # 1.4  # fmt: skip
CLOCK = list(DIRECTIONS)
STRAIGHT, SLANTED = ("n", "e", "s", "w"), ("ne", "se", "sw", "nw")
TURNS = ("r0", "r90", "r180", "r270", "m0", "m90", "m180", "m270")
SCHOOLS = {
    "northern_imperial": "imperial",
    "southern_imperial": "imperial",
    "highland": "highland",
    "sylvan": "sylvan",
}
EXPANSIONS = {"etherweave": "etherweave", "everfrost": "everfrost", "nethervoid": "nethervoid"}
DECKS = SCHOOLS | EXPANSIONS
"""The deck of each school (3.1)."""


class Piece:
    """One piece; two pieces are never the same, however alike they look (8.4)."""

    def __init__(self, owner: int, rank: str) -> None:
        self.owner = owner
        self.rank = rank


class Match(NamedTuple):
    """A pattern laid on the board (7.2): which squares it needs, and what it points to."""

    square: str
    turn: str
    needs: dict[str, str]
    marked: list[str]
    marked_twice: list[str]
    ways: list[str]


@cache
def offset(square: str, dx: int, dy: int) -> str | None:
    """Return the square so far away, or None if there is none."""
    there = chr(ord(square[0]) + dx) + chr(ord(square[1]) + dy)
    return there if there in SQUARES else None


def distance(one: str, other: str) -> int:
    """1.3"""
    return max(abs(ord(a) - ord(b)) for a, b in zip(one, other, strict=True))


def around(square: str, ways: Iterable[str] = DIRECTIONS) -> list[str]:
    """Return the neighbours in these directions."""
    return [there for way in ways if (there := offset(square, *DIRECTIONS[way]))]


def within(square: str, far: int) -> list[str]:
    """Return the other squares at most so far away."""
    return [there for there in SQUARES if 0 < distance(square, there) <= far]


def ray(square: str, way: str) -> list[str]:
    """1.4"""
    squares: list[str] = []
    there = offset(square, *DIRECTIONS[way])
    while there:
        squares.append(there)
        there = offset(there, *DIRECTIONS[way])
    return squares


def way_of(start: str, end: str) -> str:
    """Return the direction of a single move."""
    step = (ord(end[0]) - ord(start[0]), ord(end[1]) - ord(start[1]))
    return next(way for way, delta in DIRECTIONS.items() if delta == step)


def turned(dx: int, dy: int, turn: str) -> tuple[int, int]:
    """16.1: mirrored left-right first, then turned clockwise."""
    if turn[0] == "m":
        dx = -dx
    for _ in range(int(turn[1:]) // 90):
        dx, dy = dy, -dx
    return dx, dy


@cache
def drawing(card: str) -> dict[tuple[int, int], str]:
    """Return the tokens of a pattern by their place beside the summon square.

    A pattern without one is placed by its middle (18.3.6).
    """
    rows = [row.split() for row in DATA["beings"][card]["grid"]]
    tokens = {(x, -y): token for y, row in enumerate(rows) for x, token in enumerate(row)}
    x0, y0 = next((place for place, token in tokens.items() if "@" in token), (1, -1))
    return {(x - x0, y - y0): token for (x, y), token in tokens.items()}


def needed(token: str) -> str | None:
    """Return the rank that a place of the drawing asks for."""
    if token.startswith(">"):
        return None
    return COMMON if "c" in token else HEROIC if "h" in token else None


@cache
def turns(card: str) -> list[str]:
    """Return the orientations that ask for or mark different things, in their order."""
    seen, kept = [], []
    for turn in TURNS:
        tokens = {
            (*turned(*place, turn), needed(token), token.count("*") * (refs_of(card) == "marked"))
            for place, token in drawing(card).items()
        }
        told = {token for token in tokens if any(token[2:])}
        if told not in seen:
            seen.append(told)
            kept.append(turn)
    return kept


def laid(card: str, square: str, turn: str) -> Match | None:
    """Lay a pattern on a square; None if a piece would be needed beside the board (1.4)."""
    needs, ways = {}, []
    marked: dict[int, list[str]] = {0: [], 1: [], 2: []}
    for place, token in drawing(card).items():
        delta = turned(*place, turn)
        there = offset(square, *delta)
        if rank := needed(token):
            if there is None:
                return None
            needs[there] = rank
        if there:
            marked[token.count("*")].append(there)
        if token.startswith(">"):
            delta = turned(*DIRECTIONS[token[1:]], turn)
            ways.append(next(way for way, step in DIRECTIONS.items() if step == delta))
    return Match(square, turn, needs, marked[1], marked[2], ways)


@cache
def layings(card: str) -> list[Match]:
    """Return all ways to lay a pattern."""
    ways = [laid(card, square, turn) for square in SQUARES for turn in turns(card)]
    return [match for match in ways if match]


def matches(
    board: Mapping[str, Piece], card: str, seat: int, *, strangers: int = 0, gaps: int = 0
) -> list[Match]:
    """7.2, 7.3; so many pieces may be the enemy's (7.6), so many commons lack (18.3.7)."""
    fit = [match for match in layings(card) if _fits(board, seat, match, strangers, gaps)]
    if not any("@" in token for token in drawing(card).values()):
        free = [there for there in COLORLESS if there not in board]
        return [match._replace(square=there) for match in fit for there in free]
    return [match for match in fit if _may_stand(board, card, match.square)]


def _fits(board: Mapping[str, Piece], seat: int, match: Match, strangers: int, gaps: int) -> bool:
    for there, rank in match.needs.items():
        piece = board.get(there)
        if piece is None:
            gaps -= 1 if rank == COMMON else 99
        elif is_lower(piece.rank, rank):
            return False
        elif piece.owner != seat:
            strangers -= 1
    return strangers >= 0 and gaps >= 0


def _may_stand(board: Mapping[str, Piece], card: str, square: str) -> bool:
    """7.3"""
    return square not in board or not is_lower(rank_of(card), board[square].rank)


def is_lower(rank: str, other: str) -> bool:
    """2.1"""
    return RANKS.index(rank) < RANKS.index(other)


def rank_of(card: str) -> str:
    """Return the rank of a being."""
    rank: str = DATA["beings"][card]["rank"]
    return rank


def refs_of(card: str) -> str:
    """Return what the effect reads of the match, or none."""
    refs: str = DATA["beings"][card]["refs"]
    return refs


def reads_match(card: str) -> bool:
    """7.8"""
    return refs_of(card) != "none"


def deck_of(card: str) -> str:
    """Return the deck that a being lies in."""
    deck: str = DATA["beings"][card]["deck"]
    return deck


def kind_of(card: str) -> str:
    """Return in which part of a hand a card lies."""
    if card.startswith("flare_"):
        return "flare"
    return "legend" if deck_of(card) == "legends" else "being"


def cards_of(deck: str) -> list[str]:
    """Return all cards of a deck."""
    if deck in ("flares", "tasks"):
        return list(DATA[deck])
    return [card for card in DATA["beings"] if deck_of(card) == deck]
