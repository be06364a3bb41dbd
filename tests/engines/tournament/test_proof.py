"""A tournament is checked from what its server tells, and every lie is found."""

import copy
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pentathlon_engines.record.record import chain
from pentathlon_engines.seeds import commitment_to, event_key_of
from pentathlon_engines.tournament.document import document_hash
from pentathlon_engines.tournament.proof import BadProof, Check, check_proof
from pentathlon_engines.tournament.proof_schedule import Proof
from tests.engines.commands import Run
from tests.engines.tournament.proofs import closed_event, sealed_event


def _states(proof: Proof, **more: Any) -> dict[str, str]:
    return {check.name: check.state for check in check_proof(proof, **more)}


def _failed(proof: Proof, **more: Any) -> set[str]:
    return {name for name, state in _states(proof, **more).items() if state == "failed"}


def test_closed_tournament_verifies_with_all_its_records() -> None:
    proof, records = closed_event()

    states = _states(proof, records=records, noted=proof["commitment"])

    assert set(states.values()) == {"ok"}
    assert set(states) == {
        *("commitment", "secret", "document", "event key", "blocks"),
        *("schedule", "seeds", "aliases", "results", "records"),
    }


def test_running_tournament_says_what_is_sealed_still() -> None:
    checks = {check.name: check for check in check_proof(sealed_event(blocks_done=1))}

    assert {name for name, check in checks.items() if check.state == "ok"} == {
        *("commitment", "document", "blocks")
    }
    assert {check.state for check in checks.values()} == {"ok", "sealed"}
    assert checks["seeds"].detail == "1 of 3 blocks are done and show their seeds"


def test_open_tournament_has_a_commitment_and_no_more() -> None:
    proof = {**sealed_event(), "matches": [], "document_hash": None, "state": "open"}

    assert _states(proof)["commitment"] == "ok"
    assert _states(proof)["document"] == "sealed"


def _other_secret(proof: Proof) -> None:
    secret = bytes(range(32))
    proof["secret"] = secret.hex()
    proof["event_key"] = event_key_of(secret, proof["document_hash"]).hex()


def _other_secret_and_commitment(proof: Proof) -> None:
    _other_secret(proof)
    proof["commitment"] = proof["document"]["commitment"] = commitment_to(bytes(range(32)))
    proof["document_hash"] = document_hash(proof["document"])
    key = event_key_of(bytes(range(32)), proof["document_hash"])
    proof["event_key"] = key.hex()


def _other_entrant(proof: Proof) -> None:
    proof["document"]["entries"][0]["hash"] = "sha256:other"


def _other_entrant_hashed(proof: Proof) -> None:
    _other_entrant(proof)
    proof["document_hash"] = document_hash(proof["document"])


def _other_key(proof: Proof) -> None:
    proof["event_key"] = "00" * 32


def _swapped_seats(proof: Proof) -> None:
    row = proof["matches"][0]
    row[3] = row[3][::-1]


def _other_seed(proof: Proof) -> None:
    proof["matches"][0][6] += 1


def _other_seed_of_a_block(proof: Proof) -> None:
    proof["matches"][0][6] += 1
    proof["matches"][1][6] += 1


def _other_alias(proof: Proof) -> None:
    proof["matches"][2][7] = "0" * 32


def _match_left_out(proof: Proof) -> None:
    del proof["matches"][-2:]


def _pairs_exchanged(proof: Proof) -> None:
    first, last = proof["matches"][0][3], proof["matches"][-1][3]
    for row in proof["matches"]:
        if row[3] in (first, first[::-1]):
            row[3] = last if row[3] == first else last[::-1]


