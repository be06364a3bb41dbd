"""A position of Tash-Kalar: its fields, copying, and the primitives that change the table.

Sections in brackets are those of the rules page. Lists of two are by seat.
"""

from __future__ import annotations

from abc import abstractmethod

from pentathlon_engines.contract.bits import IS_COMPILED
from pentathlon_engines.contract.game import CHANCE, State
from pentathlon_engines.tash_kalar.board import ALL, BIT, GRID, SQUARES, bits, nth_square
from pentathlon_engines.tash_kalar.cards.catalogue import FIRST_FLARE, IS_OF_WEAVERS, SCHOOL_CARDS
from pentathlon_engines.tash_kalar.cards.patterns import COMMON, HEROIC, LEGENDARY
from pentathlon_engines.tash_kalar.constants import (
    DEALING,
    DRAWING,
    LEGENDARIES,
    MODES,
    RANKS_EACH,
    TWO_SIDED,
)
from pentathlon_engines.tash_kalar.effect import Effect
from pentathlon_engines.tash_kalar.hand import Hand, insert_card, remove_card
from pentathlon_engines.tash_kalar.seat_pieces import (
    SeatPieces,
    joined,
    nth_in_words,
    unblocked,
    unblocked_words,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pentathlon_engines.contract.compiler import i64
    from pentathlon_engines.tash_kalar.deal import Deal


class TashKalarPosition(State):
    """The table, and the progress of the turn.

    `board` has for each square 0 or 1 + 3 * owner + rank. Plain Python keeps masks of the pieces
    and of the empty squares, compiled code keeps words; `of_rank` and `free` return masks in both.
    Hands are sorted lists of cards, school discard piles masks, decks lists with the top card
    last.
    """

    __slots__ = (
        "actions_left",
        "active",
        "board",
        "card",
        "claimed",
        "counts",
        "current",
        "dealt",
        "decks",
        "destroyed",
        "directly",
        "discarded",
        "discards",
        "doubled",
        "drawn",
        "effect",
        "emptied",
        "empty",
        "extra_draws",
        "extra_granted",
        "extra_turn",
        "flare_pile",
        "flares",
        "frozen",
        "gateway",
        "hands",
        "held",
        "latest",
        "legal",
        "legend_pile",
        "legends",
        "log",
        "mode",
        "new_deck",
        "next_task",
        "on_card",
        "owed",
        "pending",
        "phase",
        "pieces",
        "played",
        "points",
        "possessed",
        "raised",
        "schools",
        "shape",
        "sides",
        "since",
        "slowed",
        "square",
        "stock",
        "summoned",
        "taken",
        "tasks",
        "trigger",
        "trigger_seat",
        "turn",
        "turns_left",
        "under",
        "voids",
        "war",
        "warped",
    )

    def reset(self, options: dict[str, Any]) -> None:
        """Start with the position before anything is drawn."""
        self.options: dict[str, Any] = options
        self.seats = 2
        self.to_move: int | None = CHANCE
        self.outcome = None
        self.mode: int = MODES.index(options["mode"])
        schools: list[str] = options["decks"]
        self.schools: tuple[str, str] = (schools[0], schools[1])
        self.phase: int = DEALING if all(name in SCHOOL_CARDS for name in schools) else DRAWING
        self._reset_board()
        self._reset_turn()
        two_sided, legendary = TWO_SIDED[self.mode], LEGENDARIES[self.mode]
        self._reset_expansions([two_sided, two_sided, legendary, legendary])
        self._reset_cards()
        self.legal: list[int] | None = None
        """The cached legal actions; every change of the position drops them."""
        self.card: int = -1
        """The card that is being played."""
        self.square: int = -1
        self.shape: int = -1
        """The summon square (`square`) and the index of the orientation, if one was chosen, until
        a piece stands there."""
        self.effect: Effect | None = None
        self.emptied: int = 0
        """The squares on which the last action other than a claim, and its effect, have destroyed
        pieces. Only pictures need them, so a position that was read has none."""
        self.log: list[int] = []
        """The latest events; both seats may already know some of the first."""
        self.since: list[int] = [0, 0]
        """By seat, the number of events in `log` that it knows."""

    def _reset_board(self) -> None:
        """Clear the board."""
        self.board: list[int] = [0] * GRID
        self.pieces: list[int] = [0] * (2 * RANKS_EACH)
        """The mask of squares by `3 * owner + rank`, in plain Python only."""
        self.counts: list[int] = [0] * (2 * RANKS_EACH)
        """The number of pieces by `3 * owner + rank`, in plain Python only."""
        self.empty: int = ALL
        """The mask of the empty squares, in plain Python only."""
        self.sides: list[SeatPieces] = [SeatPieces(), SeatPieces()]
        """The pieces of both seats in words, and their numbers, compiled only."""

    def _reset_turn(self) -> None:
        """Begin with the first turn."""
        self.turn: int = 1
        self.active: int = 0
        self.actions_left: int = 0
        self.discarded: bool = False
        self.war: bool = False
        self.extra_granted: bool = False
        self.extra_turn: bool = False
        self.extra_draws: list[int] = [0, 0]
        self.destroyed: list[int] = [0] * RANKS_EACH
        self.summoned: list[int] = []
        """The being and square of each summoning of this turn, as `card * 81 + square`."""
        self.points: list[int] = [0, 0]
        """The points of claimed tasks, or the score of the Deathmatch Duel."""
        self.trigger: int = -1
        self.trigger_seat: int = -1
        self.turns_left: int = 0
        self.owed: list[int] = [0, 0, 0]
        """The numbers of legends, flares and extra legends still to be drawn in this draw step."""
        self.drawn: list[int] = [0, 0, 0]
        self.new_deck: int = 0
        """The shared deck that chance makes: legends (0) or flares (1)."""

    def _reset_cards(self) -> None:
        """Leave hands, decks and rows empty."""
        self.hands: list[list[int]] = [[], []]
        """The cards of each hand, sorted; `gain` and `lose` change them."""
        self.held: list[Hand | None] = [None, None]
        """The cached parts of the hands; `hand` returns the current ones."""
        self.decks: list[list[int]] = [[], []]
        self.discards: list[int] = [0, 0]
        self.played: list[list[int]] = [[], []]
        """The beings that each seat was seen to put on its discard pile."""
        self.taken: list[int] = [0, 0]
        """The number of cards that each seat has taken back from its discard pile."""
        self.legends: list[int] = []
        self.flares: list[int] = []
        self.legend_pile: list[int] = []
        self.flare_pile: list[int] = []
        self.current: list[int] = []
        """The current tasks in ascending order; replaced, never changed."""
        self.next_task: int = -1
        self.tasks: list[int] = []
        self.under: int = 0
        """How many tasks at the bottom of their deck everybody knows."""
        self.claimed: list[list[int]] = [[], []]
        self.dealt: Deal | None = None
        """The deal that was drawn and is due, kept so that its text need not be parsed again."""

    def _reset_expansions(self, stock: list[int]) -> None:
        """Reset the fields that only expansion schools use (18)."""
        self.gateway: int = -1
        self.possessed: bool = False
        """Whether enemy pieces can serve for the next being."""
        self.raised: int = 0
        """The mask of beings of this turn that count as legends."""
        self.frozen: int = -1
        """The card that is in play as a frozen effect (18.1)."""
        self.directly: bool = False
        """Whether nothing but a summoning may follow."""
        self.slowed: int = -1
        """The seat whose next turn has one action fewer."""
        self.pending: int = 0
        """The mask of the card that is pending (18.3)."""
        self.on_card: int = 0
        """The piece on that card, as on the board; 0 if there is none."""
        self.latest: int = -1
        """The card that was put on the discard pile of the Etherweave last."""
        self.warped: int = 0
        """The mask of cards whose warp effect was used in this turn."""
        self.doubled: bool = False
        """Whether each destroyed piece is counted twice."""
        self.voids: bool = False
        """Whether two empty squares may serve the next summoning."""
        self.stock: list[int] = stock
        """Two-sided pieces of both seats, then legendary ones of both; replaced, never changed."""

    @abstractmethod
    def copy(self) -> TashKalarPosition:
        """Return an independent copy of this position."""

    def copy_to(self, twin: TashKalarPosition) -> None:
        """Copy this table into another one, which stays independent."""
        twin.options = self.options
        twin.seats = 2
        twin.to_move = self.to_move
        twin.outcome = self.outcome
        twin.mode = self.mode
        twin.schools = self.schools
        twin.phase = self.phase
        twin.card = self.card
        twin.square = self.square
        twin.shape = self.shape
        twin.effect = None if self.effect is None else self.effect.copy()
        twin.emptied = self.emptied
        twin.log = self.log[:]
        twin.since = self.since[:]
        self._copy_turn_to(twin)
        self._copy_expansions_to(twin)
        self._copy_cards_to(twin)
        twin.legal = self.legal
        twin.held = self.held[:]

    def _copy_turn_to(self, twin: TashKalarPosition) -> None:
        twin.board = self.board[:]
        if IS_COMPILED:
            twin.sides = [self.sides[0].copy(), self.sides[1].copy()]
        else:
            twin.pieces = self.pieces[:]
            twin.empty = self.empty
            twin.counts = self.counts[:]
        twin.turn = self.turn
        twin.active = self.active
        twin.actions_left = self.actions_left
        twin.discarded = self.discarded
        twin.war = self.war
        twin.extra_granted = self.extra_granted
        twin.extra_turn = self.extra_turn
        twin.extra_draws = self.extra_draws[:]
        twin.destroyed = self.destroyed[:]
        twin.summoned = self.summoned[:]
        twin.points = self.points[:]
        twin.trigger = self.trigger
        twin.trigger_seat = self.trigger_seat
        twin.turns_left = self.turns_left
        twin.owed = self.owed[:]
        twin.drawn = self.drawn[:]
        twin.new_deck = self.new_deck

    def _copy_cards_to(self, twin: TashKalarPosition) -> None:
        twin.hands = [self.hands[0][:], self.hands[1][:]]
        twin.decks = [self.decks[0][:], self.decks[1][:]]
        twin.discards = self.discards[:]
        twin.played = [self.played[0][:], self.played[1][:]]
        twin.taken = self.taken[:]
        twin.legends = self.legends[:]
        twin.flares = self.flares[:]
        twin.legend_pile = self.legend_pile[:]
        twin.flare_pile = self.flare_pile[:]
        twin.current = self.current
        twin.next_task = self.next_task
        twin.tasks = self.tasks[:]
        twin.under = self.under
        twin.claimed = [self.claimed[0][:], self.claimed[1][:]]
        twin.dealt = self.dealt

    def _copy_expansions_to(self, twin: TashKalarPosition) -> None:
        twin.gateway = self.gateway
        twin.possessed = self.possessed
        twin.raised = self.raised
        twin.frozen = self.frozen
        twin.directly = self.directly
        twin.slowed = self.slowed
        twin.pending = self.pending
        twin.on_card = self.on_card
        twin.latest = self.latest
        twin.warped = self.warped
        twin.doubled = self.doubled
        twin.voids = self.voids
        twin.stock = self.stock

    def own(self, seat: int) -> int:
        """Return the mask of all pieces of a seat."""
        if IS_COMPILED:
            side = self.sides[seat]
            return joined(side.low, side.high)
        pieces = self.pieces
        first = RANKS_EACH * seat
        return pieces[first] | pieces[first + 1] | pieces[first + 2]

    def upgraded(self, seat: int) -> int:
        """Return the mask of the heroic and legendary pieces of a seat."""
        if IS_COMPILED:
            side = self.sides[seat]
            return joined(side.upgraded_low, side.upgraded_high)
        first = RANKS_EACH * seat
        return self.pieces[first + 1] | self.pieces[first + 2]

    def of_rank(self, seat: int, rank: int) -> int:
        """Return the mask of a seat's pieces of this rank."""
        if IS_COMPILED:
            return self.sides[seat].of_rank(rank)
        return self.pieces[RANKS_EACH * seat + rank]

    def two_sided_pieces(self, seat: int) -> int:
        """Return the mask of the common and heroic pieces of a seat."""
        if IS_COMPILED:
            low, high = self.sides[seat].two_sided()
            return joined(low, high)
        first = RANKS_EACH * seat
        return self.pieces[first + COMMON] | self.pieces[first + HEROIC]

    def free(self) -> int:
        """Return the mask of the empty squares."""
        return unblocked(self.sides[0], self.sides[1], -1) if IS_COMPILED else self.empty

    def count_free(self) -> int:
        """Return how many squares are empty."""
        if not IS_COMPILED:
            return self.empty.bit_count()
        return len(SQUARES) - self.sides[0].pieces - self.sides[1].pieces

    def nth_free(self, n: int) -> int:
        """Return the empty square at this index, in the order of their names."""
        if not IS_COMPILED:
            return nth_square(self.empty, n)
        low, high = self.free_words()
        return nth_in_words(low, high, n)

    def free_words(self) -> tuple[i64, i64]:
        """Return the mask of the empty squares in words, for compiled code only."""
        return unblocked_words(self.sides[0], self.sides[1], -1)

    def count(self, seat: int) -> int:
        """Return how many pieces a seat has on the board."""
        if IS_COMPILED:
            return self.sides[seat].pieces
        first = RANKS_EACH * seat
        return self.counts[first] + self.counts[first + 1] + self.counts[first + 2]

    def count_upgraded(self, seat: int) -> int:
        """Return how many heroic and legendary pieces a seat has on the board."""
        if IS_COMPILED:
            return self.sides[seat].upgraded
        first = RANKS_EACH * seat
        return self.counts[first + 1] + self.counts[first + 2]

    def count_two_sided(self, seat: int) -> int:
        """Return how many commons and heroic pieces a seat has on the board."""
        if IS_COMPILED:
            side = self.sides[seat]
            return side.pieces - side.legendaries
        first = RANKS_EACH * seat
        return self.counts[first] + self.counts[first + 1]

    def count_rank(self, seat: int, rank: int) -> int:
        """Return how many pieces of this rank a seat has on the board."""
        if IS_COMPILED:
            return self.sides[seat].count_rank(rank)
        return self.counts[RANKS_EACH * seat + rank]

    def two_sided(self, seat: int) -> int:
        """Return how many two-sided pieces a seat has in supply (2.3)."""
        return self.stock[seat] - self.count_two_sided(seat)

    def legendaries(self, seat: int) -> int:
        """Return how many legendary pieces a seat has in supply (2.3)."""
        return self.stock[2 + seat] - self.count_rank(seat, LEGENDARY)

    def in_supply(self, seat: int, rank: int) -> bool:
        """Return whether a seat has a piece for this rank in supply."""
        return (self.legendaries(seat) if rank == LEGENDARY else self.two_sided(seat)) > 0

    def up_to(self, rank: int) -> int:
        """Return the empty squares and those with pieces of at most this rank."""
        if rank >= LEGENDARY:
            return ALL
        if rank < COMMON:
            return self.free()
        if IS_COMPILED:
            return unblocked(self.sides[0], self.sides[1], rank)
        p = self.pieces
        blocked = p[LEGENDARY] | p[RANKS_EACH + LEGENDARY]
        if rank < HEROIC:
            blocked |= p[HEROIC] | p[RANKS_EACH + HEROIC]
        return ALL ^ blocked

    def put(self, square: int, seat: int, rank: int) -> None:
        """Put a piece on an empty square."""
        kind = RANKS_EACH * seat + rank
        self.board[square] = 1 + kind
        if IS_COMPILED:
            self.sides[seat].put(square, rank)
            return
        self.counts[kind] += 1
        self.pieces[kind] |= BIT[square]
        self.empty ^= BIT[square]

    def lift(self, square: int) -> int:
        """Take the piece off a square without informing the effect; return its code."""
        code = self.board[square]
        self.board[square] = 0
        if IS_COMPILED:
            kind = code - 1
            seat = kind // RANKS_EACH
            self.sides[seat].lift(square, kind - RANKS_EACH * seat)
        else:
            self.pieces[code - 1] ^= BIT[square]
            self.empty ^= BIT[square]
            self.counts[code - 1] -= 1
        if square == self.gateway:
            self.gateway = -1
        return code

    def set_aside(self, code: int, by: int) -> None:
        """Remove this many pieces of a kind, as `lift` returns it, from play and supply."""
        seat, rank = divmod(code - 1, RANKS_EACH)
        self.stock = self.stock[:]
        self.stock[2 + seat if rank == LEGENDARY else seat] -= by

    def remove(self, square: int) -> None:
        """Take the piece off a square and inform the effect."""
        self.lift(square)
        if self.effect is not None:
            self.effect.forget(square)

    def destroy(self, square: int, *, counted: bool = True) -> int:
        """Destroy the piece on a square, count it if it is an enemy's; return its rank (10.1)."""
        code = self.board[square] - 1
        self.remove(square)
        self.emptied |= BIT[square]
        rank = code % RANKS_EACH
        if counted and code // RANKS_EACH != self.active:
            self.destroyed[rank] += 2 if self.doubled else 1
        return rank

    def rerank(self, square: int, rank: int) -> None:
        """Give a piece another rank; it stays the same piece (6.3)."""
        gateway = self.gateway
        owner = (self.lift(square) - 1) // RANKS_EACH
        self.put(square, owner, rank)
        if rank != LEGENDARY:
            self.gateway = gateway

    def move(self, square: int, to: int) -> int:
        """Move a piece, destroy what is there; return the code of that, 0 for nothing (6.1)."""
        captured = self.board[to]
        if captured:
            self.destroy(to)
        is_gateway = square == self.gateway
        code = self.lift(square) - 1
        self.put(to, code // RANKS_EACH, code % RANKS_EACH)
        if is_gateway:
            self.gateway = to
        if self.effect is not None:
            self.effect.follow(square, to)
        return captured

    def exchange(self, square: int, other: int) -> None:
        """Exchange two pieces; the effect follows both."""
        gateway = self.gateway
        codes = (self.lift(square) - 1, self.lift(other) - 1)
        for to, code in ((other, codes[0]), (square, codes[1])):
            self.put(to, code // RANKS_EACH, code % RANKS_EACH)
        if gateway in (square, other):
            self.gateway = square + other - gateway
        if self.effect is not None:
            self.effect.exchange(square, other)

    def rank_at(self, square: int) -> int:
        """Return the rank of the piece on a square."""
        return (self.board[square] - 1) % RANKS_EACH

    def hand(self, seat: int) -> Hand:
        """Return the parts of a hand."""
        hand = self.held[seat]
        if hand is None:
            hand = self.held[seat] = Hand(self.hands[seat][:])
        return hand

    def gain(self, seat: int, card: int) -> None:
        """Put a card into a hand."""
        cards = self.hands[seat]
        if IS_COMPILED:
            insert_card(cards, card)
        else:
            cards.append(card)
            cards.sort()
        self.held[seat] = None

    def lose(self, seat: int, card: int) -> None:
        """Take a card out of a hand."""
        cards = self.hands[seat]
        if IS_COMPILED:
            remove_card(cards, card)
        else:
            cards.remove(card)
        self.held[seat] = None

    def set_hand(self, seat: int, cards: int) -> None:
        """Replace a hand by the cards of a mask."""
        self.hands[seat] = bits(cards)
        self.held[seat] = None

    def loose(self, seat: int) -> list[int]:
        """Return a read-only list of the cards in a hand without the pending one (18.3)."""
        if not self.pending:
            return self.hands[seat]
        return [card for card in self.hands[seat] if not self.pending >> card & 1]

    def flare(self, seat: int) -> int:
        """Return the flare in a hand, -1 for none."""
        cards = self.hands[seat]
        return cards[-1] if cards and cards[-1] >= FIRST_FLARE else -1

    def acts_freely(self, seat: int) -> bool:
        """Return whether cards of a seat may allow free plays (18.1, 18.3)."""
        if self.frozen >= 0:
            return True
        cards = self.hands[seat]
        return len(cards) > 0 and IS_OF_WEAVERS[cards[0]]

    def note(self, action: int) -> None:
        """Write an action of the active seat into the log."""
        self.log.append(action << 1 | self.active)

    def put_away(self, card: int) -> None:
        """Put a being of the active seat on its discard pile; note the Etherweave's latest one."""
        self.discards[self.active] |= 1 << card
        if IS_OF_WEAVERS[card]:
            self.latest = card

    def discard_openly(self, card: int) -> None:
        """Put a being of the active seat on its discard pile; everybody sees it."""
        self.put_away(card)
        self.played[self.active].append(card)

    def reveal_discard(self, card: int) -> None:
        """Record publicly that a card lies in the active seat's discard pile."""
        played = self.played[self.active]
        if card not in played:
            played.append(card)

    def forget_played(self, card: int) -> None:
        """Stop counting a card of the active seat as discarded, because it was seen elsewhere."""
        if card in self.played[self.active]:
            self.played[self.active].remove(card)

    def put_with_shared(self, card: int) -> None:
        """Put a legend or a flare on the discard pile of its kind."""
        (self.legend_pile if card < FIRST_FLARE else self.flare_pile).append(card)
