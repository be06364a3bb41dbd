"""The course of a match of Maatatahay; sections in brackets are those of its rules page."""

from __future__ import annotations

from pentathlon_engines.contract.action_texts import action_of, text_of
from pentathlon_engines.contract.game import CHANCE, Game, GameInfo, Outcome
from pentathlon_engines.errors import BadChance
from pentathlon_engines.maatatahay import chance, serialization
from pentathlon_engines.maatatahay.board import (
    ACTIONS,
    ADD,
    ADDITIONS,
    CROWDS,
    DRAWS,
    FACE,
    FIRST,
    FREE_END,
    GRAMMAR,
    NEAR,
    PAY,
    PAYMENTS,
    PLACE,
    ROUNDS,
    SETTLE,
    SHRINES,
    SPECIAL_OF,
    STREAM,
    TEXTS,
    TILES,
    TRACK_END,
    bits,
    pair_of,
    tiles_of,
)
from pentathlon_engines.maatatahay.table import (
    ADDING,
    ENDINGS,
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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from random import Random
    from typing import Any, Final

    from pentathlon_engines.contract.compiling import i64
    from pentathlon_engines.contract.game import Encoder, Evaluation
    from pentathlon_engines.drawing.plain import Drawing


class MaatatahayState(Table):
    """A position of Maatatahay."""

    __slots__ = ()

    @property
    def game(self) -> Game:
        """The game this is a position of."""
        return MAATATAHAY

    def copy(self) -> MaatatahayState:  # noqa: PLR0915  # one statement per attribute is fastest
        """Return an independent twin of this state."""
        twin = MaatatahayState()
        twin.options = self.options
        twin.seats = 2
        twin.to_move = self.to_move
        twin.outcome = self.outcome
        twin.phase = self.phase
        twin.round = self.round
        twin.active = self.active
        twin.stream = self.stream[:]
        twin.pair = self.pair
        twin.first = self.first
        twin.step = self.step
        twin.last = self.last
        twin.targets = self.targets
        twin.tiles = self.tiles[:]
        twin.filled = self.filled
        twin.living = self.living
        twin.wazu = self.wazu
        twin.spirit = self.spirit[:]
        twin.energy = self.energy[:]
        twin.relics = self.relics
        twin.crowds = self.crowds
        twin.places = self.places[:]
        twin.stored_spirit = self.stored_spirit[:]
        twin.stored_energy = self.stored_energy[:]
        twin.owned = self.owned[:]
        twin.last_relic = self.last_relic
        twin.deaths = self.deaths[:]
        twin.round_deaths = self.round_deaths
        twin.supply_spirit = self.supply_spirit
        twin.supply_energy = self.supply_energy
        twin.deck = self.deck
        twin.bag = self.bag
        return twin

    def apply_unchecked(self, action: int) -> None:
        """Do an action without looking whether it is legal: for search loops only."""
        phase = self.phase
        if phase == PLACING:
            self._place(action)
        elif phase == FACING:
            self._face(action - FACE)
        elif phase == ADDING:
            self._add(action - ADD)
        elif phase == PAIRING:
            self._take_pair(action)
        elif phase == ORDERING:
            self._begin(self.ordering() if action == FIRST else 1 - self.ordering())
        else:
            self._settle_one(action - SETTLE)
            self._settle()

    def _take_pair(self, slot: int) -> None:
        """Take a pair; whose tile is weaker decides the order (4.1, 4.2)."""
        self.pair = self.stream.pop(slot)
        self.phase = ORDERING
        self.to_move = self.ordering()

    def _begin(self, seat: i64) -> None:
        """Let a seat place first (4.3)."""
        self.first = seat
        self.to_move = seat
        self.phase = PLACING

    def _place(self, action: int) -> None:
        """Put the tile down and collect, or pay for a relic and its reward (5.1 to 5.3)."""
        seat = self.placing()
        space: i64
        if action < PAY:
            space = action - PLACE
            self._forget_place(action)
            self._store(seat, self.spirit[space], self.energy[space])
            self.spirit[space] = self.energy[space] = 0
        else:
            space = SHRINES[(action - PAY) // len(PAYMENTS)]
            self._pay(seat, (action - PAY) % len(PAYMENTS))
            self.relics ^= 1 << space
            self.owned[seat] += 1
            self.last_relic = seat
        tile = self.pair & 15 if seat else self.pair >> 4
        self.tiles[space] = tile << 3 | seat
        here: i64 = 1 << space
        self.filled |= here
        self.crowds += CROWDS[space]
        self.living |= here
        self.wazu |= seat << space
        self.last = space
        self.phase = FACING

    def _forget_place(self, place: i64) -> None:
        places = self.places
        i: i64 = 0
        while places[i] != place:  # compiled, twice as fast as the method of the list
            i += 1
        places.pop(i)

    def _store(self, seat: i64, spirit: i64, energy: i64) -> None:
        # Added up as variables: compiled, += on an item of a list would make objects.
        spirits, energies = self.stored_spirit, self.stored_energy
        if spirit:
            spirits[seat] = spirits[seat] + spirit
        if energy:
            energies[seat] = energies[seat] + energy

    def _pay(self, seat: i64, payment: i64) -> None:
        """Move crystals from storage to the supply, then draw from the bag."""
        spirit, energy = PAYMENTS[payment]
        self.supply_spirit += spirit
        self.supply_energy += energy
        drawn = self.bag[-DRAWS:]
        self.bag = self.bag[:-DRAWS]
        spirits = drawn.count("s")
        self._store(seat, spirits - spirit, len(drawn) - spirits - energy)

    def _face(self, face: i64) -> None:
        """Turn the tile and give it the energy of its support (5.4, 5.5)."""
        hot = self.last
        tile: i64 = self.tiles[hot]
        self.tiles[hot] = tile | face << 1
        energy = min(self.support(hot), self.supply_energy)
        self.energy[hot] = energy
        self.supply_energy -= energy
        self.phase = ADDING

    def _add(self, addition: int) -> None:
        """Put crystals on the tile and find who is surrounded now (5.6, 6.2)."""
        seat, hot = self.placing(), self.last
        spirit, energy = ADDITIONS[addition]
        if spirit or energy:
            self._store(seat, -spirit, -energy)
            self.spirit[hot] = self.spirit[hot] + spirit
            self.energy[hot] = self.energy[hot] + energy
        self.targets = self.surrounded() & self.living & ~(1 << hot)
        self._settle()

    def _settle(self) -> None:
        """Settle targets until the order matters or none is left, then the hot tile (6.7)."""
        while self.targets:
            targets = self.targets = self.open_targets()
            if targets & targets - 1:
                self.phase = SETTLING
                return
            if targets:
                self._settle_one(bits(targets)[0])
        if not NEAR[self.last] & ~self.filled:
            self._settle_one(self.last)
        if self.step:
            self._end_round()
        else:
            self.step = 1
            self.to_move = 1 - self.first
            self.phase = PLACING

    def _settle_one(self, space: i64) -> None:
        """Let a target live or die (6.4, 6.5)."""
        here: i64 = 1 << space
        self.targets &= ~here
        if not self.is_dying(space):
            return
        self.living ^= here
        self.deaths[self.wazu >> space & 1] += 1
        self.round_deaths += 1
        self.supply_energy += self.energy[space]
        spirit = self.spirit[space]
        self.spirit[space] = self.energy[space] = 0
        if space == self.last:
            self.supply_spirit += spirit
        else:
            self.spirit[self.last] = self.spirit[self.last] + spirit

    def _end_round(self) -> None:
        """End the match, or let the other seat be active (4.4, 4.5)."""
        endings = self.endings()
        if endings:
            self.outcome = self.ending(endings)
            self.to_move = None
            self.phase = OVER
            return
        if self.deck:
            self.reveal()
        self.round += 1
        self.active = 1 - self.active
        self.to_move = self.active
        self.phase = PAIRING
        self.pair = 0
        self.first = -1
        self.step = 0
        self.round_deaths = 0

    def reveal(self) -> None:
        """Put the next pair of the deck into the last slot of the stream."""
        self.stream.append(self.deck[-1])
        self.deck = self.deck[:-1]

    def endings(self) -> i64:
        """Return why the match ends after this round as a mask of ENDINGS (8.1)."""
        return (
            (self.deaths[0] + self.deaths[1] >= TRACK_END)
            | (len(self.places) <= FREE_END) << 1
            | (self.round >= ROUNDS or not (self.stream or self.deck)) << 2
        )

    def ending(self, endings: i64) -> Ending:
        """Count points and break ties (8.2 to 8.4)."""
        reasons = tuple([reason for i, reason in enumerate(ENDINGS) if endings >> i & 1])
        scores = (self.points(0), self.points(1))
        lead = scores[0] - scores[1]
        if lead == 0:
            lead = len(bits(self.living_of(0))) - len(bits(self.living_of(1)))
        if lead == 0 and self.last_relic >= 0:
            lead = 1 - 2 * self.last_relic
        return Ending((int(lead < 0), int(lead > 0)), reasons, scores)

    def playout(self, rng: Random) -> Outcome:
        """Play this very state to its end at random and return the outcome."""
        if self.phase == SETTING_UP:
            self.apply_chance(self.sample_chance(rng))
        draw = rng.random
        while self.outcome is None:
            self.apply_unchecked(self._draw_action(draw))
        return self.outcome

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
        self.stream = setup.pairs[-STREAM:]
        self.deck = bytes(setup.pairs[:-STREAM])
        for space, crystals in zip(chance.LAID, setup.ground, strict=True):
            self.spirit[space], self.energy[space] = crystals
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
        return serialization.describe(self)

    def observation(self, seat: int | None) -> dict[str, Any]:
        """Return what a seat or a spectator may know: the same but for `you` (10.3)."""
        return self._seen_by(serialization.show(self), seat)

    def event_for(self, seat: int | None, text: str) -> str:
        """Return an action as it is, and the setup without the order of decks and bag."""
        return chance.hide(text) if self.to_move == CHANCE else text

    def determinize(self, seat: int, rng: Random) -> MaatatahayState:
        """Return a state with decks and bag shuffled anew: nobody knows their order (10.2)."""
        twin = self.copy()
        if self.phase == SETTING_UP:
            return twin
        balan, wazu = ([tiles_of(pair)[seat] for pair in self.deck] for seat in (0, 1))
        rng.shuffle(balan)
        rng.shuffle(wazu)
        twin.deck = bytes(map(pair_of, balan, wazu))
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
        serialization.read(state, data)
        return state

    def drawing(self) -> Drawing:
        """Return the module that draws the board."""
        from pentathlon_engines.maatatahay import drawing

        return drawing

    def evaluation(self) -> Evaluation:
        """Return the worth of a position."""
        from pentathlon_engines.maatatahay import evaluation

        return evaluation.worth

    def encoder(self) -> Encoder:
        """Return the encoder of observations."""
        from pentathlon_engines.maatatahay import encoding

        return encoding.features

    def glyphs(self) -> tuple[str, ...]:
        """Return what the game is recognised by."""
        return ("claw", "energy", "relic")


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
