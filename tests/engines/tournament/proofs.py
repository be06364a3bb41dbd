"""A small tournament as its server would tell it, played at random."""

import random
from hashlib import sha256
from typing import Any

from pentathlon_engines import GAMES
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.referee import Referee
from pentathlon_engines.record.record import seal
from pentathlon_engines.record.shape import Header, Record
from pentathlon_engines.seeds import commitment_to, event_key_of
from pentathlon_engines.tournament.batches import draw_schedule
from pentathlon_engines.tournament.document import FORMAT as DOCUMENT_FORMAT
from pentathlon_engines.tournament.document import TournamentDocument, document_hash
from pentathlon_engines.tournament.proof import COLUMNS, FORMAT
from pentathlon_engines.tournament.proof_schedule import Proof
from pentathlon_engines.tournament.schedule import Pairing

SECRET = sha256(b"a secret").digest()


def document_of(entries: int = 3, *, game: str = "tuned", cycles: int = 1) -> dict[str, Any]:
    return {
        "format": DOCUMENT_FORMAT,
        "scheduler": "round_robin/2",
        "commitment": commitment_to(SECRET),
        "game": game,
        "rules": GAMES[game].info.version,
        "options": GAMES[game].start(2).options,
        "limits": Limits().to_json(),
        "table_seats": 2,
        "params": {"cycles": cycles, "same_author": True},
        "rating_algorithm": 1,
        "draw_probability": 0.1,
        "beta": 25 / 6,
        "tie_breaks": ["points"],
        "leaving": "cancel_below_half",
        "entries": [
            {"bot": f"bot-{number}", "version": 1, "hash": f"sha256:{number}"}
            for number in range(entries)
        ],
    }


def key_of(document: dict[str, Any]) -> bytes:
    return event_key_of(SECRET, document_hash(document))


def record_of(document: dict[str, Any], pairing: Pairing) -> Record:
    # These bots always do the same, so in a game without chance they repeat their matches.
    rng = random.Random(str(pairing.seating))
    game = GAMES[document["game"]]
    referee = Referee(game=game, seats=2, options=document["options"], seed=pairing.seed)
    while referee.seat_to_ask() is not None:
        referee.accept(rng.choice(referee.request().legal), cpu_ms=0, wall_ms=0)
    entries = [document["entries"][number] for number in pairing.seating]
    header: Header = {
        "game": document["game"],
        "rules": document["rules"],
        "seats": 2,
        "options": referee.state.options,
        "seed": pairing.seed,
        "match": pairing.alias,
        "bots": [{"name": f"{each['bot']} v1", "hash": each["hash"]} for each in entries],
        "limits": document["limits"],
        "sandbox": "namespaces",
        "layers": [],
    }
    return seal(header, events=referee.events, faults=[], outcome=referee.final_outcome())


def closed_event(entries: int = 3, *, cycles: int = 1) -> tuple[Proof, list[Any]]:
    """Return the proof of a closed tournament, and its records in schedule order."""
    document = document_of(entries, cycles=cycles)
    key = key_of(document)
    schedule = draw_schedule(TournamentDocument.from_json(document), key=key)
    records = [record_of(document, pairing) for pairing in schedule]
    matches = [
        [
            *(pairing.index, pairing.round, pairing.block, list(pairing.seating)),
            *(100 + pairing.index, "done", pairing.seed, pairing.alias, record["chain"]),
            record["outcome"]["ranks"],
        ]
        for pairing, record in zip(schedule, records, strict=True)
    ]
    proof = {
        "format": FORMAT,
        "tournament": 3,
        "name": "Cup",
        "state": "closed",
        "commitment": document["commitment"],
        "secret": SECRET.hex(),
        "event_key": key.hex(),
        "document": document,
        "document_hash": document_hash(document),
        "batches": [],
        "replayed": [],
        "columns": list(COLUMNS),
        "matches": matches,
    }
    return proof, records


def sealed_event(blocks_done: int = 1) -> Proof:
    """Return the proof of the same tournament while it runs."""
    proof, _ = closed_event()
    for row in proof["matches"]:
        if row[2] > blocks_done:
            row[5:] = ["pending", None, None, None, None]
    return {**proof, "state": "running", "secret": None, "event_key": None}
