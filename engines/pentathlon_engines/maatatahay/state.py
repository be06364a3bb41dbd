"""A position of Maatatahay: what lies where, and what that allows.

Sections in brackets are those of the rules page. What an action does is in `moves.py`.
"""

from __future__ import annotations

from abc import abstractmethod

from pentathlon_engines.contract.game import CHANCE, State
from pentathlon_engines.maatatahay.actions import (
    ADDS,
    FACINGS,
    FIRST,
    PAY,
    PAYMENTS,
    PAYMENTS_OF,
    PLACE,
    SECOND,
    SETTLE,
)
from pentathlon_engines.maatatahay.board import (
    ADDING,
    AIMS,
    ARROWS_OF,
    BAG_ENERGY,
    BAG_SPIRIT,
    CLAWS_OF,
    CONVERT,
    COSTS,
    DIAGONALS,
    EAST,
    ELDER,
    EVEN,
    FACING,
    FULL,
    GEMS_OF,
    LEAST_SPIRIT,
    MAP_ENERGY,
    NEAR,
    NEIGHBOURS,
    NORTH,
    ORDERING,
    OVER,
    PAIRING,
    PLACING,
    RELIC_POINTS,
    SETTING_UP,
    SETTLING,
    SHRINES,
    SIDE,
    SOUTH,
    SPACE_OF,
    SPACES,
    SPECIAL_OF,
    SUPPLY_ENERGY,
    SUPPLY_SPIRIT,
    TILES,
    TRIBES,
    WEAKER,
    WEST,
    bits,
    mask,
    pair_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from pentathlon_engines.contract.compiler import i64
    from pentathlon_engines.contract.game import Draw


class MaatatahayPosition(State):
    """The table. Lists of two are indexed by seat, lists of all spaces by space.

    `spirit` and `energy` of a space are those on its tile, or on the ground where there is none.
    `places` are the placements on free spaces in reading order, `crowds` the tiles beside each
    shrine in four bits each. `first` is the seat that places first in this round, -1 until that is
    decided; `last` is the space of the last placed tile, which is hot until the round ends. A
    `pair` of 0 is none. The last item of deck and bag is drawn next.
    """

    __slots__ = (
        "active",
        "bag",
        "crowds",
        "deaths",
        "deck",
        "energy",
        "filled",
        "first",
        "last",
        "last_relic",
        "living",
        "owned",
        "pair",
        "phase",
        "places",
        "relics",
        "round",
        "round_deaths",
        "spirit",
        "step",
        "stored_energy",
        "stored_spirit",
        "stream",
        "supply_energy",
        "supply_spirit",
        "targets",
        "tiles",
        "wazu",
    )

    active: i64
    bag: str
    crowds: i64
    deck: bytes
    """The hidden pairs."""
    deaths: list[int]
    energy: list[int]
    filled: i64
    first: i64
    last: i64
    last_relic: i64
    living: i64
    owned: list[int]
    pair: i64
    phase: i64
    places: list[int]
    relics: i64
    round: i64
    round_deaths: i64
    spirit: list[int]
    step: i64
    stored_energy: list[int]
    stored_spirit: list[int]
    stream: list[int]
    supply_energy: i64
    supply_spirit: i64
    targets: i64
    tiles: list[int]
    wazu: i64
    """The spaces whose tile, living or dead, belongs to seat 1."""

    def reset(self) -> None:  # noqa: PLR0915  # one statement per attribute
        """Make this the position before the setup."""
        self.options = {}
        self.seats = 2
        self.to_move = CHANCE
        self.outcome = None
        self.phase = SETTING_UP
        self.round = 1
        self.active = 0
        self.stream = []
        self.pair = 0
        self.first = -1
        self.step = 0
        self.last = -1
        self.targets = 0
        self.tiles = [0] * len(SPACES)
        self.filled = 0
        self.living = 0
        self.wazu = 0
        self.spirit = [0] * len(SPACES)
        self.energy = [0] * len(SPACES)
        self.relics = mask(SHRINES)
        self.crowds = 0
        self.find_places()
        self.stored_spirit = [0, 0]
        self.stored_energy = [0, 0]
        self.owned = [0, 0]
        self.last_relic = -1
        self.deaths = [0, 0]
        self.round_deaths = 0
        self.supply_spirit = SUPPLY_SPIRIT
        self.supply_energy = SUPPLY_ENERGY
        self.deck = bytes(pair_of(tile, tile) for tile in range(1, TILES + 1))
        self.bag = "s" * BAG_SPIRIT + "e" * BAG_ENERGY

    @abstractmethod
    def copy(self) -> MaatatahayPosition:
        """Return an independent twin of this position."""

    def find_places(self) -> None:
        """Find the placements on free spaces: those without a tile and a relic (1.8)."""
        self.places = [PLACE + space for space in bits(FULL & ~self.filled & ~self.relics)]

    @property
    def placed(self) -> int:
        """The number of tiles placed."""
        return int(self.filled).bit_count()

    @property
    def track(self) -> int:
        """The spirit track, which advances at the end of a round only (7)."""
        total = self.deaths[0] + self.deaths[1]
        return total if self.phase == OVER else total - self.round_deaths

    @property
    def hot(self) -> int:
        """The space of the tile placed last in this round, -1 before the first (1.6)."""
        began = self.phase > PLACING or (self.phase == PLACING and self.step)
        return self.last if began else -1

    def surrounded(self) -> i64:
        """Return the spaces, whatever is on them, whose neighbours are all filled (6.1)."""
        filled = self.filled
        north, south = filled >> SIDE | NORTH, filled << SIDE | SOUTH
        return north & south & (filled >> 1 | EAST) & (filled << 1 | WEST)

    def living_of(self, seat: i64) -> i64:
        """Return the living tiles of a seat."""
        return self.living & self.wazu if seat else self.living & ~self.wazu

    def strength(self, space: i64) -> i64:
        """Return the strength of a living tile (5.7)."""
        tile: i64 = self.tiles[space]
        strength: i64 = self.energy[space]
        strength += CLAWS_OF[tile]
        special: i64 = SPECIAL_OF[tile]
        if special == ELDER:
            strength += _count(self.living_of(tile & 1), NEIGHBOURS[space])
        elif special == CONVERT:
            strength += _count(self.living_of(1 - (tile & 1)), DIAGONALS[space])
        return strength

    def is_dying(self, space: i64) -> bool:
        """Return whether the living enemies beside a living tile are stronger together (6.4)."""
        enemies = self.living_of(1 - (self.wazu >> space & 1)) & NEAR[space]
        if not enemies:
            return False
        attack: i64 = 0
        near: i64
        for near in NEIGHBOURS[space]:
            if enemies >> near & 1:
                attack += self.strength(near)
        return attack > self.strength(space)

    def open_targets(self) -> i64:
        """Return the targets whose order matters; none do if all of them live (6.7)."""
        dying: i64 = 0
        special: i64 = 0
        left = self.targets
        while left:
            low = left & -left
            space: i64 = SPACE_OF[low % 37]
            if self.is_dying(space):
                dying |= low
            elif SPECIAL_OF[self.tiles[space]]:
                special |= low
            left ^= low
        return dying | special if dying else 0

    def support(self, space: i64) -> i64:
        """Return the energy that a tile placed here would get if the supply sufficed (5.5)."""
        own = self.living_of(self.wazu >> space & 1)
        tiles = self.tiles
        support: i64 = MAP_ENERGY[space]
        aim: i64
        for aim in AIMS[space]:
            near = aim >> 3
            if own >> near & 1:
                arrows: i64 = ARROWS_OF[tiles[near]]
                support += arrows >> (aim & 7) & 1
        return support

    def points(self, seat: int) -> int:
        """Return the present points of a seat (8.2)."""
        points = RELIC_POINTS[self.owned[seat]]
        tiles, spirit = self.tiles, self.spirit
        space: i64
        for space in bits(self.living_of(seat)):
            points += GEMS_OF[tiles[space]] + spirit[space]
        return points

    def legal_actions(self) -> list[int]:
        """Return what the seat to move may do, in the order of the rules (9)."""
        phase = self.phase
        if phase == PLACING:
            return self.places + self._payable()
        if phase == FACING:
            return list(FACINGS[self.tiles[self.last] >> 3])
        if phase == ADDING:
            return list(self._additions())
        if phase == PAIRING:
            return list(range(len(self.stream)))
        if phase == SETTLING:
            return [SETTLE + space for space in bits(self.targets)]
        return [FIRST, SECOND] if phase == ORDERING else []

    def placing(self) -> i64:
        """Return the seat that places now: in the first step the first one."""
        return self.first ^ self.step

    def ordering(self) -> i64:
        """Return the seat that decides the order: that of the weaker tile, else the active one."""
        weaker: i64 = WEAKER[self.pair]
        return self.active if weaker == EVEN else weaker

    def _payable(self) -> list[int]:
        """Return the placements on shrines that the placing seat can pay (5.3)."""
        seat = self.placing()
        spirit: i64 = self.stored_spirit[seat]
        energy: i64 = self.stored_energy[seat]
        found: list[int] = []
        if spirit < LEAST_SPIRIT:
            return found
        relics, crowds = self.relics, self.crowds
        first: i64 = PAY
        shrine: i64
        for shrine in SHRINES:
            cost: i64 = COSTS[crowds & 15]
            if cost <= spirit + energy and relics >> shrine & 1:
                for payment in PAYMENTS_OF[cost]:
                    s, e = PAYMENTS[payment]
                    if s <= spirit and e <= energy:
                        found.append(first + payment)
            crowds >>= 4
            first += len(PAYMENTS)
        return found

    def _additions(self) -> list[int]:
        seat = self.placing()
        return ADDS[self.stored_spirit[seat]][self.stored_energy[seat]]

    def _draw_action(self, draw: Draw) -> int:
        """Draw one of the legal actions, listing only those for shrines and for settling."""
        phase = self.phase
        if phase == PLACING:
            return self._draw_placement(draw)
        if phase == FACING:
            return _draw_from(FACINGS[self.tiles[self.last] >> 3], draw)
        if phase == ADDING:
            return _draw_from(self._additions(), draw)
        if phase == SETTLING:
            return SETTLE + _draw_from(bits(self.targets), draw)
        n = len(self.stream) if phase == PAIRING else len(TRIBES)
        pick = int(draw() * n)
        return pick if phase == PAIRING else FIRST + pick

    def _draw_placement(self, draw: Draw) -> int:
        seat = self.placing()
        places = self.places
        payable = self._payable() if self.stored_spirit[seat] >= LEAST_SPIRIT else _NONE
        n = len(places) + len(payable)
        pick = int(draw() * n)
        return places[pick] if pick < len(places) else payable[pick - len(places)]


_NONE: Final[list[int]] = []


def _count(spaces: i64, among: list[int]) -> i64:
    """Return how many of some spaces are in a mask."""
    count: i64 = 0
    space: i64
    for space in among:
        count += spaces >> space & 1
    return count


def _draw_from(actions: list[int], draw: Draw) -> int:
    n = len(actions)  # a variable keeps compiled code from making an object
    return actions[int(draw() * n)] if n > 1 else actions[0]
