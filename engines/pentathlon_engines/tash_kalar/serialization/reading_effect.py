"""Reads the pending parts of a position from JSON: draw step, summoning, effect registers."""

from __future__ import annotations

from pentathlon_engines.contract.position import checked_integer, refuse
from pentathlon_engines.tash_kalar.board import DIRECTIONS, GRID, INDEX, mask
from pentathlon_engines.tash_kalar.cards.catalogue import (
    FIRST_FLARE,
    FROST_SCHOOLS,
    IDS,
    PATTERNS,
    PROGRAMS,
)
from pentathlon_engines.tash_kalar.cards.patterns import ORIENTATIONS, RANKS
from pentathlon_engines.tash_kalar.constants import RESOLVING, SHORTAGE, SHUFFLING
from pentathlon_engines.tash_kalar.effect import SLOTS, Effect
from pentathlon_engines.tash_kalar.serialization import reading_etherweave
from pentathlon_engines.tash_kalar.serialization.writing import CAPTURES, HALVES, SHARED
from pentathlon_engines.tash_kalar.state import TashKalarPosition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Final


_KNOWN: Final = (
    "active",
    "discarded",
    "extra_draws",
    "extra_turn",
    "taken",
    "slowed",
    "draws",
    "summon",
    "effect",
    "warped",
)
_MOST: Final = 31
_FIELD: Final = "progress.effect"


def read_progress(state: TashKalarPosition, data: dict[str, Any]) -> None:
    """Read the facts on which later decisions depend; omitted ones have not happened."""
    for name in data:
        if name not in _KNOWN:
            refuse("progress", f"no such field as {name!r}; there are {', '.join(_KNOWN)}")
    state.discarded = _flag("progress.discarded", data.get("discarded", False))
    state.extra_turn = _flag("progress.extra_turn", data.get("extra_turn", False))
    state.extra_draws = _numbers("progress.extra_draws", data.get("extra_draws", [0, 0]), 2)
    state.taken = _numbers("progress.taken", data.get("taken", [0, 0]), 2)
    if data.get("slowed") is not None:
        state.slowed = checked_integer("progress.slowed", data["slowed"], low=0, high=1)
        if state.schools[1 - state.slowed] not in FROST_SCHOOLS:
            refuse("progress.slowed", "must be a seat against which the Everfrost plays")
    reading_etherweave.read_warped(state, data.get("warped", []))
    if state.phase == SHUFFLING:
        _read_draws(state, _object("progress.draws", data.get("draws")))
    if state.phase == SHORTAGE:
        _read_summon(state, _object("progress.summon", data.get("summon")))
    if state.phase == RESOLVING:
        _read_effect(state, _object(_FIELD, data.get("effect")))


def _read_draws(state: TashKalarPosition, data: dict[str, Any]) -> None:
    state.new_deck = _index("progress.draws.deck", data.get("deck"), SHARED)
    state.owed = _numbers("progress.draws.owed", data.get("owed"), 3)
    state.drawn = _numbers("progress.draws.drawn", data.get("drawn"), 3)
    pile = state.flare_pile if state.new_deck else state.legend_pile
    if not pile:
        refuse("progress.draws.deck", "its discard pile is empty")


def _read_summon(state: TashKalarPosition, data: dict[str, Any]) -> None:
    if not 0 <= state.card < FIRST_FLARE:
        refuse("card", "must be a being in phase 'shortage'")
    state.square = _square("progress.summon.square", data.get("square"))
    orientation, pattern = data.get("orientation"), PATTERNS[state.card]
    if state.square < 0 or (orientation is None) == pattern.refs:
        refuse("progress.summon", "must have a square, and the orientation if one is chosen")
    if orientation is not None:
        name = _index("progress.summon.orientation", orientation, ORIENTATIONS)
        places = [at for at, shape in enumerate(pattern.shapes) if shape.name == name]
        if not places or not pattern.shapes[places[0]].valid >> state.square & 1:
            refuse("progress.summon.orientation", f"{orientation!r} does not fit there")
        state.shape = places[0]


def _read_effect(state: TashKalarPosition, data: dict[str, Any]) -> None:
    """Read the registers; their consistency is checked when they are used."""
    if state.card < 0:
        refuse("card", "must be there in phase 'effect'")
    summon = _square(f"{_FIELD}.summon", data.get("summon"))
    acts = _is_being(state.card, data)
    shapes = PATTERNS[state.card].shapes if acts else ()
    shape = _number(f"{_FIELD}.shape", data.get("shape"), max(0, len(shapes) - 1))
    if (summon < 0) == acts:
        refuse(f"{_FIELD}.summon", "must be a square for beings, and only for them")
    if summon >= 0 and PATTERNS[state.card].refs and not shapes[shape].valid >> summon & 1:
        refuse(f"{_FIELD}.shape", "does not fit on the board there")
    program = reading_etherweave.read_program(state, data)
    effect = state.effect = Effect(program, summon, shape)
    effect.me = _square(f"{_FIELD}.being", data.get("being"))
    effect.used = _squares(f"{_FIELD}.used", data.get("used"))
    held = data.get("halves")
    if not isinstance(held, list) or any(name not in dict(HALVES) for name in map(str, held)):
        refuse(f"{_FIELD}.halves", "must be a list of 'upper' and 'lower'")
    effect.halves = sum(half for name, half in HALVES if name in held)
    effect.marked_was_empty = _flag(_FIELD, data.get("marked_was_empty"))
    effect.discard_was_empty = _flag(_FIELD, data.get("discard_was_empty"))
    if data.get("onto") is not None:
        effect.onto = _index(f"{_FIELD}.onto", data["onto"], ("", *CAPTURES[1:]))
    _read_step(state, effect, data)
    _read_done(effect, data.get("done"))
    _check_pieces(state, effect)


