"""Compiling the steps of the deck files into programs, once.

The words of the steps are those of the rules page (13); a word that nobody knows is refused with
the name of the card.
"""

from __future__ import annotations

from pentathlon_engines.tash_kalar.faults import BadCard
from pentathlon_engines.tash_kalar.geometry import COLOURS, DISTANCES, spread
from pentathlon_engines.tash_kalar.patterns import COMMON, LEGENDARY, RANKS
from pentathlon_engines.tash_kalar.program import (
    ANY,
    ANY_RANK,
    BUDGET_AND,
    BUDGET_OR,
    BY_PIECE,
    CAPTURED,
    CHOOSE,
    CLOSER,
    COMBAT,
    COUNT,
    DESTINATIONS,
    DESTROY,
    DESTROYED,
    DONE,
    DOWNGRADE,
    FIXED,
    GATEWAY_ON,
    KINDS,
    LOWER_HELD,
    NEAR_SQUARE_OF,
    OPS,
    OWNER_CONDITIONS,
    OWNERS,
    PIECE_OF,
    PIECE_RANK,
    PLAIN_CONDITIONS,
    PLAIN_PLACES,
    RECOVER,
    SQUARE_COLOUR,
    STOPS,
    SUMMONED_COLOURS,
    SUMMONED_ON,
    UNLIMITED,
    UPPER_HELD,
    WITHIN_DISTANCE,
    Condition,
    Place,
    Program,
    Selector,
    Step,
)

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


