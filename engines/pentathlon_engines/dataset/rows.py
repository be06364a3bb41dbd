"""Records as rows for learning: one row for each decision of a bot, and one for each match.

`dataset/schema.py` describes the fields. The features of a decision come from the observation of
its seat alone; the events of a match row are all that happened, as its record has it.

>>> split_of("c0ffee")
'train'
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pentathlon_engines.contract.game import State
from pentathlon_engines.match.events import Event
from pentathlon_engines.record.record import course, forked_at, start_position
from pentathlon_engines.record.shape import Record

Row = dict[str, Any]  # Any: JSON

SPLITS: Final = (("train", 80), ("validation", 10), ("test", 10))
"""The names of the splits, and their shares in per cent."""
_DIGITS: Final = 6
"""The digits of a feature after the decimal point; up to 1, as exact as float32."""
Json = Any
VERSION: Final = 1
"""Raised when a field changes its meaning or is removed; fields may be added without that."""
DECISIONS: Final = "decisions"
MATCHES: Final = "matches"
TABLES: Final = (DECISIONS, MATCHES)
_SPLIT: Final[Mapping[str, Json]] = {"enum": [name for name, _ in SPLITS]}
_INDEX: Final[Mapping[str, Json]] = {"type": "integer", "minimum": 0}
_SHARE: Final[Mapping[str, Json]] = {"type": "number", "minimum": 0, "maximum": 1}
_PLACE: Final[Mapping[str, Json]] = {
    "seat": {**_INDEX, "description": "From 0."},
    "version": {
        "type": ["integer", "null"],
        "description": "The bot version; null for records of a desk.",
    },
    "rank": {**_INDEX, "description": "0 is best; equal ranks are ties."},
    "share": {**_SHARE, "description": "Share of the other seats it beat; a tie counts half."},
    "mu": {"type": ["number", "null"], "description": "Live rating before the match."},
    "sigma": {"type": ["number", "null"], "description": "Uncertainty of mu."},
}
_DECISION: Final[Mapping[str, Json]] = {
    "match": {**_INDEX, "description": "The number of its match."},
    "split": {**_SPLIT, "description": "The split of its match."},
    "rules": {**_INDEX, "description": "Version of the rules."},
    "seats": {**_INDEX, "description": "The number of seats."},
    "fault": {"type": "boolean", "description": "A fault of some bot decided the match."},
    **_PLACE,
    "ply": {**_INDEX, "description": "Events of the match before this decision."},
    "action": {**_INDEX, "description": "The number of the action that the bot chose."},
    "legal": {
        "type": "array",
        "items": _INDEX,
        "description": "Numbers of all legal actions; all others are masked.",
    },
    "features": {
        "type": "array",
        "items": {"type": "number"},
        "description": "What the seat saw, by the encoder of the game; the length is fixed.",
    },
}
_BOT: Final[Mapping[str, Json]] = {
    "name": {"type": "string"},
    "hash": {"type": "string", "description": "Content hash of the bot's files."},
    **_PLACE,
    "score": {"type": ["integer", "null"], "description": "Points, where the game has points."},
}
_MATCH: Final[Mapping[str, Json]] = {
    "match": {**_INDEX, "description": "Its number."},
    "split": {**_SPLIT, "description": "Matches that could be the same one are all in one split."},
    "course": {"type": "string", "description": "Equal for matches that went move by move alike."},
    "game": {"type": "string"},
    "rules": {**_INDEX, "description": "Version of the rules."},
    "seats": _INDEX,
    "options": {"type": "object", "description": "All options of the game."},
    "seed": _INDEX,
    "sandbox": {"type": "string", "description": "How the bots were isolated."},
    "reason": {"type": "string", "description": "Why it ended."},
    "bots": {"type": "array", "items": {}, "description": "By seat."},
    "faults": {"type": "array", "items": {"type": "object"}},
    "decisions": {**_INDEX, "description": "The number of its rows in the other table."},
    "events": {
        "type": "array",
        "items": {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}]},
        "description": "Seat (-1: chance) and text. All that happened: more than a seat saw.",
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The facts about a match that its record does not contain."""

    match: int
    """The number of the match, unique in the dataset."""
    versions: Sequence[int | None] = ()
    """The id on its site of the bot version in each seat; empty if there is no site."""
    skills: Sequence[tuple[float, float] | None] = ()
    """The mean and uncertainty of each seat's live rating before this match; empty if unknown."""

    def version(self, seat: int) -> int | None:
        """Return the version at this seat; None if there is no site."""
        return self.versions[seat] if self.versions else None

    def skill(self, seat: int) -> tuple[float, float] | tuple[None, None]:
        """Return the rating at this seat; `(None, None)` if it is unknown."""
        return (self.skills[seat] if self.skills else None) or (None, None)


