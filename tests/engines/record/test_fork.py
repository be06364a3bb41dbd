"""A match that goes on from a ply of another one: its record, and what of it is verified."""

import copy
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from pentathlon_engines import GAMES, Game
from pentathlon_engines.contract.game import CHANCE
from pentathlon_engines.errors import BadRecord
from pentathlon_engines.match.faults import Fault, FaultKind
from pentathlon_engines.record import record
from pentathlon_engines.record.record import chain, position, verify_record
from pentathlon_engines.record.rerun import fork_at, requests_to
from tests.engines.record.random_records import twelve_record
from tests.engines.twelve_game import TWELVE

Json = Any


@pytest.fixture(autouse=True)
def _known_games(monkeypatch: pytest.MonkeyPatch) -> None:
    games: dict[str, Game] = {"tuned": GAMES["tuned"], "twelve": TWELVE}
    monkeypatch.setattr(record, "GAMES", games)


def _forked(ply: int = 4, *, fault: Fault | None = None) -> Json:
    return twelve_record(fork=fork_at(twelve_record(), ply), fault=fault)


def _changed(original: Json, change: Callable[[Json], Any]) -> Json:
    altered = copy.deepcopy(original)
    change(altered)
    altered["chain"] = chain(altered)
    return altered


def test_forked_record_names_where_it_comes_from_and_verifies() -> None:
    source = twelve_record()

    forked = _forked(4)

    assert forked["fork"] == {"chain": source["chain"], "ply": 4}
    assert [row[:2] for row in forked["events"][:4]] == [row[:2] for row in source["events"][:4]]
    assert verify_record(forked).outcome is not None


def test_first_request_after_a_fork_has_all_events_before_it() -> None:
    forked = _forked(4)
    mover = position(forked, 4).to_move
    assert mover is not None

    first = next(requests_to(forked, mover))

    assert first.ply == 4
    assert len(first.events) == 4


def test_events_before_the_fork_need_not_follow_from_the_seed() -> None:
    other = twelve_record(seed=8, fork=fork_at(twelve_record(seed=7), 4))

    verify_record(other)


def test_chance_after_the_fork_follows_from_the_seed() -> None:
    forked = _forked(1)
    late = next(ply for ply, row in enumerate(forked["events"]) if ply >= 1 and row[0] == CHANCE)
    drawn = forked["events"][late][1]
    rng = Random(1)
    at = position(forked, late)
    other = next(text for text in iter(lambda: at.sample_chance(rng), None) if text != drawn)

    with pytest.raises(BadRecord, match=f"event {late}: the seed draws"):
        verify_record(_changed(forked, lambda it: it["events"][late].__setitem__(1, other)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda it: it["events"][2].__setitem__(1, "nonsense"), "event 2"),
        (lambda it: it["events"][2].__setitem__(2, 9), "event 2: it is from another match"),
        (lambda it: it["fork"].update(ply=999), "fork: there is no ply 999"),
        (lambda it: it["fork"].update(ply=-1), "fork.ply: must be a whole number"),
        (lambda it: it["fork"].pop("chain"), "fork: chain is missing"),
        (lambda it: it.update(fork=None), "fork: must be a JSON object"),
        (
            lambda it: it["faults"].append(
                {"seat": 0, "kind": "crash", "ply": 1, "detail": "too early"}
            ),
            "no such ply in this match",
        ),
    ],
)
def test_wrong_fork_does_not_verify(change: Callable[[Json], Any], message: str) -> None:
    with pytest.raises(BadRecord, match=message):
        verify_record(_changed(_forked(4), change))


def test_bots_of_a_forked_match_may_fail_at_its_start() -> None:
    mover = position(twelve_record(), 4).to_move
    assert mover is not None
    other = (mover + 1) % 3
    forked = _forked(4)
    fault = Fault(FaultKind.STARTUP, seat=mover, ply=4, detail="no ready line")

    failed = _forked(4, fault=fault)

    verify_record(failed)
    assert [event[:2] for event in failed["events"][:4]] == [
        event[:2] for event in forked["events"][:4]
    ]
    assert next(requests_to(failed, other)).ply >= 4


def test_end_of_a_match_cannot_be_forked() -> None:
    source = twelve_record()
    last = len(source["events"])

    with pytest.raises(BadRecord, match="is the end of the match"):
        fork_at(source, last)
    with pytest.raises(BadRecord, match=f"there is no ply {last + 1}"):
        fork_at(source, last + 1)
