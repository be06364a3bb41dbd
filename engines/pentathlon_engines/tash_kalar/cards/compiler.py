"""Compiles the steps of the deck files into programs, once.

The words of the steps are those of the rules page (13); an unknown word is refused with the name
of the card.
"""

from __future__ import annotations

from pentathlon_engines.tash_kalar.board import DISTANCES, EIGHT
from pentathlon_engines.tash_kalar.cards.patterns import COMMON, LEGENDARY, RANKS, BadCard
from pentathlon_engines.tash_kalar.cards.program import (
    ANY,
    ANY_RANK,
    BUDGET_AND,
    BUDGET_OR,
    BY_PIECE,
    CLOSER,
    COMBAT,
    DESTINATION_RING,
    DESTINATION_SQUARE,
    DESTINATIONS,
    KINDS,
    OWNERS,
    STOPS,
    UNLIMITED,
    CardStep,
    Condition,
    DestroyStep,
    FreezeStep,
    GainStep,
    GroupStep,
    LeapStep,
    MoveStep,
    PlaceStep,
    Program,
    Selector,
    ShotStep,
    Step,
    SwapStep,
    SweepStep,
    WarStep,
)
from pentathlon_engines.tash_kalar.cards.step_words import StepWords

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Final


def compile_steps(
    card: str, steps: list[dict[str, Any]], free: list[dict[str, Any]] | None = None
) -> Program:
    """Return the program of a being's steps, followed by those of its free play (18).

    Raise `BadCard` if they cannot be understood.
    """
    compiler = _Compiler(card)
    compiler.add_all(steps, ())
    return compiler.program(free or [])


def compile_flare(flare: dict[str, Any]) -> Program:
    """Return the program of a flare: its upper half, then its lower half, each only if it held."""
    compiler = _Compiler(flare["id"])
    compiler.add_all(flare["upper"]["steps"], (Condition("upper_held", negated=False),))
    compiler.add_all(flare["lower"]["steps"], (Condition("lower_held", negated=False),))
    return compiler.program([])


class _Compiler:
    """Compiles the steps of one card into a program."""

    def __init__(self, card: str) -> None:
        self._card = card
        self._steps: list[Step] = []
        self._slots: dict[str, int] = {}
        self._shown = 0

    def program(self, free: list[dict[str, Any]]) -> Program:
        """Return the program with the steps of a free play after those that were added."""
        begin = len(self._steps)
        self._slots = {}
        self.add_all(free, ())
        return Program(self._steps, begin)

    def add_all(self, steps: list[dict[str, Any]], conditions: tuple[Condition, ...]) -> None:
        for data in steps:
            step = self._add(data)
            if conditions and step.conditions:
                raise BadCard(self._card, "a flare's step cannot have a condition of its own")
            step.conditions = step.conditions or conditions
            self._shown += 1

    def _add(self, data: dict[str, Any]) -> Step:
        """Add a step with all of its options; raise `BadCard` for an unknown word."""
        step = _read_step(StepWords(self._card, data, self._slots), self._shown)
        self._steps.append(step)
        if step.op == "choose_one":
            self._add_options(step, data["options"])
        step.end = len(self._steps)
        return step

    def _add_options(self, choice: Step, options: list[dict[str, Any]]) -> None:
        starts: list[int] = []
        lasts: list[Step] = []
        for option in options:
            starts.append(len(self._steps))
            for data in option["steps"]:
                last = self._add(data)
            self._steps[starts[-1]].label = option["label"]
            lasts.append(last)
        choice.options = tuple(starts)
        for last in lasts:
            last.end = len(self._steps)


def _read_step(words: StepWords, shown: int) -> Step:
    """Read one step; every word of it must be understood."""
    op = words.take("op")
    if words.data.pop("force", False) and op == "upgrade":
        op = "force_upgrade"
    words.index(op, tuple(_READERS), "op")
    make, read = _READERS[op]
    step = make(op, shown)
    step.is_automatic = op in AUTOMATICS
    _read_frame(words, step)
    read(words, step)
    if "id" in words.data:
        step.slot = words.slots.setdefault(words.take("id"), len(words.slots))
    words.refuse_rest(words.data)
    return step


def _read_frame(words: StepWords, step: Step) -> None:
    """Read the fields of every step: condition, selector, repetitions."""
    if "if" in words.data:
        words.read_conditions(step, words.take("if"))
    for name in ("sel", "who"):
        if name in words.data:
            step.selector = words.selector(words.take(name))
    least, most = words.data.pop("min", 0), words.data.pop("max", 1)
    if isinstance(least, dict):
        step.most_of = words.slot(least["count_of"])
        return
    if least is None:
        least = UNLIMITED
    step.least = 1 if words.data.pop("mandatory", False) else least
    if isinstance(most, dict):
        step.by_rank = tuple(most["by_rank"][rank] for rank in RANKS)
        most = max(step.by_rank)
    step.most = UNLIMITED if most is None else most
    step.linked = words.data.pop("linked", False)


