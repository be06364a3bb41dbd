"""Checks what a tournament asks of a format, with a sentence for everything that is wrong."""

from collections.abc import Mapping
from typing import Any, Final

from pentathlon_engines.tournament.formats.interface import (
    MOST_SEATS,
    PAIR,
    Parameter,
    Plan,
    Problem,
)

Json = Any

_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list, tuple),
    "null": (type(None),),
}
SAME_AUTHOR: Final = Parameter(
    default=True, schema={"type": "boolean"}, text="Whether two bots of one author may meet."
)
"""The parameter of formats whose pairs are known from the start."""


def full_params(
    parameters: Mapping[str, Parameter],
    given: Mapping[str, Any],  # Any: JSON
) -> dict[str, Any]:  # Any: JSON
    """Return the given parameters with the defaults of all others."""
    return {name: parameter.default for name, parameter in parameters.items()} | dict(given)


def schema_of(parameters: Mapping[str, Parameter]) -> dict[str, Any]:  # Any: JSON
    """Return the JSON Schema of a format's `params`."""
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            name: {**parameter.schema, "default": parameter.default, "description": parameter.text}
            for name, parameter in parameters.items()
        },
    }


def check_params(parameters: Mapping[str, Parameter], plan: Plan) -> list[Problem]:
    """Check each parameter by its schema, and that there are no others."""
    problems = [
        Problem(
            f"/params/{name}",
            "unknown_parameter",
            f"There is no parameter {name!r}: take it out.",
            sorted(parameters),
        )
        for name in sorted(set(plan.params) - set(parameters))
    ]
    for name, parameter in parameters.items():
        value = plan.params.get(name, parameter.default)
        if not _fits(value, parameter.schema):
            sentence = f"{name} must be {_describe(parameter.schema)}."
            problems.append(Problem.of_param(name, sentence, dict(parameter.schema)))
    return problems


def check_seats(plan: Plan, *, fewest: int = PAIR, most: int = MOST_SEATS) -> list[Problem]:
    """Check that the format has tables of this size."""
    if fewest <= plan.seats <= most:
        return []
    return [
        Problem(
            "/table_seats",
            "bad_table_seats",
            f"This format needs {_range(fewest, most)} seats at a table, not {plan.seats}.",
            list(range(fewest, most + 1)),
        )
    ]


def check_entries(entries: int, *, fewest: int, most: int | None = None) -> list[Problem]:
    """Check the number of bots."""
    if entries < fewest:
        return [
            Problem(
                "/entries",
                "too_few_entries",
                f"At least {fewest} bots must take part, not {entries}.",
                {"minItems": fewest},
            )
        ]
    if most is not None and entries > most:
        return [
            Problem(
                "/entries",
                "too_many_entries",
                f"At most {most} bots can take part, not {entries}.",
                {"maxItems": most},
            )
        ]
    return []


def _fits(value: Json, schema: Mapping[str, Any]) -> bool:  # Any: JSON
    """Whether a value has the type and lies within the bounds; for the few words used here."""
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    kind = next((kind for kind in kinds if _is(value, kind)), None)
    if kind is None:
        return False
    if "enum" in schema and value not in schema["enum"]:
        return False
    if kind in {"integer", "number"}:
        low, high = schema.get("minimum", value), schema.get("maximum", value)
        return bool(low <= value <= high)
    if kind == "array":
        items = [_fits(item, schema["items"]) for item in value]
        is_unique = not schema.get("uniqueItems") or len(set(value)) == len(value)
        return all(items) and is_unique and len(value) >= schema.get("minItems", 0)
    return True


def _is(value: Json, kind: str) -> bool:
    # To Python, True is an integer.
    return isinstance(value, _TYPES[kind]) and (kind == "boolean") == isinstance(value, bool)


def _describe(schema: Mapping[str, Any]) -> str:  # Any: JSON
    if "enum" in schema:
        return f"one of {', '.join(map(str, schema['enum']))}"
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    words = {
        "integer": f"a whole number{_bounds(schema)}",
        "number": f"a number{_bounds(schema)}",
        "boolean": "true or false",
        "array": "a list of different entry numbers",
        "null": "null",
    }
    return " or ".join(words[kind] for kind in kinds)


def _bounds(schema: Mapping[str, Any]) -> str:  # Any: JSON
    if "minimum" not in schema:
        return ""
    if "maximum" not in schema:
        return f" of {schema['minimum']} or more"
    return f" from {schema['minimum']} to {schema['maximum']}"


def _range(fewest: int, most: int) -> str:
    return str(fewest) if fewest == most else f"{fewest} to {most}"
