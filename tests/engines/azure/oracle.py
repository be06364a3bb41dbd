"""Azure once more, slowly, written from its rules page alone; and a comparison with the engine.

    python -m tests.engines.azure.oracle --matches 2000

Hands are lists of letters, stones are a mapping of cells, and everything is counted again each
time. The numbers in comments are those of the rules page.
"""

import argparse
import random
import sys
from collections import Counter
from typing import Any

from pentathlon_engines import CHANCE, GAMES
from pentathlon_engines.azure import AzureState
from tests.engines.azure.oracle_realm import CELLS, DIAGONAL, STRAIGHT, Realm, in_order, step

BEASTS = {"tortoise": "B", "dragon": "A", "tiger": "W", "bird": "V"}  # 8.1, 8.3
EXTRA = {"mighty": 2, "perceptive": 2, "bountiful": 1, "favored": 1}  # 11.2
OPTIONS = ["none", *EXTRA]


class Oracle(Realm):
    """One match of Azure, from its setup text on."""

    def __init__(self, gift: str, setup: str) -> None:
        self.gift = gift
        _, *layout, first, second, hidden = setup.split()
        super().__init__(layout)
        self.hands = [list(first), list(second)]  # 4.4
        self.hidden = list(hidden)
        self.stones: dict[str, int] = {}
        self.gifted: list[str | None] = [None, None]
        self.supply = [14, 14]  # 4.5
        self.wisdom = [0, 0]
        self.beasts: dict[str, int | None] = dict.fromkeys(BEASTS)  # 4.2
        self.player = 0  # 4.6
        self.turn = 1
        self.phase = "turn"
        self.boon_at: str | None = None
        self.to_draw = 0
        self.ranks: dict[str, Any] | None = None
        self.events: list[dict[str, Any]] = []
        self.begun = [0, 0]

    def decks(self) -> dict[str, int]:
        """4.3: what is neither in a hand nor hidden."""
        gone = Counter([*self.hands[0], *self.hands[1], *self.hidden])
        return {colour: 12 - gone[colour] for colour in "AWVB"}

    def decider(self) -> int | None:
        if self.ranks is not None:
            return None
        if self.phase == "reshuffle":
            return CHANCE
        return 1 - self.player if self.phase == "return" else self.player

    def bonds(self, player: int, cell: str) -> int:
        """6.4, 11.4"""
        own = [c for c in self.reached(cell, STRAIGHT) if self.stones.get(c) == player]
        gifted = self.gifted[player]
        bonds = len(own)
        if self.gift == "mighty" and gifted in own:
            bonds += 1
        if self.gift == "perceptive" and gifted in self.reached(cell, DIAGONAL):
            bonds += 1
        return bonds

    def cost(self, player: int, cell: str, extra: int) -> int:
        """6.3, 11.2"""
        symbols = self.qi(cell)[0] + self.stars(cell) + extra
        return max(0, symbols - self.bonds(player, cell))

    def stones_to_place(self, player: int) -> list[str]:
        """6.2, 11.2, in the order of 13."""
        kinds = [("place", 0)] if self.supply[player] else []
        if self.gift != "none" and self.gifted[player] is None:
            kinds.append(("gift", EXTRA[self.gift]))
        return [
            f"{kind} {cell}"
            for kind, extra in kinds
            for cell in CELLS
            if not self.is_mountain(cell)
            and cell not in self.stones
            and self.hands[player].count(self.domain[cell]) >= self.cost(player, cell, extra)
        ]

    def legal(self) -> list[str]:
        if self.ranks is not None or self.phase == "reshuffle":
            return []
        if self.phase == "boon":
            return ["boon qi", "boon wisdom"]
        if self.phase == "turn":
            return self.stones_to_place(self.player)
        hand = sorted(self.hands[1 - self.player], key="AWVB".index)
        pairs = {a + b for i, a in enumerate(hand) for b in hand[i + 1 :]}
        return [f"return {a}{b}" for a in "AWVB" for b in "AWVB" if a + b in pairs]

    def tell(self, kind: str, **facts: Any) -> None:
        self.events.append({"kind": kind, **facts})

    def do(self, action: str) -> None:
        """14"""
        decider = self.decider()
        assert decider is not None
        self.begun[decider] = len(self.events)
        word, what = action.split()
        if word == "return":
            self.give_back(1 - self.player, list(what))
            self.draw()
        elif word == "boon":
            self.choose_boon(what)
        else:
            self.place(word, what)

    def place(self, word: str, cell: str) -> None:
        player, colour = self.player, self.domain[cell]
        cost = self.cost(player, cell, EXTRA[self.gift] if word == "gift" else 0)
        for _ in range(cost):
            self.hands[player].remove(colour)
        self.stones[cell] = player
        if word == "gift":
            self.gifted[player] = cell
        else:
            self.supply[player] -= 1
        self.tell(
            "place", player=player, cell=cell, gifted=word == "gift", cost=cost, colour=colour
        )
        self.gather(*self.qi(cell))
        if self.gain(player, self.stars(cell)):
            return
        if word == "place" and self.gift == "bountiful" and self.is_near_gift(player, cell):
            if self.qi(cell)[0] and self.stars(cell):
                self.phase, self.boon_at = "boon", cell
                return
            self.boon_at = cell
            self.choose_boon("qi" if self.qi(cell)[0] else "wisdom")
        else:
            self.check_beasts()

    def is_near_gift(self, player: int, cell: str) -> bool:
        around = [step(cell, dx, dy) for dx, dy in STRAIGHT + DIAGONAL]
        return self.gifted[player] is not None and self.gifted[player] in around

    def choose_boon(self, what: str) -> None:
        """11.4"""
        cell, self.boon_at, self.phase = self.boon_at, None, "turn"
        assert cell is not None
        if what == "qi":
            self.gather(1, self.qi(cell)[1])
        elif self.gain(self.player, 1):
            return
        self.check_beasts()

    def gather(self, n: int, colour: str) -> None:
        """7.1, 7.2"""
        taken = min(n, self.decks()[colour]) if n else 0
        if taken:
            self.hands[self.player] += [colour] * taken
            self.tell("gather", player=self.player, colour=colour, n=taken)

    def gain(self, player: int, points: int) -> bool:
        """7.3, 8.5, 10.1"""
        now = max(0, min(25, self.wisdom[player] + points))
        if now != self.wisdom[player]:
            self.tell("wisdom", player=player, change=now - self.wisdom[player], now=now)
        self.wisdom[player] = now
        if now == 25:
            self.end(player, "wisdom")
        return now == 25

    def guards(self, player: int, beast: str) -> list[str]:
        """8.3"""
        own = [cell for cell, owner in self.stones.items() if owner == player]
        if beast == "tortoise":
            return [cell for cell in own if self.code[cell].endswith("s")]
        if beast == "bird":
            return [c for c in own if self.domain[c] == "V" and not self.is_mountain(c)]
        mountain = self.mountain(BEASTS[beast])
        return [cell for cell in own if cell in self.reached(mountain, STRAIGHT)]

    def attracts(self, beast: str) -> bool:
        """8.2, 11.4 Favored"""
        player, holder = self.player, self.beasts[beast]
        mine = self.guards(player, beast)
        if holder == player or len(mine) < 2:
            return False
        if holder is None:
            return True
        other = self.guards(holder, beast)
        if self.gift == "favored" and len(mine) == len(other):
            return self.gifted[player] in mine and self.gifted[holder] not in other
        return len(mine) > len(other)

    def check_beasts(self) -> None:
        """8.1"""
        for beast in BEASTS:
            if not self.attracts(beast):
                continue
            loser, self.beasts[beast] = self.beasts[beast], self.player
            self.events.append(
                {"kind": "favour", "player": self.player, "beast": beast, "from": loser}
            )
            if beast == "tortoise":
                self.change_stone(loser)
            elif beast == "bird":
                self.to_draw = 2
                if loser is not None and self.must_choose(loser):
                    return
            elif self.change_wisdom(loser, 3 if beast == "dragon" else 2):
                return
        self.draw()

    def change_stone(self, loser: int | None) -> None:
        """8.6, 8.7"""
        peak = self.mountain("B")
        if peak in self.stones:
            assert self.stones.pop(peak) == loser
            self.supply[1 - self.player] += 1
            self.tell("mountain_stone", player=loser, on=False)
        if self.supply[self.player]:
            self.supply[self.player] -= 1
            self.stones[peak] = self.player
            self.tell("mountain_stone", player=self.player, on=True)

    def change_wisdom(self, loser: int | None, points: int) -> bool:
        """8.4"""
        if loser is not None:
            self.gain(loser, -points)
        return self.gain(self.player, points)

    def must_choose(self, loser: int) -> bool:
        """8.8"""
        if len(self.hands[loser]) > 2:
            self.phase = "return"
            return True
        if self.hands[loser]:
            self.give_back(loser, list(self.hands[loser]))
        return False

    def give_back(self, loser: int, cards: list[str]) -> None:
        for card in cards:
            self.hands[loser].remove(card)
        self.tell("return", player=loser, cards=in_order(cards))

    def draw(self) -> None:
        """9"""
        drawn, self.hidden = self.hidden[: self.to_draw], self.hidden[self.to_draw :]
        self.to_draw -= len(drawn)
        self.hands[self.player] += drawn
        if drawn:
            self.tell("draw", player=self.player, n=len(drawn), cards=in_order(drawn))
        if self.to_draw and any(self.decks().values()):
            self.phase = "reshuffle"
            return
        self.to_draw = 0
        self.pass_turn()

    def reshuffle(self, text: str) -> None:
        """9.2"""
        word, order = text.split()
        counts = {colour: min(2, n) for colour, n in self.decks().items()}
        assert word == "reshuffle"
        assert Counter(order) == Counter(counts)
        self.hidden = list(order)
        self.tell("reshuffle", n=counts)
        self.draw()

    def pass_turn(self) -> None:
        """6.6"""
        self.player, self.phase, self.turn = 1 - self.player, "turn", self.turn + 1
        if not self.stones_to_place(self.player):
            self.end(1 - self.player, "stuck")

    def end(self, winner: int, reason: str) -> None:
        """10"""
        ranks = [0, 1] if winner == 0 else [1, 0]
        self.phase = "over"
        self.ranks = {"ranks": ranks, "reason": reason, "scores": list(self.wisdom)}
        self.tell("end", ranks=ranks, reason=reason)

    def observation(self, seat: int | None) -> dict[str, Any]:
        """12.3, without `known`, which has a test of its own."""
        view: dict[str, Any] = {
            "game": "azure",
            "options": {"gifted": self.gift},
            "layout": self.layout,
            "decks": self.decks(),
            "stones": {cell: self.stones[cell] for cell in CELLS if cell in self.stones},
            "gifted_at": self.gifted,
            "supply": self.supply,
            "wisdom": self.wisdom,
            "beasts": self.beasts,
            "turn": self.turn,
            "to_move": self.decider(),
            "phase": self.phase,
            "boon_at": self.boon_at,
            "result": self.ranks,
            "hand_sizes": [len(hand) for hand in self.hands],
            "hidden_size": len(self.hidden),
            "realm": [[f"{self.domain[c]}:{self.code[c]}" for c in row] for row in self.rows()],
            "events": self.events_of(seat),
        }
        if self.phase == "reshuffle":
            view["draws"] = self.to_draw
        if seat is not None:
            view |= {"you": seat, "hand": in_order(self.hands[seat])}
            if seat == self.decider():
                view["legal"] = self.legal()
        return view

    def events_of(self, seat: int | None) -> list[dict[str, Any]]:
        """12.4"""
        since = max(self.begun) if seat is None else self.begun[seat]
        return [
            {name: fact for name, fact in event.items() if name != "cards"}
            if event["kind"] == "draw" and event["player"] != seat
            else event
            for event in self.events[since:]
        ]


