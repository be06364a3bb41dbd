"""The JSON Schema of tournament documents, and the places where a posted value breaks it."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pentathlon_engines import GAMES
from pentathlon_engines.tournament.document import FORMAT
from pentathlon_engines.tournament.formats.interface import LAWS, Problem
from pentathlon_engines.tournament.formats.parameters import schema_of
from pentathlon_engines.tournament.formats.registry import FORMATS
from pentathlon_engines.tournament.tie_breaks import TIE_BREAKS

Json = Any

_LONGEST_NAME: Final = 60
"""The most characters of an unknown name that a pointer repeats."""
_NUMBER_OR_NULL: Final = {"type": ["number", "null"]}
_ENTRANT: Final[Mapping[str, Json]] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["hash"],
    "properties": {
        "bot": {"type": "string"},
        "version": {"type": "integer"},
        "hash": {"type": "string", "description": "Content hash of the version's archive."},
        "author": {"type": "string"},
        "strength": {**_NUMBER_OR_NULL, "description": "For seeding, higher is better."},
    },
}
_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def document_schema() -> dict[str, Json]:
    """Return the JSON Schema of tournament documents, made from games and formats."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Tournament document",
        "type": "object",
        "additionalProperties": False,
        "required": ["format", "scheduler", "game", "entries"],
        "properties": {
            "format": {"const": FORMAT},
            "scheduler": {"type": "string", "enum": list(FORMATS)},
            "params": {"type": "object", "description": "As the scheduler demands: see `allOf`."},
            "commitment": {
                "type": ["string", "null"],
                "description": "That of the original tournament; a new tournament gets its own.",
            },
            "game": {"type": "string", "enum": list(GAMES)},
            "rules": {"type": ["integer", "null"], "description": "Version; null: the newest."},
            "options": {"type": "object", "default": {}},
            "limits": {"type": "object", "default": {}},
            "table_seats": {"type": ["integer", "null"], "default": None},
            "rating_algorithm": {"type": ["integer", "null"], "default": None},
            "draw_probability": {**_NUMBER_OR_NULL, "default": None},
            "beta": {**_NUMBER_OR_NULL, "default": None},
            "tie_breaks": {
                "type": "array",
                "items": {"enum": list(TIE_BREAKS)},
                "uniqueItems": True,
                "default": [],
                "description": "What orders the table; empty: the order of the scheduler.",
            },
            "leaving": {
                "type": ["string", "null"],
                "enum": [*LAWS, None],
                "default": None,
                "description": "The law about bots that leave; null: that of the scheduler.",
            },
            "entries": {"type": "array", "items": dict(_ENTRANT)},
        },
        "allOf": [
            {
                "if": {"properties": {"scheduler": {"const": name}}},
                "then": {
                    "properties": {
                        "params": schema_of(scheduling.parameters),
                        "leaving": {"enum": [*scheduling.laws, None]},
                    }
                },
            }
            for name, scheduling in FORMATS.items()
        ],
    }


def wrong_shapes(value: Json) -> Iterator[Problem]:
    """Yield where a document is not as the schema has it, as far as types and names go.

    `checks` judges what values mean, and says more about them than a schema can.
    """
    yield from _wrong_shapes(value, document_schema(), "")


def _wrong_shapes(value: Json, schema: Mapping[str, Json], at: str) -> Iterator[Problem]:
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(_is(value, kind) for kind in kinds):
        yield Problem(at, "bad_type", f"This must be {' or '.join(kinds)}.", list(kinds))
        return
    if "const" in schema and value != schema["const"]:
        sentence = f"This must be {schema['const']!r}."
        yield Problem(at, "bad_value", sentence, [schema["const"]])
    if isinstance(value, dict) and "properties" in schema:
        yield from _wrong_members(value, schema, at)
    if isinstance(value, list):
        for number, each in enumerate(value):
            yield from _wrong_shapes(each, schema.get("items", {}), f"{at}/{number}")


def _wrong_members(
    value: Mapping[str, Json], schema: Mapping[str, Json], at: str
) -> Iterator[Problem]:
    known = list(schema["properties"])
    for name in schema.get("required", ()):
        if name not in value:
            yield Problem(f"{at}/{name}", "required", "This is missing.")
    for name, each in value.items():
        if name in known:
            yield from _wrong_shapes(each, schema["properties"][name], f"{at}/{name}")
        else:
            sentence = f"There is no such field. Known: {', '.join(known)}."
            pointer = f"{at}/{escape(str(name)[:_LONGEST_NAME])}"
            yield Problem(pointer, "unknown_field", sentence, known)


def escape(name: str) -> str:
    """Return a name as a part of a JSON pointer.

    >>> escape("a/b~c")
    'a~1b~0c'
    """
    return name.replace("~", "~0").replace("/", "~1")


def _is(value: Json, kind: str) -> bool:
    # To Python, True is an integer.
    return isinstance(value, _TYPES[kind]) and (kind == "boolean") == isinstance(value, bool)
