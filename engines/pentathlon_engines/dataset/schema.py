"""The JSON Schema of the rows of a dataset."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pentathlon_engines.dataset.rows import SPLITS

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
