"""The `pentathlon` command and the site in one process: real requests, no sockets."""

import io
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import urllib3
from django.test import Client

from pentathlon.accounts.models import Scope, User
from pentathlon_engines.cli import receipts
from pentathlon_engines.cli.client import connection, http_site
from pentathlon_engines.cli.client.connection import SITE_VARIABLE, TOKEN_VARIABLE
from pentathlon_engines.cli.commands import login
from tests.engines.commands import Run, run_in_process
from tests.factories import make_token, make_user

SITE = "http://testserver"


class SiteInProcess(urllib3.PoolManager):
    """Hands what urllib3 would send to Django."""

    def urlopen(  # type: ignore[override]  # fewer names
        self, method: str, url: str, redirect: bool = True, **sent: Any
    ) -> urllib3.HTTPResponse:
        """Answer a request."""
        parts = urlsplit(url)
        headers = dict(sent.get("headers") or {})
        response = Client().generic(
            method,
            f"{parts.path}?{parts.query}" if parts.query else parts.path,
            sent.get("body") or b"",
            content_type=headers.pop("Content-Type", "application/octet-stream"),
            headers=headers,
        )
        chunks: Any = response if response.streaming else [response.content]
        return urllib3.HTTPResponse(
            body=io.BytesIO(b"".join(chunks)),
            headers=dict(response.headers),
            status=response.status_code,
            reason=response.reason_phrase,
            preload_content=sent.get("preload_content", True),
        )


@pytest.fixture(autouse=True)
def _at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the person a home of their own, and nobody's environment."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(connection, "credentials_path", lambda: tmp_path / "home/tokens.json")
    monkeypatch.setattr(receipts, "logs_path", lambda: tmp_path / "home/logs.json")
    for name in (SITE_VARIABLE, TOKEN_VARIABLE):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(http_site, "_pool", lambda origin: SiteInProcess())


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs the command in this process."""
    return run_in_process(monkeypatch, capsys)


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that takes what happens on the site, one thing each time one waits."""

    def take(*steps: Callable[[], object]) -> None:
        left = list(steps)

        def sleep(seconds: float) -> None:
            assert left, "the command waits for something that never happens"
            left.pop(0)()

        monkeypatch.setattr(time, "sleep", sleep)
        monkeypatch.setattr(login.await_token, "__kwdefaults__", {"sleep": sleep})

    return take


@pytest.fixture
def author(monkeypatch: pytest.MonkeyPatch) -> User:
    """Return a person whose token and site are in the environment."""
    person = make_user("author")
    sign_in(person, monkeypatch)
    return person


def sign_in(person: User, monkeypatch: pytest.MonkeyPatch, *scopes: str) -> None:
    """Put a token of this person into the environment."""
    _, secret = make_token(person, scopes=scopes or tuple(Scope.values))
    monkeypatch.setenv(TOKEN_VARIABLE, secret)
    monkeypatch.setenv(SITE_VARIABLE, SITE)
