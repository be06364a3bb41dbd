"""Positions of Maatatahay as JSON, as on its rules page (10), and back.

A position is read from a whole state, a bare example, or an observation. Decks that are left out
consist of all tiles not seen yet, as far as these make pairs. Numbers of crystals, tiles and
rounds need not fit together, so that examples can be short.
"""

from __future__ import annotations

from pentathlon_engines.contract.position import Fields, checked_integer, refuse
from pentathlon_engines.maatatahay import moves
from pentathlon_engines.maatatahay.board import (
    ADDING,
    BAG_ENERGY,
    BAG_SPIRIT,
    CROWDS,
    CRYSTALS,
    FACES,
    FACING,
    FREE_END,
    GROUND,
    MOST_STORED,
    ORDERING,
    OVER,
    PAIRING,
    PHASES,
    PLACING,
    ROUNDS,
    SETTING_UP,
    SETTLING,
    SHRINES,
    SPACES,
    STORAGE,
    STREAM,
    TILES,
    TRACK_END,
    TRIBES,
    bits,
    pair_of,
    tiles_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from pentathlon_engines.maatatahay.state import MaatatahayPosition


def describe(state: MaatatahayPosition) -> dict[str, Any]:
    """Return a whole position as a JSON object; the last item of decks and bag is drawn next."""
    hidden = {
        "decks": decks(state),
        "bag": list(state.bag),
    }
    return _round(state) | _map(state) | _seats(state) | hidden | _result(state)


def show(state: MaatatahayPosition) -> dict[str, Any]:
    """Return a position as anybody may see it, without `you` and `legal`."""
    known = {
        "deck_left": len(state.deck),
        "unseen": [sorted(deck) for deck in decks(state)],
        "bag_mix": crystals(state.bag.count("s"), state.bag.count("e")),
    }
    return _round(state) | _map(state) | _seats(state) | known | _result(state)


def decks(state: MaatatahayPosition) -> list[list[int]]:
    """Return the hidden tiles of both tribes."""
    return [[tiles_of(pair)[seat] for pair in state.deck] for seat in (0, 1)]


def crystals(spirit: int, energy: int) -> dict[str, int]:
    """Return some crystals as a JSON object."""
    return {"spirit": spirit, "energy": energy}


def _round(state: MaatatahayPosition) -> dict[str, Any]:
    """Return what has been decided in this round."""
    hot = state.hot
    waits = state.phase == SETTLING and state.surrounded() >> hot & 1 == 1
    return {
        "game": "maatatahay",
        "options": {},
        "round": state.round,
        "active": None if state.phase == SETTING_UP else state.active,
        "to_move": state.to_move,
        "phase": PHASES[state.phase],
        "stream": [list(tiles_of(pair)) for pair in state.stream],
        "pair": list(tiles_of(state.pair)) if state.pair else None,
        "order": None if state.first < 0 else [state.first, 1 - state.first],
        "step": state.step,
        "hot": None if hot < 0 else SPACES[hot],
        "targets": [SPACES[space] for space in bits(state.targets)],
        "hot_target": waits,
    }


def _map(state: MaatatahayPosition) -> dict[str, Any]:
    board, ground = {}, {}
    for space, name in enumerate(SPACES):
        there = crystals(state.spirit[space], state.energy[space])
        if state.filled >> space & 1:
            board[name] = _tile(state, space) | there | {"alive": is_living(state, space)}
        elif any(there.values()):
            ground[name] = there
    relics = [SPACES[space] for space in bits(state.relics)]
    return {"board": board, "ground": ground, "relics_on_map": relics}


def _tile(state: MaatatahayPosition, space: int) -> dict[str, Any]:
    tile = state.tiles[space]
    return {"owner": tile & 1, "tile": tile >> 3, "face": FACES[tile >> 1 & 3]}


def is_living(state: MaatatahayPosition, space: int) -> bool:
    """Return whether a living tile is on a space."""
    return state.living >> space & 1 == 1


def _seats(state: MaatatahayPosition) -> dict[str, Any]:
    return {
        "storage": [crystals(state.stored_spirit[i], state.stored_energy[i]) for i in (0, 1)],
        "relics": list(state.owned),
        "last_relic": None if state.last_relic < 0 else state.last_relic,
        "deaths": list(state.deaths),
        "round_deaths": state.round_deaths,
        "track": state.track,
        "supply": crystals(state.supply_spirit, state.supply_energy),
    }


def _result(state: MaatatahayPosition) -> dict[str, Any]:
    return {"result": None if state.outcome is None else state.outcome.to_json()}


_SEATS: Final = 2
_FIELDS: Final = (
    "round",
    "active",
    "stream",
    "pair",
    "order",
    "step",
    "hot",
    "targets",
    "hot_target",
    "board",
    "ground",
    "relics_on_map",
    "storage",
    "relics",
    "last_relic",
    "deaths",
    "round_deaths",
    "track",
    "supply",
    "decks",
    "bag",
    "deck_left",
    "unseen",
    "bag_mix",
)
_TILE_FIELDS: Final = {"owner", "tile", "face", "spirit", "energy", "alive"}


def read(state: MaatatahayPosition, data: dict[str, Any]) -> None:
    """Turn a fresh state into the position of `data`, or raise `BadPosition`."""
    fields = Fields(data, known=_FIELDS)
    name = fields.text("phase")
    if name not in PHASES:
        refuse("phase", f"must be one of {', '.join(PHASES)}, not {name!r}")
    phase, to_move = PHASES.index(name), fields.seat_to_move(_SEATS, chance=True)
    decider = "null" if phase == OVER else "-1" if phase == SETTING_UP else "a seat"
    if decider != ("null" if to_move is None else "-1" if to_move < 0 else "a seat"):
        refuse("to_move", f"must be {decider} in phase {name!r}, not {to_move}")
    if phase == SETTING_UP:
        _check_setup(state, data)
        return
    state.phase, state.to_move = phase, to_move
    _read_map(state, fields)
    _read_seats(state, fields)
    _read_deaths(state, fields)
    _read_round(state, fields)
    _read_decks(state, fields)
    _read_bag(state, fields)
    _check_course(state)
    _check_end(state, data)


def _check_setup(state: MaatatahayPosition, data: dict[str, Any]) -> None:
    """Refuse anything that cannot exist before the setup is drawn."""
    empty = state.to_json() | state.observation(None) | {"you": data.get("you")}
    for name, value in data.items():
        if value != empty.get(name):
            refuse(name, f"must be {empty.get(name)!r} before the setup")


def _read_map(state: MaatatahayPosition, fields: Fields) -> None:
    """Read tiles, relics and what lies on the ground."""
    state.relics = 0
    for name in fields.items("relics_on_map", most=len(SHRINES)):
        space = read_space("relics_on_map", name)
        if space not in SHRINES:
            refuse("relics_on_map", f"{name} is not a shrine")
        state.relics |= 1 << space
    for name, tile in fields.mapping("board", default={}).items():
        space = read_space("board", name)
        if state.relics >> space & 1:
            refuse(f"board.{name}", "a relic is there")
        _read_tile(state, space, tile)
    for name, value in fields.mapping("ground", default={}).items():
        space = read_space("ground", name)
        if (state.filled | state.relics) >> space & 1:
            refuse(f"ground.{name}", "a tile or a relic is there")
        state.spirit[space], state.energy[space] = read_crystals(
            f"ground.{name}", value, most=max(GROUND)
        )
    state.crowds = sum(CROWDS[space] for space in bits(state.filled))
    state.find_places()


def _read_tile(state: MaatatahayPosition, space: int, data: object) -> None:
    field = f"board.{SPACES[space]}"
    if not isinstance(data, dict) or set(data) != _TILE_FIELDS:
        refuse(field, f"must be an object with {', '.join(sorted(_TILE_FIELDS))}")
    owner = checked_integer(f"{field}.owner", data["owner"], low=0, high=1)
    tile = checked_integer(f"{field}.tile", data["tile"], low=1, high=TILES)
    if not isinstance(data["face"], str) or data["face"] not in tuple(FACES):
        refuse(f"{field}.face", f"must be one of {', '.join(FACES)}, not {data['face']!r}")
    if type(data["alive"]) is not bool:
        refuse(f"{field}.alive", f"must be true or false, not {data['alive']!r}")
    there = {name: data[name] for name in ("spirit", "energy")}
    most = CRYSTALS if data["alive"] else 0
    state.spirit[space], state.energy[space] = read_crystals(field, there, most=most)
    state.tiles[space] = tile << 3 | FACES.index(data["face"]) << 1 | owner
    state.filled |= 1 << space
    state.wazu |= owner << space
    if data["alive"]:
        state.living |= 1 << space


def _read_seats(state: MaatatahayPosition, fields: Fields) -> None:
    """Read what the seats own, and the supply."""
    storage = fields.sequence("storage", length=_SEATS)
    relics = fields.sequence("relics", length=_SEATS)
    for seat in range(_SEATS):
        gains = state.phase in (FACING, ADDING) and seat == state.to_move
        most = MOST_STORED if gains else STORAGE
        stored = read_crystals(f"storage[{seat}]", storage[seat], most=most)
        state.stored_spirit[seat], state.stored_energy[seat] = stored
        owned = checked_integer(f"relics[{seat}]", relics[seat], low=0, high=len(SHRINES))
        state.owned[seat] = owned
    if sum(state.owned) + len(bits(state.relics)) > len(SHRINES):
        refuse("relics", f"there are {len(SHRINES)} with those on the map")
    if fields.has("last_relic"):
        state.last_relic = fields.integer("last_relic", low=0, high=1)
    supply = read_crystals("supply", fields.mapping("supply"), most=CRYSTALS)
    state.supply_spirit, state.supply_energy = supply


def _read_deaths(state: MaatatahayPosition, fields: Fields) -> None:
    """Read deaths and track; the track advances at the end of a round."""
    deaths = fields.sequence("deaths", length=_SEATS)
    state.deaths = [
        checked_integer(f"deaths[{seat}]", deaths[seat], low=0, high=TILES)
        for seat in range(_SEATS)
    ]
    total = sum(state.deaths)
    state.round_deaths = fields.integer("round_deaths", low=0, high=total)
    track = fields.integer("track", low=0)
    if track != state.track:
        refuse("track", f"must be {state.track} with these deaths, not {track}")


def _read_round(state: MaatatahayPosition, fields: Fields) -> None:
    """Read what has been decided in this round."""
    state.round = fields.integer("round", low=1, high=ROUNDS)
    state.active = fields.integer("active", low=0, high=1)
    stream = fields.items("stream", most=STREAM)
    state.stream = [read_pair(f"stream[{slot}]", pair) for slot, pair in enumerate(stream)]
    if fields.has("pair"):
        state.pair = read_pair("pair", fields.sequence("pair", length=_SEATS))
    if fields.has("order"):
        order = fields.sequence("order", length=_SEATS)
        state.first = checked_integer("order[0]", order[0], low=0, high=1)
        if checked_integer("order[1]", order[1], low=0, high=1) == state.first:
            refuse("order", "must name both seats")
    state.step = fields.integer("step", low=0, high=1)
    if fields.has("hot"):
        state.last = read_space("hot", fields.text("hot"))
    for name in fields.items("targets", most=len(SPACES)):
        state.targets |= 1 << read_space("targets", name)
    _check_round(state)
    if fields.has("hot_target"):
        waits = state.phase == SETTLING and state.surrounded() >> state.last & 1 == 1
        if fields.flag("hot_target") != waits:
            refuse("hot_target", f"must be {str(waits).lower()} here")


def _check_round(state: MaatatahayPosition) -> None:
    """Refuse decisions that do not lead to this phase."""
    phase, name = state.phase, PHASES[state.phase]
    if (state.pair == 0) != (phase == PAIRING):
        refuse("pair", "must be null in phase 'pair', and only then")
    if (state.first < 0) != (phase in (PAIRING, ORDERING)):
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
    if state.phase == ORDERING:
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
    if state.phase == FACING and (tile >> 1 & 3 or state.spirit[hot] or state.energy[hot]):
        refuse(f"board.{SPACES[hot]}", "must face n and have no crystals before it is turned")


def _check_targets(state: MaatatahayPosition) -> None:
    targets = state.targets
    if targets & ~(state.surrounded() & state.living) or targets >> state.last & 1:
        refuse("targets", "must be surrounded and alive, without the hot tile")
    if targets != state.open_targets() or len(bits(targets)) < _SEATS:
        refuse("targets", "must be two or more whose order matters")


def _read_decks(state: MaatatahayPosition, fields: Fields) -> None:
    """Read both decks or their known tiles; without either, take all tiles not seen yet."""
    seen = [_seen(state, seat) for seat in range(_SEATS)]
    left = [[tile for tile in range(1, TILES + 1) if tile not in tiles] for tiles in seen]
    known = fields.has("decks") or fields.has("unseen")
    if known:
        name = "decks" if fields.has("decks") else "unseen"
        decks = [read_deck(name, deck) for deck in fields.sequence(name, length=_SEATS)]
        for seat in range(_SEATS):
            if not set(decks[seat]) <= set(left[seat]):
                refuse(f"{name}[{seat}]", "has a tile that is on the map or in a pair")
        if len(decks[0]) != len(decks[1]):
            refuse(name, "must have equally many tiles of both tribes")
    else:
        n = min(len(left[0]), len(left[1]))
        decks = [deck[:n] for deck in left]
    state.deck = bytes(map(pair_of, *decks))
    left_over = len(state.deck)
    if fields.integer("deck_left", low=0, default=left_over) != left_over:
        refuse("deck_left", f"must be {left_over}")
    if state.phase == PAIRING and not state.stream and not known and left_over:
        moves.reveal_pair(state)


def _seen(state: MaatatahayPosition, seat: int) -> set[int]:
    """Return the open tiles of a tribe; refuse a tile that is there twice."""
    board = [
        state.tiles[space] >> 3
        for space in range(len(SPACES))
        if state.filled >> space & 1 and state.tiles[space] & 1 == seat
    ]
    open_tiles = [*board, *(tiles_of(pair)[seat] for pair in state.stream)]
    taken = tiles_of(state.pair)[seat]
    if taken and not (_has_placed(state, seat) and taken in board):
        open_tiles.append(taken)
    twice = sorted({tile for tile in open_tiles if open_tiles.count(tile) > 1})
    if twice:
        refuse(
            "board",
            f"tile {twice[0]} of {TRIBES[seat]} occurs twice, counting the stream and the pair",
        )
    return set(open_tiles)


def _has_placed(state: MaatatahayPosition, seat: int) -> bool:
    """Return whether a seat has already placed its tile in this round."""
    if seat == state.first:
        return state.phase > PLACING or state.step == 1
    return state.phase > PLACING and state.step == 1


def _read_bag(state: MaatatahayPosition, fields: Fields) -> None:
    """Read the bag, or how many crystals of each sort are in it."""
    if fields.has("bag"):
        bag = fields.items("bag", most=BAG_SPIRIT + BAG_ENERGY)
        if any(crystal not in ("s", "e") for crystal in bag):
            refuse("bag", f"must be a list of 's' and 'e', not {bag}")
        state.bag = "".join(bag)
    else:
        most = BAG_SPIRIT + BAG_ENERGY
        spirit, energy = read_crystals("bag_mix", fields.mapping("bag_mix"), most=most)
        state.bag = "s" * spirit + "e" * energy


def _check_course(state: MaatatahayPosition) -> None:
    """Refuse a position in which no seat could continue."""
    if state.phase == OVER:
        return
    if state.track >= TRACK_END:
        refuse("track", f"the match is over at {TRACK_END}")
    placing = 1 if state.phase > PLACING else 0
    needed = FREE_END + 1 - state.step - placing
    if len(state.places) < needed:
        refuse("board", f"needs at least {needed} free spaces here")
    if state.phase == PAIRING and not state.stream:
        refuse("stream", "must have a pair in phase 'pair'")


def _check_end(state: MaatatahayPosition, data: dict[str, Any]) -> None:
    """Refuse a result that does not follow from the position."""
    result = None
    if state.phase == OVER:
        reasons = moves.end_reasons(state)
        if not reasons:
            refuse("phase", "must not be 'over': no reason to end holds")
        state.outcome = moves.outcome_of(state, reasons)
        result = state.outcome.to_json()
    if data.get("result") != result:
        refuse("result", f"must be {result} here")


def read_space(field: str, name: object) -> int:
    """Return a space by its name."""
    if not isinstance(name, str) or name not in SPACES:
        refuse(field, f"{name!r} is not a space; the spaces are {SPACES[0]} to {SPACES[-1]}")
    return SPACES.index(name)


def read_pair(field: str, value: object) -> int:
    """Return a Balan and a Wazu tile as one number."""
    if not isinstance(value, list) or len(value) != len(TRIBES):
        refuse(field, f"must be a list of a tile of each tribe, not {value!r}")
    balan, wazu = (checked_integer(field, tile, low=1, high=TILES) for tile in value)
    return pair_of(balan, wazu)


def read_deck(field: str, value: object) -> list[int]:
    """Return different tiles of one tribe."""
    if not isinstance(value, list):
        refuse(field, f"must be a list of two lists of tiles, not {value!r}")
    deck = [checked_integer(field, tile, low=1, high=TILES) for tile in value]
    if len(set(deck)) != len(deck):
        refuse(field, f"has a tile twice: {deck}")
    return deck


def read_crystals(field: str, value: object, *, most: int) -> tuple[int, int]:
    """Return spirit and energy of a JSON object, at most `most` in all."""
    if not isinstance(value, dict) or set(value) != {"spirit", "energy"}:
        refuse(field, f"must be an object with spirit and energy, not {value!r}")
    spirit, energy = (
        checked_integer(f"{field}.{name}", value[name], low=0, high=most)
        for name in ("spirit", "energy")
    )
    if spirit + energy > most:
        refuse(field, f"must be at most {most} crystals, not {spirit + energy}")
    return spirit, energy
