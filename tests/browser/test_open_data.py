"""A page of another site builds a leaderboard from the API alone."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any

import pytest
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from pentathlon.web import examples
from tests.browser.conftest import PATIENCE_MS
from tests.browser.test_pages import sign_in
from tests.pentathlon.web.scene import Scene


@pytest.fixture
def elsewhere(live_server: LiveServer) -> Iterator[str]:
    """Serve the example of the guide from another origin; return its address."""
    text = files(examples).joinpath("leaderboard.html").read_text(encoding="utf-8")
    body = text.replace("SITE", live_server.url).replace("page_size=200", "page_size=1").encode()

    class Site(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path == "/" else 404)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body) if self.path == "/" else 0))
            self.end_headers()
            self.wfile.write(body if self.path == "/" else b"")

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def context(browser: Browser, live_server: LiveServer) -> Iterator[BrowserContext]:
    context = browser.new_context(base_url=live_server.url)
    context.set_default_timeout(PATIENCE_MS)
    yield context
    context.close()


def fetched(page: Page, address: str, **options: object) -> Any:  # Any: JSON
    """Fetch as a script of the page; return status and text, or the name of the error."""
    return page.evaluate(
        """([address, options]) => fetch(address, options).then(
            async (answer) => [answer.status, await answer.text(), answer.headers.get("etag")],
            (error) => error.name)""",
        [address, options],
    )


def test_example_of_the_guide_draws_all_pages_in_their_order(
    scene: Scene, context: BrowserContext, elsewhere: str
) -> None:
    page = context.new_page()
    page.goto(elsewhere)

    table = Client().get("/api/v1/leaderboards/tuned/").json()["results"]
    assert len(table) > 1
    lines = [re.compile(f"^{re.escape(row['version']['label'])}: ") for row in table]
    expect(page.locator("#board li")).to_have_text(lines)


def test_tag_saves_what_has_not_changed(
    scene: Scene, context: BrowserContext, elsewhere: str, live_server: LiveServer
) -> None:
    address = f"{live_server.url}/api/v1/leaderboards/tuned/"
    page = context.new_page()
    page.goto(elsewhere)

    status, _, tag = fetched(page, address)
    again = fetched(page, address, cache="no-store", headers={"If-None-Match": tag})

    assert (status, bool(tag)) == (200, True)
    assert again[0] == 304


def test_page_elsewhere_reads_nothing_with_cookies_and_changes_nothing(
    scene: Scene, context: BrowserContext, elsewhere: str, live_server: LiveServer
) -> None:
    page = context.new_page()
    sign_in(page, scene.author)
    page.goto(elsewhere)
    me = f"{live_server.url}/api/v1/me/"

    assert fetched(page, me, credentials="include") == "TypeError"
    assert fetched(page, me)[0] == 401
    assert fetched(page, f"{live_server.url}/account/") == "TypeError"
    made = fetched(
        page,
        f"{live_server.url}/api/v1/tokens/",
        method="POST",
        body="{}",
        headers={"Content-Type": "application/json"},
    )
    assert made == "TypeError"
    withheld = {"Authorization": "Bearer ptl_x"}
    assert fetched(page, me, headers=withheld)[0] == 401
    assert fetched(page, me, method="POST", headers=withheld) == "TypeError"
