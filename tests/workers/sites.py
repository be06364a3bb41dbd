"""A site without a network: what a worker without keys asks goes straight to Django."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import urllib3
from django.test import Client
from urllib3.exceptions import ProtocolError

from pentathlon.fleet.announcements import Work
from pentathlon.fleet.models import WorkerToken
from pentathlon.fleet.tokens import create_worker_token
from tests.factories import next_number
from workers.remote.adapter import RemotePlatform
from workers.remote.client import SiteClient

SITE = "http://testserver"


class Wire:
    """Carries requests to Django; a test may break it.

    `on_request` is told each path, and may raise what a network raises. `on_answer` may change an
    answer after the site has done its work.
    """

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.on_request: Callable[[str], None] = lambda path: None
        self.on_answer: Callable[[str, bytes], bytes] = lambda path, body: body
        self._client = Client(raise_request_exception=True)

    def request(
        self,
        method: str,
        address: str,
        *,
        body: bytes | None = None,
        headers: Mapping[str, str],
        preload_content: bool = True,
        **_: Any,  # Any: times that nobody needs here
    ) -> urllib3.BaseHTTPResponse:
        """Do what `PoolManager.request` does."""
        path = address.removeprefix(SITE)
        self.paths.append(path)
        self.on_request(path)
        kind = headers.get("Content-Type", "application/octet-stream")
        answer = self._client.generic(
            method, path, body or b"", content_type=kind, headers=dict(headers)
        )
        data = self.on_answer(path, answer.content)
        return urllib3.HTTPResponse(
            io.BytesIO(data),
            status=answer.status_code,
            headers={**answer.headers, "Content-Length": str(len(answer.content))},
            preload_content=preload_content,
        )


def cut(path: str) -> None:
    """Break the connection, as `on_request` or in `on_answer`."""
    raise ProtocolError(f"Connection broken: {path}")


def make_worker_token(*work: Work) -> tuple[WorkerToken, str]:
    """Store a token that is trusted with this work, or with all; return it with its secret."""
    return create_worker_token(
        actor=None, name=f"machine {next_number()}", work=work or tuple(Work)
    )


def remote_platform(folder: Path, secret: str, wire: Wire | None = None) -> RemotePlatform:
    """Return the platform as a worker with this token sees it."""
    platform = RemotePlatform(server=SITE, token=secret, unsent=folder)
    platform.site._request = (  # type: ignore[method-assign]  # no network
        _Requests(wire or Wire(), platform.site)
    )
    return platform


class _Requests:
    def __init__(self, wire: Wire, site: SiteClient) -> None:
        self._wire = wire
        self._site = site

    def __call__(
        self, method: str, address: str, *, headers: Mapping[str, str] | None = None, **rest: Any
    ) -> urllib3.BaseHTTPResponse:
        every = {**self._site.headers, **(headers or {})}
        return self._wire.request(method, address, headers=every, **rest)
