"""Effects of cards as programs: flat tuples of steps, with the words of the deck files (13).

After `choose_one` come the steps of its options, and each step knows where the program goes on.
`compiler.py` makes the programs from the deck files.
"""

from __future__ import annotations

from sys import intern

from pentathlon_engines.tash_kalar.cards.patterns import COMMON

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

OWN: Final = 0
ENEMY: Final = 1
ANY: Final = 2
OWNERS: Final = ("own", "enemy", "any")

STANDARD: Final = 0
COMBAT: Final = 1
ONTO_EMPTY: Final = 2
BUDGET_AND: Final = 3
BUDGET_OR: Final = 4
BY_PIECE: Final = 5
ONTO_LEGENDARY: Final = 6
KINDS: Final = (
    "standard",
    "combat",
    "onto_empty",
    "budget",
    "budget",
    "by_piece",
    "onto_legendary",
)

PLAIN_PLACES: Final = frozenset(
    (
        "board",
        "self",
        "adjacent",
        "orthogonal",
        "diagonal",
        "pattern_rays",
        "adjacent_to_summon_square",
        "marked",
        "marked_twice",
        "used",
        "adjacent_to_own",
        "adjacent_to_enemy",
        "adjacent_to_own_heroic",
        "adjacent_to_two_own",
        "gateway",
        "adjacent_to_gateway",
    )
)
"""The places named by a single word."""

PLAIN_CONDITIONS: Final = frozenset(
    ("actions_left", "marked_was_empty", "discard_was_empty", "is_gateway", "warped")
)
"""The conditions named by a single word."""

SUMMON_CAPTURES: Final = ("own", "enemy", "any")
"""What the summoning captured, counted from 1: a bit for an own piece, one for an enemy's."""
SUMMONED_COLOURS: Final = ("red", "green", "colored_not_center")
MORE_COMMONS: Final = 1
MORE_UPGRADED: Final = 2
OWNER_CONDITIONS: Final = (
    "",
    "more_commons_than_you",
    "more_upgraded_than_you",
    "more_pieces_than_you",
)
ANY_RANK: Final = 7
UNLIMITED: Final = 99
DESTINATION_MARKED: Final = 1
DESTINATION_SQUARE: Final = 3
DESTINATION_RING: Final = 4
DESTINATIONS: Final = ("", "marked", "colored")
"""The destinations with a name; others are the square of an earlier step, and a distance from the
being."""
STOP_ONTO_EMPTY: Final = 1
STOP_CAPTURED_LEGENDARY: Final = 2
STOPS: Final = ("", "onto_empty", "captured_legendary")
CLOSER_BUT_BESIDE: Final = 2
CLOSER: Final = ("", "gateway", "beside_gateway")
"""The kinds of moves that end closer to the Gateway: on it or beside it, or only beside it."""


class Place:
    """One kind of squares that a selector names."""

    __slots__ = ("kind", "needs_square", "number")

    def __init__(self, kind: str, number: int) -> None:
        self.kind = intern(kind)
        self.needs_square = kind in ("adjacent_to", "square_of")
        self.number = number
        """A distance, the slot of a recorded step, or the mask of fixed squares."""


class Selector:
    """The pieces that a step can select: owner, ranks (one bit each), places, exceptions."""

    __slots__ = (
        "leaves_out",
        "own_beside",
        "owner",
        "owner_condition",
        "places",
        "ranks",
        "without_gateway",
        "without_piece",
        "without_self",
    )

    def __init__(
        self, owner: int, ranks: int, places: list[Place], without_self: bool, condition: int
    ) -> None:
        self.owner = owner
        self.ranks = ranks
        self.places: tuple[Place, ...] = tuple(places)
        self.without_self = without_self
        self.without_gateway = False
        self.own_beside: tuple[int, ...] = ()
        """By the rank of a piece, how many own pieces must be beside it; empty if none must be."""
        self.without_piece = -1
        """The slot of the step whose piece is excluded; -1 if there is none."""
        self.leaves_out = False
        """Whether the Gateway or that piece is excluded."""
        self.owner_condition = condition


class Condition:
    """A single condition, possibly negated."""

    __slots__ = ("card", "kind", "negated", "number", "slot")

    def __init__(self, kind: str, *, negated: bool, slot: int = 0, number: int = 0) -> None:
        self.kind = intern(kind)
        self.negated = negated
        self.slot = slot
        self.number = number
        self.card = ""
        """The name of the card that must lie in the discard pile; empty if there is none."""


EVERYTHING: Final = Selector(ANY, ANY_RANK, [Place("board", 0)], without_self=False, condition=0)


