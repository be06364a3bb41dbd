"""What costs no action in Tash-Kalar, for the oracle: flares and what is used like them."""

from tests.engines.tash_kalar.oracle import everfrost
from tests.engines.tash_kalar.oracle.cards import DATA, HEROIC, LEGENDARY, RANKS
from tests.engines.tash_kalar.oracle.effects import Effect
from tests.engines.tash_kalar.oracle.etherweave import WARPS
from tests.engines.tash_kalar.oracle.shared import FLARES
from tests.engines.tash_kalar.oracle.summons import Summons
from tests.engines.tash_kalar.oracle.table import Play


class Free(Summons):
    """What may be done before or after an action."""

    def free(self) -> list[str]:
        """What may be done before or after an action and costs none (5.3, 18.1.3)."""
        return [*self.may_flare(), *self.may_thaw(), *self.may_warp()]

    def play_free(self, text: str) -> Play:
        """5.3, 18.1.3, 18.3.2"""
        word, *what = text.split()
        if word == "warp":
            yield from self.warp(*what)
        else:
            yield from self.flare() if word == "flare" else self.thaw()

    def may_warp(self) -> list[str]:
        """18.3.2"""
        if self.turn < 3 or self.pending[self.player]:
            return []
        return [f"warp {card}" for card in self.hands[self.player]["beings"] if card in WARPS]

    def warp(self, card: str) -> Play:
        """18.3.2"""
        step, warp = WARPS[card]
        self.pending[self.player] = self.card = card
        self.warped.add(card)
        yield from self.resolve(warp(Effect(self, self.player), step))
        self.card = self.step = None

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

    def may_thaw(self) -> list[str]:
        """18.1.3, 18.1.5"""
        card = self.frozen[self.player]
        if card == "frostweave_summoner" and not self.could_borrow():
            return []
        return ["thaw"] if card else []

    def could_borrow(self) -> bool:
        """18.1.5: whether something could be summoned with an enemy piece."""
        before = set(self.permissions)
        self.permissions.add("war_summon")
        listed = self.summonings() if self.actions_left > 0 else []
        self.permissions = before
        return bool(listed)

    def thaw(self) -> Play:
        """18.1.3"""
        card, self.frozen[self.player] = self.frozen[self.player], None
        assert card
        step, thawed = everfrost.FROZEN[card]
        effect = Effect(self, self.player)
        self.card = card
        effect.at(step + 1)
        yield from self.resolve(thawed(effect))
        self.discard_openly(self.player, card)
        self.card = self.step = None