class _Reader:
    """Reads one step; every word of it must be understood."""

    def __init__(self, card: str, data: dict[str, Any], slots: dict[str, int]) -> None:
        self._card = card
        self._data = dict(data)
        self._slots = slots

    def step(self, shown: int) -> Step:
        op = self._take("op")
        if self._data.pop("force", False) and op == "upgrade":
            op = "force_upgrade"
        step = Step(self._index(op, OPS, "op"), shown)
        self._read_frame(step)
        _READERS[step.op](self, step)
        if "id" in self._data:
            step.slot = self._slots.setdefault(self._take("id"), len(self._slots))
        if self._data:
            raise self._bad(f"unknown words {', '.join(sorted(self._data))}")
        return step

    def _read_frame(self, step: Step) -> None:
        """Read what any step may have: condition, selector, how often."""
        if "if" in self._data:
            step.conditions = tuple(
                self._condition(words) for words in self._take("if").split(" or ")
            )
        for name in ("sel", "who"):
            if name in self._data:
                step.selector = self._selector(self._take(name))
        least, most = self._data.pop("min", 0), self._data.pop("max", 1)
        if isinstance(least, dict):
            step.most_of = self._slot(least["count_of"])
            return
        if least is None:
            least = UNLIMITED
        step.least = 1 if self._data.pop("mandatory", False) else least
        if isinstance(most, dict):
            step.by_rank = tuple(most["by_rank"][rank] for rank in RANKS)
            most = max(step.by_rank)
        step.most = UNLIMITED if most is None else most

    def read_moves(self, step: Step) -> None:
        step.kind = self._index(self._take("kind"), KINDS, "kind")
        for name in ("one_piece", "each_once", "straight", "third_needs_self"):
            setattr(step, name, self._data.pop(name, False))
        step.near_own = self._data.pop("end_adjacent_to_own", False)
        if step.kind == BUDGET_AND:
            budget = self._take("budget")
            step.kind = {"and": BUDGET_AND, "or": BUDGET_OR}[budget["mode"]]
            step.combat, step.standard = budget["combat"], budget["standard"]
        elif step.kind == BY_PIECE:
            self._read_by_piece(step)
        if "direction" in self._data:
            step.same_as = self._slot(self._take("direction")["same_as"])
        step.stop = self._index(self._data.pop("stop_if", ""), STOPS, "stop_if")
        step.capture_ranks = ANY_RANK & ~self._ranks(self._data.pop("forbid_capture", []))
        lock = self._data.pop("rank_lock", None)
        step.rank_lock = tuple(lock.get(rank, 0) for rank in RANKS) if lock else ()
        step.destination = self._index(self._data.pop("dest", ""), DESTINATIONS, "dest")
        step.closer = self._index(self._data.pop("closer_to", ""), CLOSER, "closer_to")
        step.notes_captures = self._data.pop("note_captures", False)

    def _read_by_piece(self, step: Step) -> None:
        if self._take("kind_by_piece") != {"self": "standard", "used": "combat"}:
            raise self._bad("kind_by_piece must be standard for self, combat for used")
        step.ranks = self._ranks(self._take("used_ranks"))

    def read_leaps(self, step: Step) -> None:
        step.kind = self._index(self._take("kind"), KINDS[: COMBAT + 1], "kind")
        step.distance = self._data.pop("distance", 0)
        if step.distance >= DISTANCES:
            raise self._bad(f"a distance is below {DISTANCES}")
        if "dest" in self._data:
            step.square_of = self._slot(self._take("dest")["square_of"])

    def read_destroy(self, step: Step) -> None:
        if "stop_after_rank" in self._data:
            step.stop_rank = RANKS.index(self._take("stop_after_rank"))
            step.next_ranks = self._ranks(self._take("next_ranks"))

    def read_destroy_all(self, step: Step) -> None:
        step.counted = self._data.pop("count", True)

    def read_convert(self, step: Step) -> None:
        step.rank = {"common": COMMON, "same": -1}[self._take("to")]
        if step.selector.ranks >> LEGENDARY & 1:
            raise self._bad("only commons and heroics can be converted")

    def read_place(self, step: Step) -> None:
        owner = self._index(self._take("owner"), OWNERS[:ANY], "owner")
        places = self._places(self._take("where"))
        step.selector = Selector(owner, ANY_RANK, places, False, self._owner_condition(self._data))
        rank = self._take("rank")
        step.rank = -1 if rank == "any" else self._index(rank, RANKS, "rank")

    def read_shoot(self, step: Step) -> None:
        dirs = self._take("dirs")
        if isinstance(dirs, dict):
            step.same_as = self._slot(dirs["same_as"])
        else:
            step.diagonals = self._index(dirs, ("pattern", "diagonals"), "dirs") == 1
        step.ranks, step.blockers = (
            self._ranks(self._take("ranks")),
            self._ranks(self._take("blockers")),
        )
        if self._index(self._take("hit"), ("all", "first_n"), "hit"):
            step.hit = self._take("n")
        step.reach = self._take("reach") or UNLIMITED
        step.fan = self._data.pop("fan45", False)

    def read_per_square(self, step: Step) -> None:
        places = self._places(self._take("where"))
        step.selector = Selector(ANY, ANY_RANK, places, without_self=False, condition=0)
        if not self._take("distinct") or self._take("cases") != _CASES:
            raise self._bad("per_square knows only the cases of The Eldest Tree")

    def read_group(self, step: Step) -> None:
        step.kind = {"destroy": DESTROY, "downgrade": DOWNGRADE}[self._take("do")]
        step.ranks = self._ranks(self._take("ranks"))

    def read_recover(self, step: Step) -> None:
        if (self._take("from"), self._take("to")) != ("own_discard", "own_deck_top"):
            raise self._bad("recover goes from own_discard to own_deck_top")
        step.kind = RECOVER

    def read_throw(self, step: Step) -> None:
        step.label = self._take("label")

    def read_choice(self, step: Step) -> None:
        if not all(option["steps"] for option in self._take("options")):
            raise self._bad("an option has no steps")

    def read_gain(self, step: Step) -> None:
        step.numbers = (self._take("n"), 0)

    def read_draw(self, step: Step) -> None:
        step.numbers = (self._take("deck"), self._take("legends"))

    def read_nothing(self, step: Step) -> None:
        """Read no more than the frame."""

    def _selector(self, data: dict[str, Any]) -> Selector:
        data = dict(data)
        owner = self._index(data.pop("owner"), OWNERS, "owner")
        ranks = self._ranks(data.pop("ranks", RANKS))
        places = self._places(data.pop("where"))
        without_self = data.pop("exclude_self", False)
        condition = self._owner_condition(data)
        without_gateway = data.pop("exclude_gateway", False)
        # With two seats there is one enemy colour, so these two say nothing more.
        data.pop("each_enemy_color", None)
        data.pop("color_of", None)
        if data:
            raise self._bad(f"unknown words {', '.join(sorted(data))}")
        selector = Selector(owner, ranks, places, without_self, condition)
        selector.without_gateway = without_gateway
        return selector

    def _owner_condition(self, data: dict[str, Any]) -> int:
        return self._index(data.pop("owner_condition", ""), OWNER_CONDITIONS, "owner_condition")

    def _places(self, where: object) -> list[Place]:
        if isinstance(where, list):
            return [place for part in where for place in self._places(part)]
        if isinstance(where, str) and where in PLAIN_PLACES:
            return [Place(PLAIN_PLACES[where], 0)]
        if not isinstance(where, dict) or len(where) != 1:
            raise self._bad(f"unknown place {where!r}")
        ((word, value),) = where.items()
        if word == "distance_max" and value < DISTANCES:
            return [Place(WITHIN_DISTANCE, value)]
        if word in ("adjacent_to", "piece_of"):
            kind = NEAR_SQUARE_OF if word == "adjacent_to" else PIECE_OF
            return [Place(kind, self._slot(value))]
        if word in ("adjacent_to_color", "on_or_adjacent_to_color") and value in COLOURS:
            squares = COLOURS[value]
            on = squares if word.startswith("on") else 0
            return [Place(FIXED, spread(squares) | on)]
        raise self._bad(f"unknown place {where!r}")

    def _condition(self, words: str) -> Condition:
        negated = words.startswith("not ")
        words = words.removeprefix("not ")
        if words in PLAIN_CONDITIONS:
            return Condition(PLAIN_CONDITIONS[words], negated=negated)
        kind, _, rest = words.partition(":")
        if kind == "summoned_on":
            number = self._index(rest, SUMMONED_COLOURS, "summoned_on")
            return Condition(SUMMONED_ON, negated=negated, number=number)
        if kind == "gateway_on" and rest in COLOURS:
            return Condition(GATEWAY_ON, negated=negated, number=COLOURS[rest])
        return self._condition_on_step(words, kind, rest, negated=negated)

    def _condition_on_step(self, words: str, kind: str, rest: str, *, negated: bool) -> Condition:
        """Read a condition that asks what an earlier step did."""
        name, _, rest = rest.replace(">=", ":").partition(":")
        if kind == "done":
            return Condition(DONE, negated=negated, slot=self._slot(name))
        if kind == "captured":
            return Condition(CAPTURED, negated=negated, slot=self._slot(name))
        if kind == "count":
            return Condition(COUNT, negated=negated, slot=self._slot(name), number=int(rest))
        if kind in ("destroyed", "piece_rank"):
            asked = DESTROYED if kind == "destroyed" else PIECE_RANK
            rank = self._index(rest, RANKS, kind)
            return Condition(asked, negated=negated, slot=self._slot(name), number=rank)
        if kind == "square_color" and rest in COLOURS:
            slot = self._slot(name)
            return Condition(SQUARE_COLOUR, negated=negated, slot=slot, number=COLOURS[rest])
        raise self._bad(f"unknown condition {words!r}")

    def _ranks(self, names: Any) -> int:
        return sum(1 << self._index(name, RANKS, "ranks") for name in names)

    def _slot(self, name: str) -> int:
        if name not in self._slots:
            raise self._bad(f"no earlier step is called {name!r}")
        return self._slots[name]

    def _take(self, word: str) -> Any:
        if word not in self._data:
            raise self._bad(f"{word} is missing")
        return self._data.pop(word)

    def _index(self, name: object, names: tuple[str, ...], word: str) -> int:
        if name not in names:
            raise self._bad(f"{word} must be one of {', '.join(names)}, not {name!r}")
        return names.index(str(name))

    def _bad(self, problem: str) -> BadCard:
        return BadCard(self._card, f"a step of its effect: {problem}")


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
    _Reader.read_choice,
    _Reader.read_destroy_all,
    _Reader.read_nothing,
    _Reader.read_gain,
    _Reader.read_draw,
    _Reader.read_nothing,
    _Reader.read_nothing,
    _Reader.read_nothing,
    _Reader.read_nothing,
    _Reader.read_gain,
    _Reader.read_nothing,
    _Reader.read_nothing,
)