class Step:
    """One step of an effect, with the fields of every step; subclasses add their own."""

    __slots__ = (
        "by_rank",
        "conditions",
        "each_once",
        "end",
        "every_condition",
        "goes_on",
        "is_automatic",
        "label",
        "least",
        "linked",
        "most",
        "most_of",
        "op",
        "options",
        "rank_lock",
        "same_as",
        "selector",
        "shown",
        "slot",
        "square_of",
    )

    def __init__(self, op: str, shown: int) -> None:
        self.op = intern(op)  # tables find interned words faster
        self.is_automatic = False
        """Whether the step is done without a decision."""
        self.shown = shown
        """The number of the step, counted from 1."""
        self.end = 0
        """Where the program continues after this step."""
        self.conditions: tuple[Condition, ...] = ()
        """The step is done if any of these holds, or if there are none."""
        self.every_condition = False
        """Whether all conditions must hold instead of any."""
        self.selector: Selector = EVERYTHING
        self.least = 0
        self.most = 1
        self.most_of = -1
        """This step must be done as often as the one with this slot; -1 if there is none."""
        self.slot = -1
        """The slot in which the result of this step is recorded; -1 if there is none."""
        self.linked = False
        """Whether the step is done only if the next step can be done, too."""
        self.label = ""
        """The name of an option without a target."""
        self.options: tuple[int, ...] = ()
        """The first step of each option of a choice."""
        self._repeat_plainly()

    def _repeat_plainly(self) -> None:
        """Set the defaults of repetitions and of references to earlier steps."""
        self.by_rank: tuple[int, ...] = ()
        """By the rank of the piece, how often the step may be done; else empty."""
        self.rank_lock: tuple[int, ...] = ()
        """By the rank of the first piece, which all must have, how often the step may be done;
        else empty."""
        self.each_once = False
        self.goes_on = False
        """Whether only the first repetition may be declined."""
        self.same_as = -1
        """The slot of the step that gives the direction; -1 if there is none."""
        self.square_of = -1
        """The slot of the step to whose square a move or leap goes; -1 if there is none."""


class MoveStep(Step):
    """Moves of pieces, one square each."""

    kind: int = STANDARD
    one_piece: bool = False
    straight: bool = False
    turned: int = 0
    """By how many eighths of a turn the direction differs from that of `same_as`."""
    most_of_owner: int = UNLIMITED
    stop: int = 0
    capture_ranks: int = ANY_RANK
    near_own: bool = False
    closer: int = 0
    aims: bool = False
    """Whether the first move must go in an indicated direction."""
    veers: bool = False
    """Whether each later move may turn by 45 degrees."""
    notes_captures: bool = False
    """Whether a later step asks which ranks were captured."""
    third_needs_self: bool = False
    destination: int = 0
    distance: int = 0
    combat: int = 0
    """How many of the moves may be combat moves."""
    used_ranks: int = ANY_RANK
    """The ranks of pieces of the match that may move, besides the being."""


class LeapStep(Step):
    """Leaps of pieces."""

    kind: int = STANDARD
    distance: int = 0
    notes_captures: bool = False


class DestroyStep(Step):
    """Pieces are destroyed, one after the other."""

    stop_rank: int = -1
    next_ranks: int = 0
    for_good: bool = False
    """Whether the destroyed pieces leave the game."""


class SweepStep(Step):
    """All selected pieces are destroyed at once."""

    counted: bool = True


class PlaceStep(Step):
    """Pieces are placed, or converted into own ones."""

    rank: int = COMMON
    """The rank of the placed or converted piece; -1 is any rank, or the same one."""


class ShotStep(Step):
    """Shots along rays from the being."""

    ranks: int = ANY_RANK
    blockers: int = 0
    hit: int = UNLIMITED
    reach: int = UNLIMITED
    diagonals: bool = False
    fan: bool = False


class GroupStep(Step):
    """Pieces that are adjacent to each other are destroyed, or downgraded."""

    ranks: int = ANY_RANK
    downgrades: bool = False


class SwapStep(Step):
    """Two pieces change places."""

    partner: Selector = EVERYTHING
    same_rank: bool = False


class CardStep(Step):
    """A card is thrown away, or its warp effect is copied."""

    pending: bool = True
    """Whether the card is the pending one; if not, it comes from the hand or the discard pile."""


class FreezeStep(Step):
    """A card is put into play with its frozen effect."""

    from_discard: bool = False
    """Whether a card of the discard pile is frozen instead of this one."""


class WarStep(Step):
    """An enemy piece may serve in the next summoning."""

    directly: bool = False
    """Whether the summoning must follow at once."""


class GainStep(Step):
    """Actions, or draws, are gained or lost."""

    actions: int = 0
    beings: int = 0
    legends: int = 0


class Program:
    """The effect of a card."""

    __slots__ = ("free", "steps")

    def __init__(self, steps: list[Step], free: int) -> None:
        self.steps: tuple[Step, ...] = tuple(steps)
        self.free = free
        """The index of the first step that costs no action; the others come before it."""

    def named_cards(self) -> list[str]:
        """Return the names of the cards that conditions ask for."""
        named = [condition.card for step in self.steps for condition in step.conditions]
        return [name for name in named if name]