def _read_moves(words: StepWords, step: MoveStep) -> None:
    step.kind = words.index(words.take("kind"), KINDS, "kind")
    for name in ("one_piece", "each_once", "straight", "third_needs_self"):
        setattr(step, name, words.data.pop(name, False))
    step.goes_on = words.data.pop("must_go_on", False)
    step.veers = words.data.pop("turn45", False)
    step.aims = words.index(words.data.pop("first", ""), ("", "pattern"), "first") == 1
    step.near_own = words.data.pop("end_adjacent_to_own", False)
    if step.kind == BUDGET_AND:
        budget = words.take("budget")
        step.kind = {"and": BUDGET_AND, "or": BUDGET_OR}[budget["mode"]]
        step.combat = budget["combat"]
    elif step.kind == BY_PIECE:
        if words.take("kind_by_piece") != {"self": "standard", "used": "combat"}:
            raise words.bad("kind_by_piece must be standard for self, combat for used")
        step.used_ranks = words.ranks(words.take("used_ranks"))
    _read_direction(words, step)
    step.most_of_owner = words.data.pop("most_of_owner", step.most_of_owner)
    step.stop = words.index(words.data.pop("stop_if", ""), STOPS, "stop_if")
    step.capture_ranks = ANY_RANK & ~words.ranks(words.data.pop("forbid_capture", []))
    _read_lock(words, step)
    step.closer = words.index(words.data.pop("closer_to", ""), CLOSER, "closer_to")
    step.notes_captures = words.data.pop("note_captures", False)


def _read_direction(words: StepWords, step: MoveStep) -> None:
    """Read in which direction moves go, and on which squares they end."""
    direction = words.data.pop("direction", {})
    if "opposite_of" in direction:
        step.same_as, step.turned = words.slot(direction["opposite_of"]), EIGHT // 2
    elif direction:
        step.same_as = words.slot(direction["same_as"])
    step.distance = words.data.pop("end_distance", 0)
    dest = words.data.pop("dest", "")
    if isinstance(dest, dict):
        step.square_of = words.slot(dest["square_of"])
        step.destination = DESTINATION_SQUARE
    elif step.distance:
        words.index(dest, ("",), "dest")
        step.destination = DESTINATION_RING
    else:
        step.destination = words.index(dest, DESTINATIONS, "dest")


def _read_lock(words: StepWords, step: Step) -> None:
    lock = words.data.pop("rank_lock", None)
    step.rank_lock = words.by_rank(lock) if lock else ()


def _read_leaps(words: StepWords, step: LeapStep) -> None:
    step.kind = words.index(words.take("kind"), KINDS[: COMBAT + 1], "kind")
    step.distance = words.data.pop("distance", 0)
    step.notes_captures = words.data.pop("note_captures", False)
    if step.distance >= DISTANCES:
        raise words.bad(f"a distance is below {DISTANCES}")
    if "dest" in words.data:
        step.square_of = words.slot(words.take("dest")["square_of"])


def _read_destroy(words: StepWords, step: DestroyStep) -> None:
    step.for_good = words.data.pop("for_good", False)
    if "stop_after_rank" in words.data:
        step.stop_rank = RANKS.index(words.take("stop_after_rank"))
        step.next_ranks = words.ranks(words.take("next_ranks"))


def _read_sweep(words: StepWords, step: SweepStep) -> None:
    step.counted = words.data.pop("count", True)


def _read_convert(words: StepWords, step: PlaceStep) -> None:
    step.rank = {"common": COMMON, "same": -1}[words.take("to")]
    if step.selector.ranks >> LEGENDARY & 1:
        raise words.bad("only commons and heroics can be converted")


def _read_place(words: StepWords, step: PlaceStep) -> None:
    owner = words.index(words.take("owner"), OWNERS[:ANY], "owner")
    places = words.places(words.take("where"))
    step.selector = Selector(owner, ANY_RANK, places, False, words.owner_condition(words.data))
    rank = words.take("rank")
    step.rank = -1 if rank == "any" else words.index(rank, RANKS, "rank")


def _read_shot(words: StepWords, step: ShotStep) -> None:
    dirs = words.take("dirs")
    if isinstance(dirs, dict):
        step.same_as = words.slot(dirs["same_as"])
    else:
        step.diagonals = words.index(dirs, ("pattern", "diagonals"), "dirs") == 1
    step.ranks = words.ranks(words.take("ranks"))
    step.blockers = words.ranks(words.take("blockers"))
    if words.index(words.take("hit"), ("all", "first_n"), "hit"):
        step.hit = words.take("n")
    step.reach = words.take("reach") or UNLIMITED
    step.fan = words.data.pop("fan45", False)


def _read_per_square(words: StepWords, step: Step) -> None:
    _read_where(words, step)
    if not words.take("distinct") or words.take("cases") != _CASES:
        raise words.bad("per_square knows only the cases of The Eldest Tree")


