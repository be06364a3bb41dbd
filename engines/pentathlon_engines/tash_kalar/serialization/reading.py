"""Positions of Tash-Kalar from JSON: a whole state, a bare example, or an observation.

Missing fields take their usual values; missing decks have all cards that lie nowhere else. The
board may hold more pieces than exist, so that examples can show what they need. At the end the
position is written again, so that data which differ from it are refused.
"""

from __future__ import annotations

from pentathlon_engines.contract.position import Fields, checked_integer, refuse
from pentathlon_engines.tash_kalar import constants, events, legality, tasks, turns
from pentathlon_engines.tash_kalar.board import GRID, INDEX, mask
from pentathlon_engines.tash_kalar.cards.catalogue import (
    FIRST_FLARE,
    FROST_SCHOOLS,
    FROZEN_CARDS,
    GATEWAY_SCHOOLS,
    IDS,
    PROGRAMS,
    SCHOOL_CARDS,
)
from pentathlon_engines.tash_kalar.cards.patterns import LEGENDARY, RANKS
from pentathlon_engines.tash_kalar.constants import PHASES, REASONS
from pentathlon_engines.tash_kalar.serialization import reading_etherweave, writing
from pentathlon_engines.tash_kalar.serialization.etherweave import weaver
from pentathlon_engines.tash_kalar.serialization.reading_cards import (
    checked_card,
    checked_list,
    read_cards,
    read_tasks,
)
from pentathlon_engines.tash_kalar.state import TashKalarPosition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final


_SEATS: Final = 2
_FIELDS: Final = (
    "turn",
    "card",
    "step",
    "actions_left",
    "permissions",
    "board",
    "gateway",
    "frozen",
    "removed",
    "pending",
    "on_card",
    "supply",
    "scores",
    "counters",
    "hand",
    "hands",
    "hand_sizes",
    "decks",
    "deck_sizes",
    "played",
    "discard",
    "discards",
    "discard_sizes",
    "last_discard",
    "tasks",
    "end",
    "progress",
    "events",
    "since",
)
_MOST_CARDS: Final = 31
_MOST_PERMISSIONS: Final = 6
_MOST_ACTIONS: Final = 99
_MOST_POINTS: Final = 999
_MOST_TURNS: Final = 200
_MOST_EVENTS: Final = 1000


def read(state: TashKalarPosition, data: dict[str, Any]) -> None:
    """Load the position of `data` into a fresh state, or raise `BadPosition`."""
    fields = Fields(data, known=_FIELDS)
    name = fields.text("phase")
    if name not in constants.PHASES:
        refuse("phase", f"must be one of {', '.join(PHASES)}, not {name!r}")
    phase, to_move = constants.PHASES.index(name), fields.seat_to_move(_SEATS, chance=True)
    _check_decider(phase, to_move)
    if phase in (constants.DRAWING, constants.DEALING):
        if phase != state.phase:
            refuse("phase", f"must be {PHASES[state.phase]!r} with these decks")
    else:
        if any(school not in SCHOOL_CARDS for school in state.schools):
            refuse("options", "decks must be drawn before anything else happens")
        state.phase, state.to_move = phase, to_move
        _read_turn(state, fields)
        _read_board(state, fields)
        read_cards(state, fields)
        read_tasks(state, fields)
        _read_scores(state, fields)
        _read_events(state, fields)
        _check_course(state)
    _check_written(state, data)


def _check_decider(phase: int, to_move: int | None) -> None:
    decider = "null" if phase == constants.OVER else "a seat"
    if phase in (constants.DRAWING, constants.DEALING, constants.SHUFFLING):
        decider = "-1"
    if decider != ("null" if to_move is None else "-1" if to_move < 0 else "a seat"):
        refuse("to_move", f"must be {decider} in phase {PHASES[phase]!r}, not {to_move}")


def _read_turn(state: TashKalarPosition, fields: Fields) -> None:
    """Read the turn and the actions done in it."""
    progress = fields.mapping("progress", default={})
    state.turn = fields.integer("turn", low=1, high=_MOST_TURNS, default=2)
    usual = constants.TURN_ACTIONS if state.phase == constants.MAIN else 0
    if state.phase == constants.SETTING_UP:
        usual = constants.FIRST_ACTIONS
    state.actions_left = fields.integer("actions_left", low=0, high=_MOST_ACTIONS, default=usual)
    mover = state.to_move if state.to_move in (0, 1) else 0
    if state.phase == constants.SETTING_UP:
        mover = 1 - (mover or 0)
    state.active = checked_integer("progress.active", progress.get("active", mover), low=0, high=1)
    _read_permissions(state, fields)
    if fields.has("card"):
        state.card = checked_card("card", fields.text("card"), IDS)
    _read_end(state, fields)


