"""Answers of any length as lines of JSON, stretch after stretch."""

from typing import Final

from django.http import HttpResponse
from django.utils.cache import patch_vary_headers

from pentathlon.core.server.continuations import HEADER

LINES: Final = "application/x-ndjson"


def stretch_of_lines(lines: bytes, *, following: str) -> HttpResponse:
    """Answer with lines and the query for the next ones; empty if there are no more."""
    headers = {HEADER: following, "Cache-Control": "no-store"}
    answer = HttpResponse(lines, content_type=LINES, headers=headers)
    patch_vary_headers(answer, ("Accept-Encoding",))
    return answer
