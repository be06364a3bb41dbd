import asyncio

from django.http import HttpRequest, HttpResponse
from django.test import Client

from pentathlon.core.middleware.answers import content_security_policy


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
