"""A record verifies as it was sealed and in no other way."""

import copy
import json
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import pytest

from pentathlon_engines import GAMES, Game
from pentathlon_engines.errors import BadRecord
from pentathlon_engines.match.faults import Fault, FaultKind
from pentathlon_engines.record import record
from pentathlon_engines.record.record import (
    canonical,
    chain,
    course,
    position,
    positions,
    verify_record,
)
from tests.engines.record.random_records import tuned_record, twelve_record
from tests.engines.twelve_game import TWELVE

Json = Any
"""A record as JSON, to be changed into something invalid."""
Change = Callable[[Json], Any]


@pytest.fixture(autouse=True)
def _known_games(monkeypatch: pytest.MonkeyPatch) -> None:
    games: dict[str, Game] = {"tuned": GAMES["tuned"], "twelve": TWELVE}
    monkeypatch.setattr(record, "GAMES", games)


def fault(seat: int, ply: int) -> Fault:
    return Fault(FaultKind.WALL_TIME, seat=seat, ply=ply, detail="no answer within 3 s")


def changed(original: Json, change: Change, *, resealed: bool = True) -> Json:
    altered = copy.deepcopy(original)
    change(altered)
    if resealed:
        altered["chain"] = chain(altered)
    return altered


def test_course_tells_what_happened_and_not_when_or_to_whom() -> None:
    original = tuned_record()

    def slow_down(altered: Json) -> None:
        altered["events"] = [[*event[:2], 77, 99] for event in altered["events"]]
        altered["seed"] += 1
        altered["bots"][0]["name"] = "another"

    assert course(changed(original, slow_down)) == course(original)
    assert course(changed(original, lambda altered: altered["events"].pop())) != course(original)


def test_sealed_record_verifies() -> None:
    sealed = tuned_record()

    state = verify_record(sealed)

    assert state.outcome is not None
    assert list(state.outcome.ranks) == sealed["outcome"]["ranks"]


def test_record_survives_json() -> None:
    verify_record(json.loads(canonical(twelve_record())))


def test_record_with_chance_verifies() -> None:
    sealed = twelve_record(seats=4)

    verify_record(sealed)

    assert sealed["outcome"]["scores"] is not None


def test_record_with_fault_of_two_verifies() -> None:
    sealed = tuned_record(fault=fault(1, 3))

    verify_record(sealed)

    assert sealed["outcome"] == {"ranks": [0, 1], "reason": "fault", "scores": None}
    assert len(sealed["events"]) == 3


def _all_failed(ranks: list[int]) -> Json:
    faults = [fault(0, 0).to_json(), fault(1, 0).to_json()]
    outcome = {"ranks": ranks, "reason": "fault", "scores": None}
    return changed(
        tuned_record(fault=fault(0, 0)),
        lambda data: data.update(events=[], faults=faults, outcome=outcome),
    )


def test_record_in_which_all_failed_verifies() -> None:
    verify_record(_all_failed([1, 1]))


@pytest.mark.parametrize("ranks", [[0, 0], [0, 1], [1, 0], [2, 2]])
def test_nobody_wins_a_record_in_which_all_failed(ranks: list[int]) -> None:
    with pytest.raises(BadRecord, match=r"ranks should be \[1, 1\]"):
        verify_record(_all_failed(ranks))


def test_record_with_stand_in_verifies() -> None:
    sealed = twelve_record(fault=fault(1, 3))

    verify_record(sealed)

    assert sealed["outcome"]["ranks"][1] == 2
    assert sum("stand_in" in event for event in sealed["events"]) == 3


def test_record_with_a_fault_out_of_turn_verifies() -> None:
    sealed = tuned_record(fault=fault(1, 3))

    def at_the_turn_of_another(record: Json) -> None:
        record["faults"][0].update(kind="out_of_turn", ply=2)
        del record["events"][2:]

    altered = changed(sealed, at_the_turn_of_another)
    verify_record(altered)

    with pytest.raises(BadRecord, match="seat 1 was not asked for action 2"):
        verify_record(changed(altered, lambda it: it["faults"][0].update(kind="crash")))


