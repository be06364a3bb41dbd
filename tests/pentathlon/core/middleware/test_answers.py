"""Answers are small on the wire."""

import asyncio
import gzip

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client

from pentathlon.core.middleware.answers import Compression, content_security_policy

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


def test_pages_allow_no_inline_code_and_no_foreign_host(client: Client) -> None:
    policy = client.get("/healthz").headers["Content-Security-Policy"]

    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    assert "*" not in policy


def test_view_may_set_a_policy_of_its_own() -> None:
    def view(request: HttpRequest) -> HttpResponse:
        return HttpResponse(headers={"Content-Security-Policy": "default-src 'none'"})

    answer = content_security_policy(view)(HttpRequest())

    assert isinstance(answer, HttpResponse)
    assert answer.headers["Content-Security-Policy"] == "default-src 'none'"


def test_asynchronous_answers_carry_the_policy_too() -> None:
    async def view(request: HttpRequest) -> HttpResponse:
        return HttpResponse()

    async def ask() -> HttpResponse:
        answer = await content_security_policy(view)(HttpRequest())  # type: ignore[misc]  # a promise
        assert isinstance(answer, HttpResponse)
        return answer

    assert "default-src" in asyncio.run(ask()).headers["Content-Security-Policy"]
