"""The course of a match of Maatatahay; sections in brackets are those of its rules page."""

from __future__ import annotations

from pentathlon_engines.errors import BadChance
from pentathlon_engines.game import CHANCE, Game, GameInfo
from pentathlon_engines.maatatahay import chance, notation, reading
from pentathlon_engines.maatatahay.board import (
    ACTIONS,
    ADD,
    ADDITIONS,
    CLAWS,
    DRAWS,
    FACE,
    FIRST,
    FREE_END,
    GRAMMAR,
    PAY,
    PAYMENTS,
    PLACE,
    ROUNDS,
    SETTLE,
    SHRINES,
    SPECIAL_OF,
    TEXTS,
    TILES,
    TRACK_END,
)
from pentathlon_engines.maatatahay.table import (
    ADDING,
    FACING,
    ORDERING,
    OVER,
    PAIRING,
    PLACING,
    SETTING_UP,
    SETTLING,
    Ending,
    Table,
)
from pentathlon_engines.texts import action_of, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from random import Random
    from typing import Any, Final


class MaatatahayState(Table):
    """A position of Maatatahay."""

    __slots__ = ()

    @property
    def game(self) -> Game:
        """The game this is a position of."""
        return MAATATAHAY

    def copy(self) -> MaatatahayState:
        """Return an independent twin of this state."""
        twin = MaatatahayState()
        twin.options = self.options
        twin.seats = 2
        twin.to_move = self.to_move
        twin.outcome = self.outcome
        twin.phase = self.phase
        twin.round = self.round
        twin.active = self.active
        twin.stream = self.stream
        twin.pair = self.pair
        twin.first = self.first
        twin.step = self.step
        twin.last = self.last
        twin.targets = self.targets
        twin.tiles = self.tiles[:]
        twin.filled = self.filled
        twin.living = self.living[:]
        twin.spirit = self.spirit[:]
        twin.energy = self.energy[:]
        twin.relics = self.relics
        twin.stored_spirit = self.stored_spirit[:]
        twin.stored_energy = self.stored_energy[:]
        twin.owned = self.owned[:]
        twin.last_relic = self.last_relic
        twin.deaths = self.deaths[:]
        twin.round_deaths = self.round_deaths
        twin.supply = self.supply[:]
        twin.decks = self.decks
        twin.bag = self.bag
        return twin

    def apply_unchecked(self, action: int) -> None:
        """Do an action without looking whether it is legal: for search loops only."""
        if action < FIRST:
            self._take_pair(action)
        elif action < PLACE:
            self._begin(self._mover() if action == FIRST else 1 - self._mover())
        elif action < FACE:
            self._place(action)
        elif action < ADD:
            self._face(action - FACE)
        elif action < SETTLE:
            self._add(action - ADD)
        else:
            self._settle_one(action - SETTLE)
            self._settle()

    def _mover(self) -> int:
        return self.to_move or 0

    def _take_pair(self, slot: int) -> None:
        """Take a pair; whose tile is weaker decides the order (4.1, 4.2)."""
        balan, wazu = self.pair = self.stream[slot]
        self.stream = self.stream[:slot] + self.stream[slot + 1 :]
        self.phase = ORDERING
        if CLAWS[balan] != CLAWS[wazu]:
            self.to_move = 0 if CLAWS[balan] < CLAWS[wazu] else 1

    def _begin(self, seat: int) -> None:
        """Let a seat place first (4.3)."""
        self.first = self.to_move = seat
        self.phase = PLACING

    def _place(self, action: int) -> None:
        """Put the tile down and collect, or pay for a relic and its reward (5.1 to 5.3)."""
        seat = self._mover()
        if action < PAY:
            space = action - PLACE
            self.stored_spirit[seat] += self.spirit[space]
            self.stored_energy[seat] += self.energy[space]
            self.spirit[space] = self.energy[space] = 0
        else:
            i, payment = divmod(action - PAY, len(PAYMENTS))
            space = SHRINES[i]
            self._pay(seat, *PAYMENTS[payment])
            self.relics ^= 1 << space
            self.owned[seat] += 1
            self.last_relic = seat
        pair = self.pair or (0, 0)
        self.tiles[space] = pair[seat] << 3 | seat
        self.filled |= 1 << space
        self.living[seat] |= 1 << space
        self.last = space
        self.phase = FACING

    def _pay(self, seat: int, spirit: int, energy: int) -> None:
        """Move crystals from storage to the supply, then draw from the bag."""
        self.supply[0] += spirit
        self.supply[1] += energy
        drawn = self.bag[-DRAWS:]
        self.bag = self.bag[:-DRAWS]
        spirits = drawn.count("s")
        self.stored_spirit[seat] += spirits - spirit
        self.stored_energy[seat] += len(drawn) - spirits - energy

    def _face(self, face: int) -> None:
        """Turn the tile and give it the energy of its support (5.4, 5.5)."""
        hot = self.last
        self.tiles[hot] |= face << 1
        energy = min(self.supply[1], self.support(hot))
        self.energy[hot] = energy
        self.supply[1] -= energy
        self.phase = ADDING

    def _add(self, addition: int) -> None:
        """Put crystals on the tile and find who is surrounded now (5.6, 6.2)."""
        seat, hot = self._mover(), self.last
        spirit, energy = ADDITIONS[addition]
        self.stored_spirit[seat] -= spirit
        self.stored_energy[seat] -= energy
        self.spirit[hot] += spirit
        self.energy[hot] += energy
        living = self.living[0] | self.living[1]
        self.targets = self.surrounded() & living & ~(1 << hot)
        self._settle()

    def _settle(self) -> None:
        """Settle targets until the order matters or none is left, then the hot tile (6.7)."""
        while self.targets:
            self.targets = self.open_targets()
            if self.targets & self.targets - 1:
                self.phase = SETTLING
                return
            if self.targets:
                self._settle_one(self.targets.bit_length() - 1)
        if self.surrounded() >> self.last & 1:
            self._settle_one(self.last)
        if self.step:
            self._end_round()
        else:
            self.step = 1
            self.to_move = 1 - self.first
            self.phase = PLACING

    def _settle_one(self, space: int) -> None:
        """Let a target live or die (6.4, 6.5)."""
        self.targets &= ~(1 << space)
        if not self.is_dying(space):
            return
        owner = self.tiles[space] & 1
        self.living[owner] ^= 1 << space
        self.deaths[owner] += 1
        self.round_deaths += 1
        self.supply[1] += self.energy[space]
        spirit = self.spirit[space]
        self.spirit[space] = self.energy[space] = 0
        if space == self.last:
            self.supply[0] += spirit
        else:
            self.spirit[self.last] += spirit

    def _end_round(self) -> None:
        """End the match, or let the other seat be active (4.4, 4.5)."""
        reasons = self.reasons()
        if reasons:
            self.outcome = self.ending(reasons)
            self.to_move = None
            self.phase = OVER
            return
        if self.decks[0]:
            self.reveal()
        self.round += 1
        self.active = self.to_move = 1 - self.active
        self.phase = PAIRING
        self.pair = None
        self.first = -1
        self.step = 0
        self.round_deaths = 0

    def reveal(self) -> None:
        """Put the next pair of the decks into the last slot of the stream."""
        balan, wazu = self.decks
        self.stream += ((balan[-1], wazu[-1]),)
        self.decks = (balan[:-1], wazu[:-1])

    def reasons(self) -> tuple[str, ...]:
        """Return why the match ends after this round, nothing if it goes on (8.1)."""
        found = []
        if self.deaths[0] + self.deaths[1] >= TRACK_END:
            found.append("deaths")
        if self.free().bit_count() <= FREE_END:
            found.append("space")
        if self.round >= ROUNDS or not (self.stream or self.decks[0]):
            found.append("tiles")
        return tuple(found)

    def ending(self, reasons: tuple[str, ...]) -> Ending:
        """Count points and break ties (8.2 to 8.4)."""
        scores = (self.points(0), self.points(1))
        living = [tiles.bit_count() for tiles in self.living]
        keys = [(scores[seat], living[seat], seat == self.last_relic) for seat in (0, 1)]
        if keys[0] == keys[1]:
            return Ending((0, 0), reasons, scores)
        return Ending((0, 1) if keys[0] > keys[1] else (1, 0), reasons, scores)

    def sample_chance(self, rng: Random) -> str:
        """Draw the setup, the only thing that chance decides (3.7)."""
        self._check_chance()
        return chance.draw_setup(rng)

    def apply_chance(self, text: str) -> None:
        """Lay crystals, reveal pairs, put decks and bag down; raise `BadChance` if not so."""
        self._check_chance()
        setup = chance.read_setup(text)
        if setup is None:
            raise BadChance(f"{text!r}: write {chance.GRAMMAR}")
        self.active = self.to_move = setup.active
        self.stream = setup.stream
        for space, crystals in zip(chance.LAID, setup.ground, strict=True):
            self.spirit[space] = crystals.count("s")
            self.energy[space] = crystals.count("e")
        self.decks = setup.decks
        self.bag = setup.bag
        self.phase = PAIRING

    def chance_outcomes(self) -> list[tuple[str, int]]:
        """Return nothing: setups are too many to list."""
        self._check_chance()
        return []

    def text(self, action: int) -> str:
        """Return the text of the rules (9), such as `place c3 pay s1e2`."""
        return text_of(action, TEXTS, title="Maatatahay")

    def parse(self, text: str) -> int:
        """Return the action with this text, legal here or not; raise `BadAction` if none has."""
        return action_of(text, ACTIONS, grammar=GRAMMAR)

    def to_json(self) -> dict[str, Any]:
        """Return the position as on the rules page (10)."""
        return notation.describe(self)

    def observation(self, seat: int | None) -> dict[str, Any]:
        """Return what a seat or a spectator may know: the same but for `you` (10.3)."""
        return self._seen_by(notation.show(self), seat)

    def event_for(self, seat: int | None, text: str) -> str:
        """Return an action as it is, and the setup without the order of decks and bag."""
        return chance.hide(text) if self.to_move == CHANCE else text

    def determinize(self, seat: int, rng: Random) -> MaatatahayState:
        """Return a state with decks and bag shuffled anew: nobody knows their order (10.2)."""
        twin = self.copy()
        if self.phase == SETTING_UP:
            return twin
        balan, wazu = (list(deck) for deck in self.decks)
        rng.shuffle(balan)
        rng.shuffle(wazu)
        twin.decks = (tuple(balan), tuple(wazu))
        bag = list(self.bag)
        rng.shuffle(bag)
        twin.bag = "".join(bag)
        return twin


