"""The words that many operations share: who, where, which rank, and on what condition (13)."""

from __future__ import annotations

from pentathlon_engines.tash_kalar.board import ALL, COLOURED, COLOURS, DISTANCES, spread
from pentathlon_engines.tash_kalar.cards import program
from pentathlon_engines.tash_kalar.cards.patterns import RANKS, BadCard

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final


_PLACES_OF_STEPS: Final = ("adjacent_to", "piece_of", "square_of")


class StepWords:
    """The data of one step of a card; the reader removes each word that it has understood."""

    def __init__(self, card: str, data: dict[str, Any], slots: dict[str, int]) -> None:
        self.card = card
        self.data = dict(data)
        self.slots = slots

    def selector(self, data: dict[str, Any]) -> program.Selector:
        """Return the selected pieces."""
        data = dict(data)
        owner = self.index(data.pop("owner"), program.OWNERS, "owner")
        ranks = self.ranks(data.pop("ranks", RANKS))
        places = self.places(data.pop("where"))
        without_self = data.pop("exclude_self", False)
        condition = self.owner_condition(data)
        without_gateway = data.pop("exclude_gateway", False)
        beside = data.pop("own_beside", {})
        without_piece = data.pop("exclude_piece", None)
        # With two seats there is one enemy colour, so these two say nothing more.
        data.pop("each_enemy_color", None)
        data.pop("color_of", None)
        self.refuse_rest(data)
        selector = program.Selector(owner, ranks, places, without_self, condition)
        selector.without_gateway = without_gateway
        if beside:
            selector.own_beside = self.by_rank(beside)
        if without_piece is not None:
            selector.without_piece = self.slot(without_piece)
        selector.leaves_out = without_gateway or without_piece is not None
        return selector

    def owner_condition(self, data: dict[str, Any]) -> int:
        """Read the condition that compares the two sides."""
        return self.index(
            data.pop("owner_condition", ""), program.OWNER_CONDITIONS, "owner_condition"
        )

    def read_conditions(self, step: program.Step, words: str) -> None:
        """Read the conditions of a step: any of several, or all of them."""
        step.every_condition = " and " in words
        if step.every_condition and " or " in words:
            raise self.bad(f"'and' and 'or' in {words!r}")
        parts = words.split(" and " if step.every_condition else " or ")
        step.conditions = tuple(self.condition(part) for part in parts)

    def places(self, where: object) -> list[program.Place]:
        """Return the named squares; a list means their union."""
        if isinstance(where, list):
            return [place for part in where for place in self.places(part)]
        if isinstance(where, str) and where in program.PLAIN_PLACES:
            return [program.Place(where, 0)]
        if where == "colorless":
            return [program.Place("fixed", ALL & ~COLOURED)]
        if not isinstance(where, dict) or len(where) != 1:
            raise self.bad(f"unknown place {where!r}")
        ((word, value),) = where.items()
        if word == "distance_max" and value < DISTANCES:
            return [program.Place("distance_max", value)]
        if word in _PLACES_OF_STEPS:
            return [program.Place(word, self.slot(value))]
        if word in ("adjacent_to_color", "on_or_adjacent_to_color") and value in COLOURS:
            squares = COLOURS[value]
            on = squares if word.startswith("on") else 0
            return [program.Place("fixed", spread(squares) | on)]
        raise self.bad(f"unknown place {where!r}")

    def condition(self, words: str) -> program.Condition:
        """Return a condition, possibly negated."""
        negated = words.startswith("not ")
        words = words.removeprefix("not ")
        if words in program.PLAIN_CONDITIONS:
            return program.Condition(words, negated=negated)
        kind, _, rest = words.partition(":")
        if kind == "summoned_on":
            number = self.index(rest, program.SUMMONED_COLOURS, "summoned_on")
            return program.Condition("summoned_on", negated=negated, number=number)
        if kind == "summon_captured":
            number = 1 + self.index(rest, program.SUMMON_CAPTURES, kind)
            return program.Condition("summon_captured", negated=negated, number=number)
        if kind == "gateway_on" and rest in COLOURS:
            return program.Condition("gateway_on", negated=negated, number=COLOURS[rest])
        if kind == "discarded":
            condition = program.Condition("discarded", negated=negated)
            condition.card = rest
            return condition
        return self._condition_on_step(words, kind, rest, negated=negated)

    def _condition_on_step(
        self, words: str, kind: str, rest: str, *, negated: bool
    ) -> program.Condition:
        """Read a condition that asks what an earlier step did."""
        name, _, rest = rest.replace(">=", ":").partition(":")
        if kind in ("done", "captured"):
            return program.Condition(kind, negated=negated, slot=self.slot(name))
        if kind == "count":
            return program.Condition(kind, negated=negated, slot=self.slot(name), number=int(rest))
        if kind in ("destroyed", "piece_rank"):
            rank = self.index(rest, RANKS, kind)
            return program.Condition(kind, negated=negated, slot=self.slot(name), number=rank)
        if kind == "square_color" and rest in COLOURS:
            slot = self.slot(name)
            return program.Condition(kind, negated=negated, slot=slot, number=COLOURS[rest])
        raise self.bad(f"unknown condition {words!r}")

    def ranks(self, names: Any) -> int:
        """Return a bit for each rank."""
        return sum(1 << self.index(name, RANKS, "ranks") for name in names)

    def by_rank(self, numbers: dict[str, int]) -> tuple[int, ...]:
        """Return a number for each rank, 0 for those that are not named."""
        self.ranks(numbers)
        return tuple(numbers.get(rank, 0) for rank in RANKS)

    def slot(self, name: str) -> int:
        """Return the slot in which the step of this name records its result."""
        if name not in self.slots:
            raise self.bad(f"no earlier step is called {name!r}")
        return self.slots[name]

    def take(self, word: str) -> Any:
        """Read the value of a word; refuse the card if the word is missing."""
        if word not in self.data:
            raise self.bad(f"{word} is missing")
        return self.data.pop(word)

    def index(self, name: object, names: tuple[str, ...], word: str) -> int:
        """Return the place of a name among those that a word may have."""
        if name not in names:
            raise self.bad(f"{word} must be one of {', '.join(names)}, not {name!r}")
        return names.index(str(name))

    def refuse_rest(self, data: dict[str, Any]) -> None:
        """Refuse words that were not read."""
        if data:
            raise self.bad(f"unknown words {', '.join(sorted(data))}")

    def bad(self, problem: str) -> BadCard:
        """Return the refusal of this card."""
        return BadCard(self.card, f"a step of its effect: {problem}")