def compare_match(seed: int) -> Counter[str]:
    """Play one match on both, compare after every event, and count what occurred.

    Actions are drawn at random; in two of three matches the Bird or long matches are preferred.
    """
    rng = random.Random(seed)
    gift = OPTIONS[seed % 5]
    state = GAMES["azure"].start(options={"gifted": gift})
    assert isinstance(state, AzureState)
    setup = state.sample_chance(rng)
    state.apply_chance(setup)
    oracle = Oracle(gift, setup)
    seen: Counter[str] = Counter()
    while True:
        compare_position(oracle, state)
        if oracle.ranks is not None:
            return seen + Counter([oracle.ranks["reason"]])
        if oracle.decider() == CHANCE:
            text = state.sample_chance(rng)
            oracle.reshuffle(text)
            state.apply_chance(text)
        else:
            text = choose(oracle, rng, seed)
            oracle.do(text)
            state.apply(state.parse(text))
        seen[text.split()[0]] += 1


def choose(oracle: Oracle, rng: random.Random, seed: int) -> str:
    """Draw an action; in some matches stones that save cards, or those that court the Bird."""
    actions = oracle.legal()
    rng.shuffle(actions)
    if oracle.phase != "turn" or seed % 3 == 0:
        return actions[0]

    def rate(action: str) -> tuple[int, int]:
        word, cell = action.split()
        cost = oracle.cost(oracle.player, cell, EXTRA[oracle.gift] if word == "gift" else 0)
        courts = seed % 3 == 1 and oracle.domain[cell] == "V"
        return 9 * courts + oracle.qi(cell)[0] - cost, -oracle.stars(cell)

    return max(actions, key=rate)


def compare_position(oracle: Oracle, state: AzureState) -> None:
    """Compare actions, costs, the cards, the result and what each seat sees."""
    legal = state.legal_actions()
    assert [state.text(action) for action in legal] == oracle.legal()
    assert state.to_json()["hands"] == [in_order(hand) for hand in oracle.hands]
    assert state.to_json()["hidden"] == "".join(oracle.hidden)
    for seat in (None, 0, 1):
        view = state.observation(seat)
        view.pop("known", None)
        assert view == oracle.observation(seat)


def main() -> int:
    """Compare many matches and print what occurred in them."""
    parser = argparse.ArgumentParser(prog="tests.engines.azure.oracle")
    parser.add_argument("--matches", type=int, default=2000)
    given = parser.parse_args()
    seen: Counter[str] = Counter()
    for seed in range(given.matches):
        seen += compare_match(seed)
    sys.stdout.write(f"{given.matches} matches agree; in them occurred {dict(seen)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