class MaatatahayGame(Game):
    """Maatatahay, for two seats."""

    def _start(self, seats: int, options: dict[str, Any]) -> MaatatahayState:
        state = MaatatahayState()
        state.reset()
        return state

    def _load(self, data: dict[str, Any], options: dict[str, Any]) -> MaatatahayState:
        state = MaatatahayState()
        state.reset()
        reading.read(state, data)
        return state


_DECISIONS_PER_ROUND: Final = 8
"""Pair and order, and space, face and crystals of two tiles."""
_SPECIALS: Final = sum(
    SPECIAL_OF[tile << 3 | seat] > 0 for tile in range(1, TILES + 1) for seat in (0, 1)
)
_DEADLY_PLACEMENTS: Final = TRACK_END - 1 + 2
"""Each placement with a `settle` kills; before the last round fewer than six tiles have died."""
_SETTLES: Final = 2 * TILES + _SPECIALS * _DEADLY_PLACEMENTS
"""Each `settle` kills a tile, or spares a special one in a placement that kills."""

MAATATAHAY: Final = MaatatahayGame(
    GameInfo(
        "maatatahay",
        title="Maatatahay",
        version=1,
        seats=(2, 2),
        default_seats=2,
        hidden=True,
        chance=True,
        actions=len(TEXTS),
        longest=1 + ROUNDS * _DECISIONS_PER_ROUND + _SETTLES,
    )
)
