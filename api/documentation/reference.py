"""The OpenAPI document as values for pages: groups of operations, and the shapes they use."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import quote, urlencode

import yaml
from django.utils.safestring import SafeString

from api.protocol.endpoint import LARGEST_ID
from pentathlon.core.documents import render_line, render_markdown

_Told = Mapping[str, Any]  # Any: JSON
_WHO: Final = {
    "token": '-H "Authorization: Bearer $TOKEN"',
    "worker": '-H "Authorization: Bearer $WORKER_TOKEN"',
    "password": "-u ada",
    "cookieAuth": '-b cookies.txt -H "X-CSRFToken: $CSRF_TOKEN"',
}
"""The arguments of curl for the first way of signing in that an operation takes."""
_BODY: Final = "body.json"
_LONGEST_BODY: Final = 300
_CUT: Final = "…"
_MOST_LINES: Final = 60
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


def curl_command(method: str, path: str, told: _Told) -> str:
    """Return the command that makes the example of an operation.

    The site and the token are shell variables, `SITE` and `TOKEN`.
    """
    parameters = [each for each in told.get("parameters", ()) if "example" in each]
    places = {each["name"]: each["example"] for each in parameters if each["in"] == "path"}
    query = {each["name"]: each["example"] for each in parameters if each["in"] == "query"}
    for name, value in places.items():
        path = path.replace(f"{{{name}}}", quote(str(value)))
    address = f"$SITE{path}" + (f"?{urlencode(query)}" if query else "")
    body = [*_body(told.get("requestBody", {}))]
    words = [f'curl "{address}"', *_signed(told.get("security", [{}])), *body]
    if method != ("POST" if body else "GET"):
        words[0] = f'curl -X {method} "{address}"'
    if "application/zip" in _content_of(told["responses"].get("200", {})):
        words.append("-O")
    text = " \\\n  ".join(words)
    long = _long_body(told.get("requestBody", {}))
    return f"{text}\n\n# {_BODY}\n{long}" if long else text


def example_of(content: _Told) -> str:
    """Return the example of an answer as text, cut if it is long; empty if there is none."""
    for kind, told in _content_of(content).items():
        if "example" in told:
            found = told["example"]
            text = found if isinstance(found, str) and "json" not in kind else _pretty(found)
            lines = text.splitlines()
            return "\n".join([*lines[:_MOST_LINES], *([_CUT] if lines[_MOST_LINES:] else [])])
    return ""


def _signed(ways: list[dict[str, Any]]) -> Iterator[str]:  # Any: JSON
    if not ways or {} in ways:
        return
    yield from (_WHO[name] for name in ways[0] if name in _WHO)


def _body(told: _Told) -> Iterator[str]:
    for kind, content in _content_of(told).items():
        if "example" not in content:
            continue
        body = content["example"]
        if "json" in kind:
            yield f"--json @{_BODY}" if _long_body(told) else f"--json {_quoted(body)}"
            continue
        for name, value in body.items():
            for each in value if isinstance(value, list) else [value]:
                yield f"-F {shlex.quote(f'{name}={each}')}"


def _long_body(told: _Told) -> str:
    """Return the example of a body that is too long for a command; empty if it is short."""
    for kind, content in _content_of(told).items():
        body = content.get("example")
        if "json" in kind and body is not None:
            text = _quoted(body)
            return _pretty(body) if _CUT in text or len(text) > _LONGEST_BODY else ""
    return ""


def _quoted(body: object) -> str:
    return shlex.quote(json.dumps(body, ensure_ascii=False))


def _pretty(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _content_of(told: _Told) -> _Told:
    found: _Told = told.get("content", {})
    return found


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
