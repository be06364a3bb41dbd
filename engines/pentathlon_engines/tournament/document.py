"""The document of a tournament: all that decides who plays whom, and how results are rated.

```
{"format": 2, "scheduler": "round_robin/2", "commitment": "…", "game": "tuned", "rules": 1,
 "options": {}, "limits": {…all of them…}, "table_seats": 2, "cycles": 1,
 "rating_algorithm": 1, "draw_probability": 0.1,
 "entries": [{"bot": "alpha", "version": 1, "hash": "sha256:…"}, …]}
```

It has the commitment to the secret, but never the secret. It does not say whether results count on
leaderboards: a repetition of the same document must not count twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final, NamedTuple

from pentathlon_engines.errors import EngineError
from pentathlon_engines.record.record import canonical
from pentathlon_engines.tournament.schedule import SCHEDULER, Pairing, draw_blocks

FORMAT: Final = 2

SCHEDULERS: Final[Mapping[str, Callable[..., Iterator[list[Pairing]]]]] = {SCHEDULER: draw_blocks}
"""Draw the blocks of a schedule, by name and version; the newest version of a name comes last."""


class BadDocument(EngineError):
    """The document has a format that this release does not read."""

    code = "bad_document"


class UnknownScheduler(EngineError):
    """The document needs a scheduler that this release does not have."""

    code = "unknown_scheduler"


class Entrant(NamedTuple):
    """A bot version as documents name it; the hash of its files decides the seeds."""

    bot: str
    version: int
    hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentDocument:
    """The document of one tournament; None where nothing is decided yet."""

    game: str
    scheduler: str = SCHEDULER
    commitment: str | None = None
    rules: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)  # Any: the game checks the values
    limits: Mapping[str, Any] = field(default_factory=dict)  # Any: whoever sets them checks them
    table_seats: int | None = None
    cycles: int = 1
    rating_algorithm: int | None = None
    draw_probability: float | None = None
    entries: tuple[Entrant, ...] = ()

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> TournamentDocument:  # Any: JSON
        """Read a document back.

        Raises:
            BadDocument: its format is another one.
        """
        if data["format"] != FORMAT:
            raise BadDocument(f"document format {data['format']!r} is not {FORMAT}")
        return cls(
            scheduler=data["scheduler"],
            commitment=data["commitment"],
            game=data["game"],
            rules=data["rules"],
            options=data["options"],
            limits=data["limits"],
            table_seats=data["table_seats"],
            cycles=data["cycles"],
            rating_algorithm=data["rating_algorithm"],
            draw_probability=data["draw_probability"],
            entries=tuple(Entrant(**entry) for entry in data["entries"]),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the document as JSON: what is published, stored and hashed."""
        return {
            "format": FORMAT,
            "scheduler": self.scheduler,
            "commitment": self.commitment,
            "game": self.game,
            "rules": self.rules,
            "options": dict(self.options),
            "limits": dict(self.limits),
            "table_seats": self.table_seats,
            "cycles": self.cycles,
            "rating_algorithm": self.rating_algorithm,
            "draw_probability": self.draw_probability,
            "entries": [entry._asdict() for entry in self.entries],
        }

    def schedule(self, *, key: bytes) -> list[Pairing]:
        """Return all matches of a tournament; seatings are indexes of `entries`.

        Raises:
            UnknownScheduler: it needs the scheduler of another release.
        """
        return [pairing for block in self.draw_blocks(key=key) for pairing in block]

    def draw_blocks(self, *, key: bytes) -> Iterator[list[Pairing]]:
        """Return the matches of `schedule` block by block, each drawn when it is asked for.

        Raises:
            UnknownScheduler: it needs the scheduler of another release.
        """
        if self.scheduler not in SCHEDULERS:
            raise UnknownScheduler(
                f"the document asks for scheduler {self.scheduler!r}, this release has "
                f"{', '.join(map(repr, SCHEDULERS))}"
            )
        draw = SCHEDULERS[self.scheduler]
        return draw(len(self.entries), seats=self.table_seats, cycles=self.cycles, key=key)


def document_hash(document: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a document in canonical JSON.

    It is taken of the JSON as it was published, whatever this release makes of it.
    """
    return sha256(canonical(document)).hexdigest()


def newest_scheduler(kind: str) -> str:
    """Return the newest scheduler of a kind of tournament, or the name as it is if there is none.

    >>> newest_scheduler("round_robin")
    'round_robin/2'
    """
    newest = {name.partition("/")[0]: name for name in SCHEDULERS}
    return newest.get(kind, kind)
