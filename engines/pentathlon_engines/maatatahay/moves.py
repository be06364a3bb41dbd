"""The moves of Maatatahay: what actions and chance do, round by round.

Sections in brackets are those of the rules page.
"""

from __future__ import annotations

from pentathlon_engines.contract.game import Outcome
from pentathlon_engines.errors import BadChance
from pentathlon_engines.maatatahay import chance
from pentathlon_engines.maatatahay.actions import (
    ADD,
    ADDITIONS,
    FACE,
    FIRST,
    PAY,
    PAYMENTS,
    PLACE,
    SETTLE,
)
from pentathlon_engines.maatatahay.board import (
    ADDING,
    CROWDS,
    DRAWS,
    FACING,
    FREE_END,
    NEAR,
    ORDERING,
    OVER,
    PAIRING,
    PLACING,
    REASONS,
    ROUNDS,
    SETTLING,
    SHRINES,
    STREAM,
    TRACK_END,
    bits,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pentathlon_engines.contract.compiler import i64
    from pentathlon_engines.maatatahay.state import MaatatahayPosition


class MaatatahayOutcome(Outcome):
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


def apply(state: MaatatahayPosition, action: int) -> None:
    """Do an action of the seat to move, which is legal."""
    phase = state.phase
    if phase == PLACING:
        _place(state, action)
    elif phase == FACING:
        _face(state, action - FACE)
    elif phase == ADDING:
        _add(state, action - ADD)
    elif phase == PAIRING:
        _take_pair(state, action)
    elif phase == ORDERING:
        _begin(state, state.ordering() if action == FIRST else 1 - state.ordering())
    else:
        _settle_one(state, action - SETTLE)
        _settle(state)


def apply_chance(state: MaatatahayPosition, text: str) -> None:
    """Lay out the setup of a text; raise `BadChance` if the text is impossible."""
    setup = chance.read_setup(text)
    if setup is None:
        raise BadChance(f"{text!r}: write {chance.GRAMMAR}")
    state.active = state.to_move = setup.active
    state.stream = setup.pairs[-STREAM:]
    state.deck = bytes(setup.pairs[:-STREAM])
    for space, crystals in zip(chance.LAID, setup.ground, strict=True):
        state.spirit[space], state.energy[space] = crystals
    state.bag = setup.bag
    state.phase = PAIRING


def _take_pair(state: MaatatahayPosition, slot: int) -> None:
    """Take a pair; the seat with the weaker tile decides the order (4.1, 4.2)."""
    state.pair = state.stream.pop(slot)
    state.phase = ORDERING
    state.to_move = state.ordering()


def _begin(state: MaatatahayPosition, seat: i64) -> None:
    """Let a seat place first (4.3)."""
    state.first = seat
    state.to_move = seat
    state.phase = PLACING


def _place(state: MaatatahayPosition, action: int) -> None:
    """Put the tile down and collect, or pay for a relic and its reward (5.1 to 5.3)."""
    seat = state.placing()
    space: i64
    if action < PAY:
        space = action - PLACE
        _forget_place(state, action)
        _store(state, seat, state.spirit[space], state.energy[space])
        state.spirit[space] = state.energy[space] = 0
    else:
        space = SHRINES[(action - PAY) // len(PAYMENTS)]
        _pay(state, seat, (action - PAY) % len(PAYMENTS))
        state.relics ^= 1 << space
        state.owned[seat] += 1
        state.last_relic = seat
    tile = state.pair & 15 if seat else state.pair >> 4
    state.tiles[space] = tile << 3 | seat
    here: i64 = 1 << space
    state.filled |= here
    state.crowds += CROWDS[space]
    state.living |= here
    state.wazu |= seat << space
    state.last = space
    state.phase = FACING


def _forget_place(state: MaatatahayPosition, place: i64) -> None:
    places = state.places
    i: i64 = 0
    while places[i] != place:  # compiled, twice as fast as a method of the list
        i += 1
    places.pop(i)


def _store(state: MaatatahayPosition, seat: i64, spirit: i64, energy: i64) -> None:
    # Added up without `+=`, which would make objects when compiled.
    spirits, energies = state.stored_spirit, state.stored_energy
    if spirit:
        spirits[seat] = spirits[seat] + spirit
    if energy:
        energies[seat] = energies[seat] + energy


def _pay(state: MaatatahayPosition, seat: i64, payment: i64) -> None:
    """Move crystals from storage to the supply, then draw from the bag."""
    spirit, energy = PAYMENTS[payment]
    state.supply_spirit += spirit
    state.supply_energy += energy
    drawn = state.bag[-DRAWS:]
    state.bag = state.bag[:-DRAWS]
    spirits = drawn.count("s")
    _store(state, seat, spirits - spirit, len(drawn) - spirits - energy)


def _face(state: MaatatahayPosition, face: i64) -> None:
    """Turn the tile and give it the energy of its support (5.4, 5.5)."""
    hot = state.last
    tile: i64 = state.tiles[hot]
    state.tiles[hot] = tile | face << 1
    energy = min(state.support(hot), state.supply_energy)
    state.energy[hot] = energy
    state.supply_energy -= energy
    state.phase = ADDING


def _add(state: MaatatahayPosition, addition: int) -> None:
    """Put crystals on the tile and find the tiles that are surrounded now (5.6, 6.2)."""
    seat, hot = state.placing(), state.last
    spirit, energy = ADDITIONS[addition]
    if spirit or energy:
        _store(state, seat, -spirit, -energy)
        state.spirit[hot] = state.spirit[hot] + spirit
        state.energy[hot] = state.energy[hot] + energy
    state.targets = state.surrounded() & state.living & ~(1 << hot)
    _settle(state)


def _settle(state: MaatatahayPosition) -> None:
    """Settle targets until the order matters or none is left, then the hot tile (6.7)."""
    while state.targets:
        targets = state.targets = state.open_targets()
        if targets & targets - 1:
            state.phase = SETTLING
            return
        if targets:
            _settle_one(state, bits(targets)[0])
    if not NEAR[state.last] & ~state.filled:
        _settle_one(state, state.last)
    if state.step:
        _end_round(state)
    else:
        state.step = 1
        state.to_move = 1 - state.first
        state.phase = PLACING


def _settle_one(state: MaatatahayPosition, space: i64) -> None:
    """Let a target live or die (6.4, 6.5)."""
    here: i64 = 1 << space
    state.targets &= ~here
    if not state.is_dying(space):
        return
    state.living ^= here
    state.deaths[state.wazu >> space & 1] += 1
    state.round_deaths += 1
    state.supply_energy += state.energy[space]
    spirit = state.spirit[space]
    state.spirit[space] = state.energy[space] = 0
    if space == state.last:
        state.supply_spirit += spirit
    else:
        state.spirit[state.last] = state.spirit[state.last] + spirit


def _end_round(state: MaatatahayPosition) -> None:
    """End the match, or let the other seat be active (4.4, 4.5)."""
    reasons = end_reasons(state)
    if reasons:
        state.outcome = outcome_of(state, reasons)
        state.to_move = None
        state.phase = OVER
        return
    if state.deck:
        reveal_pair(state)
    state.round += 1
    state.active = 1 - state.active
    state.to_move = state.active
    state.phase = PAIRING
    state.pair = 0
    state.first = -1
    state.step = 0
    state.round_deaths = 0


def reveal_pair(state: MaatatahayPosition) -> None:
    """Put the next pair of the deck into the last slot of the stream."""
    state.stream.append(state.deck[-1])
    state.deck = state.deck[:-1]


def end_reasons(state: MaatatahayPosition) -> i64:
    """Return why the match ends after this round as a mask of REASONS (8.1)."""
    return (
        (state.deaths[0] + state.deaths[1] >= TRACK_END)
        | (len(state.places) <= FREE_END) << 1
        | (state.round >= ROUNDS or not (state.stream or state.deck)) << 2
    )


def outcome_of(state: MaatatahayPosition, reasons: i64) -> MaatatahayOutcome:
    """Count points and break ties (8.2 to 8.4)."""
    names = tuple([name for i, name in enumerate(REASONS) if reasons >> i & 1])
    scores = (state.points(0), state.points(1))
    lead = scores[0] - scores[1]
    if lead == 0:
        lead = len(bits(state.living_of(0))) - len(bits(state.living_of(1)))
    if lead == 0 and state.last_relic >= 0:
        lead = 1 - 2 * state.last_relic
    return MaatatahayOutcome((int(lead < 0), int(lead > 0)), names, scores)