def decision_rows(record: Record, source: Source) -> Iterator[Row]:
    """Yield a row for each action that a bot chose, in order; actions of stand-ins are left out.

    Raises:
        BadRecord: the record was made with other rules.
    """
    state = start_position(record)
    common = _common(record, source)
    by_seat = [_by_seat(record, source, seat) for seat in range(record["seats"])]
    first = forked_at(record)
    for ply, row in enumerate(record["events"]):
        event = Event.of(row)
        if event.is_chance:
            state.apply_chance(event.text)
            continue
        action = state.parse(event.text)
        if event.is_by_bot and ply >= first:
            yield {
                **common,
                **by_seat[event.seat],
                "ply": ply,
                "action": action,
                "legal": state.legal_actions(),
                "features": features(state, event.seat),
            }
        # The record was verified when it was made.
        state.apply_unchecked(action)


def match_row(record: Record, source: Source) -> Row:
    """Return the row of a match; with `events`, anybody can play it again."""
    seats = range(record["seats"])
    scores = record["outcome"]["scores"]
    own = ("game", "rules", "seats", "options", "seed", "sandbox")
    return {
        "match": source.match,
        "split": split_of(_same_match(record)),
        "course": course(record),
        **{name: record[name] for name in own},  # type: ignore[literal-required]  # its fields
        "reason": record["outcome"]["reason"],
        "bots": [
            {
                **record["bots"][seat],
                **_by_seat(record, source, seat),
                "score": None if scores is None else scores[seat],
            }
            for seat in seats
        ],
        "faults": record["faults"],
        "decisions": sum(
            event.is_by_bot for event in map(Event.of, record["events"][forked_at(record) :])
        ),
        "events": [[event.seat, event.text] for event in map(Event.of, record["events"])],
    }


def features(state: State, seat: int) -> list[float]:
    """Return what a seat sees as numbers, as short as JSON can write them."""
    return [
        int(number) if number in (0, 1) else round(number, _DIGITS)
        for number in state.features(seat)
    ]


def shares(ranks: Sequence[int]) -> list[float]:
    """Return for each seat the share of the others that it beat; a tie counts half.

    >>> shares([0, 1, 1])
    [1.0, 0.25, 0.25]
    """
    others = len(ranks) - 1
    return [
        (sum(mine < rank for rank in ranks) + (ranks.count(mine) - 1) / 2) / others
        for mine in ranks
    ]


def split_of(key: str) -> str:
    """Return the split of all matches with this key; the same one forever."""
    place = int(hashlib.sha256(key.encode()).hexdigest()[:8], 16) % 100
    for name, percent in SPLITS:
        if place < percent:
            return name
        place -= percent
    raise AssertionError(SPLITS)


def _same_match(record: Record) -> str:
    """Return a key that matches share if they could be the same, so that none leaks across splits.

    Matches of one seed have the same deals. Without chance, bots that always answer alike play
    the same match with any seed.
    """
    has_chance = start_position(record).game.info.chance
    return f"seed {record['seed']}" if has_chance else course(record)


def _common(record: Record, source: Source) -> Row:
    return {
        "match": source.match,
        "split": split_of(_same_match(record)),
        "rules": record["rules"],
        "seats": record["seats"],
        "fault": bool(record["faults"]),
    }


def _by_seat(record: Record, source: Source, seat: int) -> Row:
    ranks = record["outcome"]["ranks"]
    mu, sigma = source.skill(seat)
    return {
        "seat": seat,
        "version": source.version(seat),
        "rank": ranks[seat],
        "share": shares(ranks)[seat],
        "mu": mu,
        "sigma": sigma,
    }


def schema() -> dict[str, Json]:
    """Return the schemas of both tables as one document."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A Pentathlon dataset",
        "description": f"Version {VERSION}. One JSON object a line.",
        "$defs": {
            "decision": _closed(_DECISION),
            "match": _closed({**_MATCH, "bots": {**_MATCH["bots"], "items": _closed(_BOT)}}),
        },
        "anyOf": [{"$ref": "#/$defs/decision"}, {"$ref": "#/$defs/match"}],
    }


def _closed(fields: Mapping[str, Json]) -> dict[str, Json]:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(fields),
        "properties": dict(fields),
    }