@pytest.mark.parametrize(
    ("lie", "found"),
    [
        (_other_secret, {"secret", "schedule", "seeds", "aliases"}),
        (_other_secret_and_commitment, {"commitment", "schedule", "seeds", "aliases"}),
        (_other_entrant, {"document", "event key"}),
        (_other_entrant_hashed, {"event key"}),
        (_other_key, {"event key", "schedule", "seeds", "aliases"}),
        (_swapped_seats, {"blocks", "schedule"}),
        (_other_seed, {"blocks", "seeds"}),
        (_other_seed_of_a_block, {"seeds"}),
        (_other_alias, {"aliases"}),
        (_match_left_out, {"schedule"}),
        (_pairs_exchanged, {"schedule"}),
    ],
)
def test_every_lie_is_found(lie: Callable[[Proof], None], found: set[str]) -> None:
    proof, _ = closed_event(entries=4)
    noted = proof["commitment"]

    lie(proof)

    assert _failed(proof, noted=noted) >= found
    assert _failed(proof, noted=noted) <= found | {"blocks"}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("seed", 5),
        ("match", "0" * 32),
        ("bots", [{"name": "x", "hash": "sha256:x"}] * 2),
        ("limits", {}),
        ("rules", 99),
    ],
)
def test_record_of_another_match_is_found(field: str, value: object) -> None:
    proof, records = closed_event()
    records[0][field] = value
    records[0]["chain"] = chain(records[0])
    row = proof["matches"][0]
    row[8] = records[0]["chain"]

    assert _failed(proof, records=records) == {"record"}


def test_record_that_was_changed_afterwards_is_found() -> None:
    proof, records = closed_event()
    records[0]["outcome"]["reason"] = "line of luck"
    records[0]["chain"] = chain(records[0])

    assert _failed(proof, records=records) == {"record"}


@pytest.mark.parametrize(
    "damaged",
    [
        [],
        {},
        {**closed_event()[0], "matches": [[1]]},
        {**closed_event()[0], "matches": 7},
        {**closed_event()[0], "secret": "no hex"},
        {**closed_event()[0], "document": {"format": 1}},
        {**closed_event()[0], "document": {"format": 3}},
    ],
)
def test_what_is_no_proof_is_refused(damaged: Any) -> None:
    with pytest.raises(BadProof):
        check_proof(damaged)


class TestCommand:
    def test_closed_tournament_in_files(self, run: Run, tmp_path: Path) -> None:
        proof, records = closed_event()
        file = tmp_path / "proof.json"
        file.write_text(json.dumps(proof))
        folder = tmp_path / "records"
        folder.mkdir()
        for number, record in enumerate(records):
            (folder / f"{number}.json").write_text(json.dumps(record))

        told = run("verify", "--tournament", str(file), "--records", str(folder))

        assert told.code == 0
        assert "ok      schedule: 6 matches follow from the event key" in told.out
        assert "ok      records: 6 re-simulate" in told.out
        assert told.out.endswith("Cup, closed: nothing is wrong\n")

    def test_running_tournament_is_valid_and_not_complete(self, run: Run, tmp_path: Path) -> None:
        file = tmp_path / "proof.json"
        file.write_text(json.dumps(sealed_event()))

        told = run("verify", "--tournament", str(file), "--json")

        assert told.code == 0
        assert (told.data["valid"], told.data["complete"]) == (True, False)

    def test_lie_ends_with_1(self, run: Run, tmp_path: Path) -> None:
        proof = copy.deepcopy(closed_event()[0])
        _other_seed_of_a_block(proof)
        file = tmp_path / "proof.json"
        file.write_text(json.dumps(proof))

        told = run("verify", "--tournament", str(file))

        assert told.code == 1
        assert "failed  seeds: match 1 has " in told.out
        assert "IT DOES NOT VERIFY" in told.out

    def test_other_commitment_than_noted_ends_with_1(self, run: Run, tmp_path: Path) -> None:
        file = tmp_path / "proof.json"
        file.write_text(json.dumps(closed_event()[0]))

        told = run("verify", "--tournament", str(file), "--commitment", "ab" * 32)

        assert told.code == 1
        assert "failed  commitment: you noted abab" in told.out

    @pytest.mark.parametrize(
        "arguments",
        [
            (),
            ("match.json", "--tournament", "proof.json"),
            ("--tournament", "nowhere.json"),
            ("--tournament", "nowhere.json", "--fetch"),
        ],
    )
    def test_wrong_use_ends_with_2(self, run: Run, arguments: tuple[str, ...]) -> None:
        assert run("verify", *arguments).code == 2

    def test_server_that_is_not_there_ends_with_3(self, run: Run) -> None:
        told = run("verify", "--tournament", "http://127.0.0.1:9/tournaments/1/")

        assert told.code == 3
        assert "cannot be read" in told.err


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
