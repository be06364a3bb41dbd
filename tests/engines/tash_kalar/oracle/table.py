"""The cards on the table of Tash-Kalar for the oracle: deal, hands, decks and piles.

A part of a match is a generator that stops wherever somebody decides.
"""

from collections.abc import Generator
from typing import Any

from tests.engines.tash_kalar.oracle.arena import Arena
from tests.engines.tash_kalar.oracle.cards import (
    COMMON,
    DATA,
    DECKS,
    LEGENDARY,
    Piece,
    cards_of,
    kind_of,
)
from tests.engines.tash_kalar.oracle.tasks import TaskRow

CHANCE = -1
Play = Generator[None, str, Any]
"""A part of a match; what it returns differs from part to part."""


class Table(Arena):
    """All that lies on the table; `to_move`, `phase` and `listed` tell who decides what."""

    def __init__(self, options: dict[str, Any]) -> None:
        super().__init__(is_high=options["mode"] == "high_form")
        self.options = options
        self.to_move: int | None = None
        self.phase = ""
        self.listed: list[str] = []
        self.card: str | None = None
        self.decks |= {"legends": [], "flares": []}
        self.row = TaskRow({}, [], [])
        self.discarded = self.is_extra = False
        self.player = self.turn = 0
        self.end: dict[str, Any] | None = None
        self.result: dict[str, Any] | None = None
        self.begun = [0, 0]

    def ask(self, seat: int, phase: str, listed: list[str]) -> Play:
        """Stop until a seat has chosen."""
        self.to_move, self.phase, self.listed = seat, phase, sorted(listed)
        return (yield)

    def draw_lots(self, phase: str) -> Play:
        """Stop until chance has decided, and return the words after the first."""
        self.to_move, self.phase, self.listed = CHANCE, phase, []
        text = yield
        return text.split()[1:]

    def scores(self) -> list[int]:
        """10.3, 10.4"""
        points = [self.points[seat] - 2 * bool(self.pending[seat]) for seat in (0, 1)]
        if not self.is_high:
            return points
        return [points[seat] + len(self.find([seat], [LEGENDARY])) for seat in (0, 1)]

    def put(self, position: dict[str, Any]) -> None:
        """Begin in the middle, where a turn has just begun."""
        for there, fact in position["board"].items():
            self.board[there] = Piece(fact["owner"], fact["rank"])
        self.gateway = self.board.get(position.get("gateway") or "")
        if "everfrost" in self.options["decks"]:
            seat = self.options["decks"].index("everfrost")
            self.frozen[seat] = position["frozen"]
            self.removed = [
                {COMMON: gone["common_heroic"], LEGENDARY: gone["legendary"]}
                for gone in position["removed"]
            ]
        if "etherweave" in self.options["decks"]:
            seat, lifted = self.options["decks"].index("etherweave"), position["on_card"]
            self.pending[seat] = position["pending"]
            self.last[seat] = position["last_discard"]
            self.on_card = Piece(lifted["owner"], lifted["rank"]) if lifted else None
        self.hands = position["hands"]
        self.decks = position["decks"]
        self.discards = position["discards"]
        self.played = position["played"]
        self.turn, self.player = position["turn"], position["to_move"]
        self.actions_left = position["actions_left"]
        self.points = [
            score + 2 * bool(card)
            for score, card in zip(position["scores"], self.pending, strict=True)
        ]
        if "counters" in position:
            self.destroyed = position["counters"]["destroyed"]
            self.summoned = position["counters"]["summoned"]
        self.end = position.get("end")
        self.permissions = set(position["permissions"])
        if self.is_high:
            tasks = position["tasks"]
            self.row = TaskRow(task_types(), tasks["current"], self.decks.pop("tasks"))
            self.row.next, self.row.claimed = tasks["next"], tasks["claimed"]
            self.row.under = tasks["under"]
            self.points = [
                sum(DATA["tasks"][task]["points"] for task in mine) for mine in self.row.claimed
            ]

    def set_up(self) -> Play:
        """4"""
        if "drawn" in self.options["decks"]:
            self.options = self.options | {"decks": (yield from self.draw_lots("draw"))}
        dealt = yield from self.draw_lots("deal")
        self.player, self.turn, self.actions_left = int(dealt[0]), 1, 1
        decks = [cards_of(DECKS[school]) for school in self.options["decks"]]
        legends, flares = cards_of("legends"), cards_of("flares")
        both = named(flares, dealt[5])
        for seat in (0, 1):
            hand = self.hands[seat]
            hand["beings"] = named(decks[seat], dealt[1 + seat])
            hand["legends"] = named(legends, dealt[3 + seat])
            hand["flare"] = both[seat]
            self.decks["beings"][seat] = named(decks[seat], dealt[6 + seat])
        self.decks["legends"], self.decks["flares"] = (
            named(legends, dealt[8]),
            named(flares, dealt[9]),
        )
        if self.is_high:
            tasks = cards_of("tasks")
            self.row = TaskRow(task_types(), named(tasks, dealt[10]), named(tasks, dealt[11]))
            self.row.turn_up()
        else:
            second = 1 - self.player
            text = yield from self.ask(second, "setup", ["setup c5", "setup g5"])
            for there in ("c5", "g5"):
                self.board[there] = Piece(
                    second if there == text.split()[1] else self.player, COMMON
                )
        self.turn = 0

    def discard(self, card: str) -> Play:
        """5.6"""
        hand = self.hands[self.player]
        hand["beings"].remove(card)
        self.put_on_pile(self.player, card)
        self.discarded = True
        while True:
            beings = [being for being in hand["beings"] if being != self.pending[self.player]]
            others = [*beings, *hand["legends"], *filter(None, [hand["flare"]])]
            if not others:
                self.tell(self.player, "done")
                return
            listed = ["done", *(f"return {other}" for other in others)]
            text = yield from self.ask(self.player, "return", listed)
            if text == "done":
                return
            self.put_under(text.split()[1])

    def put_under(self, card: str) -> None:
        hand, kind = self.hands[self.player], kind_of(card)
        if kind == "flare":
            hand["flare"] = None
            self.decks["flares"].append(card)
        elif kind == "legend":
            hand["legends"].remove(card)
            self.decks["legends"].append(card)
        else:
            hand["beings"].remove(card)
            self.decks["beings"][self.player].append(card)

    def draw(self) -> Play:
        """5.7, 3.5, 8.6"""
        hand = self.hands[self.player]
        beings = self.draw_beings(3 - len(hand["beings"]))
        legends = yield from self.draw_shared("legends", 2 - len(hand["legends"]))
        flares = yield from self.draw_shared("flares", hand["flare"] is None)
        legends += yield from self.draw_shared("legends", self.extra["legends"])
        beings += self.draw_beings(self.extra["beings"])
        if beings or legends or flares:
            self.tell(self.player, f"draw {beings} {legends} {flares}")

    def draw_beings(self, wanted: int) -> int:
        deck = self.decks["beings"][self.player]
        drawn = deck[: max(0, wanted)]
        del deck[: len(drawn)]
        self.hands[self.player]["beings"] += drawn
        return len(drawn)

    def draw_shared(self, kind: str, wanted: int) -> Play:
        """3.5"""
        drawn = 0
        while drawn < wanted:
            if not self.decks[kind]:
                yield from self.shuffle(kind)
            if not self.decks[kind]:
                break
            card = self.decks[kind].pop(0)
            drawn += 1
            if kind == "flares":
                self.hands[self.player]["flare"] = card
            else:
                self.hands[self.player]["legends"].append(card)
            if not self.decks[kind]:
                yield from self.shuffle(kind)
        return drawn

    def shuffle(self, kind: str) -> Play:
        """3.5"""
        if self.played[kind]:
            words = yield from self.draw_lots("shuffle")
            assert words[0] == kind
            self.decks[kind] = named(cards_of(kind), words[1])
            assert sorted(self.decks[kind]) == sorted(self.played[kind])
            self.played[kind] = []


def task_types() -> dict[str, str]:
    """Return the type of each task."""
    return {task: fact["type"] for task, fact in DATA["tasks"].items()}


def named(deck: list[str], numbers: str) -> list[str]:
    """Return the cards that a chance text names."""
    return [] if numbers == "-" else [deck[int(number) - 1] for number in numbers.split(".")]