def _read_where(words: StepWords, step: Step) -> None:
    places = words.places(words.take("where"))
    step.selector = Selector(ANY, ANY_RANK, places, without_self=False, condition=0)


def _read_landing(words: StepWords, step: Step) -> None:
    """Read the squares to which a piece may leap from its card, which is a standard leap."""
    words.index(words.data.pop("kind", "standard"), ("standard",), "kind")
    _read_where(words, step)


def _read_group(words: StepWords, step: GroupStep) -> None:
    step.downgrades = {"destroy": False, "downgrade": True}[words.take("do")]
    step.ranks = words.ranks(words.take("ranks"))


def _read_recover(words: StepWords, step: Step) -> None:
    if (words.take("from"), words.take("to")) != ("own_discard", "own_deck_top"):
        raise words.bad("recover goes from own_discard to own_deck_top")


def _read_freeze(words: StepWords, step: FreezeStep) -> None:
    source = words.data.pop("from", "")
    step.from_discard = words.index(source, ("", "own_discard"), "from") == 1
    if not step.from_discard:
        step.least = 1


def _read_war(words: StepWords, step: WarStep) -> None:
    step.directly = words.data.pop("directly", False)


def _read_label(words: StepWords, step: Step) -> None:
    step.label = words.take("label")


def _read_choice(words: StepWords, step: Step) -> None:
    if not all(option["steps"] for option in words.take("options")):
        raise words.bad("an option has no steps")


def _read_actions(words: StepWords, step: GainStep) -> None:
    step.actions = words.take("n")


def _read_draws(words: StepWords, step: GainStep) -> None:
    step.beings, step.legends = words.take("deck"), words.take("legends")


def _read_swap(words: StepWords, step: SwapStep) -> None:
    step.partner = words.selector(words.take("with"))
    step.same_rank = words.data.pop("same_rank", False)


def _read_copy(words: StepWords, step: CardStep) -> None:
    step.pending = words.index(words.take("from"), ("pending", "discard"), "from") == 0


def _read_thrown(words: StepWords, step: CardStep) -> None:
    step.pending = words.index(words.take("what"), ("pending", "hand"), "what") == 0


def _read_nothing(words: StepWords, step: Step) -> None:
    """Read nothing but the common fields."""


_CASES: Final = [
    {
        "content": {"owner": "enemy", "ranks": ["common", "heroic"], "where": "here"},
        "do": "destroy",
    },
    {"content": {"owner": "own", "ranks": ["common"], "where": "here"}, "do": "upgrade"},
    {"content": "empty", "do": "place_own_common"},
]
# Any: each reader has the kind of step that stands before it.
DECISIONS: Final[dict[str, tuple[type[Step], Callable[[StepWords, Any], None]]]] = {
    "moves": (MoveStep, _read_moves),
    "leaps": (LeapStep, _read_leaps),
    "destroy": (DestroyStep, _read_destroy),
    "upgrade": (Step, _read_nothing),
    "downgrade": (Step, _read_nothing),
    "convert": (PlaceStep, _read_convert),
    "place": (PlaceStep, _read_place),
    "shoot": (ShotStep, _read_shot),
    "per_square": (Step, _read_per_square),
    "group": (GroupStep, _read_group),
    "pick": (Step, _read_nothing),
    "recover": (Step, _read_recover),
    "throw_flare": (Step, _read_label),
    "freeze": (FreezeStep, _read_freeze),
    "mirror": (Step, _read_lock),
    "pick_square": (Step, _read_landing),
    "swap": (SwapStep, _read_swap),
    "lift": (Step, _read_nothing),
    "leap_from_card": (Step, _read_landing),
    "copy_warp": (CardStep, _read_copy),
    "throw": (CardStep, _read_thrown),
    "take_back": (Step, _read_nothing),
    "choose_one": (Step, _read_choice),
}
AUTOMATICS: Final[dict[str, tuple[type[Step], Callable[[StepWords, Any], None]]]] = {
    "destroy_all": (SweepStep, _read_sweep),
    "force_upgrade": (Step, _read_nothing),
    "gain_action": (GainStep, _read_actions),
    "draw_extra": (GainStep, _read_draws),
    "extra_turn": (Step, _read_nothing),
    "war_summon": (WarStep, _read_war),
    "become_gateway": (Step, _read_nothing),
    "count_as_legend": (Step, _read_nothing),
    "lose_action": (GainStep, _read_actions),
    "possess_summon": (Step, _read_nothing),
    "to_deck_bottom": (Step, _read_nothing),
    "change_side": (Step, _read_nothing),
    "slow_others": (Step, _read_nothing),
    "double_destroyed": (Step, _read_nothing),
    "void_summon": (Step, _read_nothing),
    "recover_last": (Step, _read_nothing),
    "discard_legends": (Step, _read_nothing),
}
"""The operations that need no decision."""
_READERS: Final = DECISIONS | AUTOMATICS
