"""Compiling the steps of the deck files into programs, once.

The words of the steps are those of the rules page (13); a word that nobody knows is refused with
the name of the card.
"""

from __future__ import annotations

from pentathlon_engines.tash_kalar.cards.faults import BadCard
from pentathlon_engines.tash_kalar.cards.operations import CHOOSE, DESTROY, DOWNGRADE, OPS, RECOVER
from pentathlon_engines.tash_kalar.cards.patterns import COMMON, LEGENDARY, RANKS
from pentathlon_engines.tash_kalar.cards.program import (
    ANY,
    ANY_RANK,
    BUDGET_AND,
    BUDGET_OR,
    BY_PIECE,
    CLOSER,
    COMBAT,
    DESTINATIONS,
    KINDS,
    LOWER_HELD,
    OWNERS,
    STOPS,
    UNLIMITED,
    UPPER_HELD,
    Condition,
    Program,
    Selector,
    Step,
)
from pentathlon_engines.tash_kalar.cards.weaving_words import WeavingWords
from pentathlon_engines.tash_kalar.geometry import DISTANCES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final


def compile_steps(
    card: str, steps: list[dict[str, Any]], free: list[dict[str, Any]] | None = None
) -> Program:
    """Return the program of a being's steps, then those it has beside actions (18).

    Raise `BadCard` if they cannot be understood.
    """
    compiler = _Compiler(card)
    compiler.add_all(steps, ())
    return compiler.program(free or [])


def compile_flare(flare: dict[str, Any]) -> Program:
    """Return the program of a flare: its upper half, then its lower half, each if it held."""
    compiler = _Compiler(flare["id"])
    compiler.add_all(flare["upper"]["steps"], (Condition(UPPER_HELD, negated=False),))
    compiler.add_all(flare["lower"]["steps"], (Condition(LOWER_HELD, negated=False),))
    return compiler.program([])


class _Compiler:
    """Turns the steps of one card into a program."""

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
        """Add a step with all of its options; raise `BadCard` for a word that nobody knows."""
        reader = _Reader(self._card, data, self._slots)
        step = reader.step(self._shown)
        self._steps.append(step)
        if step.op == CHOOSE:
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


