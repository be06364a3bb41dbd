"""The document of a tournament: everything that decides who plays whom and how it is rated.

```
{"format": 2, "scheduler": "round_robin/2", "commitment": "…", "game": "tuned", "rules": 1,
 "options": {}, "limits": {…all of them…}, "table_seats": 2, "cycles": 1,
 "rating_algorithm": 1, "draw_probability": 0.1,
 "entries": [{"bot": "alpha", "version": 1, "hash": "sha256:…"}, …]}
```

It never holds the secret, but the commitment to it. Whether results count on leaderboards outside
of the tournament is not in it: a replay of the same document must not count twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Any, Final

from pentathlon_engines.errors import EngineError
from pentathlon_engines.record.record import canonical
from pentathlon_engines.tournament.schedule import SCHEDULER, Pairing, draw_blocks

FORMAT: Final = 2

Document = dict[str, Any]  # Any: JSON


class UnknownScheduler(EngineError):
    """The document was made for another scheduler than this release has."""

    code = "unknown_scheduler"


def document_hash(document: Document) -> str:
    """Return the SHA-256 of the document in canonical JSON."""
    return sha256(canonical(document)).hexdigest()


def draw_schedule(document: Document, *, key: bytes) -> list[Pairing]:
    """Return all matches of a tournament; seatings are indexes of the document's entries.

    Raises:
        UnknownScheduler: another release made it.
    """
    return [pairing for block in draw_document_blocks(document, key=key) for pairing in block]


def draw_document_blocks(document: Document, *, key: bytes) -> Iterator[list[Pairing]]:
    """Return the matches of `draw_schedule` block by block, drawn as they are asked for.

    Raises:
        UnknownScheduler: another release made the document.
    """
    if document["scheduler"] != SCHEDULER:
        raise UnknownScheduler(
            f"the document asks for scheduler {document['scheduler']!r}, this release has "
            f"{SCHEDULER!r}"
        )
    return draw_blocks(
        len(document["entries"]),
        seats=document["table_seats"],
        cycles=document["cycles"],
        key=key,
    )