def test_chain_is_what_the_page_says() -> None:
    known: Json = {"game": "tuned", "format": 1, "chain": "", "outcome": {"ranks": [0, 1]}}
    known.update(events=[[0, "add dog b2", 1, 2]], faults=[])
    link = sha256(b'{"format":1,"game":"tuned"}').digest()
    link = sha256(link + b'[0,"add dog b2",1,2]').digest()

    expected = sha256(link + b'{"faults":[],"outcome":{"ranks":[0,1]}}').hexdigest()

    assert chain(known) == expected


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data["events"][0].__setitem__(2, 999),
        lambda data: data["events"].pop(),
        lambda data: data["bots"].reverse(),
        lambda data: data["bots"][0].__setitem__("hash", "sha256:ff"),
        lambda data: data.__setitem__("seed", 8),
        lambda data: data.__setitem__("match", "other"),
        lambda data: data["limits"].__setitem__("memory_mb", 1),
        lambda data: data.__setitem__("sandbox", "namespaces"),
        lambda data: data.__setitem__("layers", ["namespaces"]),
        lambda data: data["outcome"].__setitem__("ranks", [0, 0]),
        lambda data: data["faults"].append(fault(0, 1).to_json()),
        lambda data: data.__setitem__("chain", "0" * 64),
    ],
)
def test_change_after_sealing_breaks_the_chain(change: Change) -> None:
    with pytest.raises(BadRecord, match="changed after it was sealed"):
        verify_record(changed(tuned_record(), change, resealed=False))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data["events"].pop(), "event .*: missing, the match is not over"),
        (lambda data: data["events"].append(data["events"][-1]), "over before it"),
        (lambda data: data["events"][1].__setitem__(0, 0), "event 1: seat 0 acts, but to move"),
        (lambda data: data["events"][0].__setitem__(1, "move a1 a2 1"), "event 0: seat 0 may not"),
        (lambda data: data["events"][2].__setitem__(1, "sing"), "event 2: 'sing'"),
        (lambda data: data["events"][0].append("stand_in"), "event 0.*without a fault"),
        (lambda data: data["outcome"].__setitem__("ranks", [0, 0]), "outcome: ranks should be"),
        (lambda data: data["outcome"].__setitem__("reason", "luck"), "outcome: reason should be"),
        (lambda data: data["outcome"].__setitem__("scores", [1, 0]), "outcome: scores should be"),
        (lambda data: data["faults"].append(fault(1, 2).to_json()), "seat 1 was not asked"),
        (lambda data: data["faults"].append(fault(0, 2).to_json()), "over before it"),
        (lambda data: data["faults"].append(fault(0, 99).to_json()), r"faults\[0\]: no such ply"),
        (lambda data: data.__setitem__("rules", 99), "rules: recorded with version 99"),
        (lambda data: data.__setitem__("game", "chess"), "game: no game 'chess'"),
        (lambda data: data.__setitem__("options", {"fog": 1}), "seats or options: .*fog"),
    ],
)
def test_resealed_record_that_cannot_be_is_named(change: Change, message: str) -> None:
    with pytest.raises(BadRecord, match=message):
        verify_record(changed(tuned_record(), change))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data.__setitem__("seed", 8), "event 0: the seed draws"),
        (lambda data: data["events"][0].__setitem__(1, "deal 9 9 9"), "event 0: the seed draws"),
        (lambda data: data["events"].pop(0), "event 0: the seed draws"),
        (lambda data: data["events"].pop(1), "event 1: seat 0: stand-in without a fault"),
        (lambda data: data["events"][2].__setitem__(2, 1), "stand-in do something else"),
        (lambda data: data["events"][2].pop(), "event 2: seat 0: acts after its fault"),
        (lambda data: data["events"].insert(2, [-1, "roll 6"]), "event 2: seat -1 acts, but"),
    ],
)
def test_resealed_chance_and_stand_ins_follow_the_seed(change: Change, message: str) -> None:
    sealed = twelve_record(fault=fault(0, 2))

    with pytest.raises(BadRecord, match=message):
        verify_record(changed(sealed, change))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data.pop("seed"), "record: seed is missing"),
        (lambda data: data.__setitem__("colour", 1), "record: no such field as 'colour'"),
        (lambda data: data.__setitem__("format", 2), "format: must be 1"),
        (lambda data: data.__setitem__("seats", True), "seats: must be a whole number"),
        (lambda data: data.__setitem__("seed", -1), "seed: must be a whole number"),
        (lambda data: data.__setitem__("seed", 2**53), "seed: must be a whole number"),
        (lambda data: data.__setitem__("events", {}), "events: must be a list"),
        (lambda data: data["events"].insert(0, [0]), "event 0: must be seat, text"),
        (lambda data: data["events"].insert(0, [-1, "x", 1, 1]), "event 0: an action has times"),
        (lambda data: data["events"].insert(0, [7, "x", 1, 1]), "event 0: must be a whole number"),
        (lambda data: data["events"][0].__setitem__(2, 1.5), "event 0: must be a whole number"),
        (lambda data: data["events"][0].append("guest"), "event 0: the mark after the times"),
        (lambda data: data["bots"].pop(), "bots: must be one per seat, 2"),
        (lambda data: data["bots"][0].pop("hash"), r"bots\[0\]: hash is missing"),
        (lambda data: data["faults"].append({"seat": 0}), r"faults\[0\]: kind is missing"),
        (lambda data: data.__setitem__("sandbox", "none"), "sandbox: must be one of"),
        (lambda data: data.__setitem__("layers", "rlimits"), "layers: must be a list"),
        (lambda data: data.__setitem__("layers", [1]), r"layers\[0\]: must be"),
        (lambda data: data.pop("layers"), "record: layers is missing"),
        (lambda data: data.__setitem__("limits", [1]), "limits: must be a JSON object"),
        (lambda data: data["limits"].__setitem__("memory_mb", "1"), "limits: memory_mb must be"),
        (lambda data: data["limits"].__setitem__("action_cpu_s", -1), "limits: action_cpu_s must"),
        (lambda data: data["limits"].__setitem__("memory_mb", 2**31), "limits: memory_mb must be"),
        (lambda data: data["limits"].__setitem__("no_such", 7), "limits: unknown limits: no_such"),
        (lambda data: data["limits"].pop("tasks"), "limits: tasks is missing"),
        (lambda data: data["limits"].__setitem__("match_cpu_s", 20.0), "be written as 20, not 20"),
        (lambda data: data["limits"].__setitem__("match_cpu_s", -0.0), "be written as 0, not -0"),
        (lambda data: data["outcome"].pop("reason"), "outcome: reason is missing"),
        (lambda data: data["outcome"].__setitem__("reason", 3), "outcome.reason: must be a text"),
        (lambda data: data["outcome"].__setitem__("ranks", {}), "outcome.ranks: must be a list"),
        (lambda data: data["outcome"].__setitem__("ranks", [0]), "outcome.ranks: must be one per"),
        (lambda data: data["outcome"].__setitem__("ranks", [False, True]), r"ranks\[0\]: must be"),
        (lambda data: data["outcome"].__setitem__("ranks", [0.0, 1.0]), r"ranks\[0\]: must be"),
        (lambda data: data["outcome"].__setitem__("scores", "1"), "scores: must be a list"),
        (lambda data: data["outcome"].__setitem__("scores", [1, 1.5]), r"scores\[1\]: must be"),
        (lambda data: data["bots"][0].__setitem__("name", ""), r"bots\[0\].name: must be"),
        (lambda data: data["bots"][0].__setitem__("name", "x" * 201), "a text of 1 to 200"),
        (lambda data: data["bots"][0].__setitem__("name", "a\u202eb"), "cannot be printed"),
        (lambda data: data.__setitem__("match", "a\nb"), "match: has a character that cannot"),
        (lambda data: data["faults"].append(fault(5, 0).to_json()), r"faults\[0\].seat: must be"),
        (
            lambda data: data["faults"].extend([fault(1, 0).to_json(), fault(0, 0).to_json()]),
            "faults: must be in the order",
        ),
        (lambda data: data.__setitem__("person", None), "person: must be a JSON object"),
        (
            lambda data: data.__setitem__("fork", {"chain": "", "ply": 0}),
            "fork.chain: must be 64 hexadecimal digits",
        ),
        (lambda data: data.__setitem__("chain", "00"), "chain: must be 64 hexadecimal digits"),
        (
            lambda data: data["faults"].append({**fault(0, 0).to_json(), "detail": "\ud800"}),
            "written in UTF-8",
        ),
    ],
)
def test_shape_that_is_wrong_names_the_field(change: Change, message: str) -> None:
    with pytest.raises(BadRecord, match=message):
        verify_record(changed(tuned_record(), change, resealed=False))


