"""The table of a match of Maatatahay: what lies where, and what that allows.

Sections in brackets are those of the rules page. The course of a round is in `state.py`.
"""

from __future__ import annotations

from pentathlon_engines.errors import NotToMove
from pentathlon_engines.game import CHANCE, Outcome, State
from pentathlon_engines.maatatahay.board import (
    ADDS,
    AIMS,
    ARROWS_OF,
    BAG_ENERGY,
    BAG_SPIRIT,
    CLAWS_OF,
    CONVERT,
    COST,
    DIAGONAL,
    DISCOUNT,
    EAST,
    ELDER,
    FACE,
    FACINGS,
    FIRST,
    FULL,
    GEMS_OF,
    LEAST_COST,
    LEAST_SPIRIT,
    MAP_ENERGY,
    NEAR,
    NEIGHBOURS,
    NORTH,
    PAY,
    PAYMENTS,
    PAYMENTS_OF,
    PLACE,
    RELIC_POINTS,
    SECOND,
    SETTLE,
    SHRINES,
    SIDE,
    SOUTH,
    SPACES,
    SPECIAL_OF,
    SUPPLY_ENERGY,
    SUPPLY_SPIRIT,
    TILES,
    WEST,
    bits,
    mask,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from random import Random
    from typing import Any, Final

PHASES: Final = ("setup", "pair", "order", "place", "face", "add", "settle", "over")
SETTING_UP: Final = 0
PAIRING: Final = 1
ORDERING: Final = 2
PLACING: Final = 3
FACING: Final = 4
ADDING: Final = 5
SETTLING: Final = 6
OVER: Final = 7


class Ending(Outcome):
    """An outcome with all the reasons that hold, `reason` being the first of them."""

    __slots__ = ("reasons",)

    def __init__(
        self, ranks: tuple[int, int], reasons: tuple[str, ...], scores: tuple[int, int]
    ) -> None:
        super().__init__(ranks, reasons[0], scores)
        self.reasons = reasons

    def to_json(self) -> dict[str, Any]:
        """Return the field `result` of a position (10.1)."""
        data = super().to_json()
        return {
            "ranks": data["ranks"],
            "reason": data["reason"],
            "reasons": list(self.reasons),
            "scores": data["scores"],
        }


class Table(State):
    """What lies on the table. Lists of two are by seat, lists of all spaces by space.

    `spirit` and `energy` of a space are those on its tile, or on the ground where there is none.
    `first` is the seat that places first in this round, -1 until that is decided; `last` is where
    the last tile was placed, which is the hot one until the round ends.
    """

    __slots__ = (
        "active",
        "bag",
        "deaths",
        "decks",
        "energy",
        "filled",
        "first",
        "last",
        "last_relic",
        "living",
        "owned",
        "pair",
        "phase",
        "relics",
        "round",
        "round_deaths",
        "spirit",
        "step",
        "stored_energy",
        "stored_spirit",
        "stream",
        "supply",
        "targets",
        "tiles",
    )

    def reset(self) -> None:
        """Make this the position before the setup."""
        self.options: dict[str, Any] = {}
        self.seats = 2
        self.to_move: int | None = CHANCE
        self.outcome: Outcome | None = None
        self.phase = SETTING_UP
        self.round = 1
        self.active = 0
        self.stream: tuple[tuple[int, int], ...] = ()
        self.pair: tuple[int, int] | None = None
        self.first = -1
        self.step = 0
        self.last = -1
        self.targets = 0
        self.tiles = [0] * len(SPACES)
        self.filled = 0
        self.living = [0, 0]
        self.spirit = [0] * len(SPACES)
        self.energy = [0] * len(SPACES)
        self.relics: int = mask(SHRINES)
        self.stored_spirit = [0, 0]
        self.stored_energy = [0, 0]
        self.owned = [0, 0]
        self.last_relic = -1
        self.deaths = [0, 0]
        self.round_deaths = 0
        self.supply = [SUPPLY_SPIRIT, SUPPLY_ENERGY]
        # Of decks and bag the next draw is the last.
        self.decks = (tuple(range(1, TILES + 1)), tuple(range(1, TILES + 1)))
        self.bag = "s" * BAG_SPIRIT + "e" * BAG_ENERGY

    @property
    def placed(self) -> int:
        """How many tiles have been placed."""
        return self.filled.bit_count()

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

    def free(self) -> int:
        """Return the free spaces (1.8)."""
        return FULL & ~self.filled & ~self.relics

    def surrounded(self) -> int:
        """Return the spaces, whatever is on them, whose neighbours are all filled (6.1)."""
        filled = self.filled
        north, south = filled >> SIDE | NORTH, filled << SIDE | SOUTH
        return north & south & (filled >> 1 | EAST) & (filled << 1 | WEST) & FULL

    def strength(self, space: int) -> int:
        """Return the strength of a living tile (5.7)."""
        tile = self.tiles[space]
        strength = CLAWS_OF[tile] + self.energy[space]
        special = SPECIAL_OF[tile]
        if special == ELDER:
            strength += (NEAR[space] & self.living[tile & 1]).bit_count()
        elif special == CONVERT:
            strength += (DIAGONAL[space] & self.living[1 - (tile & 1)]).bit_count()
        return strength

    def is_dying(self, space: int) -> bool:
        """Say whether the living enemies beside a living tile are stronger together (6.4)."""
        enemies = self.living[1 - (self.tiles[space] & 1)]
        if not enemies & NEAR[space]:
            return False
        attack = 0
        for near in NEIGHBOURS[space]:
            if enemies >> near & 1:
                attack += self.strength(near)
        return attack > self.strength(space)

    def open_targets(self) -> int:
        """Return the targets whose order matters, none if all live (6.7)."""
        dying = special = 0
        for space in bits(self.targets):
            if self.is_dying(space):
                dying |= 1 << space
            elif SPECIAL_OF[self.tiles[space]]:
                special |= 1 << space
        return dying | special if dying else 0

    def support(self, space: int) -> int:
        """Return the energy that a tile placed here would get, were there enough (5.5)."""
        own = self.living[self.tiles[space] & 1]
        support = MAP_ENERGY[space]
        for near, arrow in AIMS[space]:
            if own >> near & 1 and ARROWS_OF[self.tiles[near]] & arrow:
                support += 1
        return support

    def points(self, seat: int) -> int:
        """Return what a seat would score now (8.2)."""
        points = RELIC_POINTS[self.owned[seat]]
        for space in bits(self.living[seat]):
            points += GEMS_OF[self.tiles[space]] + self.spirit[space]
        return points

    def legal_actions(self) -> list[int]:
        """Return what the seat to move may do, in the order of the rules (9)."""
        phase = self.phase
        if phase == PLACING:
            return [PLACE + space for space in bits(self.free())] + self._payable()
        if phase == FACING:
            return list(FACINGS[self.tiles[self.last] >> 3])
        if phase == ADDING:
            return list(self._additions())
        if phase == PAIRING:
            return list(range(len(self.stream)))
        if phase == SETTLING:
            return [SETTLE + space for space in bits(self.targets)]
        return [FIRST, SECOND] if phase == ORDERING else []

    def _payable(self) -> list[int]:
        """Return the placements on shrines that the seat to move can pay (5.3)."""
        seat = self.to_move or 0
        spirit, energy = self.stored_spirit[seat], self.stored_energy[seat]
        found: list[int] = []
        if spirit < LEAST_SPIRIT:
            return found
        for i, shrine in enumerate(SHRINES):
            if self.relics >> shrine & 1:
                beside = (NEAR[shrine] & self.filled).bit_count()
                cost = max(LEAST_COST, COST - DISCOUNT * beside)
                if cost <= spirit + energy:
                    base = PAY + i * len(PAYMENTS)
                    for payment in PAYMENTS_OF[cost]:
                        s, e = PAYMENTS[payment]
                        if s <= spirit and e <= energy:
                            found.append(base + payment)
        return found

    def _additions(self) -> tuple[int, ...]:
        seat = self.to_move or 0
        return ADDS[self.stored_spirit[seat]][self.stored_energy[seat]]

    def is_legal(self, action: int) -> bool:
        """Say whether the seat to move may do this now."""
        phase = self.phase
        if phase == PLACING:
            if PLACE <= action < PAY:
                return self.free() >> action - PLACE & 1 == 1
            return PAY <= action < FACE and action in self._payable()
        if phase == SETTLING:
            space = action - SETTLE
            return 0 <= space < len(SPACES) and self.targets >> space & 1 == 1
        return action in self.legal_actions()

    def random_action(self, rng: Random) -> int:
        """Draw one of the legal actions, each with the same chance; spaces without a list."""
        phase = self.phase
        if phase == PLACING:
            return self._random_placement(rng)
        if phase == FACING:
            faces = FACINGS[self.tiles[self.last] >> 3]
            return faces[int(rng.random() * len(faces))]
        if phase == ADDING:
            additions = self._additions()
            return additions[int(rng.random() * len(additions))]
        if phase == PAIRING:
            return int(rng.random() * len(self.stream))
        if phase == ORDERING:
            return FIRST + int(rng.random() * 2)
        if phase != SETTLING:
            raise NotToMove("no seat may act here")
        spaces = bits(self.targets)
        return SETTLE + spaces[int(rng.random() * len(spaces))]

    def _random_placement(self, rng: Random) -> int:
        free = self.free()
        payable = self._payable()
        if payable:
            pick = int(rng.random() * (len(payable) + free.bit_count()))
            if pick < len(payable):
                return payable[pick]
        draw = rng.random
        while True:
            space = int(draw() * len(SPACES))
            if free >> space & 1:
                return PLACE + space
