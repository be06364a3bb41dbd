"""Documents and what follows from them keep their bytes in every release."""

import json
from hashlib import sha256
from typing import Any, NamedTuple

import pytest

from pentathlon_engines.seeds import event_key_of
from pentathlon_engines.tournament.batches import draw_schedule
from pentathlon_engines.tournament.document import (
    BadDocument,
    TournamentDocument,
    UnknownScheduler,
    document_hash,
)

SECRET = sha256(b"golden").digest()


class Golden(NamedTuple):
    """One document by what differs, and what must follow from it forever."""

    document_hash: str
    schedule_hash: str
    entries: int = 4
    cycles: int = 1


def _document(golden: Golden) -> dict[str, Any]:
    return {
        "format": 4,
        "scheduler": "round_robin/2",
        "params": {"cycles": golden.cycles, "same_author": True},
        "commitment": sha256(SECRET).hexdigest(),
        "game": "way_of_the_dragon",
        "rules": 3,
        "options": {"powers": True},
        "limits": {"action_cpu_s": 0.5, "memory_mb": 128},
        "table_seats": 2,
        "rating_algorithm": 2,
        "draw_probability": 0.1,
        "beta": 25 / 6,
        "tie_breaks": ["points", "head_to_head", "sonneborn_berger", "fit"],
        "leaving": "cancel_below_half",
        "entries": [
            {"bot": f"bot-{number}", "version": number + 1, "hash": f"sha256:{number:064x}"}
            for number in range(golden.entries)
        ],
    }


def _schedule_hash(document: dict[str, Any]) -> str:
    key = event_key_of(SECRET, document_hash(document))
    rows = [
        [each.index, each.round, each.block, each.alias, each.seed, list(each.seating)]
        for each in draw_schedule(TournamentDocument.from_json(document), key=key)
    ]
    return sha256(json.dumps(rows).encode()).hexdigest()


@pytest.mark.parametrize(
    "golden",
    [
        Golden(
            "0aa568b21900074d11b58a5ba6b21f8bc2d34042efc7f2b1e4cab1e27c064da2",
            "af8928353af2649635252cb06f0d42ccbc4d8c78b3666b00a0513502d470c539",
        ),
        Golden(
            "e101301016d5715d08e1084ea851dcbdcd4140c4f5c8140295715812fa13aecf",
            "79fa06ab28331b3aa27ec07137851febeddcef58f9063d9e358ca299d4954161",
            entries=7,
            cycles=3,
        ),
    ],
)
def test_document_keeps_its_hash_and_its_schedule(golden: Golden) -> None:
    document = _document(golden)

    assert document_hash(document) == golden.document_hash
    assert _schedule_hash(document) == golden.schedule_hash


def test_document_of_another_scheduler_is_refused() -> None:
    document = {**_document(Golden("", "")), "scheduler": "round_robin/1"}

    with pytest.raises(UnknownScheduler, match="'round_robin/1'"):
        draw_schedule(TournamentDocument.from_json(document), key=bytes(32))


def test_document_comes_back_from_json_as_it_was() -> None:
    document = {
        "format": 4,
        "scheduler": "gauntlet/1",
        "params": {"challengers": [0, 2], "blocks": 4, "same_author": False},
        "commitment": sha256(SECRET).hexdigest(),
        "game": "tuned",
        "rules": 1,
        "options": {},
        "limits": {"memory_mb": 128},
        "table_seats": 2,
        "rating_algorithm": 2,
        "draw_probability": 0.1,
        "beta": 25 / 6,
        "tie_breaks": ["points", "fit"],
        "leaving": "forfeit",
        "entries": [
            {"bot": "a", "version": 1, "hash": "sha256:1", "author": "ann", "strength": 3.5},
            {"bot": "b", "version": 2, "hash": "sha256:2", "author": "bo", "strength": None},
        ],
    }

    assert TournamentDocument.from_json(document).to_json() == document


def test_document_of_another_format_is_refused() -> None:
    with pytest.raises(BadDocument, match="format 1 is not 4"):
        TournamentDocument.from_json({**_document(Golden("", "")), "format": 1})
