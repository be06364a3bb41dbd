"""Positions of Maatatahay as JSON, as on its rules page (10), and back.

A position is read from a whole state, a bare example, or an observation. Decks that are left out
consist of all tiles not seen yet, as far as these make pairs. Numbers of crystals, tiles and
rounds need not fit together, so that examples can be short.
"""

from __future__ import annotations

from pentathlon_engines.contract import kinds, position
from pentathlon_engines.contract.kinds import Integer, ListOf, MapOf, OneOf, refuse
from pentathlon_engines.contract.position import TO_VIEWERS, TO_WHOLE, Field
from pentathlon_engines.maatatahay import board, moves
from pentathlon_engines.maatatahay.board import (
    FACES,
    OVER,
    PAIRING,
    PHASES,
    PLACING,
    SETTLING,
    SHRINES,
    SPACES,
    TILES,
    bits,
    pair_of,
    tiles_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from pentathlon_engines.maatatahay.state import MaatatahayPosition

_SEATS: Final = 2
_SORTS: Final = ("s", "e")
_BAG: Final = board.BAG_SPIRIT + board.BAG_ENERGY


class _Pair(kinds.Kind):
    """A Balan and a Wazu tile; the state has both as one number, 0 for none."""

    def read(self, field: str, data: Any) -> int:  # Any: JSON
        """Return the pair."""
        balan, wazu = _TWO_TILES.read(field, data)
        return pair_of(balan, wazu)

    def show(self, value: int) -> list[int] | None:
        """Return the two tiles."""
        return list(tiles_of(value)) if value else None


class _Crystals(kinds.Object):
    """Spirit and energy, at most `most` in all."""

    def __init__(self, most: int) -> None:
        super().__init__(spirit=Integer(0, most), energy=Integer(0, most))
        self.most = most

    def read(self, field: str, data: Any) -> Any:  # Any: JSON
        """Return spirit and energy."""
        spirit, energy = super().read(field, data).values()
        if spirit + energy > self.most:
            refuse(field, f"must be at most {self.most} crystals, not {spirit + energy}")
        return spirit, energy


def crystals(spirit: int, energy: int) -> dict[str, int]:
    """Return some crystals as a JSON object."""
    return {"spirit": spirit, "energy": energy}


def _waits(state: MaatatahayPosition) -> bool:
    return state.phase == SETTLING and state.surrounded() >> state.hot & 1 == 1


def _board(state: MaatatahayPosition) -> dict[str, Any]:
    return {SPACES[space]: _tile(state, space) for space in bits(state.filled)}


def _tile(state: MaatatahayPosition, space: int) -> dict[str, Any]:
    tile = state.tiles[space]
    return {
        "owner": tile & 1,
        "tile": tile >> 3,
        "face": FACES[tile >> 1 & 3],
        **crystals(state.spirit[space], state.energy[space]),
        "alive": is_living(state, space),
    }


def is_living(state: MaatatahayPosition, space: int) -> bool:
    """Return whether a living tile is on a space."""
    return state.living >> space & 1 == 1


def _ground(state: MaatatahayPosition) -> dict[str, Any]:
    return {
        name: crystals(state.spirit[space], state.energy[space])
        for space, name in enumerate(SPACES)
        if not state.filled >> space & 1 and (state.spirit[space] or state.energy[space])
    }


def decks(state: MaatatahayPosition) -> list[list[int]]:
    """Return the hidden tiles of both tribes; the last one is drawn next."""
    return [[tiles_of(pair)[seat] for pair in state.deck] for seat in (0, 1)]


_SEAT: Final = Integer(0, 1)
_TWO_SEATS: Final = ListOf(_SEAT, _SEATS)
_TILE: Final = Integer(1, TILES)
_TWO_TILES: Final = ListOf(_TILE, _SEATS)
_DECKS: Final = ListOf(ListOf(_TILE, most=TILES), _SEATS)
_SPACE: Final = kinds.Optional(OneOf(SPACES, what=f"a space from {SPACES[0]} to {SPACES[-1]}"))
_PHASE: Final = OneOf(PHASES)
_COUNT: Final = Integer(0, board.CRYSTALS)
_STANDING: Final = kinds.Object(
    owner=_SEAT, tile=_TILE, face=OneOf(FACES), spirit=_COUNT, energy=_COUNT, alive=kinds.Flag()
)
_TABLE: Final = position.Fields(
    position.GAME,
    position.OPTIONS,
    Field("round", Integer(1, board.ROUNDS), is_required=True),
    Field(
        "active",
        _SEAT,
        lambda state: None if state.phase == board.SETTING_UP else state.active,
        is_required=True,
    ),
    position.TO_MOVE,
    Field("phase", _PHASE, is_required=True),
    Field("stream", ListOf(_Pair(), most=board.STREAM)),
    Field("pair", _Pair()),
    Field(
        "order",
        _TWO_SEATS,
        lambda state: None if state.first < 0 else [state.first, 1 - state.first],
    ),
    Field("step", _SEAT, is_required=True),
    Field("hot", _SPACE, lambda state: _SPACE.show(state.hot)),
    Field("targets", kinds.SetOf(SPACES)),
    Field("hot_target", get=_waits),
    Field("board", MapOf(SPACES, _STANDING, what="a space"), _board),
    Field("ground", MapOf(SPACES, _Crystals(max(board.GROUND)), what="a space"), _ground),
    Field("relics_on_map", kinds.SetOf(SPACES), "relics"),
    Field(
        "storage",
        ListOf(_Crystals(board.MOST_STORED), _SEATS),
        lambda state: list(map(crystals, state.stored_spirit, state.stored_energy)),
        is_required=True,
    ),
    Field("relics", ListOf(Integer(0, len(SHRINES)), _SEATS), "owned", is_required=True),
    Field("last_relic", kinds.Optional(_SEAT)),
    Field("deaths", ListOf(Integer(0, TILES), _SEATS), is_required=True),
    Field("round_deaths", Integer(0), is_required=True),
    Field("track", is_required=True),
    Field(
        "supply",
        _Crystals(board.CRYSTALS),
        lambda state: crystals(state.supply_spirit, state.supply_energy),
        is_required=True,
    ),
    Field("decks", _DECKS, decks, TO_WHOLE),
    Field("bag", ListOf(OneOf(_SORTS), most=_BAG), lambda state: list(state.bag), TO_WHOLE),
    Field("deck_left", None, lambda state: len(state.deck), TO_VIEWERS),
    Field("unseen", _DECKS, lambda state: [sorted(deck) for deck in decks(state)], TO_VIEWERS),
    Field(
        "bag_mix",
        _Crystals(_BAG),
        lambda state: crystals(state.bag.count("s"), state.bag.count("e")),
        TO_VIEWERS,
    ),
    position.RESULT,
)


def describe(state: MaatatahayPosition) -> dict[str, Any]:
    """Return a whole position as a JSON object; the last item of decks and bag is drawn next."""
    return _TABLE.write(state)


def show(state: MaatatahayPosition) -> dict[str, Any]:
    """Return a position as anybody may see it, without `you` and `legal`."""
    return _TABLE.write(state, None)


def read(state: MaatatahayPosition, data: dict[str, Any]) -> None:
    """Turn a fresh state into the position of `data`, or raise `BadPosition`."""
    phase = _PHASE.read("phase", data.get("phase"))
    decides = "null" if phase == OVER else "-1" if phase == board.SETTING_UP else "a seat"
    position.read_mover(state, data, phase=PHASES[phase], decides=decides)
    if phase != board.SETTING_UP:
        state.relics = 0
        values = _TABLE.read(state, data)
        _read_map(state, values)
        _read_seats(state, values)
        _read_round(state, values)
        _read_decks(state, values)
        _check_course(state)
        if phase == OVER:
            reasons = moves.end_reasons(state)
            if not reasons:
                refuse("phase", "must not be 'over': no reason to end holds")
            state.outcome = moves.outcome_of(state, reasons)
    position.check_written(
        state, data, typed=_TABLE.typed, but=("relics_on_map", "stream", "targets", "unseen")
    )


def _read_map(state: MaatatahayPosition, values: dict[str, Any]) -> None:
    """Read tiles, and what lies on the ground."""
    if state.relics & ~board.mask(SHRINES):
        refuse("relics_on_map", f"must be shrines: {', '.join(SPACES[at] for at in SHRINES)}")
    for space, tile in (values["board"] or {}).items():
        alive = tile["alive"]
        if tile["spirit"] + tile["energy"] > alive * board.CRYSTALS:
            refuse(f"board.{SPACES[space]}.spirit", "a tile has no so many crystals")
        if state.relics >> space & 1:
            refuse(f"board.{SPACES[space]}", "a relic is there")
        state.spirit[space], state.energy[space] = tile["spirit"], tile["energy"]
        state.tiles[space] = tile["tile"] << 3 | tile["face"] << 1 | tile["owner"]
        state.filled |= 1 << space
        state.wazu |= tile["owner"] << space
        state.living |= alive << space
    for space, there in (values["ground"] or {}).items():
        if (state.filled | state.relics) >> space & 1:
            refuse(f"ground.{SPACES[space]}", "a tile or a relic is there")
        state.spirit[space], state.energy[space] = there
    state.crowds = sum(board.CROWDS[space] for space in bits(state.filled))
    state.find_places()


def _read_seats(state: MaatatahayPosition, values: dict[str, Any]) -> None:
    """Read what the seats own, and the supply."""
    for seat, stored in enumerate(values["storage"]):
        gains = state.phase in (board.FACING, board.ADDING) and seat == state.to_move
        if sum(stored) > (board.MOST_STORED if gains else board.STORAGE):
            refuse(f"storage[{seat}]", f"must be at most {board.STORAGE} crystals here")
        state.stored_spirit[seat], state.stored_energy[seat] = stored
    if sum(state.owned) + len(bits(state.relics)) > len(SHRINES):
        refuse("relics", f"there are {len(SHRINES)} with those on the map")
    state.supply_spirit, state.supply_energy = values["supply"]
    if state.round_deaths > sum(state.deaths):
        refuse("round_deaths", f"must be at most {sum(state.deaths)}")


def _read_round(state: MaatatahayPosition, values: dict[str, Any]) -> None:
    """Read what has been decided in this round."""
    state.active = values["active"]
    if values["order"] is not None:
        state.first = values["order"][0]
    if values["hot"] is not None:
        state.last = values["hot"]
    _check_round(state)


def _check_round(state: MaatatahayPosition) -> None:
    """Refuse decisions that do not lead to this phase."""
    phase, name = state.phase, PHASES[state.phase]
    if (state.pair == 0) != (phase == PAIRING):
        refuse("pair", "must be null in phase 'pair', and only then")
    if (state.first < 0) != (phase in (PAIRING, board.ORDERING)):
        refuse("order", "must be null in phases 'pair' and 'order', and only then")
    if state.step not in ((1,) if phase == OVER else (0,) if phase < PLACING else (0, 1)):
        refuse("step", f"must not be {state.step} in phase {name!r}")
    if phase != OVER and state.to_move != _decider(state):
        refuse("to_move", f"must be {_decider(state)} in phase {name!r}, not {state.to_move}")
    if state.targets and phase != SETTLING:
        refuse("targets", f"must be empty in phase {name!r}")
    _check_placements(state)


def _check_placements(state: MaatatahayPosition) -> None:
    """Refuse impossible placements of this round's tiles."""
    phase = state.phase
    if phase < PLACING or (phase == PLACING and not state.step):
        _check_beginning(state)
    elif phase == PLACING:
        _check_other(state)
    elif phase != OVER:
        _check_hot(state)
    if phase == SETTLING:
        _check_targets(state)


def _check_beginning(state: MaatatahayPosition) -> None:
    """Refuse anything that is impossible before the first placement of a round."""
    if state.last >= 0:
        refuse("hot", "must be null before the first placement of a round")
    if state.round_deaths:
        refuse("round_deaths", "must be 0 before the first placement of a round")


def _check_other(state: MaatatahayPosition) -> None:
    """Refuse a tile that the first seat cannot have placed; an example may leave it out."""
    if state.last < 0:
        return
    first = state.first
    tile = tiles_of(state.pair)[first]
    if state.tiles[state.last] & ~6 != tile << 3 | first:
        refuse("hot", f"must be tile {tile} of seat {first}")


def _decider(state: MaatatahayPosition) -> int:
    """Return the seat that decides in this phase (9)."""
    if state.phase == board.ORDERING:
        return state.ordering()
    return state.active if state.phase == PAIRING else state.placing()


def _check_hot(state: MaatatahayPosition) -> None:
    """Refuse a hot tile that the seat to move cannot have placed just now."""
    hot, seat = state.last, state.to_move
    if hot < 0 or seat is None:
        refuse("hot", f"must be a space in phase {PHASES[state.phase]!r}")
    tile, placed = state.tiles[hot], tiles_of(state.pair)[seat]
    if not state.living_of(seat) >> hot & 1 or tile >> 3 != placed:
        refuse("hot", f"must be the living tile {placed} of seat {seat}")
    if state.phase == board.FACING and (tile >> 1 & 3 or state.spirit[hot] or state.energy[hot]):
        refuse(f"board.{SPACES[hot]}", "must face n and have no crystals before it is turned")


def _check_targets(state: MaatatahayPosition) -> None:
    targets = state.targets
    if targets & ~(state.surrounded() & state.living) or targets >> state.last & 1:
        refuse("targets", "must be surrounded and alive, without the hot tile")
    if targets != state.open_targets() or len(bits(targets)) < _SEATS:
        refuse("targets", "must be two or more whose order matters")


def _read_decks(state: MaatatahayPosition, values: dict[str, Any]) -> None:
    """Read decks and bag, or what is known of them; without decks, take all tiles not seen yet."""
    seen = [_seen(state, seat) for seat in range(_SEATS)]
    left = [[tile for tile in range(1, TILES + 1) if tile not in tiles] for tiles in seen]
    name = "unseen" if values["decks"] is None else "decks"
    hidden = values[name]
    if hidden is None:
        n = min(map(len, left))
        state.deck = bytes(map(pair_of, left[0][:n], left[1][:n]))
        if state.phase == PAIRING and not state.stream and n:
            moves.reveal_pair(state)
    else:
        for seat in range(_SEATS):
            if len(set(hidden[seat])) != len(hidden[seat]):
                refuse(f"{name}[{seat}]", f"has a tile twice: {hidden[seat]}")
            if not set(hidden[seat]) <= set(left[seat]):
                refuse(f"{name}[{seat}]", "has a tile that is on the map or in a pair")
        if len(hidden[0]) != len(hidden[1]):
            refuse(name, "must have equally many tiles of both tribes")
        state.deck = bytes(map(pair_of, *hidden))
    if values["bag"] is not None:
        state.bag = "".join(_SORTS[sort] for sort in values["bag"])
    else:
        spirit, energy = values["bag_mix"] or refuse("bag_mix", "is missing")
        state.bag = "s" * spirit + "e" * energy


def _seen(state: MaatatahayPosition, seat: int) -> set[int]:
    """Return the open tiles of a tribe; refuse a tile that is there twice."""
    laid = [
        state.tiles[space] >> 3
        for space in range(len(SPACES))
        if state.filled >> space & 1 and state.tiles[space] & 1 == seat
    ]
    open_tiles = [*laid, *(tiles_of(pair)[seat] for pair in state.stream)]
    taken = tiles_of(state.pair)[seat]
    if taken and not (_has_placed(state, seat) and taken in laid):
        open_tiles.append(taken)
    twice = sorted({tile for tile in open_tiles if open_tiles.count(tile) > 1})
    if twice:
        refuse(
            "board",
            f"tile {twice[0]} of {board.TRIBES[seat]} occurs twice, with the stream and the pair",
        )
    return set(open_tiles)


def _has_placed(state: MaatatahayPosition, seat: int) -> bool:
    """Return whether a seat has already placed its tile in this round."""
    if seat == state.first:
        return state.phase > PLACING or state.step == 1
    return state.phase > PLACING and state.step == 1


def _check_course(state: MaatatahayPosition) -> None:
    """Refuse a position in which no seat could continue."""
    if state.phase == OVER:
        return
    if state.track >= board.TRACK_END:
        refuse("track", f"the match is over at {board.TRACK_END}")
    placing = 1 if state.phase > PLACING else 0
    needed = board.FREE_END + 1 - state.step - placing
    if len(state.places) < needed:
        refuse("board", f"needs at least {needed} free spaces here")
    if state.phase == PAIRING and not state.stream:
        refuse("stream", "must have a pair in phase 'pair'")
