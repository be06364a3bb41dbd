"""The document of a tournament: all that decides who plays whom, and how results are rated.

```
{"format": 4, "scheduler": "swiss/1", "params": {…all of them…}, "commitment": "…",
 "game": "tuned", "rules": 1, "options": {…}, "limits": {…}, "table_seats": 2,
 "rating_algorithm": 1, "draw_probability": 0.1, "beta": 4.166666666666667,
 "tie_breaks": ["points", …], "leaving": "forfeit",
 "entries": [{"bot": "alpha", "version": 1, "hash": "sha256:…", "author": "ann",
              "strength": null}, …]}
```

It has the commitment to the secret, but never the secret. `tie_breaks` order the table, and
`leaving` is the law about bots that leave; both are written out, so the document alone decides. It
does not say whether results count on leaderboards: a repetition of the same document must not
count twice.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, Final, NamedTuple

from pentathlon_engines.errors import EngineError
from pentathlon_engines.record.record import canonical
from pentathlon_engines.seeds import SECRET_BYTES
from pentathlon_engines.tournament.formats.interface import FieldEntry, Format, Plan
from pentathlon_engines.tournament.formats.parameters import full_params
from pentathlon_engines.tournament.formats.registry import FORMATS

FORMAT: Final = 4

_USUAL_DRAWS: Final = 0.1


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
    author: str = ""
    """The author or the team; formats may keep entries of one author apart."""
    strength: float | None = None
    """The strength for seeding, higher is better; None if it is unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentDocument:
    """The document of one tournament; None where nothing is decided yet."""

    game: str
    scheduler: str = "round_robin/2"
    params: Mapping[str, Any] = field(default_factory=dict)  # Any: the format checks the values
    commitment: str | None = None
    rules: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)  # Any: the game checks the values
    limits: Mapping[str, Any] = field(default_factory=dict)  # Any: whoever sets them checks them
    table_seats: int | None = None
    rating_algorithm: int | None = None
    draw_probability: float | None = None
    beta: float | None = None
    tie_breaks: tuple[str, ...] = ()
    """What orders the table, most important first; empty for the order of the format."""
    leaving: str | None = None
    """The law about bots that leave, one of `LAWS`; None for that of the format."""
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
            params=data["params"],
            commitment=data["commitment"],
            game=data["game"],
            rules=data["rules"],
            options=data["options"],
            limits=data["limits"],
            table_seats=data["table_seats"],
            rating_algorithm=data["rating_algorithm"],
            draw_probability=data["draw_probability"],
            beta=data["beta"],
            tie_breaks=tuple(data["tie_breaks"]),
            leaving=data["leaving"],
            entries=tuple(Entrant(**entry) for entry in data["entries"]),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the document as JSON of the present format: what is published and hashed."""
        return {
            "format": FORMAT,
            "scheduler": self.scheduler,
            "params": dict(self.params),
            "commitment": self.commitment,
            "game": self.game,
            "rules": self.rules,
            "options": dict(self.options),
            "limits": dict(self.limits),
            "table_seats": self.table_seats,
            "rating_algorithm": self.rating_algorithm,
            "draw_probability": self.draw_probability,
            "beta": self.beta,
            "tie_breaks": list(self.tie_breaks),
            "leaving": self.leaving,
            "entries": [entry._asdict() for entry in self.entries],
        }

    @property
    def scheduling(self) -> Format:
        """The format that makes its pairings.

        Raises:
            UnknownScheduler: it needs the scheduler of another release.
        """
        if self.scheduler not in FORMATS:
            raise UnknownScheduler(
                f"the document asks for scheduler {self.scheduler!r}, this release has "
                f"{', '.join(map(repr, FORMATS))}"
            )
        return FORMATS[self.scheduler]

    def written_out(self) -> TournamentDocument:
        """Return the document with parameters, tie-breaks and law of its format filled in.

        Raises:
            UnknownScheduler: it needs the scheduler of another release.
        """
        scheduling = self.scheduling
        full = replace(self, params=full_params(scheduling.parameters, self.params))
        return replace(
            full,
            tie_breaks=self.tie_breaks or scheduling.order(full.plan(key=bytes(SECRET_BYTES))),
            leaving=self.leaving or scheduling.laws[0],
        )

    def plan(self, *, key: bytes) -> Plan:
        """Return what the format is told; a dry run takes 32 zero bytes as the key."""
        drawn = self.draw_probability
        return Plan(
            seats=self.table_seats or 0,
            params=self.params,
            key=key,
            draw_probability=_USUAL_DRAWS if drawn is None else drawn,
        )

    def field(
        self, *, left: Collection[int] = (), ever_left: Collection[int] = ()
    ) -> list[FieldEntry]:
        """Return the entries as the format sees them after those in `left` have left.

        Those in `ever_left` had left when earlier blocks were made.
        """
        return [
            FieldEntry(
                number=number,
                # An entry whose author is unknown has an author of its own.
                author=entry.author or f"#{number}",
                is_active=number not in left,
                strength=entry.strength,
                has_returned=number in ever_left and number not in left,
            )
            for number, entry in enumerate(self.entries)
        ]


def document_hash(document: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a document in canonical JSON.

    The hash is that of the JSON as published, whatever this release makes of it.
    """
    return sha256(canonical(document)).hexdigest()
