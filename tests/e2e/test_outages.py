"""A web server whose database or broker is away or hangs, or whose disk is full."""

from __future__ import annotations

import json
import resource
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from email.message import Message
from http import HTTPStatus
from http.cookiejar import CookieJar
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, ProxyHandler, Request, build_opener

import pytest
from django.db import connection

from pentathlon.core.server.limits import IN_MEMORY
from tests.deep import mostly_deep
from tests.factories import PASSWORD, make_token, make_upload, make_user
from tests.patience import PATIENCE_S
from tests.proxy import Proxy, proxy_for, server_address
from tests.workers.running import running_platform

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


@dataclass
class Site:
    """A web server behind whose back what it needs can be taken away."""

    address: str
    process_id: int
    database: Proxy
    broker: Proxy

    def __post_init__(self) -> None:
        self.forget_cookies()

    def forget_cookies(self) -> None:
        """Ask as somebody who has never been here."""
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
def site(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One web server for all outages: after each it has to recover by itself."""
    values = connection.settings_dict
    if connection.vendor != "postgresql":
        pytest.skip("about PostgreSQL alone")
    folder = tmp_path_factory.mktemp("site")
    with ExitStack() as stack:
        platform = stack.enter_context(running_platform(folder))
        host, port = values["HOST"], values["PORT"] or 5432
        target = f"{host}/.s.PGSQL.{port}" if host.startswith("/") else (host, int(port))
        database = stack.enter_context(proxy_for(target))
        broker = stack.enter_context(proxy_for(server_address(platform.environment["REDIS_URL"])))
        platform.environment |= {
            "DATABASE_URL": f"postgresql://{values['USER']}@127.0.0.1:{database.port}"
            f"/{values['NAME']}",
            "REDIS_URL": f"redis://127.0.0.1:{broker.port}/0",
            "DJANGO_SETTINGS_MODULE": "tests.cheap_passwords",  # as those of this process
            # Complete pages contain the addresses of collected static files.
            "PENTATHLON_STATIC": str(folder / "static"),
        }
        (folder / "static").mkdir()
        platform.run("-m", "django", "collectstatic", "--noinput")
        address = platform.start_web()
        yield Site(address, platform.started[-1].pid, database, broker)


@dataclass(frozen=True, kw_only=True)
class Row:
    """A row of the table in the operators' guide: the answer to each kind of request."""

    page: int = 200
    api: int = 200
    sign_in: int = 200
    upload: int = 201
    large_upload: int = 400  # it is no archive
    healthz: int = 200
    readyz: int = 200


# What PostgreSQL says when its disk is full, wherever something would be stored.
_FILL = """
    CREATE FUNCTION tell_full() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
    DO $$ DECLARE name text; BEGIN
        FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
            EXECUTE format('CREATE TRIGGER is_full BEFORE INSERT OR UPDATE ON %I'
                ' EXECUTE FUNCTION tell_full()', name);
        END LOOP;
    END $$;
"""
_NO_DATABASE = Row(page=503, api=503, sign_in=503, upload=503, large_upload=503, readyz=503)
TABLE = {
    "broker down": Row(),
    "broker hangs": Row(),
    "database down": _NO_DATABASE,
    "database hangs": _NO_DATABASE,
    "database full": Row(sign_in=503, upload=503, large_upload=503),
    # Bodies that do not fit into memory go to a temporary file.
    "disk full": Row(large_upload=503),
}


@contextmanager
def full_database() -> Iterator[None]:
    """Let nothing be stored in the database."""
    with connection.cursor() as cursor:
        cursor.execute(_FILL)
        try:
            yield
        finally:
            cursor.execute("DROP FUNCTION tell_full CASCADE")


@contextmanager
def outage(site: Site, what: str) -> Iterator[None]:
    """Take something away from the site, and give it back at the end."""
    if what == "database full":
        with full_database():
            yield
        return
    part = site.database if what.startswith("database") else site.broker
    unlimited = resource.prlimit(site.process_id, resource.RLIMIT_FSIZE)
    if what == "disk full":
        # The kernel then refuses to lengthen any file: temporary files, and the log as well.
        resource.prlimit(site.process_id, resource.RLIMIT_FSIZE, (1, unlimited[1]))
    elif what.endswith("hangs"):
        part.hang()
    else:
        part.drop()
    try:
        yield
    finally:
        resource.prlimit(site.process_id, resource.RLIMIT_FSIZE, unlimited)
        part.resume()


def eventually(is_true: Callable[[], bool]) -> None:
    """Return as soon as something is true; readiness and gauges are kept for some seconds."""
    deadline = time.monotonic() + PATIENCE_S
    while not is_true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _sign_in(site: Site) -> int:
    """Return the status of a sign-in, 401 if nobody is signed in afterwards."""
    site.forget_cookies()
    _, _, page = site.ask("/sign-in/")
    token = page.decode().partition('name="csrfmiddlewaretoken" value="')[2].partition('"')[0]
    form = {"username": "ada", "password": PASSWORD, "csrfmiddlewaretoken": token}
    status, _, page = site.ask("/sign-in/", data=urlencode(form).encode())
    return 401 if status == HTTPStatus.OK and b'action="/sign-out/"' not in page else status


def _upload(site: Site, token: str, archive: bytes) -> int:
    head = (
        '--x\r\nContent-Disposition: form-data; name="archive"; filename="bot.zip"\r\n'
        "Content-Type: application/zip\r\n\r\n"
    )
    body = head.encode() + archive + b"\r\n--x--\r\n"
    kind = {"Content-Type": "multipart/form-data; boundary=x"}
    return site.ask("/api/v1/bots/", data=body, Authorization=f"Bearer {token}", **kind)[0]


@pytest.mark.parametrize("what", mostly_deep(TABLE, keep=("database down",)))
def test_each_outage_is_answered_as_the_table_says(site: Site, what: str) -> None:
    _, token = make_token(make_user("ada"))
    eventually(lambda: site.ask("/readyz")[0] == 200)
    assert site.ask("/")[0] == 200
    expected = TABLE[what]

    with outage(site, what):
        eventually(lambda: site.ask("/readyz")[0] == expected.readyz)
        found = Row(
            page=site.ask("/bots/")[0],
            api=site.ask("/api/v1/bots/")[0],
            sign_in=_sign_in(site),
            upload=_upload(site, token, make_upload("small")),
            large_upload=_upload(site, token, bytes(2 * IN_MEMORY)),
            healthz=site.ask("/healthz")[0],
            readyz=site.ask("/readyz")[0],
        )
        if what.startswith("broker"):
            assert b"pentathlon_broker_up 0.0" in site.ask("/metrics")[2]
        if found.page == HTTPStatus.SERVICE_UNAVAILABLE:
            eventually(lambda: b"pentathlon_gauges_up 0.0" in site.ask("/metrics")[2])
            _demand_patience(site)

    assert found == expected
    eventually(lambda: site.ask("/readyz")[0] == 200)
    assert site.ask("/bots/")[0] == 200
    assert _upload(site, token, make_upload("afterwards")) == 201


def _demand_patience(site: Site) -> None:
    status, headers, _ = site.ask("/")
    assert (status, headers["Retry-After"]) == (503, "5")
    status, headers, body = site.ask("/api/v1/bots/")
    assert (status, headers["Retry-After"]) == (503, "5")
    assert headers["Content-Type"] == "application/problem+json"
    assert json.loads(body)["code"] == "database_away"
    assert json.loads(site.ask("/readyz")[2])["ready"] is False
