"""Maatatahay once more, slowly, written from its rules page alone.

A position is a dictionary like the JSON of the page. The numbers in comments are the page's.
"""

import random
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[3] / "engines" / "rules" / "maatatahay.md"
SPACES = [column + row for row in "12345" for column in "abcde"]  # 1.3
COMPASS = {
    "n": (0, 1),
    "ne": (1, 1),
    "e": (1, 0),
    "se": (1, -1),
    "s": (0, -1),
    "sw": (-1, -1),
    "w": (-1, 0),
    "nw": (-1, 1),
}
WAYS = list(COMPASS)
SHRINES = ["b2", "d2", "c3", "b4", "d4"]  # 3.1
RELIC_POINTS = [0, 1, 3, 6, 10, 15]  # 8.2


def read_tiles() -> dict[int, dict[str, Any]]:
    """Return the table of 2.4 as it is printed on the page."""
    tiles = {}
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 6 and cells[0].isdigit():
            arrows = [] if cells[4] == "none" else cells[4].split()
            claws, gems = int(cells[2]), int(cells[3])
            tiles[int(cells[0])] = {"claws": claws, "gems": gems, "arrows": arrows, "is": cells[5]}
    return tiles


TILES = read_tiles()


def step(space: str, way: str) -> str | None:
    """1.1, 1.2: the neighbour in a direction, if the map has one."""
    dx, dy = COMPASS[way]
    name = chr(ord(space[0]) + dx) + chr(ord(space[1]) + dy)
    return name if name in SPACES else None


def beside(space: str, ways: str) -> list[str]:
    return [near for way in ways.split() if (near := step(space, way)) is not None]


def turned(tile: int, face: str) -> set[str]:
    """2.5"""
    turn = 2 * "nesw".index(face)
    return {WAYS[(WAYS.index(arrow) + turn) % 8] for arrow in TILES[tile]["arrows"]}


def laid_on(space: str) -> int:
    """3.2: how many crystals lie on a space at the start."""
    edges = (space[0] in "ae") + (space[1] in "15")
    return [0, 1, 3][edges]


