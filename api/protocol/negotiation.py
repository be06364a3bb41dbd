"""The content types of requests and answers."""

import json
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import IO, Any, Final

from django.conf import settings
from django.http import HttpResponse
from django.utils.cache import patch_vary_headers
from rest_framework.exceptions import ErrorDetail, ParseError, UnsupportedMediaType
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser, JSONParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from pentathlon.core.errors import InvalidInput
from pentathlon.core.server.continuations import HEADER
from pentathlon.core.server.limits import DEEPEST_JSON

_GZIP: Final = b"\x1f\x8b"
_LONGEST_SHOWN: Final = 60
LINES: Final = "application/x-ndjson"


class UnknownBody(UnsupportedMediaType):
    """A body that is not read here; says what would be."""

    def __init__(self, sent: str, *, allowed: Sequence[str]) -> None:
        super().__init__(sent)
        self.detail = ErrorDetail(
            f"A body of the type {sent[:_LONGEST_SHOWN]!r} is not read here. Send "
            f"{' or '.join(allowed)}.",
            code=self.default_code,
        )
        self.allowed = list(allowed)


class PackedBody(UnsupportedMediaType):
    """A body in an encoding, such as gzip, which no address reads."""

    def __init__(self, encoding: str) -> None:
        super().__init__(encoding)
        self.detail = ErrorDetail(
            f"The body is packed ({encoding[:_LONGEST_SHOWN]}). Send it as it is, without "
            "Content-Encoding.",
            code="packed_body",
        )


def check_encoding(request: Request) -> None:
    """Refuse a packed body before anything tries to read it."""
    encoding = request.headers.get("Content-Encoding", "").strip().lower()
    if encoding not in {"", "identity"}:
        raise PackedBody(encoding)


class OneKind(BaseContentNegotiation):
    """Every address returns one content type, whatever the client accepts."""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser | None:
        """Return the parser for the request's content type, or None."""
        sent = (request.content_type or "").partition(";")[0].strip().lower()
        return next((parser for parser in parsers if parser.media_type == sent), None)

    def select_renderer(
        self,
        request: Request,
        renderers: Iterable[BaseRenderer],
        format_suffix: str | None = None,
    ) -> tuple[BaseRenderer, str]:
        """Return the first renderer."""
        renderer = next(iter(renderers))
        return renderer, renderer.media_type or ""


class ShallowJSONParser(JSONParser):
    """Reads JSON, but refuses documents nested too deeply, and keys that occur twice."""

    def parse(
        self,
        stream: IO[Any],  # Any: as the framework has it
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Return the parsed body."""
        # Some clients write a byte order mark before their JSON.
        data: bytes = stream.read().removeprefix(BOM_UTF8)
        if data.startswith(_GZIP):
            raise PackedBody("gzip")
        encoding = (parser_context or {}).get("encoding", settings.DEFAULT_CHARSET)
        repeating: list[_Repeating] = []
        try:
            found: dict[str, Any] = json.loads(
                data.decode(encoding),
                parse_constant=_refuse_constant,
                object_pairs_hook=lambda pairs: _object_of(pairs, repeating),
            )
        except RecursionError as error:
            raise _too_deep() from error
        except ValueError as error:
            raise ParseError(f"JSON parse error - {error}") from error
        if _is_deeper(found, DEEPEST_JSON):
            raise _too_deep()
        if repeating:
            raise _repeated(found, repeating[0])
        return found


class _Repeating(dict[str, Any]):
    """An object with a key that occurs twice in its text."""

    key = ""


def _object_of(pairs: list[tuple[str, Any]], repeating: list[_Repeating]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    bad = _Repeating(found)
    ((bad.key, _),) = Counter(key for key, _ in pairs).most_common(1)
    repeating.append(bad)
    return bad


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def _repeated(found: object, bad: _Repeating) -> InvalidInput:
    path = next((path for path, value in _values(found, ()) if value is bad), ())
    place = [*path, bad.key]
    return InvalidInput(
        f"The key {bad.key[:_LONGEST_SHOWN]!r} occurs twice in one object. Send it once.",
        code="repeated_key",
        field=".".join(place),
        pointer="".join(f"/{part.replace('~', '~0').replace('/', '~1')}" for part in place),
    )


def _values(value: object, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], object]]:
    """Yield a value and all within it, each with its path; call it for what is not too deep."""
    yield path, value
    if isinstance(value, dict | list):
        parts = value.items() if isinstance(value, dict) else enumerate(value)
        for name, part in parts:
            yield from _values(part, (*path, str(name)))


def _is_deeper(value: object, levels: int) -> bool:
    """Return whether a value has more levels; goes down level by level, without recursion."""
    level = [value]
    for _ in range(levels):
        level = [
            part
            for each in level
            if isinstance(each, dict | list)
            for part in (each.values() if isinstance(each, dict) else each)
            if isinstance(part, dict | list)
        ]
        if not level:
            return False
    return True


def _too_deep() -> ParseError:
    return ParseError(f"The JSON is nested too deep: {DEEPEST_JSON} levels are allowed.")


def stretch_of_lines(lines: bytes, *, following: str) -> HttpResponse:
    """Answer with lines and the query for the next ones; empty if there are no more."""
    headers = {HEADER: following, "Cache-Control": "no-store"}
    answer = HttpResponse(lines, content_type=LINES, headers=headers)
    patch_vary_headers(answer, ("Accept-Encoding",))
    return answer
