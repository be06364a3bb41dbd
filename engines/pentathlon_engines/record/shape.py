"""The shape of a record: its fields as types, and the check that untrusted JSON has them.

```
{"format": 1, "game": "tuned", "rules": 1, "seats": 2, "options": {}, "seed": 7, "match": "local",
 "bots": [{"name": "...", "hash": "sha256:..."}, ...], "limits": {...}, "sandbox": "namespaces",
 "layers": ["identity", ...],
 "events": [[seat, text, cpu_ms, wall_ms], [-1, chance text], [seat, text, 0, 0, "stand_in"], ...],
 "faults": [{"seat": 0, "kind": "cpu_time", "ply": 31, "detail": "..."}],
 "outcome": {"ranks": [0, 1], "reason": "line", "scores": null},
 "chain": "..."}
```

A match in which a person had a seat has `"person": {"seat": 0, "resigned_at": null}` in its
header: which seat, and the ply at which the person gave up, if so.

A match that was played on from a ply of another one has `"fork": {"chain": "...", "ply": 12}` in
its header: the chain of that record, and how many of its events come first.

A match has one record: no field has a default, each value has one type, `limits` are all limits
as `Limits.to_json` writes them, and faults are in the order of plies and seats.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any, Final, NotRequired, TypedDict, cast

from pentathlon_engines.contract.game import CHANCE
from pentathlon_engines.errors import BadRecord
from pentathlon_engines.match.events import STAND_IN, Event, EventRow
from pentathlon_engines.match.faults import FaultKind, RecordedFault
from pentathlon_engines.match.launcher import SandboxLevel
from pentathlon_engines.match.limits import Limits

SEED_END: Final = 2**53
"""Seeds are below this, so that every JSON reader reads them exactly."""
MOST_EVENTS: Final = 100_000
LONGEST_NAME: Final = 200
"""The most characters in the name of a match, a bot, a hash or a layer."""
_MOST_SEATS: Final = 16
_MOST_SCORE: Final = SEED_END - 1
_CHAIN: Final = re.compile(r"[0-9a-f]{64}")


class RecordedBot(TypedDict):
    """The bot of a seat."""

    name: str
    hash: str
    """The content hash of the bot's files."""


class RecordedOutcome(TypedDict):
    """The outcome of a match."""

    ranks: list[int]
    """The rank of each seat: 0 is best, ties are equal. If all seats failed, all have 1."""
    reason: str
    scores: list[int] | None


class ForkPoint(TypedDict):
    """The ply at which a match leaves another one."""

    chain: str
    """The hash chain of the record that the match was forked from."""
    ply: int
    """The number of events taken from that record."""


class RecordedPerson(TypedDict):
    """The person in a match with bots."""

    seat: int
    resigned_at: int | None
    """The ply at which the person gave up; None if the person did not."""


class Header(TypedDict):
    """The facts of a match before its first event."""

    game: str
    rules: int
    seats: int
    options: dict[str, Any]  # Any: each option has its own type
    seed: int
    match: str
    bots: list[RecordedBot]
    limits: dict[str, float | int]
    sandbox: str
    layers: list[str]
    """The layers that isolated the bots."""
    fork: NotRequired[ForkPoint]
    """Where the match left another one; missing in matches from the start, which alone can be
    rated."""
    person: NotRequired[RecordedPerson]
    """The person's part; missing in matches of bots alone, which alone can be rated."""


class Record(Header):
    """All that happened in one match."""

    format: int
    events: list[EventRow]
    """The events as rows; `Event.of` reads one."""
    faults: list[RecordedFault]
    outcome: RecordedOutcome
    chain: str


def check_shape(record: object) -> Record:
    """Return the record, or raise `BadRecord` naming the field that is not as it must be."""
    fields = _object(record, "record")
    _check_names(fields, _FIELDS, where="record", optional=_OPTIONAL)
    for name, check in {**_FIELDS, **_OPTIONAL}.items():
        if name in fields:
            check(fields[name], name)
    _check_seats(cast("Record", fields))
    _check_events(fields["events"], seats=fields["seats"])
    return cast("Record", fields)


