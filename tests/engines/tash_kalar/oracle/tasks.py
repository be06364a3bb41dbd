"""The tasks of Tash-Kalar, written from their texts, for the oracle (section 11)."""

from collections.abc import Callable, Iterable
from typing import Any

from tests.engines.tash_kalar.oracle.arena import Arena
from tests.engines.tash_kalar.oracle.cards import (
    GREEN,
    HEROIC,
    LEGENDARY,
    RANKS,
    RED,
    SQUARES,
    around,
    kind_of,
    within,
)

UPGRADED = (HEROIC, LEGENDARY)


class Look:
    """What a claim depends on."""

    def __init__(self, arena: Arena, seat: int, summoned: list[dict[str, Any]]) -> None:
        self.own = {rank: arena.find([seat], [rank]) for rank in RANKS}
        self.all_own = arena.find([seat])
        self.upgraded = arena.find([seat], UPGRADED)
        self.enemies = arena.find([1 - seat])
        self.enemies_upgraded = arena.find([1 - seat], UPGRADED)
        self.killed: dict[str, int] = arena.destroyed
        self.summoned = summoned

    def destroyed(self, total: int, upgraded: int) -> bool:
        killed = self.killed
        return sum(killed.values()) >= total and killed[HEROIC] + killed[LEGENDARY] >= upgraded

    def conquest(self, squares: list[str], total: int, upgraded: int, legends: int = 0) -> bool:
        return (
            count(squares, self.all_own) >= total
            and count(squares, self.upgraded) >= upgraded
            and count(squares, self.own[LEGENDARY]) >= legends
        )

    def rainbow(self) -> bool:
        return all(
            count(color, self.upgraded) > count(color, self.enemies_upgraded)
            for color in (RED, GREEN)
        )

    def summons(self, squares: list[str], on: int, legends: int = 0) -> bool:
        where = [being["square"] for being in self.summoned]
        are_legends = [
            being.get("as_legend") or kind_of(being["card"]) == "legend" for being in self.summoned
        ]
        fits = sum(there in squares for there in where) >= on
        return len(where) >= 2 and fits and are_legends.count(True) >= legends

    def cross(self) -> bool:
        return any(
            count(five.split(), self.all_own) == 5 for five in ("e5 d5 f5 e4 e6", "e5 d4 f4 d6 f6")
        )

    def line(self) -> bool:
        lines = [[there for there in SQUARES if name in there] for name in "def456"]
        return any(count(line, self.all_own) - count(line, self.enemies) >= 6 for line in lines)

    def diagonals(self) -> bool:
        both = ("b2 c3 d4 e5 f6 g7 h8", "b8 c7 d6 e5 f4 g3 h2")
        return all(self.conquest(one.split(), 4, 1) for one in both)

    def chain(self, *ends: tuple[str, str]) -> bool:
        return any(self._linked(start.split(), end.split()) for start, end in ends)

    def _linked(self, start: list[str], end: list[str]) -> bool:
        reached = [there for there in self.all_own if there in start]
        for there in reached:
            reached += [t for t in around(there) if t in self.all_own and t not in reached]
        return any(there in end for there in reached)

    def surrounded(self, by: int) -> bool:
        return any(count(around(enemy), self.all_own) >= by for enemy in self.enemies)

    def isolated(self) -> bool:
        """11.4"""
        return any(self._is_alone(enemy) for enemy in self.enemies)

    def _is_alone(self, enemy: str) -> bool:
        others = [there for there in self.enemies if there != enemy]
        if not any(there in within(enemy, 2) for there in others):
            return False
        taken = self.all_own + self.enemies
        reached = {enemy}
        for _ in range(3):
            reached |= {t for there in reached for t in around(there) if t not in taken}
        return not any(near in others for there in reached for near in around(there))


def count(squares: Iterable[str], those: list[str]) -> int:
    """Return how many of the squares are among those."""
    return sum(there in those for there in squares)


SIDES = (("a3 a4 a5 a6 a7", "i3 i4 i5 i6 i7"), ("c1 d1 e1 f1 g1", "c9 d9 e9 f9 g9"))
CORNERS = (("a3 b2 c1", "g9 h8 i7"), ("a7 b8 c9", "g1 h2 i3"))
CENTRAL = [f + r for f in "def" for r in "456"]
TASKS: dict[str, Callable[[Look], bool]] = {
    "destruction": lambda look: look.destroyed(3, 0),
    "devastation": lambda look: look.destroyed(4, 0),
    "heroic_destruction": lambda look: look.destroyed(3, 1),
    "heroic_devastation": lambda look: look.destroyed(4, 2),
    "end_of_legends": lambda look: look.killed[LEGENDARY] >= 1 or look.killed[HEROIC] >= 2,
    "red_conquest": lambda look: look.conquest(RED, 3, 2),
    "green_conquest": lambda look: look.conquest(GREEN, 3, 2),
    "color_conquest": lambda look: look.conquest(RED + GREEN, 5, 3),
    "red_legends": lambda look: look.conquest(RED, 0, 2, 1),
    "green_legends": lambda look: look.conquest(GREEN, 0, 2, 1),
    "rainbow_dominance": Look.rainbow,
    "red_summoning": lambda look: look.summons(RED, 1),
    "green_summoning": lambda look: look.summons(GREEN, 1),
    "colored_summoning": lambda look: look.summons(RED + GREEN, 2),
    "legendary_summoning": lambda look: look.summons(SQUARES, 2, 1),
    "central_dominance": lambda look: look.conquest(CENTRAL, 5, 2),
    "center_cross": Look.cross,
    "line_dominance": Look.line,
    "diagonals": Look.diagonals,
    "side_chain": lambda look: look.chain(*SIDES),
    "corner_chain": lambda look: look.chain(*CORNERS),
    "imprisonment": lambda look: look.surrounded(6),
    "envelopment": lambda look: look.surrounded(7),
    "isolation": Look.isolated,
}


def satisfied(task: str, look: Look) -> bool:
    """Return whether a task may be claimed."""
    return TASKS[task.removeprefix("task_")](look)


class TaskRow:
    """The tasks on the table (4.2, 11.2)."""

    def __init__(self, types: dict[str, str], current: list[str], deck: list[str]) -> None:
        self.types = types
        self.current = current
        self.deck = deck
        self.next: str | None = None
        self.claimed: list[list[str]] = [[], []]
        self.under: list[str] = []

    def claim(self, task: str, seat: int) -> None:
        self.current.remove(task)
        self.claimed[seat].append(task)
        if self.next:
            self.current.append(self.next)
        self.turn_up()

    def turn_up(self) -> None:
        """Turn up a new next task."""
        self.next = None
        for left in range(len(self.deck), 0, -1):
            card = self.deck.pop(0)
            if card in self.under:
                self.under.remove(card)
            types = [self.types[task] for task in [*self.current, card]]
            if left == 1 or not any(types.count(one) >= 3 for one in types):
                self.next = card
                return
            self.deck.append(card)
            self.under.append(card)

    def view(self) -> dict[str, Any]:
        return {
            "current": sorted(self.current),
            "next": self.next,
            "claimed": self.claimed,
            "under": self.under,
        }
