"""Way of the Dragon once more, slowly, from its rules page alone, and a comparison.

    python -m tests.engines.way_of_the_dragon.oracle --matches 2000

Pieces are a dictionary per seat, dice are words. The numbers in comments are those of the rules
page. Dice are loaded in most matches, so that dragons, perfection and equilibrium come often.
"""

import argparse
import random
import sys
from collections import Counter
from itertools import combinations, product
from typing import Any

from pentathlon_engines import CHANCE, GAMES, State

ELEMENTS = ["water", "fire", "metal", "earth", "wood"]
LETTER = dict(zip(ELEMENTS, "wfmeo", strict=True))
COLOR = dict(zip("wfmeo", ["black", "red", "white", "yellow", "blue"], strict=True))  # 1.1
ORDER = "wfmeod"


def word(letters: list[str]) -> str:
    """9: dice as a sorted word."""
    return "".join(sorted(letters, key=ORDER.index))


class Oracle:
    """One match of Way of the Dragon."""

    def __init__(self, seats: int, options: dict[str, Any], plain: list[int]) -> None:
        self.seats = seats
        self.options = options
        self.plain = dict(zip(ELEMENTS, plain, strict=True))  # 2.3
        self.colors = [COLOR[letter] for letter in options["colors"]][:seats]  # 3.1
        self.at: list[dict[str, int | None]] = [dict.fromkeys(ELEMENTS) for _ in range(seats)]
        self.dead: dict[str, list[int]] = {element: [] for element in ELEMENTS}
        self.used = [False] * seats
        self.player: int | None = None
        self.turn = 0
        self.dice = ""
        self.kept = ""
        self.rolls_left = 0
        self.phase = "dead"
        self.result: dict[str, Any] | None = None
        self.go_on_with_setup()

    def go_on_with_setup(self) -> None:
        """3.7"""
        if sum(map(len, self.dead.values())) < self.options["dead"]:
            self.phase = "dead"
        elif self.options["start_seat"] == "draw":
            self.phase = "start"
        else:
            self.begin_turn(int(self.options["start_seat"]))

    def begin_turn(self, seat: int) -> None:
        """4.1"""
        self.player, self.turn = seat, self.turn + 1
        self.phase, self.kept, self.rolls_left = "roll", "", 2

    def chances(self) -> Counter[str]:
        """3.3, 3.4, 4.1: what chance can say now and in how many ways."""
        if self.phase == "start":
            return Counter(f"start {seat}" for seat in range(self.seats))
        if self.phase == "dead":
            return Counter(
                f"dead {element} {space}"
                for element in ELEMENTS
                for space in range(1, self.plain[element] + 1)
                if len(self.dead[element]) < 2 and space not in self.dead[element]
            )
        rolled = product(ORDER, repeat=5 - len(self.kept))
        return Counter("roll " + word([*self.kept, *fresh]) for fresh in rolled)

    def chance(self, text: str) -> None:
        words = text.split()
        if words[0] == "dead":
            self.dead[words[1]] = sorted([*self.dead[words[1]], int(words[2])])
            self.go_on_with_setup()
        elif words[0] == "start":
            self.begin_turn(int(words[1]))
        else:
            self.dice = words[1]
            asked = self.rolls_left > 0 or self.may_use("white")  # 7.3
            self.phase = "keep" if asked else "move"

    def may_use(self, color: str) -> bool:
        """7"""
        assert self.player is not None
        mine = self.colors[self.player] == color
        return self.options["powers"] and mine and not self.used[self.player]

    def mine(self) -> dict[str, int | None]:
        assert self.player is not None
        return self.at[self.player]

    def is_empty(self, element: str, space: int) -> bool:
        pieces = [places[element] for places in self.at]
        return space not in pieces and space not in self.dead[element]

    def is_frozen(self, element: str) -> bool:
        """4.8"""
        return (self.mine()[element] or 0) > self.plain[element]

    def target(self, element: str, spaces: int) -> int:
        return (self.mine()[element] or 0) + spaces

    def can_go(self, element: str, spaces: int) -> bool:
        """4.3"""
        free = self.is_empty(element, self.target(element, spaces))
        return not self.is_frozen(element) and free

    def behind(self, element: str, spaces: int) -> int | None:
        """7.5: where anxiety leads if the destination is occupied."""
        if self.is_frozen(element) or self.can_go(element, spaces):
            return None
        last = self.plain[element] + 5
        beyond = range(self.target(element, spaces) + 1, last + 1)
        return next((space for space in beyond if self.is_empty(element, space)), None)

    def legal(self) -> list[str]:
        """9"""
        if self.phase == "keep":
            verb = "keep" if self.rolls_left else "eye"
            return ["stop", *(f"{verb} {part or '-'}" for part in self.parts())]
        if self.phase == "move":
            return self.balanced() if self.dice == "wfmeo" else self.ordinary()
        if self.phase == "extra":
            return ["end", "again" if self.is_perfect() else "rebirth"]
        return []

    def parts(self) -> list[str]:
        parts = {"".join(part) for size in range(5) for part in combinations(self.dice, size)}
        return sorted(parts, key=lambda part: (len(part), [ORDER.index(die) for die in part]))

    def ordinary(self) -> list[str]:
        counts = {element: self.dice.count(LETTER[element]) for element in ELEMENTS}
        shown = [element for element in ELEMENTS if counts[element]]
        moves = [f"move {element}" for element in shown if self.can_go(element, counts[element])]
        more = []
        if self.may_use("yellow"):
            more += [
                f"jump {element}" for element in shown if self.behind(element, counts[element])
            ]
        if self.may_use("blue"):  # 7.4
            more += [
                f"wild {element} {counts[element] + k}"
                for element in ELEMENTS
                for k in range(1, self.dice.count("d") + 1)
                if self.can_go(element, counts[element] + k)
            ]
        return [*moves, *more, *self.swaps(), *self.idle(moves)]

    def idle(self, moves: list[str]) -> list[str]:
        """4.4, 7.1"""
        if not moves:
            return ["pass"]
        return ["fear"] if self.may_use("black") else []

    def swaps(self) -> list[str]:
        """4.5, 8.1"""
        if self.dice.count("d") < 4:
            return []
        called = [e for e in ELEMENTS if self.dice == "ddddd" or LETTER[e] in self.dice]
        found = []
        for element in called:
            spaces = []
            for seat, places in enumerate(self.at):
                own = COLOR[LETTER[element]] == self.colors[seat]
                space = places[element]
                if space is not None and not (self.options["immunity"] and own):
                    spaces.append(space)
            found += [f"swap {element} {a} {b}" for a, b in combinations(sorted(spaces), 2)]
        return found

    def balanced(self) -> list[str]:
        """4.6, 7.5"""
        moves = ["equilibrium"] if any(self.can_go(element, 1) for element in ELEMENTS) else []
        jumps = self.may_use("yellow") and any(self.behind(element, 1) for element in ELEMENTS)
        return [*moves, *(["equilibrium jump"] if jumps else []), *self.idle(moves)]

    def is_perfect(self) -> bool:
        """4.7"""
        return self.dice in ("wwwww", "fffff", "mmmmm", "eeeee", "ooooo")

    def do(self, action: str) -> None:
        assert self.player is not None
        verb, *rest = action.split()
        if verb in ("jump", "wild", "fear", "rebirth", "eye") or rest == ["jump"]:
            self.used[self.player] = True
        if verb == "stop":
            self.phase, self.rolls_left = "move", 0
        elif verb in ("keep", "eye"):
            self.kept = rest[0].strip("-")
            self.rolls_left -= verb == "keep"
            self.phase = "roll"
        elif verb == "end":
            self.begin_turn((self.player + 1) % self.seats)  # 3.5
        elif verb in ("again", "rebirth"):
            self.begin_turn(self.player)
        else:
            self.act(verb, rest)
            self.finish()

    def act(self, verb: str, rest: list[str]) -> None:
        if verb == "swap":
            low, high = int(rest[1]), int(rest[2])
            for places in self.at:
                other = {low: high, high: low}
                places[rest[0]] = other.get(places[rest[0]] or 0, places[rest[0]])
        elif verb == "equilibrium":
            goals = {e: self.target(e, 1) for e in ELEMENTS if self.can_go(e, 1)}
            if rest:
                goals |= {e: space for e in ELEMENTS if (space := self.behind(e, 1))}
            self.mine().update(goals)
        elif verb in ("move", "wild"):
            spaces = int(rest[1]) if verb == "wild" else self.dice.count(LETTER[rest[0]])
            self.mine()[rest[0]] = self.target(rest[0], spaces)
        elif verb == "jump":
            self.mine()[rest[0]] = self.behind(rest[0], self.dice.count(LETTER[rest[0]]))

    def points(self, seat: int) -> list[int]:
        places = self.at[seat]
        return [max(0, (places[e] or 0) - self.plain[e]) for e in ELEMENTS]

    def finish(self) -> None:
        """5"""
        assert self.player is not None
        scores = [sum(self.points(seat)) for seat in range(self.seats)]
        numbered = [sum(map(bool, self.points(seat))) for seat in range(self.seats)]
        both = list(zip(scores, numbered, strict=True))
        cap = self.options["turn_cap_per_player"] * self.seats  # 5.5
        if 5 in numbered or self.turn == cap:
            self.phase = "over"
            self.result = {
                "ranks": [sum(b > mine for b in both) for mine in both],
                "reason": "race" if 5 in numbered else "cap",
                "scores": scores,
                "numbered": numbered,
            }
        elif self.is_perfect() or self.may_use("red"):
            self.phase = "extra"
        else:
            self.begin_turn((self.player + 1) % self.seats)

    def to_move(self) -> int | None:
        if self.phase in ("dead", "start", "roll"):
            return CHANCE
        return None if self.phase == "over" else self.player

    def observation(self) -> dict[str, Any]:
        """10, without `last`, `moved` and `ply`, which only pictures need."""
        return {
            "game": "way_of_the_dragon",
            "players": self.seats,
            "colors": self.colors,
            "options": self.options,
            "plain_spaces": [self.plain[element] for element in ELEMENTS],
            "turn": self.turn,
            "turn_of": self.player,
            "to_move": self.to_move(),
            "phase": self.phase,
            "dice": self.dice,
            "kept": self.kept,
            "rolls_left": self.rolls_left,
            "positions": self.at,
            "dead": {element: spaces for element, spaces in self.dead.items() if spaces},
            "power_used": self.used,
            "result": self.result,
        }


