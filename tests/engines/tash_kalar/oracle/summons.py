"""Summonings of Tash-Kalar for the oracle (sections 7 and 18)."""

from collections.abc import Callable

from tests.engines.tash_kalar.oracle import etherweave, everfrost, imperial, nethervoid, wild
from tests.engines.tash_kalar.oracle import shared as legends
from tests.engines.tash_kalar.oracle.cards import (
    COMMON,
    HEROIC,
    LEGENDARY,
    Match,
    Piece,
    deck_of,
    kind_of,
    matches,
    rank_of,
    reads_match,
)
from tests.engines.tash_kalar.oracle.effects import Asked, Effect
from tests.engines.tash_kalar.oracle.table import Play, Table


class Summons(Table):
    """What the seat that decides may summon, and what comes of it."""

    def resolve(self, asked: Asked) -> Play:
        """8: hand on the choices of an effect."""
        try:
            listed = next(asked)
            while True:
                text = yield from self.ask(self.player, "effect", listed)
                listed = asked.send(text)
        except StopIteration as done:
            return done.value

    def found(self, card: str) -> list[Match]:
        """7.6, 18.2.4"""
        if "possessed_summon" in self.permissions:
            return matches(self.board, card, 1 - self.player)
        strangers = int("war_summon" in self.permissions)
        gaps = 2 * int("void_summon" in self.permissions)
        return matches(self.board, card, self.player, strangers=strangers, gaps=gaps)

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
        if self.pending[self.player] == card:
            self.pending[self.player] = None
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
        self.permissions -= {"war_summon", "possessed_summon", "summon_now", "void_summon"}
        onto = self.captured_by(card, match.square)
        if onto == 1 - self.player:
            self.count(self.board[match.square].rank)
        being = self.board[match.square] = Piece(self.player, rank_of(card))
        self.summoned.append({"card": card, "square": match.square})
        is_legend = kind_of(card) == "legend"
        if is_legend:
            self.score_legend(self.player)
        if deck_of(card) == "nethervoid":
            self.may_open(being)
        effect = Effect(self, self.player, match, being, onto=onto)
        yield from self.resolve(effect_of(card)(effect))
        is_kept = card in everfrost.FROZEN and (yield from self.freeze(card))
        self.card = self.step = None
        if is_legend:
            self.played["legends"].append(card)
            return
        deck = self.decks["beings"][self.player]
        if effect.goes_under and deck:
            deck.append(card)
        elif not is_kept:
            self.discard_openly(self.player, card)

    def captured_by(self, card: str, square: str) -> int | None:
        """Return whose piece a summoning destroys, if any (18.1.4)."""
        occupant, rank = self.board.get(square), rank_of(card)
        if occupant is None:
            return None
        is_like = (occupant.rank == LEGENDARY) == (rank == LEGENDARY)
        if occupant.owner == self.player and is_like and not self.supply(self.player, rank):
            return None
        return occupant.owner

    def freeze(self, card: str) -> Play:
        """18.1.2; returns whether the card stays in play."""
        effect = Effect(self, self.player)
        effect.at(everfrost.FROZEN[card][0])
        listed = [f"keep {one}" for one in (card, self.frozen[self.player]) if one]
        text = yield from self.resolve(effect.ask(listed, may=False))
        if text != f"keep {card}":
            return False
        self.put_in_play(self.player, card)
        return True

    def may_open(self, being: Piece) -> None:
        """18.2"""
        gate = self.gate()
        if not gate or (self.board[gate[0]].rank == COMMON and being.rank == HEROIC):
            self.gateway = being


def effect_of(card: str) -> Callable[[Effect], Asked]:
    """Return the function with the name of a being."""
    module = next(
        module
        for module in (imperial, wild, everfrost, nethervoid, etherweave, legends)
        if hasattr(module, card)
    )
    effect: Callable[[Effect], Asked] = getattr(module, card)
    return effect