def _is_being(card: int, data: dict[str, Any]) -> bool:
    """Return whether an effect belongs to a summoned being, even if it copies another.

    Effects of flares, frozen effects and warp effects do not.
    """
    if data.get("warp") is not None:
        return bool(data["warp"] != IDS[card])
    at = data.get("at")
    return card < FIRST_FLARE and not (type(at) is int and at >= PROGRAMS[card].free)


def _read_step(state: TashKalarPosition, effect: Effect, data: dict[str, Any]) -> None:
    """Read the registers of the current step."""
    steps = PROGRAMS[effect.program].steps
    effect.at = _number(f"{_FIELD}.at", data.get("at"), len(steps) - 1)
    if steps[effect.at].is_automatic:
        refuse(f"{_FIELD}.at", "is a step without a decision")
    free = PROGRAMS[effect.program].free
    effect.stop = free if effect.at < free else len(steps)
    effect.entered = True
    effect.times = _number(f"{_FIELD}.times", data.get("times"), _MOST)
    effect.pool = _squares(f"{_FIELD}.pool", data.get("pool"))
    effect.chosen = _squares(f"{_FIELD}.chosen", data.get("chosen"))
    effect.runner = _square(f"{_FIELD}.runner", data.get("runner"))
    effect.direction = _direction(data.get("direction"))
    if data.get("lock") is not None:
        effect.lock = _index(f"{_FIELD}.lock", data["lock"], RANKS)
        if not steps[effect.at].rank_lock:
            refuse(f"{_FIELD}.lock", "is there only where the first piece gives the rank")
    effect.moved_self = _flag(_FIELD, data.get("moved_self"))
    effect.captures = _number(f"{_FIELD}.captures", data.get("captures"), _MOST)
    effect.own_moves = _number(f"{_FIELD}.own_moves", data.get("own_moves", 0), effect.times)
    effect.picked = _square(f"{_FIELD}.picked", data.get("picked"))


def _read_done(effect: Effect, data: object) -> None:
    """Read the results of earlier steps."""
    if not isinstance(data, list) or len(data) != SLOTS:
        refuse(f"{_FIELD}.done", f"must be a list of {SLOTS}")
    effect.begin_records()
    for slot, item in enumerate(data):
        done = _object(f"{_FIELD}.done", item)
        effect.counts[slot] = _number(f"{_FIELD}.done", done.get("count"), _MOST)
        effect.squares[slot] = _square(f"{_FIELD}.done", done.get("square"))
        effect.pieces[slot] = _square(f"{_FIELD}.done", done.get("piece"))
        effect.directions[slot] = _direction(done.get("direction"))
        ranks = done.get("ranks")
        if not isinstance(ranks, list) or any(rank not in RANKS for rank in map(str, ranks)):
            refuse(f"{_FIELD}.done", "ranks must be a list of ranks")
        effect.ranks[slot] = sum(1 << at for at, rank in enumerate(RANKS) if rank in ranks)


def _check_pieces(state: TashKalarPosition, effect: Effect) -> None:
    """Refuse registers that name missing pieces or steps that were not done."""
    pieces = state.own(0) | state.own(1)
    places = (effect.me, effect.runner, effect.picked, *effect.pieces)
    named = mask(place for place in places if place >= 0)
    if (effect.used | effect.pool | named) & ~pieces:
        refuse(_FIELD, "names a piece where there is none")
    step = PROGRAMS[effect.program].steps[effect.at]
    needed = [
        step.same_as,
        step.square_of,
        *(place.number for place in step.selector.places if place.needs_square),
    ]
    if any(slot >= 0 and effect.squares[slot] < 0 for slot in needed):
        refuse(f"{_FIELD}.done", "an earlier step has no square")
    if step.same_as >= 0 and effect.directions[step.same_as] < 0:
        refuse(f"{_FIELD}.done", "an earlier step has no direction")


def _object(field: str, data: object) -> dict[str, Any]:
    if not isinstance(data, dict):
        refuse(field, f"must be an object here, not {data!r}")
    return data


def _flag(field: str, data: object) -> bool:
    if type(data) is not bool:
        refuse(field, f"must be true or false, not {data!r}")
    return data


def _number(field: str, data: object, most: int) -> int:
    return checked_integer(field, data, low=0, high=most)


def _numbers(field: str, data: object, length: int) -> list[int]:
    if not isinstance(data, list) or len(data) != length:
        refuse(field, f"must be a list of {length} whole numbers")
    return [_number(field, item, _MOST) for item in data]


def _index(field: str, data: object, names: Sequence[str]) -> int:
    if not isinstance(data, str) or data not in names:
        refuse(field, f"must be one of {', '.join(names)}, not {data!r}")
    return names.index(data)


def _square(field: str, data: object) -> int:
    if data is None:
        return -1
    if not isinstance(data, str) or data not in INDEX:
        refuse(field, f"{data!r} is not a square")
    return INDEX[data]


def _squares(field: str, data: object) -> int:
    if not isinstance(data, list) or len(data) > GRID:
        refuse(field, "must be a list of squares")
    squares = [_square(field, name) for name in data]
    if -1 in squares:
        refuse(field, "must be a list of squares")
    return mask(squares)


def _direction(data: object) -> int:
    return -1 if data is None else _index(_FIELD, data, DIRECTIONS)