def setup(seed: int) -> tuple[Oracle, State]:
    """Return a match with seats, options and lengths that depend on the seed, on both."""
    rng = random.Random(f"setup {seed}")
    seats = 2 + seed % 4
    options = {
        "powers": rng.random() < 0.7,
        "immunity": rng.random() < 0.5,
        "dead": rng.choice([0, 0, 3, 10]),
        "colors": "".join(rng.sample("wfmeo", 5)),
        "start_seat": rng.choice(["draw", str(rng.randrange(seats))]),
        "turn_cap_per_player": rng.choice([2, 10, 60]),
    }
    state = GAMES["way_of_the_dragon"].start(seats, options)
    plain = [5] * 5 if seed % 3 else [rng.randint(3, 12) for _ in range(5)]
    if seed % 3 == 0:
        state = GAMES["way_of_the_dragon"].load(state.to_json() | {"plain_spaces": plain})
    return Oracle(seats, options, plain), state


def compare_match(seed: int) -> Counter[str]:
    """Play one match on both, compare at every ply; return how often what was done."""
    rng = random.Random(seed)
    oracle, state = setup(seed)
    loads = rng.choice([0.0, 0.3, 0.6])
    met: Counter[str] = Counter()
    while oracle.result is None:
        compare_position(oracle, state)
        if state.to_move == CHANCE:
            text = loaded(oracle, rng) if rng.random() < loads else state.sample_chance(rng)
            oracle.chance(text)
            state.apply_chance(text)
        else:
            text = choose(oracle.legal(), rng)
            oracle.do(text)
            state.apply(state.parse(text))
        met[text.split()[0] + (" jump" if text == "equilibrium jump" else "")] += 1
    compare_position(oracle, state)
    met[oracle.result["reason"]] += 1
    return met


