"""A match of Tash-Kalar once more, slowly, written from its rules page alone.

Everything from the deal to the end is one generator that stops wherever somebody decides.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.engines import tash_kalar_oracle_imperial as imperial
from tests.engines import tash_kalar_oracle_nethervoid as nethervoid
from tests.engines import tash_kalar_oracle_shared as legends
from tests.engines import tash_kalar_oracle_wild as wild
from tests.engines.tash_kalar_oracle_cards import (
    COMMON,
    DATA,
    HEROIC,
    LEGENDARY,
    RANKS,
    Match,
    Piece,
    deck_of,
    kind_of,
    matches,
    rank_of,
    reads_match,
)
from tests.engines.tash_kalar_oracle_effects import Asked, Effect
from tests.engines.tash_kalar_oracle_shared import FLARES
from tests.engines.tash_kalar_oracle_table import CHANCE, Play, Table
from tests.engines.tash_kalar_oracle_tasks import Look, satisfied


class Oracle(Table):
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
        yield from self.finish_turn()

    def reset(self) -> None:
        """5.7, last item"""
        self.destroyed = dict.fromkeys(RANKS, 0)
        self.summoned = []
        self.permissions = set()
        self.extra = {"beings": 0, "legends": 0}
        self.discarded = False

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
        listed = [*self.placings(), *self.summonings(), *self.may_flare()]
        if not self.discarded:
            listed += [f"discard {card}" for card in self.hands[self.player]["beings"]]
        text = yield from self.ask(self.player, "main", listed)
        word, *what = text.split()
        if word == "flare":
            yield from self.flare()
            return
        self.actions_left -= 1
        if word == "discard":
            yield from self.discard(*what)
        elif word == "summon":
            yield from self.summon(*what)
        else:
            yield from self.place(word, *what)

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

    def may_flare(self) -> list[str]:
        """9.1"""
        return ["flare"] if self.hands[self.player]["flare"] and any(self.criteria()) else []

    def criteria(self) -> list[bool]:
        """9.1"""
        upper, lower = DATA["flares"][self.hands[self.player]["flare"]]
        behind = [
            len(self.find([1 - self.player], ranks)) - len(self.find([self.player], ranks))
            for ranks in ((HEROIC, LEGENDARY), RANKS)
        ]
        return [behind[0] >= upper, behind[1] >= lower]

    def flare(self) -> Play:
        """9"""
        held, hand = self.criteria(), self.hands[self.player]
        card, hand["flare"] = hand["flare"], None
        if not self.is_high:
            self.points[1 - self.player] += 1
        effect = Effect(self, self.player)
        self.card = card
        for half in (0, 1):
            if held[half]:
                yield from self.resolve(FLARES[card][half](effect, half))
        self.played["flares"].append(card)
        self.card = self.step = None

    def resolve(self, asked: Asked) -> Play:
        """8: hand on the choices of an effect."""
        try:
            listed = next(asked)
            while True:
                text = yield from self.ask(self.player, "effect", listed)
                listed = asked.send(text)
        except StopIteration:
            return

    def found(self, card: str) -> list[Match]:
        """7.6, 18.2.4"""
        if "possessed_summon" in self.permissions:
            return matches(self.board, card, 1 - self.player)
        strangers = int("war_summon" in self.permissions)
        return matches(self.board, card, self.player, strangers=strangers)

    def summonings(self) -> list[str]:
        """7"""
        hand = self.hands[self.player]
        listed = []
        for card in [*hand["beings"], *hand["legends"]]:
            for match in self.found(card):
                if self.piece_for(card, match) is not None:
                    turn = f" {match.turn}" if reads_match(card) else ""
                    listed.append(f"summon {card} {match.square}{turn}")
        return list(set(listed))

    def piece_for(self, card: str, match: Match) -> list[str] | None:
        """7.5: where to pick a piece up, [] if there is no need, None if it is impossible."""
        rank = rank_of(card)
        if self.supply(self.player, rank):
            return []
        like = [LEGENDARY] if rank == LEGENDARY else [COMMON, HEROIC]
        fit = self.find([self.player], like)
        if match.square in fit:
            return []
        return [there for there in fit if there not in match.needs] or None

    def summon(self, card: str, square: str, turn: str | None = None) -> Play:
        """7.4"""
        hand = self.hands[self.player]
        hand["legends" if kind_of(card) == "legend" else "beings"].remove(card)
        self.card = card
        played = self.played["beings"][self.player]
        if card in played:
            played.remove(card)
        found = [
            (match, lift)
            for match in self.found(card)
            if match.square == square and turn in (None, match.turn)
            if (lift := self.piece_for(card, match)) is not None
        ]
        match = found[0][0]
        lifts = sorted({there for _, lift in found for there in lift})
        if lifts:
            there = yield from self.pick_up(lifts)
            del self.board[there]
            match = next(match for match, lift in found if there in lift)
        yield from self.appear(card, match)

    def pick_up(self, lifts: list[str]) -> Play:
        """7.5 b"""
        text = f"pickup {lifts[0]}"
        if len(lifts) == 1:
            self.tell(self.player, text)
        else:
            text = yield from self.ask(
                self.player, "shortage", [f"pickup {there}" for there in lifts]
            )
        return text.split()[1]

    def appear(self, card: str, match: Match) -> Play:
        """7.4"""
        self.permissions -= {"war_summon", "possessed_summon"}
        occupant = self.board.get(match.square)
        if occupant and occupant.owner != self.player:
            self.destroyed[occupant.rank] += 1
        being = self.board[match.square] = Piece(self.player, rank_of(card))
        self.summoned.append({"card": card, "square": match.square})
        is_legend = kind_of(card) == "legend"
        if is_legend:
            self.score_legend(self.player)
        if deck_of(card) == "nethervoid":
            self.may_open(being)
        effect = Effect(self, self.player, match, being)
        yield from self.resolve(effect_of(card)(effect))
        self.card = self.step = None
        if is_legend:
            self.played["legends"].append(card)
            return
        deck = self.decks["beings"][self.player]
        if effect.goes_under and deck:
            deck.append(card)
            return
        self.discards[self.player].append(card)
        self.played["beings"][self.player].append(card)

    def may_open(self, being: Piece) -> None:
        """18.2"""
        gate = self.gate()
        if not gate or (self.board[gate[0]].rank == COMMON and being.rank == HEROIC):
            self.gateway = being

    def decide_end(self) -> Play:
        """5.7; returns "" after a flare"""
        listed = [*self.may_flare(), "end"]
        if self.is_high:
            look = Look(self, self.player, self.summoned)
            listed += [f"claim {task}" for task in self.row.current if satisfied(task, look)]
        if listed == ["end"]:
            self.tell(self.player, "end")
            return "end"
        text = yield from self.ask(self.player, "turn_end", listed)
        if text == "flare":
            yield from self.flare()
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


def effect_of(card: str) -> Callable[[Effect], Asked]:
    """Return the function with the name of a being."""
    module = next(
        module for module in (imperial, wild, nethervoid, legends) if hasattr(module, card)
    )
    effect: Callable[[Effect], Asked] = getattr(module, card)
    return effect
