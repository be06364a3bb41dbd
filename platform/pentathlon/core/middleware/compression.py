"""Compression of pages, JSON, tables and drawings."""

from http import HTTPStatus
from typing import Final

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware

_PACKED: Final = (
    "application/gzip",
    "application/octet-stream",
    "application/vnd.apache.parquet",
    "application/zip",
    "application/zstd",
    "image/png",
)

_IN_PART: Final = (HTTPStatus.PARTIAL_CONTENT, HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE)


class Compression(GZipMiddleware):
    """Django's compression, which adds random bytes so that sizes tell no secrets.

    It leaves out streams, packed files and parts of files. Static files are compressed when they
    are collected.
    """

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        """Compress an answer whose client can read it."""
        if response.status_code in _IN_PART:
            return response
        kind = response.headers.get("Content-Type", "").partition(";")[0]
        if kind in _PACKED or kind == "text/event-stream":
            return response
        return super().process_response(request, response)
