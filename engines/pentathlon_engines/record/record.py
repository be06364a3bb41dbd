"""Seal, verify and replay records.

`chain` starts as the SHA-256 of the header (all fields but events, faults, outcome and chain) in
canonical JSON. Each event, and at the end faults and outcome together, is hashed after the digest
so far, so nobody can change a record unnoticed. Ply k is the position after k events. If all seats
failed, all ranks are 1.

A forked record begins with events of another match. They must be legal, and no more: they need not
follow from its seed, and no bot of it is at fault there. From its fork on, everything is verified
as usual. Such a match is unrated.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pentathlon_engines.contract.game import Outcome, State
from pentathlon_engines.contract.registry import GAMES, unknown_game
from pentathlon_engines.errors import BadRecord, EngineError
from pentathlon_engines.match.events import Event, apply_event
from pentathlon_engines.match.faults import HAPPEN_AT_ANY_PLY, Fault
from pentathlon_engines.match.referee import chance_random, judge, stand_in_random
from pentathlon_engines.record.shape import (
    Header,
    Record,
    RecordedOutcome,
    check_shape,
    fault_order,
)

FORMAT: Final = 1

_COURSE_DIGITS: Final = 32
"""The hexadecimal digits of a course: 128 bits."""
_TAIL: Final = ("events", "faults", "outcome", "chain")
_to_json = json.JSONEncoder(
    ensure_ascii=False, separators=(",", ":"), sort_keys=True, allow_nan=False
).encode


def canonical(value: object) -> bytes:
    """Return canonical JSON: sorted keys, no spaces, UTF-8.

    >>> canonical({"b": [1, 2], "a": None})
    b'{"a":null,"b":[1,2]}'
    """
    return _to_json(value).encode()


def seal(
    header: Header, *, events: Sequence[Event], faults: Sequence[Fault], outcome: Outcome
) -> Record:
    """Return the finished record of a match."""
    record: Record = {
        "format": FORMAT,
        **header,
        "events": [event.to_row() for event in events],
        "faults": sorted((fault.to_json() for fault in faults), key=fault_order),
        "outcome": _recorded_outcome(outcome),
        "chain": "",
    }
    record["chain"] = chain(record)
    return record


def chain(record: Record) -> str:
    """Compute the hash chain of a record; its own `chain` does not matter."""
    header = {name: value for name, value in record.items() if name not in _TAIL}
    link = hashlib.sha256(canonical(header)).digest()
    for event in record["events"]:
        link = hashlib.sha256(link + canonical(event)).digest()
    tail = {"faults": record["faults"], "outcome": record["outcome"]}
    return hashlib.sha256(link + canonical(tail)).hexdigest()


def course(record: Record) -> str:
    """Return a fingerprint of all that happened in a match, whoever played and however fast.

    The same bots in the same seats with the same course have played the same match again.
    """
    events = (Event.of(row) for row in record["events"])
    happened = [[event.seat, event.text, event.is_stand_in] for event in events]
    return hashlib.sha256(canonical(happened)).hexdigest()[:_COURSE_DIGITS]


def verify_record(data: object) -> State:
    """Verify a record by playing it again, and return its last state.

    The data may come from anybody. Its shape, its chain and the version of the rules must be
    right, every action legal, chance and stand-ins as the seed decides, and the outcome as it
    follows.

    Raises:
        BadRecord: with the event or field, and the difference.
    """
    record = check_shape(data)
    _check_chain(record)
    state = start_position(record)
    _check_faults(record)
    replay = _Replay(record, state)
    for ply, row in enumerate(record["events"]):
        replay.step(ply, Event.of(row))
    replay.finish()
    return state


def forked_at(record: Record) -> int:
    """Return how many events come from another record; 0 for almost all records."""
    return record["fork"]["ply"] if "fork" in record else 0


def resigned_seat(record: Record) -> int | None:
    """Return the seat whose person gave up; None in almost all records."""
    person = record.get("person")
    return None if person is None or person["resigned_at"] is None else person["seat"]


def resigned_at(record: Record) -> int:
    """Return the ply at which a person gave up, in a record where one did."""
    person = record.get("person")
    if person is None or person["resigned_at"] is None:
        raise ValueError("nobody has resigned in this match")
    return person["resigned_at"]


def events_by(record: Record, seat: int) -> Iterator[Event]:
    """Yield the actions of a seat, including those of its stand-in."""
    return (event for event in map(Event.of, record["events"]) if event.seat == seat)


def start_position(record: Record) -> State:
    """Return the position before the first event."""
    if record["game"] not in GAMES:
        raise BadRecord(f"game: {unknown_game(record['game'])}")
    game = GAMES[record["game"]]
    if record["rules"] != game.info.version:
        raise BadRecord(
            f"rules: recorded with version {record['rules']} of {game.info.title}, not with "
            f"{game.info.version}; use the release of pentathlon-engines that has it"
        )
    try:
        state = game.start(record["seats"], record["options"])
    except EngineError as error:
        raise BadRecord(f"seats or options: {error}") from error
    if missing := sorted(state.options.keys() - record["options"].keys()):
        raise BadRecord(f"options: {missing[0]} is missing; a record states all options")
    return state


def positions(record: Record) -> Iterator[State]:
    """Yield the position before the first event and after each one, each as a separate state."""
    state = start_position(record)
    yield state.copy()
    for ply, row in enumerate(record["events"]):
        apply_recorded(state, ply, Event.of(row))
        yield state.copy()


def apply_recorded(state: State, ply: int, event: Event) -> None:
    """Let the event of a record happen; raise `BadRecord` if it cannot, or not by that seat."""
    if event.seat != state.to_move:
        raise BadRecord(f"event {ply}: seat {event.seat} acts, but to move is {state.to_move}")
    try:
        apply_event(state, event)
    except EngineError as error:
        raise BadRecord(f"event {ply}: {error}") from error


def position(record: Record, ply: int) -> State:
    """Return the position after `ply` events."""
    last = len(record["events"])
    if not 0 <= ply <= last:
        raise BadRecord(f"there is no ply {ply}: this record has 0 to {last}")
    state = start_position(record)
    for index in range(ply):
        apply_recorded(state, index, Event.of(record["events"][index]))
    return state


class _Replay:
    """Plays one record again and checks every step."""

    def __init__(self, record: Record, state: State) -> None:
        self._record = record
        self._state = state
        self._seed: int = record["seed"]
        self._draws = 0
        self._given = forked_at(record)
        self._left = {fault["seat"]: fault["ply"] for fault in record["faults"]}
        self._resigned = resigned_seat(record)
        if self._resigned is not None:
            self._left[self._resigned] = resigned_at(record)
        self._asked = {
            fault["seat"] for fault in record["faults"] if fault["kind"] not in HAPPEN_AT_ANY_PLY
        }

    def step(self, ply: int, event: Event) -> None:
        self._check_expelled(ply)
        if self._outcome(ply) is not None:
            raise BadRecord(f"event {ply}: the match was over before it")
        if ply < self._given:
            self._check_given(ply, event)
        elif event.is_chance:
            self._check_draw(ply, event)
        else:
            self._check_action(ply, event)
        apply_recorded(self._state, ply, event)

    def finish(self) -> None:
        last = len(self._record["events"])
        self._check_expelled(last)
        outcome = self._outcome(last)
        if outcome is None:
            raise BadRecord(f"event {last}: missing, the match is not over")
        stated: Mapping[str, object] = self._record["outcome"]
        for name, value in _recorded_outcome(outcome).items():
            if stated[name] != value:
                raise BadRecord(
                    f"outcome: {name} should be {value}, the record says {stated[name]}"
                )

    def _outcome(self, ply: int) -> Outcome | None:
        left = [seat for seat, at in self._left.items() if at <= ply]
        return judge(self._state, left, resigned=self._resigned)

    def _check_expelled(self, ply: int) -> None:
        mover = self._state.to_move
        left = [
            seat for seat, at in self._left.items() if at == ply > self._given and seat != mover
        ]
        wrong = sorted(self._asked.intersection(left))
        if wrong:
            raise BadRecord(f"faults: seat {wrong[0]} was not asked for action {ply}")

    def _check_given(self, ply: int, event: Event) -> None:
        self._draws += event.is_chance
        if event != Event(event.seat, event.text):
            raise BadRecord(f"event {ply}: it is from another match, so it has no times")

    def _check_draw(self, ply: int, event: Event) -> None:
        if event.seat != self._state.to_move:
            return
        drawn = self._state.sample_chance(chance_random(self._seed, draw=self._draws))
        if drawn != event.text:
            raise BadRecord(
                f"event {ply}: the seed draws {drawn!r}, the record says {event.text!r}"
            )
        self._draws += 1

    def _check_action(self, ply: int, event: Event) -> None:
        seat, is_stand_in = event.seat, event.is_stand_in
        if is_stand_in != (seat in self._left and self._left[seat] <= ply):
            problem = "acts after its fault"
            if is_stand_in:
                problem = "stand-in without a fault before it"
            raise BadRecord(f"event {ply}: seat {seat}: {problem}")
        if is_stand_in and seat == self._state.to_move:
            action = self._state.random_action(stand_in_random(self._seed, ply=ply))
            if event != Event(seat, self._state.text(action), is_stand_in=True):
                raise BadRecord(f"event {ply}: the seed lets the stand-in do something else")


def _recorded_outcome(outcome: Outcome) -> RecordedOutcome:
    return {
        "ranks": list(outcome.ranks),
        "reason": outcome.reason,
        "scores": None if outcome.scores is None else list(outcome.scores),
    }


def _check_chain(record: Record) -> None:
    try:
        link = chain(record)
    except (ValueError, RecursionError) as error:
        raise BadRecord(f"the record is not JSON that can be written in UTF-8: {error}") from error
    if link != record["chain"]:
        raise BadRecord("chain: the record was changed after it was sealed")


def _check_faults(record: Record) -> None:
    seats = [fault["seat"] for fault in record["faults"]]
    if len(set(seats)) != len(seats):
        raise BadRecord("faults: a seat is expelled only once")
    first, last = forked_at(record), len(record["events"])
    if first > last:
        raise BadRecord(f"fork: there is no ply {first}, the record has 0 to {last}")
    _check_person(record, first=first, last=last)
    for index, fault in enumerate(record["faults"]):
        if not first <= fault["ply"] <= last:
            raise BadRecord(f"faults[{index}]: no such ply in this match")


def _check_person(record: Record, *, first: int, last: int) -> None:
    person = record.get("person")
    if person is None:
        return
    if any(fault["seat"] == person["seat"] for fault in record["faults"]):
        raise BadRecord("person: a bot failed at this seat")
    if resigned_seat(record) is not None and not first <= resigned_at(record) <= last:
        raise BadRecord("person: no such ply in this match")
