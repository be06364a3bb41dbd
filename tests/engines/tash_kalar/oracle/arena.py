"""The board of Tash-Kalar with its pieces, and what effects read and change, for the oracle."""

from collections.abc import Iterable
from typing import Any

from tests.engines.tash_kalar.oracle.cards import (
    COMMON,
    HEROIC,
    LEGENDARY,
    RANKS,
    SQUARES,
    Piece,
    kind_of,
)


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
        self.frozen: list[str | None] = [None, None]
        self.pending: list[str | None] = [None, None]
        self.on_card: Piece | None = None
        self.last: list[str | None] = [None, None]
        self.warped: set[str] = set()
        self.slowed: int | None = None
        self.removed = [{COMMON: 0, LEGENDARY: 0}, {COMMON: 0, LEGENDARY: 0}]
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
            for piece in (*self.board.values(), self.on_card)
            if piece and piece.owner == owner and (piece.rank == LEGENDARY) == legendary
        ]
        total = 3 if legendary else self.two_sided
        return total - self.removed[owner][LEGENDARY if legendary else COMMON] - len(used)

    def remove_for_good(self, piece: Piece) -> None:
        """Let a piece leave the game (18.1.4)."""
        self.removed[piece.owner][LEGENDARY if piece.rank == LEGENDARY else COMMON] += 1

    def put_in_play(self, seat: int, card: str) -> None:
        """Let a card take the place of the one that is frozen (18.1.2)."""
        other, self.frozen[seat] = self.frozen[seat], card
        if other:
            self.discard_openly(seat, other)

    def discard_openly(self, seat: int, card: str) -> None:
        """Put a card on the discard pile for everybody to see."""
        self.put_on_pile(seat, card)
        self.played["beings"][seat].append(card)

    def put_on_pile(self, seat: int, card: str) -> None:
        """Put a card on the discard pile."""
        self.discards[seat].append(card)
        self.last[seat] = card

    def throw(self, seat: int, card: str) -> None:
        """Let a card go from the hand to the played ones (18.3.3)."""
        hand, kind = self.hands[seat], kind_of(card)
        if kind == "flare":
            hand["flare"] = None
            self.played["flares"].append(card)
            return
        hand[f"{kind}s"].remove(card)
        if kind == "legend":
            self.played["legends"].append(card)
            return
        self.discard_openly(seat, card)
        if self.pending[seat] == card:
            self.pending[seat] = None

    def find_discarded(self, seat: int, card: str) -> bool:
        """Return whether a card lies in the discard pile, and show it if it does (18.3.5)."""
        is_there = card in self.discards[seat]
        if is_there and card not in self.played["beings"][seat]:
            self.played["beings"][seat].append(card)
        return is_there

    def recover_last(self, seat: int) -> None:
        """Put the most recent discard back onto the deck (18.3.8)."""
        card = self.last[seat]
        if card:
            self.last[seat] = None
            self.discards[seat].remove(card)
            self.decks["beings"][seat].insert(0, card)
            if card in self.played["beings"][seat]:
                self.played["beings"][seat].remove(card)

    def count(self, rank: str) -> None:
        """10.1, 18.3.8"""
        self.destroyed[rank] += 2 if "counts_double" in self.permissions else 1

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
