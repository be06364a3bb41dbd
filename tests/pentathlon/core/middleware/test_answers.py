"""Answers are small on the wire."""

import gzip

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client

from pentathlon.core.middleware.answers import Compression

GZIP = {"Accept-Encoding": "gzip"}


@pytest.mark.parametrize("path", ["/docs/protocol/", "/api/v1/games/", "/api/schema/"])
def test_texts_are_compressed(path: str, client: Client) -> None:
    plain, small = client.get(path), client.get(path, headers=GZIP)

    assert small["Content-Encoding"] == "gzip"
    assert gzip.decompress(small.content)[:1000] == plain.content[:1000]
    assert len(small.content) < len(plain.content) * 0.6


@pytest.mark.django_db
def test_home_is_small_on_the_wire(client: Client) -> None:
    assert len(client.get("/", headers=GZIP).content) < 40_000


@pytest.mark.parametrize("kind", ["application/zip", "text/event-stream"])
def test_what_is_packed_or_streamed_is_sent_as_it_is(kind: str) -> None:
    request = HttpRequest()
    request.META["HTTP_ACCEPT_ENCODING"] = "gzip"

    answer = Compression(lambda _: HttpResponse(b"x" * 1000, content_type=kind))(request)

    assert isinstance(answer, HttpResponse)
    assert answer.content == b"x" * 1000
