"""A match has one record: whatever equals a record in Python is that record, or is refused."""

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from pentathlon_engines import GAMES
from pentathlon_engines.errors import BadRecord
from pentathlon_engines.match.faults import Fault, FaultKind
from pentathlon_engines.record.record import canonical, chain, verify_record
from pentathlon_engines.record.rerun import fork_at
from tests.deep import mostly_deep
from tests.engines.record.random_records import make_record

Json = Any
Path = tuple[str | int, ...]

KNOWN = ("fork", "person", "layers", "scores", "resigned_at", "ply", "other")
"""Names that some object of some record has, or none."""
FACTS = {"fork", "person"}
"""A record without one of these is another record, which may be right, too."""
EMPTY: tuple[Json, ...] = (None, False, 0, "", [], {})
EVENTS_LOOKED_AT = 3
"""How many events at each end of a match are changed; all have the same shape."""


def _fault(seat: int, ply: int) -> Fault:
    return Fault(FaultKind.CRASH, seat=seat, ply=ply, detail="exit status 1")


def _records() -> Iterator[tuple[str, Json]]:
    for key, game in GAMES.items():
        seats = game.info.default_seats
        yield key, make_record(game, seats=seats)
        yield f"{key}, fault", make_record(game, seats=seats, fault=_fault(0, 0))
    tuned = make_record(GAMES["tuned"], seats=2)
    yield "fork", make_record(GAMES["tuned"], seats=2, fork=fork_at(tuned, 3))
    for resigned_at in (None, len(tuned["events"])):
        person: Json = {**tuned, "person": {"seat": 0, "resigned_at": resigned_at}}
        if resigned_at is not None:
            person["events"] = tuned["events"][:-1]
            person["person"]["resigned_at"] -= 1
            person["outcome"] = {"ranks": [1, 0], "reason": "resigned", "scores": None}
        yield f"person, {resigned_at}", {**person, "chain": chain(person)}


RECORDS = dict(_records())


def _parts(value: Json, path: Path = ()) -> Iterator[tuple[Path, Json]]:
    """Yield every value in a record with the way to it."""
    yield path, value
    if isinstance(value, dict):
        for name, part in value.items():
            yield from _parts(part, (*path, name))
    if isinstance(value, list):
        last = len(value) - EVENTS_LOOKED_AT
        for index, part in enumerate(value):
            if path != ("events",) or not EVENTS_LOOKED_AT <= index < last:
                yield from _parts(part, (*path, index))


def _equals(value: Json) -> Iterator[Json]:
    """Yield other JSON values that Python, or a careless reader, takes for this one."""
    if type(value) is int:
        yield float(value)
        yield from {0: (False, -0.0, None), 1: (True,)}.get(value, ())
    elif type(value) is float:
        yield from (int(value), -value) if value == int(value) else ()
    elif isinstance(value, dict):
        yield dict(reversed(value.items()))
        missing = [name for name in KNOWN if name not in value]
        yield from ({**value, name: empty} for name in missing for empty in EMPTY)
        for left_out in value.keys() - FACTS:
            yield {name: part for name, part in value.items() if name != left_out}
    elif value is None:
        yield from (False, 0, [], "")
    elif value == []:
        yield from (None, {})


def _replaced(record: Json, path: Path, value: Json) -> Json:
    if not path:
        return copy.deepcopy(value)
    altered = copy.deepcopy(record)
    at = altered
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    return altered


def _variants(record: Json) -> Iterator[tuple[Path, Json]]:
    for path, value in _parts(record):
        for other in _equals(value):
            yield path, _replaced(record, path, other)


def _reseal(record: Json) -> None:
    try:
        record["chain"] = chain(record)
    except (KeyError, TypeError):
        return


@pytest.mark.parametrize("name", RECORDS)
def test_record_verifies(name: str) -> None:
    verify_record(RECORDS[name])


@pytest.mark.parametrize("name", mostly_deep(RECORDS, keep=[*RECORDS][:3]))
def test_what_equals_a_record_is_the_record_or_is_refused(name: str) -> None:
    record = RECORDS[name]
    checked = 0
    for path, altered in _variants(record):
        if path != ("chain",) and "chain" in altered:
            _reseal(altered)
        checked += 1
        try:
            verify_record(altered)
        except BadRecord:
            continue
        assert canonical(altered) == canonical(record), (path, altered)

    assert checked > 300


def test_faults_of_one_ply_have_one_order() -> None:
    record: Json = make_record(GAMES["tuned"], seats=2, fault=_fault(0, 0))
    faults = [_fault(0, 0).to_json(), _fault(1, 0).to_json()]
    record |= {"faults": faults, "outcome": {**record["outcome"], "ranks": [1, 1]}}
    _reseal(record)
    verify_record(record)

    record["faults"] = faults[::-1]
    _reseal(record)

    with pytest.raises(BadRecord, match="faults: must be in the order of their plies"):
        verify_record(record)