def loaded(oracle: Oracle, rng: random.Random) -> str:
    """Return what chance can say, with dice that are often equal or all different."""
    if oracle.phase != "roll":
        return rng.choice(list(oracle.chances()))
    if not oracle.kept and rng.random() < 0.4:
        return "roll wfmeo"
    face = rng.choice("wfmeoddd")
    fresh = [face if rng.random() < 0.8 else rng.choice(ORDER) for _ in oracle.kept.ljust(5)]
    return "roll " + word([*oracle.kept, *fresh[len(oracle.kept) :]])


def choose(legal: list[str], rng: random.Random) -> str:
    """Choose at random; dice are left as they are more often than not."""
    if legal[0] == "stop" and rng.random() < 0.6:
        return "stop"
    return rng.choice(legal)


def compare_position(oracle: Oracle, state: State) -> None:
    """Compare actions, result, what is seen, and now and then what chance can say."""
    assert [state.text(action) for action in state.legal_actions()] == oracle.legal()
    observation = state.observation(None)
    for name in ("last", "moved", "ply"):
        del observation[name]
    assert observation == oracle.observation()
    if state.to_move == CHANCE and (oracle.phase != "roll" or oracle.turn % 16 == 1):
        assert dict(state.chance_outcomes()) == oracle.chances()


def main() -> int:
    """Compare many matches and print what was done in them."""
    parser = argparse.ArgumentParser(prog="tests.engines.way_of_the_dragon.oracle")
    parser.add_argument("--matches", type=int, default=2000)
    given = parser.parse_args()
    met: Counter[str] = Counter()
    for seed in range(given.matches):
        met += compare_match(seed)
    sys.stdout.write(f"{given.matches} matches agree; in them: {dict(met.most_common())}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
