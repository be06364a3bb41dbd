"""The content types of requests and answers."""

from codecs import BOM_UTF8
from collections.abc import Iterable, Mapping
from io import BytesIO
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser, JSONParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from pentathlon.server.limits import DEEPEST_JSON


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
    """Reads JSON, but refuses documents nested too deeply."""

    def parse(
        self,
        stream: IO[Any],  # Any: as the framework has it
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Return the parsed body."""
        # Some clients write a byte order mark before their JSON.
        plain = BytesIO(stream.read().removeprefix(BOM_UTF8))
        try:
            found: dict[str, Any] = super().parse(plain, media_type, parser_context)
        except RecursionError as error:
            raise _too_deep() from error
        if _is_deeper(found, DEEPEST_JSON):
            raise _too_deep()
        return found


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
