"""A web server whose database or broker is away, or hangs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from email.message import Message
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, ProxyHandler, Request, build_opener

import pytest
from django.db import connection

from tests.factories import PASSWORD, make_token, make_upload, make_user
from tests.patience import PATIENCE_S
from tests.proxy import Proxy, proxy_for, server_address
from tests.workers.running import running_platform

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


@dataclass
class Site:
    """A web server behind whose back its servers can be made to hang."""

    address: str
    database: Proxy
    broker: Proxy

    def __post_init__(self) -> None:
        self._opener = build_opener(ProxyHandler({}), HTTPCookieProcessor(CookieJar()))

    def ask(
        self, path: str, *, data: bytes | None = None, **headers: str
    ) -> tuple[int, Message, bytes]:
        """Return status, headers and body."""
        request = Request(self.address + path, data=data, headers=headers)
        try:
            with self._opener.open(request, timeout=PATIENCE_S) as answer:
                return answer.status, answer.headers, answer.read()
        except HTTPError as error:
            with error:
                return error.code, error.headers, error.read()


@pytest.fixture(scope="module")
def static(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of collected static files, still empty for the first test."""
    return tmp_path_factory.mktemp("static")


@pytest.fixture
def site(tmp_path: Path, static: Path) -> Iterator[Site]:
    values = connection.settings_dict
    if connection.vendor != "postgresql":
        pytest.skip("about PostgreSQL alone")
    with ExitStack() as stack:
        platform = stack.enter_context(running_platform(tmp_path))
        host, port = values["HOST"], values["PORT"] or 5432
        target = f"{host}/.s.PGSQL.{port}" if host.startswith("/") else (host, int(port))
        database = stack.enter_context(proxy_for(target))
        broker = stack.enter_context(proxy_for(server_address(platform.environment["REDIS_URL"])))
        platform.environment |= {
            "DATABASE_URL": f"postgresql://{values['USER']}@127.0.0.1:{database.port}"
            f"/{values['NAME']}",
            "REDIS_URL": f"redis://127.0.0.1:{broker.port}/0",
            # Whole pages have the addresses of collected static files.
            "PENTATHLON_STATIC": str(static),
        }
        if not any(static.iterdir()):
            platform.run("-m", "django", "collectstatic", "--noinput")
        yield Site(platform.start_web(), database, broker)


def _sign_in(site: Site) -> int:
    _, _, page = site.ask("/sign-in/")
    token = page.decode().partition('name="csrfmiddlewaretoken" value="')[2].partition('"')[0]
    form = {"username": "ada", "password": PASSWORD, "csrfmiddlewaretoken": token}
    return site.ask("/sign-in/", data=urlencode(form).encode())[0]


def _upload(site: Site, token: str, name: str) -> int:
    head = (
        '--x\r\nContent-Disposition: form-data; name="archive"; filename="bot.zip"\r\n'
        "Content-Type: application/zip\r\n\r\n"
    )
    body = head.encode() + make_upload(name) + b"\r\n--x--\r\n"
    kind = {"Content-Type": "multipart/form-data; boundary=x"}
    return site.ask("/api/v1/bots/", data=body, Authorization=f"Bearer {token}", **kind)[0]


@pytest.mark.parametrize("how", ["hangs", "is gone"])
def test_site_does_without_its_broker(site: Site, how: str) -> None:
    _, token = make_token(make_user("ada"))
    if how == "hangs":
        site.broker.hang()
    else:
        site.broker.close()

    for path in ("/", "/games/", "/bots/", "/tournaments/", "/readyz", "/api/v1/bots/"):
        assert site.ask(path)[0] == 200, path
    assert _upload(site, token, "away") == 201
    assert _sign_in(site) == 200
    assert b"pentathlon_broker_up 0.0" in site.ask("/metrics")[2]


def test_site_whose_database_hangs_asks_for_patience(site: Site) -> None:
    assert site.ask("/")[0] == 200
    site.database.hang()

    assert site.ask("/healthz")[0] == 200
    status, headers, _ = site.ask("/")
    assert (status, headers["Retry-After"]) == (503, "5")
    status, headers, body = site.ask("/api/v1/bots/")
    assert (status, headers["Retry-After"]) == (503, "5")
    assert headers["Content-Type"] == "application/problem+json"
    assert json.loads(body)["code"] == "database_away"
    status, _, body = site.ask("/readyz")
    assert (status, json.loads(body)["ready"]) == (503, False)

    site.database.resume()
    assert site.ask("/bots/")[0] == 200


def test_site_whose_database_is_away_asks_for_patience(site: Site) -> None:
    assert site.ask("/")[0] == 200
    site.database.close()

    assert site.ask("/healthz")[0] == 200
    assert [site.ask(path)[0] for path in ("/", "/sign-in/", "/api/v1/bots/", "/readyz")] == [
        503,
        200,
        503,
        503,
    ]
