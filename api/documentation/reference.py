"""The OpenAPI document as values for pages: groups of operations, and the shapes they use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, NamedTuple

import yaml
from django.utils.safestring import SafeString

from api.documentation.curl import curl_command, example_of
from api.protocol.endpoint import LARGEST_ID
from pentathlon.core.documents import render_line, render_markdown

DOCUMENT: Final = Path(__file__).parents[1] / "schema.yaml"
_METHODS: Final = ("get", "post", "put", "patch", "delete")
_PREFIX: Final = "#/components/schemas/"
_FACTS: Final = {
    "default": "default {}",
    "minimum": "from {}",
    "maximum": "to {}",
    "minItems": "at least {}",
    "maxItems": "at most {}",
    "maxLength": "at most {} characters",
}
_SAYS_NOTHING: Final = (LARGEST_ID, 2**63 - 1)
"""Bounds that nobody reaches, and that are left out."""
_Schema = Mapping[str, Any]  # Any: JSON


class Piece(NamedTuple):
    """A part of a type in words; `shape` names the shape that it links to, if it does."""

    text: str
    shape: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A parameter, or a field of a shape."""

    name: str
    type: tuple[Piece, ...]
    about: SafeString
    is_required: bool
    place: str = ""
    """Where a parameter stands: path, query or header. Empty for other fields."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """An object of JSON that the API takes or gives, or the choices of a text."""

    name: str
    about: SafeString
    fields: tuple[Field, ...]
    type: tuple[Piece, ...]
    """The type of a shape that is not an object with fields."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Success:
    """The answer to a request that succeeds."""

    status: int
    words: str
    type: tuple[Piece, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One request."""

    key: str
    method: str
    path: str
    title: SafeString
    about: SafeString
    is_open: bool
    """Whether it may be requested without a token."""
    parameters: tuple[Field, ...]
    body: tuple[Piece, ...]
    answers: tuple[Success, ...]
    refusals: tuple[int, ...]
    command: str
    """An example of a request, for a shell."""
    example: str
    """The answer to an example; empty if it is not text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationGroup:
    """The operations about one kind of thing, and all shapes that they mention."""

    key: str
    operations: tuple[Operation, ...]
    shapes: tuple[Shape, ...]

    @property
    def title(self) -> str:
        """Return the key as words."""
        return self.key.replace("-", " ").capitalize()


@cache
def groups() -> Mapping[str, OperationGroup]:
    """Return all groups by their keys, in alphabetical order."""
    with DOCUMENT.open("rb") as file:
        document = yaml.load(file, yaml.CSafeLoader)
    schemas: Mapping[str, _Schema] = document["components"]["schemas"]
    found: dict[str, list[Operation]] = {}
    for path, methods in document["paths"].items():
        for method in _METHODS:
            if method in methods:
                operation = methods[method]
                found.setdefault(operation["tags"][0], []).append(
                    _operation(path, method, operation)
                )
    return {
        key: OperationGroup(
            key=key, operations=tuple(operations), shapes=tuple(_shapes(operations, schemas))
        )
        for key, operations in sorted(found.items())
    }


def _operation(path: str, method: str, told: _Schema) -> Operation:
    answers = {int(status): answer for status, answer in told["responses"].items()}
    return Operation(
        key=told["operationId"],
        method=method.upper(),
        path=path,
        title=render_line(told["summary"]),
        about=render_markdown(_text_below(told["summary"], told.get("description", ""))),
        is_open={} in told.get("security", [{}]),
        parameters=tuple(map(_parameter, told.get("parameters", ()))),
        body=_content(told.get("requestBody", {})),
        answers=tuple(
            Success(status=status, words=HTTPStatus(status).phrase, type=_content(answer))
            for status, answer in answers.items()
            if status < HTTPStatus.BAD_REQUEST
        ),
        refusals=tuple(status for status in answers if status >= HTTPStatus.BAD_REQUEST),
        command=curl_command(method.upper(), path, told),
        example=next(filter(None, map(example_of, answers.values())), ""),
    )


def _text_below(title: str, text: str) -> str:
    """Return a text without its first paragraph if that is the title."""
    first, _, rest = text.partition("\n\n")
    return rest if first.removesuffix(".") == title else text


def _parameter(told: _Schema) -> Field:
    return Field(
        name=told["name"],
        type=_type(told["schema"]),
        about=render_markdown(told.get("description") or told["schema"].get("description", "")),
        is_required=told.get("required", False),
        place=told["in"],
    )


def _content(told: _Schema) -> tuple[Piece, ...]:
    """Return the type of a body, with all its kinds of content."""
    pieces: list[Piece] = []
    for kind, content in told.get("content", {}).items():
        schema = content.get("schema", {})
        words = _type(schema)
        if "json" not in kind or schema.get("format") == "binary":
            words = (Piece(kind),)
        if words not in [(piece,) for piece in pieces]:
            pieces += [*([Piece(" or ")] if pieces else []), *words]
    return tuple(pieces)


def _type(told: _Schema) -> tuple[Piece, ...]:
    """Return a type in words.

    >>> "".join(piece.text for piece in _type({"type": ["integer", "null"], "minimum": 1}))
    'integer or null (from 1)'
    """
    facts = [
        words.format(told[name])
        for name, words in _FACTS.items()
        if name in told and told[name] not in _SAYS_NOTHING
    ]
    pieces = [*_bare_type(told)]
    if told.get("nullable"):
        pieces.append(Piece(" or null"))
    if facts:
        pieces.append(Piece(f" ({', '.join(facts)})"))
    return tuple(pieces)


def _bare_type(told: _Schema) -> Iterator[Piece]:
    kinds = told.get("type", "")
    if "$ref" in told:
        name = told["$ref"].removeprefix(_PREFIX)
        yield Piece(name, name)
    elif several := told.get("oneOf") or told.get("anyOf") or told.get("allOf"):
        for index, each in enumerate(several):
            if index:
                yield Piece(" or ")
            yield from _type(each)
    elif "enum" in told:
        yield Piece(" | ".join(f"“{each}”" for each in told["enum"]))
    elif kinds == "array":
        yield Piece("list of ")
        yield from _type(told.get("items", {}))
    else:
        names = [kinds] if isinstance(kinds, str) else kinds
        text = " or ".join(names) or "any JSON"
        yield Piece(
            f"{text}, {told['format']}" if told.get("format", "double") != "double" else text
        )


def _shapes(operations: Iterable[Operation], schemas: Mapping[str, _Schema]) -> Iterator[Shape]:
    """Return the shapes that operations mention, directly or through others, sorted by name."""
    waiting = {
        piece.shape
        for operation in operations
        for pieces in (
            operation.body,
            *(answer.type for answer in operation.answers),
            *(parameter.type for parameter in operation.parameters),
        )
        for piece in pieces
        if piece.shape
    }
    found: dict[str, Shape] = {}
    while waiting:
        name = waiting.pop()
        found[name] = shape = _shape(name, schemas[name])
        types = [shape.type, *(field.type for field in shape.fields)]
        waiting |= {piece.shape for pieces in types for piece in pieces if piece.shape}
        waiting -= found.keys()
    return (found[name] for name in sorted(found))


def _shape(name: str, told: _Schema) -> Shape:
    required = told.get("required", ())
    fields = tuple(
        Field(
            name=field,
            type=_type(schema),
            about=render_markdown(schema.get("description", "")),
            is_required=field in required,
        )
        for field, schema in told.get("properties", {}).items()
    )
    return Shape(
        name=name,
        about=render_markdown(told.get("description", "")),
        fields=fields,
        type=() if fields else _type(told),
    )
