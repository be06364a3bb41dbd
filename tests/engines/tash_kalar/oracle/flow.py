"""A match of Tash-Kalar once more, slowly, written from its rules page alone.

Everything from the deal to the end is one generator that stops wherever somebody decides.
"""

from typing import Any

from tests.engines.tash_kalar.oracle.cards import COMMON, DATA, HEROIC, LEGENDARY, RANKS, Piece
from tests.engines.tash_kalar.oracle.free import Free
from tests.engines.tash_kalar.oracle.table import CHANCE, Play
from tests.engines.tash_kalar.oracle.tasks import Look, satisfied


class Oracle(Free):
    """One match; `to_move`, `phase` and `listed` tell who decides what."""

    def __init__(self, options: dict[str, Any], position: dict[str, Any] | None = None) -> None:
        super().__init__(options)
        self.flow = self.match(position)
        next(self.flow)

    def do(self, text: str) -> None:
        """Go on with a decision, of a seat or of chance."""
        assert self.to_move is not None
        if self.to_move != CHANCE:
            self.begun[self.to_move] = len(self.events)
        if self.phase not in ("draw", "deal"):
            self.tell(self.to_move, text)
        try:
            self.flow.send(text)
        except StopIteration:
            self.to_move, self.phase, self.listed = None, "over", []
            self.card = self.step = None

    def match(self, position: dict[str, Any] | None) -> Play:
        """4, 5, 12"""
        if position is None:
            yield from self.set_up()
            yield from self.play_turn()
        else:
            self.put(position)
            yield from self.finish_turn()
        while self.result is None:
            yield from self.play_turn()

    def play_turn(self) -> Play:
        """5.1"""
        self.turn += 1
        self.actions_left = 1 if self.turn == 1 else 2
        if self.slowed == self.player:
            self.actions_left -= 1
            self.slowed = None
        yield from self.finish_turn()

    def reset(self) -> None:
        """5.7, last item"""
        self.destroyed = dict.fromkeys(RANKS, 0)
        self.summoned = []
        self.permissions = set()
        self.extra = {"beings": 0, "legends": 0}
        self.discarded = False
        self.warped = set()

    def finish_turn(self) -> Play:
        """5.2, 5.7"""
        text = ""
        while not text:
            if self.actions_left > 0:
                yield from self.act()
            else:
                text = yield from self.decide_end()
        if text.startswith("claim"):
            task = text.split()[1]
            self.points[self.player] += DATA["tasks"][task]["points"]
            self.row.claim(task, self.player)
        if not self.is_high:
            killed = self.destroyed
            self.points[self.player] += (
                2 * killed[LEGENDARY] + killed[HEROIC] + killed[COMMON] // 2
            )
        yield from self.draw()
        self.test_end()

    def act(self) -> Play:
        """5.2"""
        text = yield from self.ask(self.player, "main", self.actions())
        word, *what = text.split()
        if word in ("flare", "thaw", "warp"):
            yield from self.play_free(text)
            return
        self.actions_left -= 1
        if word == "discard":
            yield from self.discard(*what)
        elif word == "summon":
            yield from self.summon(*what)
        else:
            yield from self.place(word, *what)

    def actions(self) -> list[str]:
        """5.2, 5.3"""
        if "summon_now" in self.permissions:
            return self.summonings()
        listed = [*self.placings(), *self.summonings(), *self.free()]
        if not self.discarded:
            beings = self.hands[self.player]["beings"]
            listed += [f"discard {one}" for one in beings if one != self.pending[self.player]]
        return listed

    def placings(self) -> list[str]:
        """5.5"""
        if self.supply(self.player, COMMON):
            return [f"place {there}" for there in self.empty()]
        return [f"pickup {there}" for there in self.find([self.player], [COMMON, HEROIC])]

    def place(self, word: str, there: str) -> Play:
        """5.5"""
        if word == "pickup":
            del self.board[there]
            text = yield from self.ask(
                self.player, "place_at", [f"place {to}" for to in self.empty()]
            )
            there = text.split()[1]
        self.board[there] = Piece(self.player, COMMON)

    def decide_end(self) -> Play:
        """5.7; returns "" after a flare"""
        listed = [*self.free(), "end"]
        if self.is_high:
            look = Look(self, self.player, self.summoned)
            listed += [f"claim {task}" for task in self.row.current if satisfied(task, look)]
        if listed == ["end"]:
            self.tell(self.player, "end")
            return "end"
        text = yield from self.ask(self.player, "turn_end", listed)
        if text.split()[0] in ("flare", "thaw", "warp"):
            yield from self.play_free(text)
            return ""
        return text

    def test_end(self) -> None:
        """12"""
        was_final = self.end is not None and not self.is_extra
        if was_final and self.end:
            self.end["turns_left"] -= 1
        elif self.end is None:
            self.trigger()
        again = "extra_turn" in self.permissions
        if self.end and self.end["turns_left"] == 0 and not again:
            self.finish(self.end["reason"])
        elif self.turn == 200:
            self.finish("cap")
        self.reset()
        self.is_extra = again and self.result is None
        if not again:
            self.player = 1 - self.player

    def trigger(self) -> None:
        """12.1"""
        reason = None if self.decks["beings"][self.player] else "deck"
        if max(self.scores()) >= (9 if self.is_high else 18):
            reason = "points"
        if reason:
            self.end = {"seat": self.player, "reason": reason, "turns_left": 2}

    def finish(self, reason: str) -> None:
        """12.4"""
        scores = self.scores()
        worth = [
            (scores[s], len(self.find([s], [HEROIC, LEGENDARY])), len(self.find([s])))
            for s in (0, 1)
        ]
        ranks = [int(worth[0] < worth[1]), int(worth[1] < worth[0])]
        self.result = {"ranks": ranks, "reason": reason, "scores": list(scores)}
