"""Noted repeats are those that the records show."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest

from pentathlon_engines.tournament.proof import Check, check_proof
from pentathlon_engines.tournament.proof_schedule import Proof
from tests.engines.tournament.proofs import closed_event

REPEATS = {"2": [0, 1]}
"""Two bots that always do the same play two cycles: the second block repeats the first."""


def _finals(repeats: dict[str, list[int]]) -> tuple[Proof, list[Any]]:
    """Return a proof of which the check of repeats alone is looked at."""
    proof, records = closed_event(entries=2, cycles=2)
    proof["document"] = {**proof["document"], "scheduler": "finals/2"}
    ranks = [row[-1] for row in proof["matches"]]
    note = {"left": [], "results": {"1": ranks[:2], "2": ranks[2:]}, "repeats": repeats}
    proof["batches"] = [[1, 1, 2, {"left": [], "results": {}}, ""], [2, 3, 3, note, ""]]
    proof["event_key"] = proof["secret"] = None
    return proof, records


def _told(proof: Proof, records: Sequence[Any]) -> Check:
    (told,) = [each for each in check_proof(proof, records=records) if each.name == "repeats"]
    return told


class Case(NamedTuple):
    repeats: dict[str, list[int]]
    found: str
    shown: Sequence[int] = (0, 1, 2, 3)
    replayed: Sequence[int] = ()


CASES = {
    "as it was": Case(REPEATS, ""),
    "one is kept back": Case({"2": [0]}, "match 2 of block 2 repeats an earlier match exactly"),
    "all are kept back": Case({}, "match 1 of block 2 repeats an earlier match exactly"),
    "one is made up": Case({"1": [1], **REPEATS}, "match 2 of block 1 is noted as a repeat"),
    "the first match may be the original": Case({"1": [1], **REPEATS}, "", shown=(1, 2, 3)),
    "kept back, and its record is not here": Case({"2": [0]}, "", shown=(0, 1, 2)),
    "kept back in a block played again": Case({}, "", replayed=(2,)),
    "the original was played again": Case(REPEATS, "", replayed=(1,)),
}


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_noted_repeats_are_compared_with_records(case: Case) -> None:
    proof, records = _finals(case.repeats)
    proof["replayed"] = list(case.replayed)

    told = _told(proof, [records[index] for index in case.shown])

    assert told.state == ("failed" if case.found else "ok"), told
    assert case.found in told.detail


def test_nothing_is_said_of_repeats_that_decide_nothing() -> None:
    proof, records = closed_event(entries=2, cycles=2)

    names = {check.name for check in check_proof(proof, records=records)}

    assert "records" in names
    assert "repeats" not in names