def _read_permissions(state: TashKalarPosition, fields: Fields) -> None:
    for name in fields.items("permissions", most=_MOST_PERMISSIONS):
        if name == "extra_turn":
            state.extra_granted = True
        elif name == "war_summon":
            state.war = True
        elif name == "possessed_summon":
            state.possessed = True
        elif name == "summon_now":
            state.directly = True
        elif weaver(state) == state.active:
            state.voids = state.voids or name == "void_summon"
            state.doubled = state.doubled or name == "counts_double"


def _read_end(state: TashKalarPosition, fields: Fields) -> None:
    """Read the final turns."""
    if not fields.has("end"):
        return
    end = fields.mapping("end")
    if end.get("reason") not in constants.REASONS[:2]:
        refuse("end.reason", f"must be one of {', '.join(REASONS[:2])}")
    state.trigger = constants.REASONS.index(end["reason"])
    state.trigger_seat = checked_integer("end.seat", end.get("seat"), low=0, high=1)
    state.turns_left = checked_integer("end.turns_left", end.get("turns_left"), low=0, high=2)


def _read_board(state: TashKalarPosition, fields: Fields) -> None:
    """Read the pieces, and the counters of this turn."""
    for name, piece in fields.mapping("board", default={}).items():
        if name not in INDEX:
            refuse("board", f"{name!r} is not a square")
        if not isinstance(piece, dict) or piece.get("rank") not in RANKS:
            refuse(f"board.{name}", "must be an object with owner and rank")
        owner = checked_integer(f"board.{name}.owner", piece.get("owner"), low=0, high=1)
        state.put(INDEX[name], owner, RANKS.index(piece["rank"]))
    if fields.has("gateway"):
        state.gateway = _checked_gateway(state, fields.text("gateway"))
    _read_frozen(state, fields)
    reading_etherweave.read_pending(state, fields)
    _read_counters(state, fields.mapping("counters", default={}))


def _checked_gateway(state: TashKalarPosition, name: str) -> int:
    """Return the square of the Gateway, a non-legendary piece of a seat that may have one."""
    pieces = 0
    for seat, school in enumerate(state.schools):
        if school in GATEWAY_SCHOOLS:
            pieces |= state.own(seat) & ~state.of_rank(seat, LEGENDARY)
    if name not in INDEX or not pieces >> INDEX[name] & 1:
        refuse("gateway", f"{name!r} has no common or heroic of a seat that may have a Gateway")
    return INDEX[name]


def _read_frozen(state: TashKalarPosition, fields: Fields) -> None:
    """Read the card in play, and the pieces that left the game (18.1)."""
    frosty = any(school in FROST_SCHOOLS for school in state.schools)
    if fields.has("frozen"):
        cards = tuple(IDS[card] for card in FROZEN_CARDS) if frosty else ()
        state.frozen = checked_card("frozen", fields.text("frozen"), cards)
    if not fields.has("removed"):
        return
    stock = state.stock[:]
    for seat, removed in enumerate(fields.sequence("removed", length=_SEATS)):
        if not frosty or not isinstance(removed, dict):
            refuse("removed", "must be objects with common_heroic and legendary, with Everfrost")
        for part, name in ((seat, "common_heroic"), (2 + seat, "legendary")):
            gone = removed.get(name, 0)
            stock[part] -= checked_integer(f"removed.{name}", gone, low=0, high=stock[part])
    state.stock = stock


