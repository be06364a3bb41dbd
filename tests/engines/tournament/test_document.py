"""Documents and what follows from them keep their bytes in every release."""

import json
from hashlib import sha256
from typing import Any, NamedTuple

import pytest

from pentathlon_engines.tournament.batches import draw_schedule
from pentathlon_engines.tournament.document import (
    BadDocument,
    TournamentDocument,
    UnknownScheduler,
    document_hash,
)
from pentathlon_engines.tournament.seeds import event_key_of

SECRET = sha256(b"golden").digest()


class Golden(NamedTuple):
    """One document by what differs, and what must follow from it forever."""

    document_hash: str
    schedule_hash: str
    entries: int = 4
    table_seats: int = 2
    cycles: int = 1


def _document(golden: Golden) -> dict[str, Any]:
    return {
        "format": 2,
        "scheduler": "round_robin/2",
        "commitment": sha256(SECRET).hexdigest(),
        "game": "way_of_the_dragon",
        "rules": 3,
        "options": {"powers": True},
        "limits": {"action_cpu_s": 0.5, "memory_mb": 128},
        "table_seats": golden.table_seats,
        "cycles": golden.cycles,
        "rating_algorithm": 2,
        "draw_probability": 0.1,
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
            "cfa7b56496a8068f80b08bb2964e166e8f946bcc7d6ac91e0d8e304ad36e1337",
            "a8ba4f3ff25f86f9a8a6ca828f6d844c99e4791eabf6f56c42cbe9d166859313",
        ),
        Golden(
            "292ab6529538535db5e7aa5a523c4b8935690cfcd67a45ecfd7ad156333b6a95",
            "3e59a05a8ead05f0f04da2945bc058b67eca817156fe54da3e9acedb9b9c4697",
            entries=7,
            cycles=3,
        ),
        Golden(
            "b4d0a7c197e29b59a31436808e4b4c2f3df2c4ef06de70699d284ae542649c94",
            "aa4ce8d3fa12a8aef1a3b1a3801b2aee03b3267cfd779b961b24f45119f16040",
            entries=5,
            table_seats=3,
        ),
        Golden(
            "26b91bcb15cd944bb57d4b51238e248a62178b2dd5d1114cab33329cf7730c2a",
            "0e727938cb9677fbe7abe0ca1e8f44feb17718dcb660333c1b4c89f0123393e3",
            entries=16,
            table_seats=4,
            cycles=2,
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
        "format": 3,
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
        "entries": [
            {"bot": "a", "version": 1, "hash": "sha256:1", "author": "ann", "strength": 3.5},
            {"bot": "b", "version": 2, "hash": "sha256:2", "author": "bo", "strength": None},
        ],
    }

    assert TournamentDocument.from_json(document).to_json() == document


def test_document_of_another_format_is_refused() -> None:
    with pytest.raises(BadDocument, match="format 1 is not 3"):
        TournamentDocument.from_json({**_document(Golden("", "")), "format": 1})