def fault_order(fault: RecordedFault) -> tuple[int, int]:
    """Return the key by which a record sorts its faults."""
    return fault["ply"], fault["seat"]


def read_events(rows: Sequence[object], *, seats: int) -> list[Event]:
    """Return the events of rows, or raise `BadRecord` naming the one that is not as it must be."""
    _check_events(rows, seats=seats)
    return [Event.of(row) for row in cast("Sequence[EventRow]", rows)]


def _check_events(rows: Sequence[object], *, seats: int) -> None:
    for ply, row in enumerate(rows):
        _check_event(row, f"event {ply}", seats=seats)


def _check_seats(record: Record) -> None:
    """Check what there must be once for each seat, or must name one."""
    seats, outcome, faults = record["seats"], record["outcome"], record["faults"]
    for name, values in (
        ("bots", record["bots"]), ("outcome.ranks", outcome["ranks"]),
        ("outcome.scores", outcome["scores"]),
    ):  # fmt: skip
        if values is not None and len(values) != seats:
            raise BadRecord(f"{name}: must be one per seat, {seats}")
    for index, fault in enumerate(faults):
        _integer(fault["seat"], f"faults[{index}].seat", high=seats - 1)
    if faults != sorted(faults, key=fault_order):
        raise BadRecord("faults: must be in the order of their plies, then of their seats")
    if "person" in record:
        _integer(record["person"]["seat"], "person.seat", high=seats - 1)


def _check_event(event: object, where: str, *, seats: int) -> None:
    items = _list(event, where)
    if len(items) not in (2, 4, 5):
        raise BadRecord(f"{where}: must be seat, text, CPU and wall milliseconds")
    _integer(items[0], where, low=CHANCE, high=seats - 1)
    _text(items[1], where)
    for time in items[2:4]:
        _integer(time, where)
    if (items[0] == CHANCE) != (len(items) == 2):  # noqa: PLR2004  # only chance has no times
        raise BadRecord(f"{where}: an action has times, a chance event has none")
    if items[4:] not in ([], [STAND_IN]):
        raise BadRecord(f"{where}: the mark after the times must be {STAND_IN!r}")


def _check_fault(fault: object, where: str) -> None:
    fields = _object(fault, where)
    _check_names(fields, ("seat", "kind", "ply", "detail"), where=where)
    _integer(fields["seat"], f"{where}.seat")
    _integer(fields["ply"], f"{where}.ply")
    _text(fields["detail"], f"{where}.detail")
    _one_of(fields["kind"], f"{where}.kind", tuple(FaultKind))


def _check_bot(bot: object, where: str) -> None:
    fields = _object(bot, where)
    _check_names(fields, ("name", "hash"), where=where)
    _name(fields["name"], f"{where}.name")
    _name(fields["hash"], f"{where}.hash", least=0)


def _check_outcome(outcome: object, where: str) -> None:
    fields = _object(outcome, where)
    _check_names(fields, ("ranks", "reason", "scores"), where=where)
    _each(_rank)(fields["ranks"], f"{where}.ranks")
    _text(fields["reason"], f"{where}.reason")
    if fields["scores"] is not None:
        _each(_score)(fields["scores"], f"{where}.scores")


def _check_names(fields: dict[str, Any], names: Any, *, where: str, optional: Any = ()) -> None:
    missing = [name for name in names if name not in fields]
    unknown = sorted(set(fields) - set(names) - set(optional), key=str)
    if missing or unknown:
        problem = f"{missing[0]} is missing" if missing else f"no such field as {unknown[0]!r}"
        raise BadRecord(f"{where}: {problem}")


