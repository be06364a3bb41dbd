"""Effects of cards as programs: flat tuples of steps, every word of them a number.

After `choose_one` come the steps of its options, and each step knows where the program goes on.
`compiler.py` makes programs of the deck files.
"""

from __future__ import annotations

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

BOARD: Final = 0
SELF: Final = 1
NEAR: Final = 2
NEAR_ORTHOGONAL: Final = 3
NEAR_DIAGONAL: Final = 4
WITHIN_DISTANCE: Final = 5
PATTERN_RAYS: Final = 6
LAST_AROUND: Final = PATTERN_RAYS
"""The places from `SELF` to this one are counted from where the being is."""
NEAR_SUMMON: Final = 7
MARKED_SQUARES: Final = 8
USED: Final = 9
NEAR_OWN: Final = 10
NEAR_SQUARE_OF: Final = 11
PIECE_OF: Final = 12
FIXED: Final = 13
NEAR_ENEMY: Final = 14
GATEWAY: Final = 15
NEAR_GATEWAY: Final = 16
NEAR_OWN_HEROIC: Final = 17
MARKED_TWICE: Final = 18
NEAR_TWO_OWN: Final = 19
SQUARE_OF_STEP: Final = 20
PLAIN_PLACES: Final = {
    "board": BOARD,
    "self": SELF,
    "adjacent": NEAR,
    "orthogonal": NEAR_ORTHOGONAL,
    "diagonal": NEAR_DIAGONAL,
    "adjacent_to_summon_square": NEAR_SUMMON,
    "marked": MARKED_SQUARES,
    "used": USED,
    "pattern_rays": PATTERN_RAYS,
    "adjacent_to_own": NEAR_OWN,
    "adjacent_to_enemy": NEAR_ENEMY,
    "gateway": GATEWAY,
    "adjacent_to_gateway": NEAR_GATEWAY,
    "adjacent_to_own_heroic": NEAR_OWN_HEROIC,
    "marked_twice": MARKED_TWICE,
    "adjacent_to_two_own": NEAR_TWO_OWN,
}

DONE: Final = 0
COUNT: Final = 1
DESTROYED: Final = 2
SQUARE_COLOUR: Final = 3
ACTIONS_LEFT: Final = 4
SUMMONED_ON: Final = 5
MARKED_WAS_EMPTY: Final = 6
DISCARD_WAS_EMPTY: Final = 7
UPPER_HELD: Final = 8
LOWER_HELD: Final = 9
IS_GATEWAY: Final = 10
GATEWAY_ON: Final = 11
CAPTURED: Final = 12
PIECE_RANK: Final = 13
SUMMON_CAPTURED: Final = 14
IN_DISCARD: Final = 15
WARPED: Final = 16
PLAIN_CONDITIONS: Final = {
    "actions_left": ACTIONS_LEFT,
    "marked_was_empty": MARKED_WAS_EMPTY,
    "discard_was_empty": DISCARD_WAS_EMPTY,
    "is_gateway": IS_GATEWAY,
    "warped": WARPED,
}

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
"""Further ones are the square of an earlier step, and a distance from the being."""
STOP_ONTO_EMPTY: Final = 1
STOP_CAPTURED_LEGENDARY: Final = 2
STOPS: Final = ("", "onto_empty", "captured_legendary")
CLOSER_BUT_BESIDE: Final = 2
CLOSER: Final = ("", "gateway", "beside_gateway")
"""Moves that end closer to the Gateway, on it or only beside it."""


class Place:
    """One kind of squares that a selector names."""

    __slots__ = ("kind", "needs_square", "number")

    def __init__(self, kind: int, number: int) -> None:
        self.kind = kind
        self.needs_square = kind in (NEAR_SQUARE_OF, SQUARE_OF_STEP)
        self.number = number
        """A distance, the slot of a recorded step, or the mask of fixed squares."""


class Selector:
    """Which pieces a step may be about: owner, ranks (a bit each), places, who is left out."""

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
        """By rank how many own pieces must be adjacent, if that is asked."""
        self.without_piece = -1
        """The slot of the step whose piece is left out."""
        self.leaves_out = False
        """Whether one of these two is left out."""
        self.owner_condition = condition


class Condition:
    """One thing that must hold, or must not."""

    __slots__ = ("card", "kind", "negated", "number", "slot")

    def __init__(self, kind: int, *, negated: bool, slot: int = 0, number: int = 0) -> None:
        self.kind = kind
        self.negated = negated
        self.slot = slot
        self.number = number
        self.card = ""
        """The name of the card that must lie in the discard pile."""