class _Reader(WeavingWords):
    """Reads one step; every word of it must be understood."""

    def step(self, shown: int) -> Step:
        op = self.take("op")
        if self.data.pop("force", False) and op == "upgrade":
            op = "force_upgrade"
        step = Step(self.index(op, OPS, "op"), shown)
        self._read_frame(step)
        _READERS[step.op](self, step)
        if "id" in self.data:
            step.slot = self.slots.setdefault(self.take("id"), len(self.slots))
        if self.data:
            raise self.bad(f"unknown words {', '.join(sorted(self.data))}")
        return step

    def _read_frame(self, step: Step) -> None:
        """Read what any step may have: condition, selector, how often."""
        if "if" in self.data:
            self.read_conditions(step, self.take("if"))
        for name in ("sel", "who"):
            if name in self.data:
                step.selector = self.selector(self.take(name))
        least, most = self.data.pop("min", 0), self.data.pop("max", 1)
        if isinstance(least, dict):
            step.most_of = self.slot(least["count_of"])
            return
        if least is None:
            least = UNLIMITED
        step.least = 1 if self.data.pop("mandatory", False) else least
        if isinstance(most, dict):
            step.by_rank = tuple(most["by_rank"][rank] for rank in RANKS)
            most = max(step.by_rank)
        step.most = UNLIMITED if most is None else most
        step.linked = self.data.pop("linked", False)

    def read_moves(self, step: Step) -> None:
        step.kind = self.index(self.take("kind"), KINDS, "kind")
        for name in ("one_piece", "each_once", "straight", "third_needs_self"):
            setattr(step, name, self.data.pop(name, False))
        step.goes_on = self.data.pop("must_go_on", False)
        step.veers = self.data.pop("turn45", False)
        step.aims = self.index(self.data.pop("first", ""), ("", "pattern"), "first") == 1
        step.near_own = self.data.pop("end_adjacent_to_own", False)
        if step.kind == BUDGET_AND:
            budget = self.take("budget")
            step.kind = {"and": BUDGET_AND, "or": BUDGET_OR}[budget["mode"]]
            step.combat, step.standard = budget["combat"], budget["standard"]
        elif step.kind == BY_PIECE:
            self._read_by_piece(step)
        self.read_weaving_moves(step)
        if "direction" in self.data:
            step.same_as = self.slot(self.take("direction")["same_as"])
        step.stop = self.index(self.data.pop("stop_if", ""), STOPS, "stop_if")
        step.capture_ranks = ANY_RANK & ~self.ranks(self.data.pop("forbid_capture", []))
        self._read_lock(step)
        if not step.destination:
            step.destination = self.index(self.data.pop("dest", ""), DESTINATIONS, "dest")
        step.closer = self.index(self.data.pop("closer_to", ""), CLOSER, "closer_to")
        step.notes_captures = self.data.pop("note_captures", False)

    def _read_lock(self, step: Step) -> None:
        lock = self.data.pop("rank_lock", None)
        step.rank_lock = self.by_rank(lock) if lock else ()

    def _read_by_piece(self, step: Step) -> None:
        if self.take("kind_by_piece") != {"self": "standard", "used": "combat"}:
            raise self.bad("kind_by_piece must be standard for self, combat for used")
        step.ranks = self.ranks(self.take("used_ranks"))

    def read_leaps(self, step: Step) -> None:
        step.kind = self.index(self.take("kind"), KINDS[: COMBAT + 1], "kind")
        step.distance = self.data.pop("distance", 0)
        step.notes_captures = self.data.pop("note_captures", False)
        if step.distance >= DISTANCES:
            raise self.bad(f"a distance is below {DISTANCES}")
        if "dest" in self.data:
            step.square_of = self.slot(self.take("dest")["square_of"])

    def read_destroy(self, step: Step) -> None:
        step.for_good = self.data.pop("for_good", False)
        if "stop_after_rank" in self.data:
            step.stop_rank = RANKS.index(self.take("stop_after_rank"))
            step.next_ranks = self.ranks(self.take("next_ranks"))

    def read_destroy_all(self, step: Step) -> None:
        step.counted = self.data.pop("count", True)

    def read_convert(self, step: Step) -> None:
        step.rank = {"common": COMMON, "same": -1}[self.take("to")]
        if step.selector.ranks >> LEGENDARY & 1:
            raise self.bad("only commons and heroics can be converted")

    def read_place(self, step: Step) -> None:
        owner = self.index(self.take("owner"), OWNERS[:ANY], "owner")
        places = self.places(self.take("where"))
        step.selector = Selector(owner, ANY_RANK, places, False, self.owner_condition(self.data))
        rank = self.take("rank")
        step.rank = -1 if rank == "any" else self.index(rank, RANKS, "rank")

    def read_shoot(self, step: Step) -> None:
        dirs = self.take("dirs")
        if isinstance(dirs, dict):
            step.same_as = self.slot(dirs["same_as"])
        else:
            step.diagonals = self.index(dirs, ("pattern", "diagonals"), "dirs") == 1
        step.ranks, step.blockers = (
            self.ranks(self.take("ranks")),
            self.ranks(self.take("blockers")),
        )
        if self.index(self.take("hit"), ("all", "first_n"), "hit"):
            step.hit = self.take("n")
        step.reach = self.take("reach") or UNLIMITED
        step.fan = self.data.pop("fan45", False)

    def read_per_square(self, step: Step) -> None:
        places = self.places(self.take("where"))
        step.selector = Selector(ANY, ANY_RANK, places, without_self=False, condition=0)
        if not self.take("distinct") or self.take("cases") != _CASES:
            raise self.bad("per_square knows only the cases of The Eldest Tree")

    def read_group(self, step: Step) -> None:
        step.kind = {"destroy": DESTROY, "downgrade": DOWNGRADE}[self.take("do")]
        step.ranks = self.ranks(self.take("ranks"))

    def read_recover(self, step: Step) -> None:
        if (self.take("from"), self.take("to")) != ("own_discard", "own_deck_top"):
            raise self.bad("recover goes from own_discard to own_deck_top")
        step.kind = RECOVER

    def read_freeze(self, step: Step) -> None:
        source = self.data.pop("from", "")
        step.from_discard = self.index(source, ("", "own_discard"), "from") == 1
        if not step.from_discard:
            step.least = 1

    def read_mirror(self, step: Step) -> None:
        self._read_lock(step)

    def read_war(self, step: Step) -> None:
        step.directly = self.data.pop("directly", False)

    def read_throw(self, step: Step) -> None:
        step.label = self.take("label")

    def read_choice(self, step: Step) -> None:
        if not all(option["steps"] for option in self.take("options")):
            raise self.bad("an option has no steps")

    def read_gain(self, step: Step) -> None:
        step.numbers = (self.take("n"), 0)

    def read_draw(self, step: Step) -> None:
        step.numbers = (self.take("deck"), self.take("legends"))

    def read_nothing(self, step: Step) -> None:
        """Read no more than the frame."""


_CASES: Final = [
    {
        "content": {"owner": "enemy", "ranks": ["common", "heroic"], "where": "here"},
        "do": "destroy",
    },
    {"content": {"owner": "own", "ranks": ["common"], "where": "here"}, "do": "upgrade"},
    {"content": "empty", "do": "place_own_common"},
]
_READERS: Final = (
    _Reader.read_moves,
    _Reader.read_leaps,
    _Reader.read_destroy,
    _Reader.read_nothing,
    _Reader.read_nothing,
    _Reader.read_convert,
    _Reader.read_place,
    _Reader.read_shoot,
    _Reader.read_per_square,
    _Reader.read_group,
    _Reader.read_nothing,
    _Reader.read_recover,
    _Reader.read_throw,
    _Reader.read_freeze,
    _Reader.read_mirror,
    _Reader.read_squares,
    _Reader.read_swap,
    _Reader.read_nothing,
    _Reader.read_squares,
    _Reader.read_copy,
    _Reader.read_card,
    _Reader.read_nothing,
    _Reader.read_choice,
    _Reader.read_destroy_all,
    _Reader.read_nothing,
    _Reader.read_gain,
    _Reader.read_draw,
    _Reader.read_nothing,
    _Reader.read_war,
    _Reader.read_nothing,
    _Reader.read_nothing,
    _Reader.read_gain,
    _Reader.read_nothing,
    _Reader.read_nothing,
    _Reader.read_nothing,
    _Reader.read_nothing,
    _Reader.read_nothing,
    _Reader.read_nothing,
    _Reader.read_nothing,
    _Reader.read_nothing,
)