def _object(value: object, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadRecord(f"{where}: must be a JSON object")
    return value


def _list(value: object, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise BadRecord(f"{where}: must be a list")
    return value


def _text(value: object, where: str) -> None:
    if type(value) is not str:
        raise BadRecord(f"{where}: must be a text")


def _name(value: object, where: str, *, least: int = 1) -> None:
    if type(value) is not str or not least <= len(value) <= LONGEST_NAME:
        raise BadRecord(f"{where}: must be a text of {least} to {LONGEST_NAME} characters")
    if not value.isprintable():
        raise BadRecord(f"{where}: has a character that cannot be printed")


def _chain(value: object, where: str) -> None:
    if type(value) is not str or not _CHAIN.fullmatch(value):
        raise BadRecord(f"{where}: must be 64 hexadecimal digits, the chain of a record")


def _integer(value: object, where: str, *, low: int = 0, high: int = SEED_END - 1) -> None:
    if type(value) is not int or not low <= value <= high:
        raise BadRecord(f"{where}: must be a whole number from {low} to {high}")


def _one_of(value: object, where: str, values: Any) -> None:
    if type(value) is not str or value not in values:
        raise BadRecord(f"{where}: must be one of {', '.join(values)}")


def _each(check: Callable[[object, str], None]) -> Callable[[object, str], None]:
    def check_list(value: object, where: str) -> None:
        items = _list(value, where)
        if len(items) > MOST_EVENTS:
            raise BadRecord(f"{where}: more than {MOST_EVENTS}")
        for index, item in enumerate(items):
            check(item, f"{where}[{index}]")

    return check_list


def _format(value: object, where: str) -> None:
    if value != 1 or type(value) is not int:
        raise BadRecord(f"{where}: must be 1, the only format this program reads")


def _level(value: object, where: str) -> None:
    _one_of(value, where, tuple(SandboxLevel))


def _layers(value: object, where: str) -> None:
    _each(_name)(value, where)


def _rank(value: object, where: str) -> None:
    _integer(value, where, high=_MOST_SEATS - 1)


def _score(value: object, where: str) -> None:
    _integer(value, where, low=-_MOST_SCORE, high=_MOST_SCORE)


def _fork(value: object, where: str) -> None:
    fields = _object(value, where)
    _check_names(fields, ("chain", "ply"), where=where)
    _chain(fields["chain"], f"{where}.chain")
    _integer(fields["ply"], f"{where}.ply", high=MOST_EVENTS)


def _person(value: object, where: str) -> None:
    fields = _object(value, where)
    _check_names(fields, ("seat", "resigned_at"), where=where)
    _integer(fields["seat"], f"{where}.seat")
    if fields["resigned_at"] is not None:
        _integer(fields["resigned_at"], f"{where}.resigned_at", high=MOST_EVENTS)


def _seats(value: object, where: str) -> None:
    _integer(value, where, low=1, high=_MOST_SEATS)


def _limits(value: object, where: str) -> None:
    fields = _object(value, where)
    try:
        limits = Limits.from_json(fields).to_json()
    except ValueError as error:
        raise BadRecord(f"{where}: {error}") from error
    _check_names(fields, limits, where=where)
    for name, limit in limits.items():
        if repr(fields[name]) != repr(limit):
            raise BadRecord(f"{where}.{name}: must be written as {limit}, not {fields[name]}")


def _object_only(value: object, where: str) -> None:
    _object(value, where)


_FIELDS: Final[dict[str, Callable[[Any, str], None]]] = {
    "format": _format,
    "game": _text,
    "rules": _integer,
    "seats": _seats,
    "options": _object_only,
    "seed": _integer,
    "match": _name,
    "bots": _each(_check_bot),
    "limits": _limits,
    "sandbox": _level,
    "layers": _layers,
    "events": _each(lambda event, where: None),
    "faults": _each(_check_fault),
    "outcome": _check_outcome,
    "chain": _chain,
}
_OPTIONAL: Final[dict[str, Callable[[Any, str], None]]] = {"fork": _fork, "person": _person}
"""Fields that most records do not have."""