EVERYTHING: Final = Selector(ANY, ANY_RANK, [Place(BOARD, 0)], without_self=False, condition=0)


class Step:
    """One step of an effect as numbers; what a step does not use keeps its default."""

    __slots__ = (
        "aims",
        "blockers",
        "by_rank",
        "capture_ranks",
        "closer",
        "combat",
        "conditions",
        "counted",
        "destination",
        "diagonals",
        "directly",
        "distance",
        "each_once",
        "end",
        "every_condition",
        "fan",
        "for_good",
        "from_discard",
        "goes_on",
        "hit",
        "kind",
        "label",
        "least",
        "linked",
        "most",
        "most_of",
        "most_of_owner",
        "near_own",
        "next_ranks",
        "notes_captures",
        "numbers",
        "one_piece",
        "op",
        "options",
        "partner",
        "rank",
        "rank_lock",
        "ranks",
        "reach",
        "same_as",
        "same_rank",
        "selector",
        "shown",
        "slot",
        "square_of",
        "standard",
        "stop",
        "stop_rank",
        "straight",
        "third_needs_self",
        "turned",
        "veers",
    )

    def __init__(self, op: int, shown: int) -> None:
        self.op = op
        self.shown = shown
        """The index of the step, as people count."""
        self.end = 0
        """Where the program goes on after this step."""
        self.conditions: tuple[Condition, ...] = ()
        """The step is done if any of these holds, or if there are none."""
        self.every_condition = False
        """Whether all of them must hold instead."""
        self.selector: Selector = EVERYTHING
        self.least = 0
        self.most = 1
        self.most_of = -1
        """The slot of the step that was done as often as this one must be."""
        self.slot = -1
        """Where it is written down what this step did."""
        self.linked = False
        """Whether it is done only if the next step can be done, too."""
        self._be_plain()

    def _be_plain(self) -> None:
        """Take the defaults of what only some operations use."""
        self.kind = STANDARD
        self.one_piece = False
        self.each_once = False
        self.straight = False
        self.same_as = -1
        """The slot of the step that gives the direction."""
        self.turned = 0
        """By how many of the eight directions it is turned from that."""
        self.most_of_owner = UNLIMITED
        self.stop = 0
        self.capture_ranks = ANY_RANK
        self.near_own = False
        self.closer = 0
        self.aims = False
        """Whether the first move goes in an indicated direction."""
        self.veers = False
        """Whether each later one may turn by 45 degrees."""
        self.goes_on = False
        """Whether only the first move may be declined."""
        self.notes_captures = False
        """Whether a later step asks which ranks were captured."""
        self.third_needs_self = False
        self.rank_lock: tuple[int, ...] = ()
        self.by_rank: tuple[int, ...] = ()
        self.destination = 0
        self.combat = 0
        self.standard = 0
        self._aim_plainly()

    def _aim_plainly(self) -> None:
        """Take the defaults of leaps, shots and the rest."""
        self.distance = 0
        self.square_of = -1
        """The slot of the step onto whose square a move or a leap goes."""
        self.partner: Selector = EVERYTHING
        """The pieces with which others change places."""
        self.same_rank = False
        self.stop_rank = -1
        self.next_ranks = 0
        self.counted = True
        self.for_good = False
        """Whether the piece leaves the game."""
        self.from_discard = False
        """Whether a card of the discard pile is frozen, not this one."""
        self.directly = False
        """Whether the summoning must follow at once."""
        self.rank = COMMON
        """The rank of what is placed or converted into; -1 is any, or the same."""
        self.ranks = ANY_RANK
        self.blockers = 0
        self.hit = UNLIMITED
        self.reach = UNLIMITED
        self.diagonals = False
        self.fan = False
        self.numbers: tuple[int, int] = (0, 0)
        """How many actions, or beings and legends."""
        self.label = ""
        """What an option without a target is called."""
        self.options: tuple[int, ...] = ()
        """Where the options of a choice begin."""


class Program:
    """The effect of a card."""

    __slots__ = ("free", "steps")

    def __init__(self, steps: list[Step], free: int) -> None:
        self.steps: tuple[Step, ...] = tuple(steps)
        self.free = free
        """Where the steps begin of what the card does beside actions; before are the others."""

    def named_cards(self) -> list[str]:
        """Return the names of the cards that conditions ask for."""
        named = [condition.card for step in self.steps for condition in step.conditions]
        return [name for name in named if name]