class Oracle:
    """One match of Maatatahay."""

    def __init__(self, rng: random.Random) -> None:
        decks = [rng.sample(range(1, 13), 12) for _ in range(2)]  # 3.4
        bag = ["s"] * 15 + ["e"] * 21  # 3.3
        rng.shuffle(bag)
        self.board: dict[str, dict[str, Any]] = {}
        self.ground: dict[str, dict[str, int]] = {}
        for space in SPACES:
            drawn = [bag.pop() for _ in range(laid_on(space))]
            if drawn:
                self.ground[space] = {"spirit": drawn.count("s"), "energy": drawn.count("e")}
        self.stream = [[deck.pop() for deck in decks] for _ in range(3)]
        self.decks, self.bag = decks, bag
        self.relics_on_map = list(SHRINES)
        self.storage = [{"spirit": 0, "energy": 0} for _ in range(2)]  # 3.5
        self.supply = {"spirit": 0, "energy": 24}
        self.relics, self.deaths = [0, 0], [0, 0]
        self.last_relic: int | None = None
        self.active = rng.randrange(2)  # 3.6
        self.round, self.track = 1, 0
        self.result: dict[str, Any] | None = None
        self.begin_round()

    def begin_round(self) -> None:
        self.pair: list[int] | None = None
        self.order: list[int] | None = None
        self.step = self.round_deaths = 0
        self.hot: str | None = None
        self.targets: list[str] = []
        self.phase, self.player = "pair", self.active

    def setup_text(self) -> str:
        """3.7, in the form that the page gives to it."""
        pairs = [f"{balan}.{wazu}" for balan, wazu in self.stream]
        ground = ["s" * there["spirit"] + "e" * there["energy"] for there in self.ground.values()]
        decks = [".".join(str(tile) for tile in deck) for deck in self.decks]
        words = ["setup", str(self.active), *pairs, ",".join(ground), *decks, "".join(self.bag)]
        return " ".join(words)

    def living(self, space: str | None) -> bool:
        return space in self.board and bool(self.board[space]["alive"])

    def free(self) -> list[str]:
        """1.8"""
        taken = [*self.board, *self.relics_on_map]
        return [space for space in SPACES if space not in taken]

    def legal(self) -> list[str]:
        """9"""
        store = self.storage[self.player]
        if self.phase == "pair":
            return [f"pair {slot + 1}" for slot in range(len(self.stream))]
        if self.phase == "order":
            return ["first", "second"]
        if self.phase == "place":
            return [f"place {space}" for space in self.free()] + self.payable()
        if self.phase == "face":
            return self.faces()
        if self.phase == "add":  # 5.6
            return [
                f"add s{s}e{e}"
                for s in range(store["spirit"] + 1)
                for e in range(store["energy"] + 1)
                if store["spirit"] - s + store["energy"] - e <= 4
            ]
        return [f"settle {space}" for space in self.open()] if self.phase == "settle" else []

    def payable(self) -> list[str]:
        """5.3"""
        store = self.storage[self.player]
        return [
            f"place {shrine} pay s{spirit}e{self.cost(shrine) - spirit}"
            for shrine in SPACES
            for spirit in range(1, store["spirit"] + 1)
            if shrine in self.relics_on_map and 0 <= self.cost(shrine) - spirit <= store["energy"]
        ]

    def cost(self, shrine: str) -> int:
        adjacent = [near for near in beside(shrine, "n e s w") if near in self.board]
        return max(1, 4 - len(adjacent))

    def faces(self) -> list[str]:
        """9.1"""
        assert self.hot is not None
        seen: list[set[str]] = []
        texts = []
        for face in "nesw":
            arrows = turned(self.board[self.hot]["tile"], face)
            if arrows not in seen:
                seen.append(arrows)
                texts.append(f"face {face}")
        return texts

    def do(self, action: str) -> None:
        words = action.split()
        if words[0] == "pair":
            self.take(int(words[1]))
        elif words[0] in ("first", "second"):
            mine = self.player if words[0] == "first" else 1 - self.player
            self.order = [mine, 1 - mine]
            self.phase, self.player = "place", mine
        elif words[0] == "place":
            self.place(words[1], words[3] if len(words) > 2 else None)
        elif words[0] == "face":
            self.face(words[1])
        elif words[0] == "add":
            self.add(int(words[1][1]), int(words[1][3]))
        else:
            self.settle(words[1])
            self.settle_on()

    def take(self, slot: int) -> None:
        """4.1, 4.2"""
        self.pair = self.stream.pop(slot - 1)
        balan, wazu = (TILES[tile]["claws"] for tile in self.pair)
        if balan < wazu:
            self.player = 0
        elif wazu < balan:
            self.player = 1
        self.phase = "order"

    def place(self, space: str, payment: str | None) -> None:
        """5.2, 5.3"""
        store = self.storage[self.player]
        if payment is None:
            for sort, n in self.ground.pop(space, {}).items():
                store[sort] += n
        else:
            for sort, n in (("spirit", int(payment[1])), ("energy", int(payment[3]))):
                store[sort] -= n
                self.supply[sort] += n
            self.relics_on_map.remove(space)
            self.relics[self.player] += 1
            self.last_relic = self.player
            for _ in range(2):
                if self.bag:
                    store["spirit" if self.bag.pop() == "s" else "energy"] += 1
        assert self.pair is not None
        tile = self.pair[self.player]
        self.board[space] = {"owner": self.player, "tile": tile, "face": "n"}
        self.board[space] |= {"spirit": 0, "energy": 0, "alive": True}
        self.hot, self.phase = space, "face"

    def face(self, face: str) -> None:
        """5.4, 5.5"""
        assert self.hot is not None
        self.board[self.hot]["face"] = face
        for way in WAYS:
            near = step(self.hot, way)
            if near is None or not self.living(near):
                continue
            tile = self.board[near]
            back = WAYS[(WAYS.index(way) + 4) % 8]
            if tile["owner"] == self.player and back in turned(tile["tile"], tile["face"]):
                given = min(1, self.supply["energy"])
                self.supply["energy"] -= given
                self.board[self.hot]["energy"] += given
        self.phase = "add"

    def add(self, spirit: int, energy: int) -> None:
        """5.6, 6.2"""
        assert self.hot is not None
        for sort, n in (("spirit", spirit), ("energy", energy)):
            self.storage[self.player][sort] -= n
            self.board[self.hot][sort] += n
        surrounded = [space for space in SPACES if self.surrounded(space)]
        self.targets = [space for space in surrounded if space != self.hot]
        self.settle_on()

    def surrounded(self, space: str) -> bool:
        """6.1, of living tiles"""
        return self.living(space) and all(near in self.board for near in beside(space, "n e s w"))

    def strength(self, space: str) -> int:
        """5.7"""
        tile = self.board[space]
        total = int(TILES[tile["tile"]]["claws"]) + int(tile["energy"])
        if TILES[tile["tile"]]["is"] == "elder":
            total += len(self.others(space, "n e s w", tile["owner"]))
        if TILES[tile["tile"]]["is"] == "convert":
            total += len(self.others(space, "ne se sw nw", 1 - tile["owner"]))
        return total

    def others(self, space: str, ways: str, owner: int) -> list[str]:
        near = [name for name in beside(space, ways) if self.living(name)]
        return [name for name in near if self.board[name]["owner"] == owner]

    def dies(self, space: str) -> bool:
        """6.4"""
        enemies = self.others(space, "n e s w", 1 - self.board[space]["owner"])
        return sum(self.strength(enemy) for enemy in enemies) > self.strength(space)

    def open(self) -> list[str]:
        """6.7, 2"""
        return [
            space
            for space in self.targets
            if self.dies(space) or TILES[self.board[space]["tile"]]["is"]
        ]

    def settle_on(self) -> None:
        """6.7"""
        while any(self.dies(space) for space in self.targets):
            self.targets = self.open()
            if len(self.targets) > 1:
                self.phase = "settle"
                return
            self.settle(self.targets[0])
        self.targets = []
        assert self.hot is not None
        if self.surrounded(self.hot):
            self.settle(self.hot)
        if self.step == 0:
            assert self.order is not None
            self.step, self.phase, self.player = 1, "place", self.order[1]
        else:
            self.end_round()

    def settle(self, space: str) -> None:
        """6.4, 6.5"""
        if space in self.targets:
            self.targets.remove(space)
        if not self.dies(space):
            return
        tile = self.board[space]
        self.supply["energy"] += tile["energy"]
        assert self.hot is not None
        heir = self.supply if space == self.hot else self.board[self.hot]
        spirit = tile["spirit"]
        tile |= {"spirit": 0, "energy": 0, "alive": False}
        heir["spirit"] += spirit
        self.deaths[tile["owner"]] += 1
        self.round_deaths += 1

    def end_round(self) -> None:
        """4.4, 4.5, 8.1"""
        self.track += self.round_deaths
        reasons = []
        if self.track >= 6:
            reasons.append("deaths")
        if len(self.free()) <= 1:
            reasons.append("space")
        if len(self.board) == 24:
            reasons.append("tiles")
        if reasons:
            self.finish(reasons)
            return
        if self.decks[0]:
            self.stream.append([deck.pop() for deck in self.decks])
        self.round += 1
        self.active = 1 - self.active
        self.begin_round()

    def finish(self, reasons: list[str]) -> None:
        """8.2, 8.3, 8.4"""
        self.phase = "over"
        scores, living = [], []
        for seat in (0, 1):
            mine = [t for t in self.board.values() if t["alive"] and t["owner"] == seat]
            gems = sum(TILES[tile["tile"]]["gems"] for tile in mine)
            spirit = sum(tile["spirit"] for tile in mine)
            scores.append(gems + spirit + RELIC_POINTS[self.relics[seat]])
            living.append(len(mine))
        if scores[0] != scores[1]:
            best: int | None = scores.index(max(scores))
        elif living[0] != living[1]:
            best = living.index(max(living))
        else:
            best = self.last_relic
        ranks = [0 if best in (None, seat) else 1 for seat in (0, 1)]
        result = {"ranks": ranks, "reason": reasons[0], "reasons": reasons, "scores": scores}
        self.result = result

    def position(self) -> dict[str, Any]:
        """10"""
        return {
            "game": "maatatahay",
            "options": {},
            "round": self.round,
            "active": self.active,
            "to_move": None if self.result else self.player,
            "phase": self.phase,
            "stream": self.stream,
            "pair": self.pair,
            "order": self.order,
            "step": self.step,
            "hot": self.hot,
            "targets": self.targets,
            "hot_target": self.phase == "settle" and self.surrounded(self.hot or ""),
            "board": self.board,
            "ground": self.ground,
            "relics_on_map": self.relics_on_map,
            "storage": self.storage,
            "relics": self.relics,
            "last_relic": self.last_relic,
            "deaths": self.deaths,
            "round_deaths": self.round_deaths,
            "track": self.track,
            "supply": self.supply,
            "result": self.result,
        }

    def hidden(self) -> dict[str, Any]:
        return {"decks": self.decks, "bag": self.bag}

    def known(self) -> dict[str, Any]:
        """10.3"""
        return {
            "deck_left": len(self.decks[0]),
            "unseen": [sorted(deck) for deck in self.decks],
            "bag_mix": {"spirit": self.bag.count("s"), "energy": self.bag.count("e")},
        }