@pytest.mark.parametrize("data", [None, [], "record", 3])
def test_what_is_not_an_object_is_refused(data: Any) -> None:
    with pytest.raises(BadRecord, match="record: must be a JSON object"):
        verify_record(data)


def test_positions_are_one_more_than_events() -> None:
    sealed = tuned_record()

    states = list(positions(sealed))

    assert len(states) == len(sealed["events"]) + 1
    assert states[0].to_json() == GAMES["tuned"].start().to_json()
    assert states[-1].outcome is not None
    assert [position(sealed, ply).to_json() for ply in range(len(states))] == [
        state.to_json() for state in states
    ]


@pytest.mark.parametrize("ply", [-1, 10_000])
def test_position_outside_the_record_is_refused(ply: int) -> None:
    with pytest.raises(BadRecord, match=f"no ply {ply}"):
        position(tuned_record(), ply)


def test_position_of_doctored_record_names_the_event() -> None:
    doctored = changed(tuned_record(), lambda data: data["events"][1].__setitem__(1, "sing"))

    with pytest.raises(BadRecord, match="event 1"):
        position(doctored, 2)


def person(seat: int, resigned_at: int | None = None) -> Change:
    return lambda altered: altered.update(person={"seat": seat, "resigned_at": resigned_at})


def test_record_tells_who_gave_up_and_when() -> None:
    sealed = tuned_record()
    given_up = changed(sealed, person(1, 3))

    assert (record.resigned_seat(given_up), record.resigned_at(given_up)) == (1, 3)
    assert record.resigned_seat(changed(sealed, person(1))) is None
    with pytest.raises(ValueError, match="nobody has resigned"):
        record.resigned_at(sealed)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (person(2), "person.seat: must be a whole number from 0 to 1"),
        (person(1), "person: a bot failed at this seat"),
        (person(0, 99), "person: no such ply"),
        (lambda it: it.update(faults=it["faults"] * 2), "expelled only once"),
        (lambda it: it["faults"][0].update(ply=99), r"faults\[0\]: no such ply"),
        (lambda it: it["faults"][0].update(seat=2), r"faults\[0\].seat: must be"),
    ],
)
def test_person_or_fault_that_cannot_be_is_refused(change: Change, problem: str) -> None:
    with pytest.raises(BadRecord, match=problem):
        verify_record(changed(tuned_record(fault=fault(1, 3)), change))