def _read_counters(state: TashKalarPosition, counters: dict[str, Any]) -> None:
    """Read the pieces destroyed and the beings summoned in this turn."""
    destroyed = counters.get("destroyed", {})
    if not isinstance(destroyed, dict):
        refuse("counters.destroyed", "must be an object with ranks")
    state.destroyed = [
        checked_integer(f"counters.destroyed.{rank}", destroyed.get(rank, 0), low=0, high=GRID)
        for rank in RANKS
    ]
    for summoning in checked_list(
        "counters.summoned", counters.get("summoned", []), most=_MOST_CARDS
    ):
        if not isinstance(summoning, dict) or summoning.get("square") not in INDEX:
            refuse("counters.summoned", "must be objects with card and square")
        card = checked_card("counters.summoned", summoning.get("card"), IDS[:FIRST_FLARE])
        state.summoned.append(card * GRID + INDEX[summoning["square"]])
        if summoning.get("as_legend") and any(
            step.op == "count_as_legend" for step in PROGRAMS[card].steps
        ):
            state.raised |= 1 << card


def _read_scores(state: TashKalarPosition, fields: Fields) -> None:
    """Read the score of the Deathmatch Duel, or compute that of the High Form."""
    if state.mode == constants.HIGH_FORM:
        state.points = [sum(tasks.POINTS[task] for task in claimed) for claimed in state.claimed]
    elif fields.has("scores"):
        scores = fields.sequence("scores", length=_SEATS)
        for seat in range(_SEATS):
            cost = constants.PENDING_POINTS if state.pending & mask(state.hands[seat]) else 0
            score = checked_integer(f"scores[{seat}]", scores[seat], low=-cost, high=_MOST_POINTS)
            state.points[seat] = score + cost


def _read_events(state: TashKalarPosition, fields: Fields) -> None:
    for event in fields.items("events", most=_MOST_EVENTS):
        if not isinstance(event, list) or len(event) != 2:  # noqa: PLR2004  # seat and text
            refuse("events", "must be lists of seat and text")
        seat = checked_integer("events", event[0], low=-1, high=1)
        entry = events.read(seat, event[1]) if isinstance(event[1], str) else None
        if entry is None:
            refuse("events", f"{event} is not an event")
        state.log.append(entry)
    if fields.has("since"):
        since = fields.sequence("since", length=_SEATS)
        most = len(state.log)
        state.since = [checked_integer("since", at, low=0, high=most) for at in since]


def _check_course(state: TashKalarPosition) -> None:
    """Refuse a position in which no seat could continue."""
    pending = state.effect is not None
    if pending != (state.phase == constants.RESOLVING):
        refuse("progress.effect", "must be there in phase 'effect', and only then")
    if state.phase == constants.OVER:
        _end_it(state)
        return
    if state.phase == constants.MAIN and not state.actions_left:
        refuse("actions_left", "must be 1 or more in phase 'main'")
    if state.phase == constants.TURN_END and state.actions_left:
        refuse("actions_left", "must be 0 in phase 'turn_end'")
    if state.phase == constants.SHUFFLING:
        return
    if state.to_move != (
        1 - state.active if state.phase == constants.SETTING_UP else state.active
    ):
        refuse("to_move", "must be the seat whose turn it is")
    before = state.to_json()
    if not legality.legal_now(state) or state.to_json() != before:
        refuse("phase", f"nothing is to be decided in phase {PHASES[state.phase]!r}")


def _end_it(state: TashKalarPosition) -> None:
    reason = len(constants.REASONS) - 1 if state.turn >= _MOST_TURNS else state.trigger
    if reason < 0 or (state.turns_left and state.turn < _MOST_TURNS):
        refuse("phase", "must not be 'over' before the last turn")
    if state.trigger >= 0 and not state.turns_left:
        reason = state.trigger
    state.outcome = turns.ending(state, reason)


def _check_written(state: TashKalarPosition, data: dict[str, Any]) -> None:
    """Refuse data that differs from the position written again."""
    you = data.get("you")
    written = writing.describe(state)
    if "hand_sizes" in data or "you" in data:
        seat = None if you is None else checked_integer("you", you, low=0, high=1)
        written = {**written, **state.observation(seat)}
    for name, value in data.items():
        if name == "legal" and name not in written:
            refuse(name, "is there only for the seat that decides")
        if name != "options" and not _agrees(value, written.get(name)):
            refuse(name, f"must be {written.get(name)!r} here")


def _agrees(given: object, written: object) -> bool:
    """Return whether the given data equals the written data; objects may omit fields."""
    if isinstance(given, dict) and isinstance(written, dict):
        return all(
            name in written and _agrees(value, written[name]) for name, value in given.items()
        )
    if isinstance(given, list) and isinstance(written, list):
        return len(given) == len(written) and all(map(_agrees, given, written))
    return type(given) is type(written) and given == written
